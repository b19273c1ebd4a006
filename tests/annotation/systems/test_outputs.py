import pytest

from annotation.systems import rules as outputs
from annotation.systems.rules import Output, Unit


def units(n: int, chance: float = 1.0) -> list[Unit]:
    return [Unit(f"Q{number}", [Output(1), Output(2)], chance=chance) for number in range(n)]


class TestTake:
    def test_takes_all_with_the_chance_they_had(self):
        taken = outputs.take(units(3, chance=0.5), None, seed="a")

        assert {one.external_id for one in taken} == {"Q0", "Q1", "Q2"}
        assert {one.chance for one in taken} == {0.5}

    def test_takes_some_by_lot_and_says_with_which_chance(self):
        taken = outputs.take(units(8, chance=0.5), 2, seed="a")

        assert [one.chance for one in taken] == [0.125, 0.125]
        assert taken == outputs.take(list(reversed(units(8, chance=0.5))), 2, seed="a")
        drawn = {
            tuple(sorted(one.external_id for one in outputs.take(units(8), 2, seed=str(n))))
            for n in range(20)
        }
        assert len(drawn) > 5

    @pytest.mark.parametrize("n", [0, 4])
    def test_refuses_what_cannot_be_taken(self, n):
        with pytest.raises(ValueError, match="cannot be taken"):
            outputs.take(units(3), n, seed="a")


class TestOfReleases:
    def test_keeps_their_outputs_alone(self):
        (kept,) = outputs.of_releases(units(1), [2])

        assert [one.release_id for one in kept.outputs] == [2]

    def test_leaves_out_units_that_have_none_of_them(self):
        assert outputs.of_releases(units(2), [3]) == []
