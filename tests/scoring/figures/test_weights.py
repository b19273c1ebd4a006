from fractions import Fraction

import pytest

from annotation.domains.models import Capability
from annotation.rubrics.models import Criterion
from scoring.figures import weights
from tests.scoring import reads, rounds
from tests.scoring.spread import spread

pytestmark = pytest.mark.django_db


class TestWritten:
    @pytest.mark.parametrize("text", ["0", "2", "0.5", "1/3", "12.25"])
    def test_is_read_back_as_it_was(self, text):
        assert weights.written(weights.read_weight(text)) == text

    @pytest.mark.parametrize("text", ["", "x", "-1", "nan", "inf", "1/0", "1001", "1" * 13])
    def test_refuses_what_is_no_weight(self, text):
        assert weights.read_weight(text) is None


class TestWeights:
    def test_multiply_those_of_groups(self):
        world = spread()
        used = weights.weights_of(world.round).reading(
            {"w.g-DOMAIN": "2", f"w.t-{world.facts.pk}": "3", f"w.c-{world.law.pk}": "0.5"}
        )

        assert used.effective == {
            str(world.coherence.pk): 1,
            str(world.law.pk): 3,
            str(world.companies.pk): 6,
        }
        assert [line.share for line in used.lines()][:2] == [10, 10]

    def test_come_from_what_is_stored(self):
        round_ = rounds.graded(criteria=("grade", "wording"))
        capability = round_.project.capabilities.get()
        Capability.objects.update(weight=2)
        Criterion.objects.filter(key="wording").update(weight=3)

        used = weights.weights_of(round_)

        assert used.effective == {str(capability.pk): 2}
        assert used.of_criteria == {f"{capability.pk}.wording": 3}
        assert not used.is_changed

    def test_that_are_the_stored_ones_change_nothing(self):
        world = spread()
        usual = weights.weights_of(world.round)

        used = usual.reading({f"w.c-{world.law.pk}": "1.0", "w.g-GENERAL": ""})

        assert not used.is_changed
        assert used.params == usual.params

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ({"w.g-GENERAL": "-1"}, "General: “-1” is no weight"),
            ({"w.c-999999": "1"}, "w.c-999999 names nothing in this round"),
            ({"w.g-GENERAL": "0", "w.g-DOMAIN": "0"}, "All weights are 0"),
        ],
    )
    def test_refuse_what_cannot_be_used_and_say_what(self, query, said):
        usual = weights.weights_of(spread().round)

        with pytest.raises(weights.BadWeight, match=said) as refusal:
            usual.reading(query)

        assert set(refusal.value.fields) <= set(query)

    def test_of_all_criteria_of_a_capability_may_not_be_zero(self):
        round_ = rounds.graded(criteria=("grade", "wording"))
        key = f"w.c-{round_.project.capabilities.get().pk}"

        with pytest.raises(weights.BadWeight, match="All criteria of Factuality weigh 0"):
            weights.weights_of(round_).reading({f"{key}.grade": "0", f"{key}.wording": "0"})

    def test_stand_in_the_form_as_typed_with_what_is_wrong(self):
        usual = weights.weights_of(spread().round)

        line = usual.lines({"w.g-GENERAL": "-1"}, {"w.g-GENERAL": ["No."]})[0]

        assert (line.used, line.stored, line.problem) == ("-1", "1", "No.")


class TestScoresUnderWeights:
    def test_are_the_weighted_mean_by_hand(self):
        round_ = rounds.graded(
            capabilities=("A", "B"), marks=lambda system, item, rater: 2 - item % 2 - system
        )
        a = round_.project.capabilities.get(name="A")
        usual = reads.result_of(reads.cut_of(round_))
        changed = reads.result_of(reads.cut_of(round_, {f"w.c-{a.pk}": ["3"]}))

        assert usual.headline[0].overall.exact == "3/4"
        assert changed.headline[0].overall.exact == str((3 * Fraction(1) + Fraction(1, 2)) / 4)
        assert changed.weights == [("A", "3"), ("B", "1")]

    def test_of_criteria_weigh_within_their_capability(self):
        round_ = rounds.graded(criteria=("grade", "wording"), n_items=2)
        Criterion.objects.filter(key="wording").update(maximum=4)
        capability = round_.project.capabilities.get()

        changed = reads.cut_of(round_, {f"w.c-{capability.pk}.wording": ["0"]})

        lines = reads.result_of(changed).parts("score", criteria=True)
        whole = {line.title: line.cells[0].exact for line in lines}
        assert whole["Factuality"] == whole["Grade"]
        assert whole["Wording"] != whole["Grade"]
