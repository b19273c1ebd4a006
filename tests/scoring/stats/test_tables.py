import csv

import pytest
from hypothesis import given

from scoring.stats.scores import tables
from tests.scoring.ratings import frame_of, rated, record_lists
from tests.scoring.stats.test_scores import example_records


def with_outcomes(records):
    return [
        {
            **record,
            "item": record["group"],
            "outcome": "CANNOT_GRADE" if record["value"] is None else "VALUE",
        }
        for record in records
    ]


class TestLongTable:
    def test_holds_every_row_of_our_own_small_example(self):
        table = tables.long_table(frame_of(example_records()))

        assert len(list(table.rows())) == 98
        assert next(table.rows()) == (
            ("q1", "q1", "facts", "complete", 0.0, 2.0, "ann", 1, "north", 1.0, "VALUE")
        )

    def test_takes_the_group_where_the_question_is_not_known(self):
        assert tables.long_table(frame_of([rated("q1", 2)])).columns["question"] == ["q1"]


class TestWideTable:
    def test_is_lalaeval_table_9_laid_out_by_system(self, golden):
        with (golden / "lalaeval" / "table09_normalised_grades.csv").open() as file:
            rows = list(csv.DictReader(file))
        systems = list(rows[0])[2:]
        records = [
            rated("q", row[system], release=system, capability=row["dimension"], top=100)
            for row in rows
            for system in systems
        ]

        wide = tables.widened(tables.long_table(frame_of(records)), releases=systems)

        assert wide.header[-5:] == tuple(systems)
        found = {row[2]: row[-5:] for row in wide.rows()}
        assert found == {
            row["dimension"]: tuple(float(row[system]) for system in systems) for row in rows
        }

    @given(record_lists())
    def test_becomes_the_same_long_table_again(self, records):
        table = tables.long_table(frame_of(with_outcomes(records)))

        again = tables.lengthened(tables.widened(table))

        assert again == table

    @given(record_lists())
    def test_holds_one_row_for_each_question_criterion_and_rater(self, records):
        wide = tables.widened(tables.long_table(frame_of(with_outcomes(records))))

        expected = {(r["group"], r["capability"], r["criterion"], r["rater"]) for r in records}
        assert len(list(wide.rows())) == len(expected)

    def test_refuses_two_grades_for_one_cell(self):
        table = tables.long_table(frame_of([rated("q1", 2), rated("q1", 3)]))

        with pytest.raises(ValueError, match="graded A twice on question q1"):
            tables.widened(table)

    def test_refuses_a_grade_without_mark_or_reason(self):
        table = tables.long_table(frame_of([rated("q1", None)]))

        with pytest.raises(ValueError, match="neither a mark nor a reason"):
            tables.widened(table)

    def test_refuses_to_drop_a_release(self):
        table = tables.long_table(frame_of([rated("q1", 2)]))

        with pytest.raises(ValueError, match="other releases"):
            tables.widened(table, releases=["B"])
