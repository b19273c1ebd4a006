from evalsite import env
from tests.cases import file
from tests.files import looked_at

IDS = '"{""ImportId"":""a""}"'


def qualtrics(head, *rows):
    width = len(head.split(","))
    ids = ",".join([IDS] * width)
    return looked_at(
        "\n".join([head, ",".join(["Words"] * width), ids, *rows, ""]).encode(), "a.csv"
    )


class TestLimeSurvey:
    def test_may_have_words_in_place_of_codes(self):
        head = "Response ID,Date submitted,Last page,Question,System,Rate it [Fluency]"
        lines = "1,2026-03-01 10:00:00,2,Q1,Heron,4\n2,,1,Q1,Heron,1\n"

        layout, found = looked_at(f"{head}\n{lines}".encode())

        assert layout.shape == "limesurvey"
        assert [(one["rater"], one["criterion"], one["value"]) for one in found] == [
            ("1", "Fluency", "4")
        ]


class TestForms:
    def test_take_a_column_that_is_only_called_name_for_whoever_filled_them_in(self):
        _layout, rows = looked_at(env.BASE_DIR / "fixtures" / "examples" / "form_name.csv")

        assert [one["your name"] for one in rows[:3]] == ["Lena Okoro", "Lena Okoro", "Kofi Mensah"]

    def test_of_microsoft_count_answers_that_nobody_signed(self):
        head = "ID,Start time,Completion time,Email,Name,Question ID,Fluency"
        lines = "1,3/15/26 10:01,3/15/26 10:03,anonymous,,Q1,4\n2,3/15/26 10:05,3/15/26 10:07,ada@x.org,Ada,Q1,2"

        layout, rows = looked_at(f"{head}\n{lines}\n".encode())

        assert layout.shape == "microsoft_forms"
        assert [(one["rater"], one["Question ID"]) for one in rows] == [
            ("response 1", "Q1"),
            ("ada@x.org", "Q1"),
        ]


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

    def test_knows_questions_by_their_ids_whatever_their_columns_are_called(self):
        ids = IDS.replace('""a""', '""%s""')
        head = ",".join(ids.replace("%s", one) for one in ("startDate", "item", "QID1", "QID2_3"))
        text = f"StartDate,item,tone,depth_3\na,b,c,d\n{head}\n2026-01-01 10:00:00,T-1,3,4\n"
        _layout, rows = looked_at(text.encode(), "a.csv")

        assert [(one["criterion"], one["value"]) for one in rows] == [
            ("tone", "3"),
            ("depth_3", "4"),
        ]

    def test_keeps_the_turn_of_a_loop_beside_what_was_graded(self):
        _layout, rows = qualtrics(
            "StartDate,PROLIFIC_PID,1_Q2_1,2_Q2_1", "2026-01-01 10:00:00,pp1,3,4"
        )

        assert [(one["loop"], one["criterion"], one["value"]) for one in rows] == [
            ("1", "Q2_1", "3"),
            ("2", "Q2_1", "4"),
        ]


class TestSurveyMonkey:
    OWN = "Respondent ID,Collector ID,Start Date,End Date,Email Address"
    WHEN = "05/13/2024 10:00:00 AM,05/13/2024 10:05:00 AM"

    def test_has_a_second_line_of_heads_and_a_grade_for_each_question(self):
        layout, rows = looked_at(
            f"{self.OWN},Item,System,How clear is it?,Comment\n,,,,,Response,Response,Response,"
            f"Open-Ended Response\n118,44,{self.WHEN},,T-1,Loon,4,so so\n".encode(),
            "a.csv",
        )

        assert layout.shape == "surveymonkey"
        assert [
            (one["rater"], one["item"], one["row of the grid"], one["value"]) for one in rows
        ] == [("118", "T-1", "How clear is it?", "4")]

    def test_goes_on_with_a_question_in_columns_without_a_name(self):
        layout, rows = looked_at(
            f"{self.OWN},Rate the answers,,Why?\n,,,,,Loon,Gull,Open-Ended Response\n"
            f"118,44,{self.WHEN},ua@x.org,4,2,\n119,44,{self.WHEN},,5,,\n".encode(),
            "a.csv",
        )

        found = [
            (one["rater"], one["question of the grid"], one["row of the grid"], one["value"])
            for one in rows
        ]
        assert layout.shape == "surveymonkey"
        assert found == [
            ("ua@x.org", "Rate the answers", "Loon", "4"),
            ("ua@x.org", "Rate the answers", "Gull", "2"),
            ("119", "Rate the answers", "Loon", "5"),
        ]


class TestMechanicalTurk:
    def test_has_the_option_that_was_chosen_of_each_question(self):
        _layout, rows = looked_at(
            b"WorkerId,Input.item,Answer.tone.1,Answer.tone.2,Answer.fits.on,Answer.depth.label\n"
            b"W1,T-1,false,true,false,5 - deep\n",
            "a.csv",
        )

        assert [(one["criterion"], one["value"]) for one in rows] == [
            ("depth", "5 - deep"),
            ("tone", "2"),
            ("fits", "false"),
        ]

    def test_has_all_answers_of_a_form_in_one_cell(self):
        _layout, rows = looked_at(
            b'WorkerId,Input.item,Answer.taskAnswers\nW1,T-1,"[{""tone"":{""1"":false,""2"":true},""fit"":4}]"\n',
            "a.csv",
        )

        assert [(one["criterion"], one["value"]) for one in rows] == [("fit", 4), ("tone", "2")]

    def test_keeps_several_options_together(self):
        _layout, rows = looked_at(
            b"WorkerId,Input.item,Answer.tone.1,Answer.tone.2\nW1,T-1,true,true\nW2,T-1,true,false\n",
            "a.csv",
        )

        assert [one["value"] for one in rows] == [["1", "2"], "1"]


class TestGoogleForms:
    def test_makes_grades_of_the_rows_of_a_grid(self):
        layout, rows = looked_at(
            b"Timestamp,Item,Your name,How was it? [Tone],How was it? [Depth]\n"
            b"1/31/2026 14:03:10,T-1,Ua,3,4\n1/31/2026 14:05:10,T-2,Ua,5,\n",
            "a.csv",
        )

        assert layout.shape == "google_forms"
        assert [(one["Item"], one["row of the grid"], one["value"]) for one in rows] == [
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
