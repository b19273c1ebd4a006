"""Tables as text whose cells are divided in rarer ways, and marks that are signs."""

import pytest

from annotation.files.values import CRITERION, RATER, ValueReader
from evalsite import env
from tests.files import looked_at

EXAMPLES = env.BASE_DIR / "fixtures" / "examples"


class TestAligned:
    def test_columns_may_have_gaps_and_signs_that_divide_cells_elsewhere(self):
        layout, rows = looked_at(EXAMPLES / "scores_aligned.txt")

        assert layout.delimiter == "  "
        assert [tuple(one.values()) for one in rows] == [
            ("NP-003", "Kestrel 4", "lex-judge", "3", "Says when, and where."),
            ("NP-003", "Heron", "lex-judge", "", "No score in the reply"),
            ("NP-005", "Kestrel 4", "lex-judge", "1", "Wrong, but polite"),
        ]

    def test_columns_may_be_those_of_a_printed_table_with_its_index(self):
        text = (
            "  item system rater  grade\n0   Q1  Heron   ada      4\n1   Q2   Loon    bo      2\n"
        )

        _layout, rows = looked_at(text.encode(), "a.txt")

        assert [list(one.values())[1:] for one in rows] == [
            ["Q1", "Heron", "ada", "4"],
            ["Q2", "Loon", "bo", "2"],
        ]

    @pytest.mark.parametrize(
        "text",
        [
            "+----+-------+\n| id | grade |\n+----+-------+\n| Q1 |     4 |\n+----+-------+\n1 row in set (0.00 sec)\n",
            " id | grade \n----+-------\n Q1 |     4\n(1 row)\n",
        ],
    )
    def test_rules_that_databases_draw_are_no_rows(self, text):
        _layout, rows = looked_at(text.encode(), "a.txt")

        assert rows == [{"id": "Q1", "grade": "4"}]

    @pytest.mark.parametrize(
        "text", ["Who opens it?\nWhat opens it?\n", "id,note\n1,a  b\n2,c  d\n", "a\nb\n"]
    )
    def test_texts_and_other_tables_are_not(self, text):
        assert looked_at(text.encode(), "a.txt")[0].delimiter not in {" ", "  "}


class TestSingleQuotationMarks:
    def test_stand_around_texts(self):
        _layout, rows = looked_at(EXAMPLES / "answers_single_quotes.csv")

        assert rows[0] == {
            "id": "T-1",
            "question": "When is high tide, and how often?",
            "answer_Heron": "At noon, it's said.",
            "answer_Loon": "At 6, twice a day.",
        }
        assert rows[1]["question"] == 'Who opens the "old" lock?'

    def test_within_texts_are_signs_like_others(self):
        _layout, rows = looked_at(b"id,text\n1,'tis noon\n2,it's late\n3,\"it's, yes\"\n")

        assert [one["text"] for one in rows] == ["'tis noon", "it's late", "it's, yes"]


def asked(values, told=()):
    """Return what is asked of values, and what reads them until somebody says otherwise."""
    read_by = ValueReader(dict(told))
    survey = read_by.survey()
    for value in values:
        survey.number(("clarity",), value)
    asks = survey.asks({RATER: (), CRITERION: ()}, lambda _part, _number: False)
    return asks, read_by.told_by(survey.taken({}, asks))


class TestSigns:
    def test_of_a_file_are_steps_of_a_scale_that_is_shown(self):
        _layout, rows = looked_at(EXAMPLES / "grades_signs.csv")

        asks, values = asked([one["mark"] for one in rows])

        assert [(one.key, one.suggested) for one in asks if one.key == "scale"] == [
            ("scale", "signs_3")
        ]
        assert [values.number(one["mark"]) for one in rows] == [3, 2, 1, 3]

    def test_plus_and_a_dash_are_two_steps(self):
        _asks, values = asked(["+", "-", "+"])

        assert [values.number(one) for one in ("+", "-")] == [2, 1]

    def test_a_dash_beside_numbers_stays_no_value(self):
        _asks, values = asked(["4", "-", "3"])

        assert values.number("-") is None

    def test_ticks_say_yes_and_crosses_no(self):
        _layout, rows = looked_at(EXAMPLES / "grades_ticks.csv")

        asks, values = asked([one["accurate"] for one in rows])

        assert [one.key for one in asks] == ["truth"]
        assert [values.number(one["accurate"]) for one in rows] == [1, 1, 0, 0]
