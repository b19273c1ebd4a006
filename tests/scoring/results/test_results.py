from decimal import Decimal

import pytest

from annotation.domains.models import Capability
from scoring import jobs as scoring_jobs
from scoring.figures import labels as figures_labels
from scoring.figures import typed
from scoring.figures.cells import ScoreGap
from scoring.results import facts
from scoring.results import queries as results
from scoring.shown import names
from scoring.stats.claims import ScoresFigure
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def result_of(round_, *, shown=True):
    asked = results.params(round_)
    data = scoring_jobs.compute(name=results.FIGURE, round_=round_, params=asked)
    return results.RoundResult(
        typed.read_figure(ScoresFigure, data),
        names.names(round_, shown=shown),
        results.capabilities(round_),
        figures_labels.criteria_names(round_),
    )


class TestResult:
    def test_ranks_releases_and_says_whom_they_are_above(self):
        result = result_of(
            rounds.graded(
                n_items=9, marks=lambda system, item, rater: 2 - (system + item) % 2 - system
            )
        )

        assert [line.name.text for line in result.headline] == ["Kestrel", "Harbour"]
        assert [name.text for name in result.headline[0].better] == ["Harbour"]
        assert result.headline[1].better == ()

    def test_has_groups_only_if_capabilities_are_of_both_kinds(self):
        round_ = rounds.graded(capabilities=("A", "B"))
        before = result_of(round_).groups
        Capability.objects.filter(name="B").update(kind="GENERAL")

        assert (before, result_of(round_).groups) == ([], ["GENERAL", "DOMAIN"])

    def test_rounds_for_display_and_keeps_the_exact_share(self):
        cell = result_of(rounds.graded()).headline[0].overall

        assert (cell.value, cell.exact, cell.n_grades) == (Decimal("95.8"), "23/24", 12)

    def test_says_why_there_is_no_interval(self):
        result = result_of(rounds.graded(n_items=6, marks=lambda system, item, rater: 1))

        overall = result.headline[0].overall
        assert (overall.value, overall.low) == (Decimal("50.0"), None)
        assert overall.why_no_interval == "No interval: all questions came out the same."

    def test_shows_a_release_that_has_no_grades_yet(self):
        result = result_of(
            rounds.graded(marks=lambda system, item, rater: None if system else 1, n_items=2)
        )

        assert result.headline[-1].overall.value is None
        assert result.headline[-1].overall.why == "No valid grades yet."

    def test_names_what_a_partial_score_leaves_out(self):
        round_ = rounds.graded(
            capabilities=("A", "B"),
            marks=lambda system, item, rater: None if item % 2 else 1 + item % 2,
        )

        missing = result_of(round_).headline[0].overall.missing

        assert missing == ("B",)

    def test_counts_what_was_wanted_by_capability_and_in_all(self):
        coverage = result_of(rounds.graded(capabilities=("A", "B"))).coverage

        assert [(one.title, one.wanted, one.given, one.missing) for one in coverage] == [
            ("A", 12, 12, 0),
            ("B", 12, 12, 0),
            ("All", 24, 24, 0),
        ]

    def test_of_a_round_without_grades_is_empty(self):
        assert result_of(rounds.graded(n_items=0)).is_empty


class TestTitle:
    def test_does_not_call_a_system_better_that_cannot_be_told_apart(self):
        result = result_of(
            rounds.graded(n_items=8, marks=lambda system, item, rater: item * (1 + system) % 3)
        )

        assert facts.title(result) == (
            "Harbour leads with 50. Kestrel, 6.3 points behind, is too close to call."
        )

    def test_of_one_system_says_that_there_is_no_other(self):
        result = result_of(rounds.graded(systems=("Kestrel",)))

        assert facts.title(result) == "Kestrel has 95.8; no other system was graded."

    def test_is_empty_without_grades(self):
        result = result_of(rounds.graded(n_items=0))

        assert (facts.title(result), facts.subtitle(result)) == ("", "")


class TestFacts:
    def test_say_what_the_scores_are_based_on_and_lead_there(self):
        result = result_of(rounds.graded(n_items=8))

        found = [facts.questions(result, "/questions"), facts.covered(result, "#coverage")]

        assert [(one.label, one.value, one.note, one.url) for one in found if one] == [
            ("Questions", "8", "48 grades by 3 annotators", "/questions"),
            ("Coverage", "100 %", "all 48 planned grades", "#coverage"),
        ]

    def test_of_figures_that_are_not_there_yet_say_so(self):
        assert (facts.agreed(None).value, facts.disputed(None).value) == ("Computing", "Computing")


class TestMoreQuestions:
    @pytest.mark.parametrize(
        ("low", "high", "n_pairs", "more"),
        [
            # Half as wide takes four times the questions: 30 more than 10.
            (-5, 15, 1, 30),
            (-1, 11, 1, 10),
            # Three pairs at once: 2.394 in the place of 1.960.
            (-5, 15, 3, 50),
            (-95, 105, 1, None),
            (None, None, 1, None),
        ],
    )
    def test_narrow_the_interval_until_nought_lies_outside(self, low, high, n_pairs, more):
        name = names.Name(1, "A", "", "A", 0)
        gap = ScoreGap(name, name, Decimal(5), low, high, 10, 10, "", these=(low, high))

        assert facts.n_more(gap, n_pairs) == more


class TestRanks:
    def test_allow_for_all_pairs_at_once(self):
        round_ = rounds.graded(
            systems=("Weak", "Strong"),
            n_items=9,
            marks=lambda system, item, rater: 2 * system or (item + rater) % 2,
        )
        result = result_of(round_)

        strong, weak = result.headline
        assert (strong.standing.ranks, weak.standing.ranks) == ("1", "2")
        assert [name.text for name in strong.better] == [weak.name.text]
        assert result.not_separable == []
        assert result.gaps[0].p is not None
        assert result.gaps[0].p < 0.05

    def test_of_equals_are_shared(self):
        round_ = rounds.graded(n_items=9, marks=lambda system, item, rater: (item + system) % 2)
        result = result_of(round_)

        assert {line.standing.ranks for line in result.headline} == {"1–2"}
        assert len(result.not_separable) == 1


class TestUnevenSystems:
    def test_are_compared_on_their_common_questions_and_that_is_said(self):
        result = result_of(rounds.graded(n_items=12, marks=rounds.half_seen))

        (gap,) = result.gaps
        assert [line.overall.value for line in result.headline] == [Decimal(100), Decimal("62.5")]
        assert (gap.value, gap.n_questions, gap.n_either) == (Decimal(0), 5, 12)
        assert (gap.n_pairs, gap.n_left_out) == (15, 21)
        assert gap.shares_few
        assert result.few_shared == [gap]
        assert result.is_uneven
        assert facts.title(result) == "Kestrel and Harbour are level on what both were graded on."
        told = facts.subtitle(result)
        assert told.endswith("Compared on 5 common questions of 12.")

    def test_of_several_capabilities_differ_by_what_both_were_graded_on(self):
        def marks(system, item, rater):
            if system == 0 and item % 2 and item > 6:
                return None
            return 2 - item % 2 * (system == 1 and item < 4) - (item > 6)

        result = result_of(rounds.graded(n_items=12, marks=marks, capabilities=("Facts", "Style")))

        # Of the questions 1, 3 and 5 that both have, Harbour lost one level of two on two.
        assert result.widest is not None
        assert (result.widest.title, result.widest.high.text) == ("Style", "Kestrel")
        assert result.widest.points == Decimal("33.3")

    def test_name_the_part_that_only_one_of_them_was_graded_on(self):
        result = result_of(
            rounds.graded(
                n_items=12,
                capabilities=("Facts", "Style"),
                marks=lambda system, item, rater: None if system and item % 2 else item % 3,
            )
        )

        assert result.gaps[0].missing == ("Style",)

    def test_say_on_how_many_questions_they_were_compared(self):
        def marks(system, item, rater):
            return None if system and item == 11 else (item * (rater + 1) + system) % 3

        told = facts.subtitle(result_of(rounds.graded(n_items=12, marks=marks)))

        assert "Compared on 11 common questions of 12." in told

    def test_lose_to_another_on_the_questions_that_both_have(self):
        def marks(system, item, rater):
            if system == 0:
                return None if item < 8 else 2 - (item + rater) % 2
            return 0 if item < 8 else 2

        result = result_of(rounds.graded(n_items=24, marks=marks))

        assert result.headline[0].name.text == "Kestrel"
        assert facts.title(result) == (
            "Harbour is 25 points ahead of Kestrel on what both were graded on."
        )
