from decimal import Decimal

import pytest

from annotation.domains.models import Capability
from scoring import jobs as scoring_jobs
from scoring.figures import labels as figures_labels
from scoring.results import facts
from scoring.results import pictures as plots
from scoring.results import queries as results
from scoring.shown import names
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def result_of(round_, *, shown=True):
    asked = results.params(round_)
    data = scoring_jobs.compute(name=results.FIGURE, round_=round_, params=asked)
    return results.Result(
        data,
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
        before = result_of(round_).heads
        Capability.objects.filter(name="B").update(kind="GENERAL")

        assert (before, result_of(round_).heads) == (
            ["Accuracy"],
            ["Accuracy", "General", "Domain"],
        )

    def test_rounds_for_display_and_keeps_the_exact_share(self):
        cell = result_of(rounds.graded()).headline[0].overall

        assert (cell.value, cell.exact, cell.n_grades) == (Decimal("95.8"), "23/24", 12)

    def test_says_why_there_is_no_interval(self):
        result = result_of(rounds.graded(n_items=6, marks=lambda system, item, rater: 1))

        overall = result.headline[0].overall
        assert (overall.value, overall.low) == (Decimal("50.0"), None)
        assert overall.why_no_interval == "No interval: all questions came out the same."

    @pytest.mark.parametrize(("mark", "axis"), [(0, (0, 10)), (1, (50, 60)), (2, (90, 100))])
    def test_draws_on_an_axis_of_some_length_when_all_came_out_the_same(self, mark, axis):
        result = result_of(rounds.graded(marks=lambda system, item, rater: mark))

        assert result.axis == axis

    def test_shows_a_release_that_has_no_grades_yet(self):
        result = result_of(
            rounds.graded(marks=lambda system, item, rater: None if system else 1, n_items=2)
        )

        assert result.headline[-1].overall.value is None
        assert result.headline[-1].overall.why == "There are no valid grades for this yet."

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


class TestFacts:
    def test_are_four_sentences_at_most(self):
        found = facts.facts(result_of(rounds.graded(n_items=8, capabilities=("A", "B"))))

        assert [fact["label"] for fact in found] == [
            "Highest overall",
            "Widest gap",
            "Coverage",
            "It rests on",
        ]
        assert found[0]["value"] == "Kestrel"
        assert found[3]["note"] == "8 questions, 3 annotators"

    def test_name_no_widest_gap_where_there_is_one_capability(self):
        found = facts.facts(result_of(rounds.graded(n_items=8, capabilities=("A",))))

        assert [fact["label"] for fact in found] == ["Highest overall", "Coverage", "It rests on"]

    def test_round_a_gap_and_not_what_it_lies_between(self):
        def marks(system, item, rater):
            if item % 2:
                return 1
            if system:
                return 2 * (item == 0)
            return 2 - (item == 0 and rater < 2)

        found = facts.facts(
            result_of(rounds.graded(n_items=12, capabilities=("A", "B"), marks=marks))
        )

        # 34/36 and 6/36: printed 94.4 and 16.7, and 77.8 apart.
        assert found[1]["note"] == "Kestrel is 77.8 points above Harbour"

    def test_do_not_call_a_system_better_that_cannot_be_told_apart(self):
        result = result_of(
            rounds.graded(n_items=8, marks=lambda system, item, rater: item * (1 + system) % 3)
        )

        assert facts.facts(result)[0]["note"] == (
            "Harbour is 6.3 points ahead of Kestrel; with 8 questions and 3 annotators this is not "
            "yet certain."
        )


class TestPlot:
    def test_wears_the_names_and_marks_of_the_page(self):
        round_ = rounds.graded(capabilities=("A&B", "C"), n_items=8)
        for shown in (True, False):
            result = result_of(round_, shown=shown)

            figure = plots.named(result.plot, result.names, result.title)

            assert {trace["name"] for trace in figure["data"]} == {n.text for n in result.names}
            texts = [one["text"] for one in figure["layout"]["annotations"]]
            assert (texts[0], set(texts[1:])) == ("Overall", {"A&amp;B", "C"})
            assert figure["layout"]["yaxis"]["ticktext"] == [n.text for n in result.names]


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
        told = facts.facts(result)[0]
        assert [line.overall.value for line in result.headline] == [Decimal(100), Decimal("62.5")]
        assert (gap.value, gap.n_questions, gap.n_either) == (Decimal(0), 5, 12)
        assert (gap.n_pairs, gap.n_left_out) == (15, 21)
        assert gap.shares_few
        assert result.few_shared == [gap]
        assert result.is_uneven
        assert told["value"] == "Kestrel"
        assert told["note"].startswith("Kestrel and Harbour have the same score; how sure that is")
        assert told["note"].endswith("Only 5 of their 12 questions are common, fewer than half.")

    def test_of_several_capabilities_differ_by_what_both_were_graded_on(self):
        def marks(system, item, rater):
            if system == 0 and item % 2 and item > 6:
                return None
            return 2 - item % 2 * (system == 1 and item < 4) - (item > 6)

        result = result_of(rounds.graded(n_items=12, marks=marks, capabilities=("Facts", "Style")))

        widest = next(one for one in facts.facts(result) if one["label"] == "Widest gap")
        assert widest["value"] == "Style"
        # Of the questions 1, 3 and 5 that both have, Harbour lost one level of two on two.
        assert widest["note"] == (
            "Kestrel is 33.3 points above Harbour, on what both were graded on"
        )

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

        told = facts.facts(result_of(rounds.graded(n_items=12, marks=marks)))[0]["note"]

        assert "Compared on the 11 of their 12 questions that both have." in told

    def test_lose_to_another_on_the_questions_that_both_have(self):
        def marks(system, item, rater):
            if system == 0:
                return None if item < 8 else 2 - (item + rater) % 2
            return 0 if item < 8 else 2

        fact = facts.facts(result_of(rounds.graded(n_items=24, marks=marks)))[0]

        assert fact["value"] == "Kestrel"
        assert fact["note"].startswith(
            "On what both were graded on, Kestrel is 25.0 points behind Harbour; this holds for other"
        )
