import json

import numpy as np
import pytest

from scoring.stats.judges import intervals as correlation_intervals
from scoring.stats.judges import judges, levels
from scoring.stats.judges.judges import JudgeColumns, PeopleMarks
from scoring.stats.plain import Reason, plain
from scoring.stats.resampled import exact
from tests.scoring import judged_beside as beside
from tests.scoring import summeval

NAN = float("nan")


def made(seed=0, systems=6, groups=10):
    """Rows, people on two criteria by three raters, and two judges."""
    rng = np.random.default_rng(seed)
    table = beside.rows_of(systems, groups)
    worth = np.repeat(rng.normal(0, 1, systems), groups)
    people, columns = {}, {}
    for criterion in ("clear", "true"):
        marks = np.clip(np.rint(3 + worth + rng.normal(0, 1, (3, len(worth)))), 1, 5)
        people[criterion] = PeopleMarks(marks.sum(axis=0), np.full(len(worth), 3), (1, 5), marks)
        columns[criterion] = np.round(3 + worth + rng.normal(0, 0.5, len(worth)), 2)
    return (
        table,
        people,
        {"J": JudgeColumns(columns), "half": JudgeColumns({"true": columns["true"]})},
    )


def summeval_people(golden):
    found = {}
    for criterion in summeval.CRITERIA:
        marks = summeval.marks(golden, criterion)
        found[criterion] = PeopleMarks(marks.sum(axis=0), np.full(marks.shape[1], 3), (1, 5), marks)
    return found


class TestJudgeTable:
    def test_has_a_cell_for_everything_asked_and_what_a_judge_lacks_is_undefined(self):
        table, people, all_judges = made()

        found = judges.judge_table(table, people, all_judges, resamples=50)

        assert len(found.cells) == (2 + 1) * 3 * 4
        assert len(found.overall) == 2 * 3 * 4 * 2
        assert {one.reason for one in found.overall if one.judge == "half"} == {
            Reason.PARTS_UNDEFINED
        }
        assert all(one.value is not None for one in found.overall if one.judge == "J")
        assert json.dumps(plain(found), allow_nan=False)

    def test_is_what_each_part_gives_alone(self):
        table, people, all_judges = made()
        found = judges.judge_table(table, people, all_judges, resamples=80, seed=9)

        cell = found.find("J", "true", "system", "spearman")
        of = levels.pairs(
            table, exact.values(all_judges["J"].columns["true"]), people["true"].values
        )
        (known,) = correlation_intervals.resampled(
            of, "system", names=["spearman"], resamples=80, seed=9
        )
        assert cell.interval == known
        assert cell.variance == pytest.approx(np.var(all_judges["J"].columns["true"], ddof=1))
        assert found.find("half", "true", "system", "spearman").interval == known
        with pytest.raises(KeyError):
            found.find("half", "clear", "system", "spearman")

    def test_turns_judges_for_whom_less_is_better(self):
        table, people, all_judges = made()
        turned = {
            "J": JudgeColumns(
                {name: -column for name, column in all_judges["J"].columns.items()},
                less_is_better=("clear", "true"),
            )
        }

        here, there = (
            judges.judge_table(table, people, {"J": one["J"]}, resamples=0)
            for one in (all_judges, turned)
        )

        assert here == there

    def test_turns_single_criteria_with_their_ranges(self):
        table, people, all_judges = made()
        columns = all_judges["J"].columns
        ranges = {"clear": (0.0, 8.0), "true": (0.0, 10.0)}
        turned = JudgeColumns(
            {"clear": 8 - columns["clear"], "true": columns["true"]},
            ranges,
            less_is_better=("clear",),
        )
        options = {"at": ["pooled"], "names": ["pearson"], "resamples": 0}

        here, there = (
            judges.judge_table(table, people, {"J": one}, **options).overall[1].value
            for one in (JudgeColumns(columns, ranges), turned)
        )

        assert here == pytest.approx(there, abs=1e-12)

    def test_takes_own_overall_marks_in_the_place_of_means_and_says_so(self):
        table, people, all_judges = made()
        own = JudgeColumns(
            all_judges["J"].columns, overall=-np.arange(60.0), less_is_better=["overall"]
        )
        options = {"at": ["pooled"], "names": ["spearman"], "resamples": 0}

        found = judges.judge_table(table, people, {"J": own}, own_overall=people["true"], **options)

        whole = found.overall[1]
        of = levels.pairs(table, exact.values(np.arange(60.0)), people["true"].values)
        known = beside.slow(of.judge.tolist(), of.human.tolist(), "spearman")
        assert whole.value == pytest.approx(known)
        assert whole.method.endswith(
            "people: their own overall mark; judge: their own overall mark"
        )

    def test_brings_different_ranges_together_before_averaging_and_says_so(self):
        table, people, all_judges = made()
        wide = dict(people)
        wide["true"] = PeopleMarks(
            people["true"].total * 20, people["true"].count, (20, 100), people["true"].marks * 20
        )
        options = {"at": ["system"], "names": ["pearson"], "resamples": 0}

        here, there = (
            judges.judge_table(table, one, {"J": all_judges["J"]}, **options).overall[1]
            for one in (people, wide)
        )

        assert here.value == pytest.approx(there.value, abs=1e-12)
        assert "people: mean of the criteria as they stand" in here.method
        assert "each brought to 0–1 by its range" in there.method

    def test_of_one_criterion_has_no_overall(self):
        table, people, all_judges = made()
        found = judges.judge_table(
            table, {"true": people["true"]}, all_judges, at=["system"], resamples=0
        )

        assert (found.overall, list(found.ties)) == ((), ["true"])

    def test_of_one_response_has_no_variance(self):
        people = {"true": PeopleMarks(np.array([2.0]), np.array([1]))}
        judge = {"J": JudgeColumns({"true": np.array([3.0])})}

        found = judges.judge_table(beside.rows_of(1, 1), people, judge, at=["pooled"])

        assert {(one.variance, one.correlation.value) for one in found.cells} == {(None, None)}

    def test_of_nobody_is_empty(self):
        found = judges.judge_table(beside.rows_of(1, 1), {}, {})

        assert (found.cells, found.overall, found.ties) == ((), (), {})

    def test_of_people_without_single_marks_has_no_ceiling(self):
        table, people, all_judges = made()
        bare = {name: PeopleMarks(one.total, one.count) for name, one in people.items()}
        found = judges.judge_table(table, bare, all_judges, at=["system"], resamples=0)

        assert found.ceilings == {}

    def test_of_summeval_has_its_ties_its_ceilings_and_both_definitions(self, golden):
        column = summeval.column(golden, "rouge1_stem_f")
        rouge = JudgeColumns(dict.fromkeys(summeval.CRITERIA, column))
        options = {"at": ["system"], "names": ["kendall_b"], "resamples": 0}

        found = judges.judge_table(
            summeval.table(golden), summeval_people(golden), {"ROUGE-1": rouge}, **options
        )

        assert found.ties == {"coh": 0, "con": 0, "flu": 1, "rel": 0, "overall": 1}
        assert {one.definition: round(one.value, 3) for one in found.overall} == {
            "mean_of_coefficients": 0.503,
            "averaged_rating": 0.594,
        }
        assert [len(one) for one in found.ceilings.values()] == [1] * 4
        assert found.find("ROUGE-1", "flu", "system", "kendall_b").correlation.n == 16
