import csv
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats.plain import plain
from scoring.stats.scores import scores as coverage
from tests.scoring.ratings import frame_of, rated, record_lists
from tests.scoring.stats.test_scores import example_records

WANTED = {(r, c): n for r in ("north", "south", "west") for c, n in (("facts", 24), ("style", 9))}


class TestCoverage:
    def test_counts_our_own_small_example(self):
        made = coverage.coverage(frame_of(example_records()), wanted=WANTED)

        rows = {(row.release, row.capability): row for row in made.rows}
        assert (rows["south", "style"].given, rows["south", "style"].missing) == (8, 1)
        west = rows["west", "facts"]
        assert (west.given, west.cannot_grade, west.missing) == (22, 2, 0)
        assert (made.total.wanted, made.total.given, made.total.missing) == (99, 96, 1)
        assert json.dumps(plain(made))

    def test_finds_all_19200_expert_grades_of_summeval(self, golden):
        records = []
        with (golden / "summeval" / "summeval_ratings.csv").open() as file:
            for row in csv.DictReader(file):
                for name in [name for name in row if name.startswith("e")]:
                    rater, criterion = name.split("_")
                    records.append(
                        rated(
                            row["doc"],
                            row[name],
                            release=row["system"],
                            capability=None,
                            criterion=criterion,
                            rater=rater,
                            round_kind="IMPORTED",
                        )
                    )

        made = coverage.coverage(frame_of(records))

        assert made.total.given == 19_200
        assert {(row.capability, row.given, row.missing) for row in made.rows} == {
            (None, 1_200, None)
        }
        assert len(made.rows) == 16

    @settings(max_examples=25)
    @given(record_lists(), st.lists(st.sampled_from(["", "late", "invalid"]), min_size=40))
    def test_counts_every_grade_once(self, records, fates):
        marked = [
            {**record, "late": fate == "late", "valid": fate == ""}
            for record, fate in zip(records, fates, strict=False)
        ]

        made = coverage.coverage(frame_of(marked))

        total = made.total
        assert total.given + total.cannot_grade + total.late + total.invalid == len(marked)
        assert made == coverage.coverage(frame_of(marked[::-1]))

    def test_counts_late_before_invalid_and_nothing_out_of_scope(self):
        made = coverage.coverage(
            frame_of(
                [
                    rated("q1", 1, late=True, valid=False, purpose="NORMAL"),
                    rated("q2", 1, late=False, valid=True, purpose="GOLD"),
                ]
            )
        )

        assert (made.total.given, made.total.late, made.total.invalid) == (0, 1, 0)

    def test_shows_what_was_wanted_and_never_came(self):
        made = coverage.coverage(frame_of([rated("q1", 1)]), wanted={("B", None): 3})

        b = next(row for row in made.rows if row.release == "B")
        assert (b.wanted, b.given, b.missing) == (3, 0, 3)
        a = next(row for row in made.rows if row.release == "A")
        assert a == replace(a, wanted=0, given=1, missing=0)

    def test_refuses_a_negative_wish(self):
        with pytest.raises(ValueError, match="negative"):
            coverage.coverage(frame_of([rated("q1", 1)]), wanted={("A", "k1"): -1})
