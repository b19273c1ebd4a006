import pytest

from annotation.grading import facts
from annotation.rubrics.rules import CriterionText
from annotation.systems.models import Item
from scoring.figures import snapshots
from scoring.stats import frame
from scoring.stats.preferences import choices, rates
from tests.scoring import preferred

pytestmark = pytest.mark.django_db


class TestRatings:
    def test_say_which_answer_stood_beside(self):
        round_ = preferred.chosen()

        found = snapshots.from_rows([round_])

        assert len(found) == 12 * 3 * 3
        assert set(found["mark"]) == {"CHOICE"}
        assert (found["release"] != found["against"]).all()
        assert set(found["value"]) == {1, 2, 3, 4, 5, 6}
        assert len(frame.measured(found)) == 0  # none of it is a number
        back = frame.unpacked(frame.packed(found))
        assert back["against"].tolist() == found["against"].tolist()

    def test_name_it_in_rows(self):
        round_ = preferred.chosen(n_items=1)

        rows = list(facts.rows(facts.facts([round_])))

        assert {(one.release.system, one.against.system) for one in rows} <= {
            (a, b) for a in ("Kestrel", "Harbour", "Tern") for b in ("Kestrel", "Harbour", "Tern")
        }
        assert {one.criterion.words(one.value) for one in rows} <= {
            "A is much better",
            "A is better",
            "About the same",
            "B is better",
            "B is much better",
        }

    def test_become_choices_whatever_side_an_answer_stood_at(self):
        def always(first, second, item, rater):
            return 6 if item == 0 else 2

        found = choices.of_ratings(snapshots.from_rows([preferred.chosen(choices=always)]))

        assert (len(found), found.n_systems) == (12 * 3 * 3, 3)
        for one in choices.tallies(found):
            assert (one.won, one.tied, one.both_bad, one.lost) == (33, 3, 3, 0)
        assert set(found.first.tolist()) == set(found.second.tolist()) == {0, 1, 2}

    def test_keep_together_what_is_one_question(self):
        round_ = preferred.chosen(n_items=6)
        for n, pk in enumerate(sorted(set(round_.items.values_list("item", flat=True)))):
            Item.objects.filter(pk=pk).update(group=f"talk {n // 2}")

        found = choices.of_ratings(snapshots.from_rows([round_]))

        assert len(set(found.question.tolist())) == 6
        assert len(set(found.cluster.tolist())) == 3
        assert rates.rates(found).pairs[0].these.n == 3

    def test_of_several_criteria_are_counted_apart(self):
        ratings = snapshots.from_rows([preferred.chosen(criteria=("better", "kinder"))])

        with pytest.raises(ValueError, match="apart"):
            choices.of_ratings(ratings)


class TestCriterion:
    def test_offers_three_choices_unless_it_says_otherwise(self):
        made = CriterionText("better", "Better", mark="CHOICE").settled()

        assert [int(one.value) for one in made.levels] == [2, 3, 4]
        assert (made.minimum, made.maximum, made.step, made.weight) == (1, 6, 1, 0)
