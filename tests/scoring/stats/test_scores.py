import csv
import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats import frame
from scoring.stats import plain as rounding
from scoring.stats.plain import Reason, plain
from scoring.stats.scores import scores
from tests.scoring.ratings import frame_of, rated, record_lists, slow_scores

EXAMPLES = Path(__file__).parents[3] / "fixtures" / "examples"


def quick(records, **options):
    return scores.scores(frame_of(records), **options)


def example_records():
    with (EXAMPLES / "small_ratings.csv").open() as file:
        return [
            {**row, "value": row["value"] or None, "pass_at": row["pass_at"] or None}
            for row in csv.DictReader(file)
        ]


def paper_records(path):
    example = json.loads((path / "lalaeval" / "worked_examples.json").read_text())["score_example"]
    records = [
        rated(
            record["question"],
            record["score"],
            release=record["model"],
            capability=record["dim"],
            criterion=record["dim"],
            rater=record["grader"],
            top=record["max"],
        )
        for record in example["records"]
    ]
    return records, example


class TestKnownScores:
    def test_are_the_fractions_of_our_own_small_example(self):
        expected = json.loads((EXAMPLES / "small_ratings.expected.json").read_text())

        made = quick(example_records())

        for row in expected["rows"]:
            found = made.find(row["release"], row["capability"], figure=row["figure"])
            assert found.value == Fraction(row["value"]), row

    def test_are_the_worked_fractions_of_the_lalaeval_example(self, golden):
        records, expected = paper_records(golden)

        equal = quick(records)
        weighted = quick(records, weights={"fact": 3, "creat": 1})

        for release in ("A", "B"):
            for capability, fraction in expected["grade_dim"][release].items():
                assert equal.find(release, capability).value == Fraction(fraction)
            for capability, fraction in expected["accuracy"][release].items():
                found = equal.find(release, capability, figure="accuracy").value
                assert found == Fraction(fraction)
            assert equal.find(release).value == Fraction(expected["grade_equal"][release])
            assert weighted.find(release).value == Fraction(expected["grade_w_3_1"][release])

    def test_give_lalaeval_table_4_from_table_9(self, golden):
        with (golden / "lalaeval" / "table09_normalised_grades.csv").open() as file:
            rows = list(csv.DictReader(file))
        with (golden / "lalaeval" / "table04_normalised_grades.csv").open() as file:
            printed = {row.pop("group"): row for row in csv.DictReader(file)}
        systems = list(printed["Overall"])
        records = [
            rated("q", row[system], release=system, capability=row["dimension"], top=100)
            for row in rows
            for system in systems
        ]
        domain = [row["dimension"] for row in rows if row["capability"] == "Domain"]
        general = [row["dimension"] for row in rows if row["capability"] == "General"]
        factual = [name for name in domain if not name.startswith("Creative")]
        groups = {"Domain-Factuality": factual, "Domain": domain, "General": general}

        made = quick(records, groups=groups, intervals=False)

        cells = 0
        for group, row in printed.items():
            for system, text in row.items():
                name = scores.OVERALL if group == "Overall" else group
                value = made.find(system, group=name).value
                cells += str(rounding.percent(value)) == text
        assert cells == 20

    def test_are_the_sums_of_summeval_experts(self, golden):
        with (golden / "summeval" / "summeval_ratings.csv").open() as file:
            rows = list(csv.DictReader(file))
        sums: dict[tuple[str, str], int] = defaultdict(int)
        columns = defaultdict(list)
        for row in rows:
            for expert in ("e0", "e1", "e2"):
                for criterion in ("coh", "con", "flu", "rel"):
                    mark = row[f"{expert}_{criterion}"]
                    sums[row["system"], criterion] += int(mark)
                    values = (row["doc"], row["system"], criterion, expert, mark, 1, 5)
                    for name, value in zip(frame.REQUIRED, values, strict=True):
                        columns[name].append(value)

        made = scores.scores(frame.frame(columns), convention="of_top")

        found: dict[tuple[Any, Any], Any] = {
            (row.release, row.criterion): row.numerator
            for row in made.rows
            if row.level == "criterion" and row.figure == "score"
        }
        assert found == sums
        assert len(found) == 64
        assert found["M1", "flu"] == found["M22", "flu"] == 1469
        overall = {s: sum(found[s, c] for c in ("coh", "con", "flu", "rel")) for s in ("M0", "M23")}
        assert overall == {"M0": 5464, "M23": 5464}
        whole = made.find("M0")
        assert (whole.n_grades, whole.n_questions, whole.n_raters) == (1200, 100, 3)
        assert whole.value == Fraction(5464, 6000)


class TestScoresOverSmallCapabilities:
    def test_have_an_interval_by_one_variance_and_say_so(self):
        records = [
            rated(f"{part}-{i}", mark, capability=f"k{part}")
            for part in range(6)
            for i, mark in enumerate([part % 4, (part + 2) % 4])
        ]
        records.append(rated("alone", 2, capability="k9"))

        made = scores.scores(frame_of(records))

        whole, part = made.find("A"), made.find("A", "k1")
        assert 0 <= whole.these.low < whole.value < whole.these.high <= 1
        assert (part.these.low, part.these.interval_reason) == (None, Reason.UNDER_SIX)


class TestScoresAlways:
    @given(record_lists())
    def test_equal_the_slow_fractions(self, records):
        made = quick(records, intervals=False)

        for figure in ("score", "accuracy"):
            slow = slow_scores(records, accuracy=figure == "accuracy")
            found = {
                (row.release, row.capability): row.value
                for row in made.rows
                if row.level == "capability" and row.figure == figure and row.value is not None
            }
            assert found == slow

    @pytest.mark.nightly
    @pytest.mark.timeout(3000)
    @settings(max_examples=10_000)
    @given(record_lists())
    def test_equal_the_slow_fractions_on_very_many_designs(self, records):
        made = quick(records, intervals=False)

        for figure in ("score", "accuracy"):
            slow = slow_scores(records, accuracy=figure == "accuracy")
            rows = (row for row in made.rows if row.level == "capability" and row.figure == figure)
            found = {(row.release, row.capability): row.value for row in rows}
            assert {key: value for key, value in found.items() if value is not None} == slow

    @given(record_lists())
    def test_keep_score_below_accuracy_on_scales_from_0(self, records):
        made = quick(records, intervals=False)

        for row in made.rows:
            if row.figure == "score" and row.value is not None:
                other = next(
                    r
                    for r in made.rows
                    if r.figure == "accuracy"
                    and (r.level, r.release, r.capability, r.criterion, r.group)
                    == (row.level, row.release, row.capability, row.criterion, row.group)
                )
                assert row.value <= other.value

    @settings(max_examples=25)
    @given(record_lists(), st.randoms(use_true_random=False))
    def test_do_not_depend_on_the_order_of_rows(self, records, chance):
        shuffled = list(records)
        chance.shuffle(shuffled)

        assert quick(shuffled) == quick(records)

    @settings(max_examples=25)
    @given(record_lists(), st.permutations(["A", "B", "C"]))
    def test_follow_the_names_of_releases(self, records, names):
        renamed = dict(zip(["A", "B", "C"], names, strict=True))

        before = quick(records)
        after = quick([{**r, "release": renamed[r["release"]]} for r in records])

        def values(made, name):
            return {
                (name(r.release), r.figure, r.level, r.capability, r.criterion, r.group): (
                    r.value,
                    *(
                        end and round(end, 9)
                        for of in (r.these, r.others)
                        for end in (of.low, of.high)
                    ),
                    r.n_grades,
                    r.reason,
                )
                for r in made.rows
            }

        assert values(before, renamed.get) == values(after, str)

    @settings(max_examples=25)
    @given(record_lists())
    def test_hold_their_value_between_the_bounds(self, records):
        for row in quick(records).rows:
            for one in (row.these, row.others):
                if one.low is not None:
                    assert 0 <= one.low <= row.value <= one.high <= 1
                    assert one.low < one.high


class TestScores:
    def test_take_marks_above_the_minimum(self):
        made = quick([rated("q1", 2, scale_min=1, scale_max=5, pass_at=3)])

        found = made.find("A", "k1", "c1")

        assert (found.numerator, found.denominator) == (1, 4)
        assert made.find("A", "k1", figure="accuracy").value == 0

    def test_sum_decimals_exactly(self):
        made = quick([rated(f"q{i}", "0.1", top="0.3") for i in range(3)])

        found = made.find("A", "k1")

        assert found.numerator == Fraction(3, 10)
        assert found.value == Fraction(1, 3)
        assert made.exact

    def test_say_when_marks_were_rounded(self):
        made = quick([rated("q1", 1 / 3)])

        assert not made.exact
        assert "rounded to 6 decimals" in made.find("A", "k1").method

    def test_average_questions_instead_of_grades_when_asked(self):
        records = [
            rated("q1", 3),
            rated("q1", 3, rater="r2"),
            rated("q2", 0),
        ]

        pooled = quick(records).find("A", "k1").value
        means = quick(records, average="means_of_questions")

        assert pooled == Fraction(2, 3)
        assert means.find("A", "k1").value == Fraction(1, 2)
        assert means.find("A", "k1", figure="accuracy").value == Fraction(1, 2)
        assert "mean over questions" in means.find("A", "k1").method

    def test_weigh_criteria_within_a_capability(self):
        records = [rated("q1", 3), rated("q1", 0, criterion="c2")]

        found = quick(records, criterion_weights={"c1": "0.75", "c2": 0.25}).find("A", "k1")

        assert found.value == Fraction(3, 4)
        assert found.numerator is None

    def test_drop_a_missing_capability_and_say_partial(self):
        records = [
            rated("q1", 3),
            rated("q2", 3, release="B"),
            rated("q3", 0, release="B", capability="k2"),
        ]

        made = quick(records)

        a, b = made.find("A"), made.find("B")
        assert (a.value, a.partial, a.missing) == (1, True, ("k2",))
        assert (b.value, b.partial, b.missing) == (Fraction(1, 2), False, ())
        assert made.find("A", "k2").reason is Reason.NO_GRADES
        assert not made.find("A", "k2").partial

    def test_name_a_missing_criterion_in_the_overall_score(self):
        records = [
            rated("q1", 3),
            rated("q1", 3, release="B"),
            rated("q1", 0, release="B", criterion="c2"),
        ]

        assert quick(records).find("A").missing == ("k1 / c2",)

    def test_are_partial_when_a_weighted_capability_has_no_grades(self):
        made = quick([rated("q1", 3)], weights={"k1": 1, "k9": 2})

        assert made.find("A").missing == ("k9",)

    def test_leave_out_what_weighs_nothing(self):
        records = [rated("q1", 3), rated("q2", 0, capability="k2")]

        found = quick(records, weights={"k2": 0}).find("A")

        assert (found.value, found.partial) == (1, False)

    def test_count_only_grades_with_a_value(self):
        records = [rated("q1", 3), rated("q2", None, rater="r2", outcome="CANNOT_GRADE")]

        found = quick(records).find("A", "k1")

        assert (found.n_grades, found.n_questions, found.n_raters) == (1, 1, 1)

    def test_can_be_grouped_by_other_columns(self):
        records = [
            rated("q1", 3, system="S", difficulty="simple"),
            rated("q2", 0, system="S", difficulty="hard", release="B"),
        ]

        made = quick(records, by=("system", "difficulty"))

        assert made.find("S", "hard").value == 0
        assert made.find("S").value == Fraction(1, 2)

    def test_are_empty_for_an_empty_frame(self):
        empty = frame_of([rated("q1", 3)]).iloc[:0]

        assert scores.scores(empty).rows == ()

    def test_become_plain_json(self):
        made = quick([rated("q1", 3), rated("q2", 1)])

        text = json.dumps(plain(made), allow_nan=False)

        assert '"value": {"num": 2, "den": 3,' in text
        assert "_sums" not in text
