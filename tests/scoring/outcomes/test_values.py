from dataclasses import replace

import pytest

from scoring.outcomes import values
from scoring.outcomes.values import (
    Column,
    Contender,
    Estimate,
    Grid,
    OutcomeDifference,
    OutcomeWords,
    Ranking,
    RunOutcome,
    Table,
)
from scoring.shown.sheet import NothingDrawn

KESTREL, OSPREY = Contender("Kestrel", 1), Contender("Osprey", 2)


def ranking(first=80.0, second=60.0):
    rows = [(OSPREY, Estimate(second, n=9)), (KESTREL, Estimate(first, 70.0, 90.0, 9, 10))]
    return Ranking(title="Score", unit="Of 100", rows=rows)


def pairs(low, high, p_holm=0.01):
    found = OutcomeDifference(OSPREY, KESTREL, Estimate(-20.0, low, high), 0.01, p_holm)
    return values.differences([found])


class TestVerdict:
    @pytest.mark.parametrize(
        ("ranked", "found", "said"),
        [
            (ranking(), pairs(-30.0, -10.0), "Kestrel is ahead of Osprey by 20.0."),
            (
                ranking(),
                pairs(-30.0, 1.0),
                "Kestrel is highest, but its lead over Osprey could be chance.",
            ),
            (
                ranking(),
                pairs(-30.0, -10.0, p_holm=0.2),
                "Kestrel is highest, but its lead over Osprey could be chance.",
            ),
            (
                ranking(),
                pairs(None, None),
                "Kestrel comes out highest; certainty unknown.",
            ),
            (ranking(60.0), pairs(-1.0, 1.0), "Osprey and Kestrel come out equal."),
            (ranking(None), pairs(None, None), ""),
            (ranking(), None, ""),
        ],
    )
    def test_says_who_is_ahead_and_whether_that_could_be_chance(self, ranked, found, said):
        assert RunOutcome(ranking=ranked, differences=found).verdict == said

    def test_follows_the_difference_on_what_both_have(self):
        turned = values.differences(
            [OutcomeDifference(OSPREY, KESTREL, Estimate(5.0, 2.0, 8.0), 0.01)]
        )

        assert RunOutcome(ranking=ranking(), differences=turned).verdict == (
            "On common questions, Osprey is ahead of Kestrel by 5.0."
        )

    def test_calls_nobody_ahead_where_more_may_be_worse(self):
        ranked = replace(ranking(), is_better=False)

        said = RunOutcome(ranking=ranked, differences=pairs(-30.0, -10.0)).verdict

        assert said == "Kestrel is 20.0 higher than Osprey."

    def test_is_that_of_the_kind_where_it_has_one(self):
        assert RunOutcome(ranking=ranking(), said="Look at it.").verdict == "Look at it."


class TestRanking:
    def test_puts_the_highest_first_and_what_has_no_value_last(self):
        rows = [(KESTREL, Estimate(None, why="Too few.")), (OSPREY, Estimate(3.0))]
        found = Ranking(title="Score", unit="", rows=rows)

        assert [one["system"] for one in found.records()] == ["Osprey", "Kestrel"]
        assert found.notes == ["Too few."]

    def test_is_drawn_with_the_rows_of_the_tables_that_belong_to_it(self):
        grid = Grid(
            name="sets",
            title="By set",
            columns=[Column("set", "Set")],
            rows=[("Quay", Estimate(1.0, n=2), Estimate(None, why="Too few."))],
            systems=[KESTREL, OSPREY],
            is_drawn=True,
        )

        chart = RunOutcome(ranking=ranking(), tables=[grid]).drawing()

        named = [line.name for line in chart.lines]
        assert "Quay" in named
        assert named.count("Kestrel") == 2
        assert "Quay" in chart.file()

    def test_heads_its_page_unless_it_is_a_warning(self):
        assert RunOutcome(said="Kestrel is ahead.").heading == "Kestrel is ahead"
        assert RunOutcome(said="Kestrel may have learnt it.", is_warning=True).heading == ""
        assert RunOutcome().heading == ""

    def test_cannot_be_drawn_without_a_value(self):
        with pytest.raises(NothingDrawn):
            RunOutcome(ranking=ranking(None, None)).drawing()


class TestTable:
    def test_is_wide_on_the_page_and_long_for_programs(self):
        grid = Grid(
            name="sets",
            title="By set",
            columns=[Column("set", "Set")],
            rows=[("Quay", Estimate(1.25, 1.0, 2.0, 3, 4), None)],
            systems=[KESTREL, OSPREY],
        )

        (row,) = grid.lines
        assert [(one.text, one.small) for one in row] == [
            ("Quay", ()),
            ("1.3", ("1.0 to 2.0", "n\u00a03 of 4")),
            ("–", ()),
        ]
        assert list(grid.records()) == [
            {
                "set": "Quay",
                "system": "Kestrel",
                "value": 1.25,
                "low": 1.0,
                "high": 2.0,
                "n": 3,
                "n_held": 4,
                "reason": "",
            }
        ]

    def test_says_once_why_cells_are_empty(self):
        empty = [Estimate(None, why=text) for text in ("Few.", "Same.", "Few.")]
        columns = [Column("name", "Name"), *(Column(key, key) for key in "abc")]
        table = Table(name="t", title="T", columns=columns, rows=[("Quay", *empty)])

        assert [one.note for one in table.lines[0]] == [None, 1, 2, 1]
        assert table.texts == ["Few.", "Same."]

    def test_tells_programs_of_an_estimate_what_its_column_says(self):
        columns = [Column("who", "Who"), Column("gap", "Gap", 1, ("low", "n"))]
        rows = [(OutcomeWords("Kestrel", "/k/"), Estimate(2.0, 1.0, 3.0, 9)), (KESTREL, None)]
        table = Table(name="t", title="T", columns=columns, rows=rows)

        assert list(table.records()) == [
            {"who": "Kestrel", "gap": 2.0, "gap_low": 1.0, "gap_n": 9},
            {"who": "Kestrel", "gap": None, "gap_low": None, "gap_n": None},
        ]
        assert table.lines[0][0].url == "/k/"

    def test_is_a_file_that_no_spreadsheet_takes_for_formulas(self):
        table = Table(name="t", title="T", columns=[Column("who", "Who")], rows=[("=1+1",)])

        head, line = "".join(values.csv_lines(table, {"rule": "mean"}, "")).splitlines()

        assert head == "who,choices,note"
        assert line == "'=1+1,rule=mean,"


class TestShown:
    def test_writes_small_p_and_yes_and_no_in_words(self):
        assert Column("p", "p", is_p=True).shown(0.0001).text == "< 0.001"
        assert Column("p", "p", is_p=True).shown(0.25).text == "0.250"
        assert Column("b", "b").shown(True).text == "yes"
