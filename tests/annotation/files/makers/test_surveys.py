from tests.cases import file
from tests.files import looked_at

IDS = '"{""ImportId"":""a""}"'


def qualtrics(head, *rows):
    width = len(head.split(","))
    ids = ",".join([IDS] * width)
    return looked_at(
        "\n".join([head, ",".join(["Words"] * width), ids, *rows, ""]).encode(), "a.csv"
    )


class TestQualtrics:
    def test_has_three_lines_above_and_no_previews(self):
        layout, rows = qualtrics(
            "StartDate,Status,ResponseId,item,system,Q1,Q2_1,Q3_TEXT",
            "2026-01-01 10:00:00,IP Address,R_1,T-1,Loon,3,4,so so",
            "2026-01-01 10:01:00,Survey Preview,R_2,T-1,Loon,3,4,",
            "2026-01-01 10:02:00,1,R_3,T-1,Loon,3,4,",
        )

        assert layout.shape == "qualtrics"
        assert [(one["item"], one["criterion"], one["value"], one["comment"]) for one in rows] == [
            ("T-1", "Q1", "3", "so so"),
            ("T-1", "Q2_1", "4", "so so"),
        ]
        assert not any("rater" in one for one in rows)

    def test_takes_a_rater_who_is_called_so(self):
        _layout, rows = qualtrics("StartDate,PROLIFIC_PID,item,Q1", "2026-01-01 10:00:00,pp1,T-1,3")

        assert rows[0]["rater"] == "pp1"


class TestGoogleForms:
    def test_makes_grades_of_the_rows_of_a_grid(self):
        layout, rows = looked_at(
            b"Timestamp,Item,Your name,How was it? [Tone],How was it? [Depth]\n"
            b"1/31/2026 14:03:10,T-1,Ua,3,4\n1/31/2026 14:05:10,T-2,Ua,5,\n",
            "a.csv",
        )

        assert layout.shape == "google_forms"
        assert [(one["Item"], one["criterion"], one["value"]) for one in rows] == [
            ("T-1", "Tone", "3"),
            ("T-1", "Depth", "4"),
            ("T-2", "Tone", "5"),
        ]

    def test_are_not_any_table_that_begins_with_a_time(self):
        layout, _rows = looked_at(b"Timestamp,item,word\n1/31/2026 14:03:10,T-1,x\n", "a.csv")
        other, _rows = looked_at(b"timestamp,item,score\n1706700000,T-1,3\n", "a.csv")

        assert (layout.shape, other.shape) == ("", "")


class TestFilesAsPeopleHaveThem:
    def test_qualtrics(self):
        layout, (row,) = looked_at(file("qualtrics.csv"))

        assert layout.shape == "qualtrics"
        assert (row["item"], row["system"], row["criterion"], row["value"]) == (
            "NP-003",
            "Kestrel 4",
            "fluency",
            "4",
        )
        assert "rater" not in row

    def test_google_forms(self):
        layout, rows = looked_at(file("google_forms.csv"))

        assert (layout.shape, layout.known_shape.kind) == ("google_forms", "GRADES")
        assert [(one["Your name"], one["Rating"]) for one in rows] == [
            ("Ada", "4"),
            ("Bo", "5 - very good"),
        ]
