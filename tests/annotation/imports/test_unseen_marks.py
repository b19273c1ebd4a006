"""Grades and scores as people have them, told by their kind: none is misread, none refused without need."""

import json
from dataclasses import replace
from datetime import date

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from annotation import models
from annotation.files.mappings import FileRubric, GradeMapping
from annotation.files.models import ImportKind
from annotation.imports import uploading
from annotation.imports.matching import faces
from tests import imports, make
from tests.imports import lines
from tests.unseen import (
    HERE,
    asks,
    graded,
    layout_asks,
    looked,
    places,
    values,
    workbook,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def world():
    """Have two questions that two systems answered."""
    imports.apply(imports.answers(HERE))


class TestGrades:
    def test_name_criteria_with_scales_beside_them(self):
        text = "id,system,rater,Fluency (1-5),clarity_score,is_correct\nQ1,Alpha,ann,4,5,TRUE\n"

        assert values(graded(text)) == [
            ("Q1", "Alpha", "ann", "Fluency", 4),
            ("Q1", "Alpha", "ann", "clarity", 5),
            ("Q1", "Alpha", "ann", "correct", 1),
        ]

    def test_of_several_people_in_columns_leave_their_mean_out(self):
        upload = looked("item,system,Ann,Bob,Mean\nQ1,Alpha,4,5,4.5\nQ2,Alpha,3,4,3.5\n")

        assert upload.kind == ImportKind.GRADES
        assert places(upload) == {
            "item": "item",
            "system": "system",
            "Ann": "grade:Ann?",
            "Bob": "grade:Bob?",
            "Mean": "ignore",
        }

    def test_that_are_only_means_are_grades(self):
        found = places(looked("id,system,rater,fluency_avg,clarity_avg\nQ1,Alpha,ann,4,5\n"))

        assert found["fluency_avg"].startswith("grade")

    @pytest.mark.parametrize(
        ("yes", "no"),
        [
            ("ja", "nein"),
            ("Oui", "Non"),
            ("是", "否"),
            ("Y", "N"),
            ("PASS", "FAIL"),
            ("예", "아니오"),
        ],
    )
    def test_in_words_for_yes_and_no_are_asked_about(self, yes, no):
        upload = graded(f"id,system,rater,correct\nQ1,Alpha,ann,{yes}\nQ2,Alpha,ann,{no}\n")

        assert asks(upload) == {"truth": "yes"}
        assert [row[-1] for row in values(upload)] == [1, 0]

    def test_in_words_are_refused_where_somebody_said_that_they_do_not_say_yes_or_no(self):
        text = "id,system,rater,correct\nQ1,Alpha,ann,ja\nQ2,Alpha,ann,nein\n"

        said = graded(text, told={"truth": "no"})
        upload = graded(text, told={"truth": "no", "labels:correct": "no"})

        assert asks(said)["labels:correct"] == ""
        assert [one["code"] for one in upload.report["problems"]] == ["not_a_number"] * 2

    def test_that_are_numbers_but_for_a_word_do_not_take_it_for_one(self):
        upload = graded("id,system,rater,correct\nQ1,Alpha,ann,4\nQ2,Alpha,ann,no\n")

        assert "truth" not in asks(upload)
        assert [one["found"] for one in upload.report["problems"]] == ["no"]

    def test_may_be_stars(self):
        upload = graded("id,system,rater,clarity\nQ1,Alpha,ann,★★★★☆\nQ2,Alpha,ann,⭐⭐\n")

        assert [row[-1] for row in values(upload)] == [4, 2]

    def test_with_no_value_in_other_languages_have_none(self):
        upload = graded(
            "id,system,rater,clarity\nQ1,Alpha,ann,k.A.\nQ2,Alpha,ann,3\nQ1,Beta,ann,н/д\n"
        )

        assert [row[-1] for row in values(upload)] == [3]

    def test_under_names_in_two_lines_are_of_the_upper_name(self):
        upload = looked(
            ",,Alpha,,Beta,\nid,rater,fluency,clarity,fluency,clarity\nQ1,ann,4,5,3,2\nQ2,ann,3,4,2,2\n"
        )

        assert list(places(upload))[2:] == [
            "fluency_Alpha",
            "clarity_Alpha",
            "fluency_Beta",
            "clarity_Beta",
        ]


class TestScores:
    def test_that_say_yes_and_no_are_of_their_judge(self):
        line = '{{"id": "{}", "system": "Alpha", "judge": "gpt-4o", "scores": {{"helpful": {}}}}}\n'

        upload = looked(line.format("Q1", "true") + line.format("Q2", "false"), "scores.jsonl")

        assert upload.kind == ImportKind.SCORES
        assert places(upload)["scores.helpful"] == "score:helpful"


class TestGradesOfSystemsInColumns:
    def test_are_of_the_systems_that_are_here(self):
        text = "id,rater,Alpha_fluency,Beta_fluency,Alpha_clarity,Beta_clarity\nQ1,ann,4,3,5,2\nQ2,ann,,1,2,\n"
        upload = looked(text)

        assert list(places(upload).values())[2:] == [
            "grade:Alpha:fluency",
            "grade:Beta:fluency",
            "grade:Alpha:clarity",
            "grade:Beta:clarity",
        ]
        assert sorted(values(graded(text))) == [
            ("Q1", "Alpha", "ann", "clarity", 5),
            ("Q1", "Alpha", "ann", "fluency", 4),
            ("Q1", "Beta", "ann", "clarity", 2),
            ("Q1", "Beta", "ann", "fluency", 3),
            ("Q2", "Alpha", "ann", "clarity", 2),
            ("Q2", "Beta", "ann", "fluency", 1),
        ]

    def test_need_a_criterion_that_holds_for_all(self):
        upload = graded("id,rater,Alpha,Beta\nQ1,ann,4,3\nQ1,bo,2,1\n", criterion="depth")

        assert [row[1:] for row in values(upload)] == [
            ("Alpha", "ann", "depth", 4),
            ("Beta", "ann", "depth", 3),
            ("Alpha", "bo", "depth", 2),
            ("Beta", "bo", "depth", 1),
        ]

    def test_of_which_one_is_wrong_are_left_out_with_their_row(self):
        text = "id,rater,Alpha,Beta\nQ1,ann,4,40\nQ2,ann,2,1\n"
        upload = graded(text, criterion="depth", told={"broken": "leave_out"})

        assert upload.report["counts"]["grades"] == 2
        assert [row[0] for row in values(upload)] == ["Q2", "Q2"]

    def test_and_what_is_wrong_with_a_row_are_told_once(self):
        upload = graded("id,rater,Alpha,Beta\n,ann,4,3\n", criterion="depth")

        assert [one["code"] for one in upload.report["problems"]] == ["empty_cell"]

    def test_that_only_rank_are_asked_about(self):
        found = places(looked("id,rater,Alpha_rank,Beta_rank\nQ1,ann,1,2\nQ2,ann,2,1\n"))

        assert list(found.values())[2:] == ["grade:Alpha:rank?", "grade:Beta:rank?"]

    def test_are_no_grades_where_only_some_say_of_whom(self):
        upload = imports.take("id,Alpha,depth\nQ1,4,3\n", "grades.csv", ImportKind.GRADES)
        told = imports.places(upload, Alpha="grade:ann:depth", depth="grade:ann:clarity")
        told = tuple(
            replace(one, system=one.column if one.column == "Alpha" else "") for one in told
        )
        mapping = GradeMapping(told, "Case", "", FileRubric("Case", "0", "9", "1"))

        with pytest.raises(uploading.MappingIncomplete) as refusal:
            uploading.set_mapping(upload=upload, mapping=mapping)

        assert [one.code for one in refusal.value.problems] == ["no_system_name"]


class TestNestedGrades:
    def test_are_of_the_rater_they_stand_under(self):
        text = lines(
            {"id": "Q1", "system": "Alpha", "scores": {"ann": {"fluency": 4}, "bo": {"fluency": 3}}}
        )

        assert [row[2:] for row in values(graded(text, "grades.jsonl"))] == [
            ("ann", "fluency", 4),
            ("bo", "fluency", 3),
        ]

    def test_under_one_name_are_not_taken_for_those_of_a_person(self):
        found = places(
            looked(
                lines({"id": "Q1", "system": "Alpha", "human": {"fluency": 4, "clarity": 3}}),
                "g.jsonl",
            )
        )

        assert found["human.fluency"] == "grade:human:fluency?"


class TestHeads:
    def test_that_ask_are_heads_beside_others_that_are_known(self):
        text = "Date,Rater,Question ID,System,How fluent is it?\n2024-05-12,ann,Q1,Alpha,4\n"
        upload = looked(text)

        assert layout_asks(upload) == {}
        assert places(upload)["How fluent is it?"] == "grade:How fluent is it??"


class TestCrowds:
    def test_give_grades_that_were_not_rejected(self):
        text = (
            "HITId,WorkerId,AssignmentStatus,SubmitTime,Input.item,Input.system,Answer.fluency\n"
            "H1,W1,Approved,Mon May 13 10:00:00 PDT 2024,Q1,Alpha,4\n"
            "H2,W2,Rejected,Mon May 13 10:05:00 PDT 2024,Q1,Alpha,1\n"
        )

        assert values(graded(text)) == [("Q1", "Alpha", "W1", "fluency", 4)]
        at = models.Grade.objects.get().given_at
        assert at.isoformat() == "2024-05-13T17:00:00+00:00"

    def test_and_label_studio_as_a_table_of_ratings_give_a_grade_a_line(self):
        text = (
            "id,item,model,rating,annotator,annotation_id,created_at,updated_at,lead_time\n"
            "1,Q1,Alpha,4,ann,9,2024-05-12T10:00:00Z,2024-05-12T10:00:00Z,3.2\n"
        )

        assert values(graded(text, criterion="depth")) == [("Q1", "Alpha", "ann", "depth", 4)]


class TestMarksBesideAnswers:
    @pytest.mark.parametrize("name", ["latency_ms", "tokens", "cost_usd", "bleu", "rougeL", "loss"])
    def test_are_details_of_the_answers(self, name):
        upload = looked(
            f"id,question,model,output,{name}\nQ1,What is a quay?,Pine,A wall.,307\n"
            f"Q2,What lifts a crate?,Pine,A crane.,314\n"
        )

        assert upload.kind == ImportKind.ANSWERS

    def test_leave_open_whether_a_file_is_of_answers_or_of_marks(self):
        text = lines(
            {"id": "1", "question": "Why?", "output": "So.", "scores": [{"name": "f", "value": 1}]}
        )

        assert layout_asks(looked(text, "a.jsonl")) == {"inner": ""}


class TestMarksOfMachines:
    def test_are_not_taken_for_grades_of_people(self):
        upload = looked("id,rater,Alpha,Beta\nQ1,gpt-4o,8,3\nQ2,gpt-4o,7,5\n")

        assert upload.kind != ImportKind.GRADES

    def test_beside_answers_are_said_not_to_count(self):
        text = "id,question,model,response,helpfulness,latency\nX,Why?,pine,So.,4,0.3\n"
        upload = imports.answers(text)

        assert upload.report["marks"] == ["helpfulness"]
        assert "Marks beside the answers: helpfulness" in [one.title for one in faces.lines(upload)]


class TestAFile:
    """By command and by API it comes to the same."""

    TEXT = "id,rater,Alpha_clarity,Beta_clarity\nQ1,ann,4,ja\nQ2,ann,2,1\n"

    def test_with_a_column_a_system_comes_in_by_command(self, tmp_path, capsys):
        path = tmp_path / "grades.csv"
        path.write_text(self.TEXT.replace("ja", "3"))
        scale = ["--new-rubric", "Case", "--min", "0", "--max", "5"]

        call_command("import_grades", str(path), "--project", make.project().slug, *scale)

        assert "4 grades" in capsys.readouterr().out
        assert models.Grade.objects.count() == 4

    def test_with_a_column_a_system_comes_in_on_the_page(self, as_curator):
        upload = looked(self.TEXT.replace("ja", "3"), "grades.csv")
        address = [upload.project.slug, upload.number]
        page = as_curator.get(reverse("import_map", args=address))
        forms = [*page.context["columns"], page.context["options"]]
        sent = {one.html_name: one.value() for form in forms for one in form}
        scale = {"rubric": "new", "new_name": "Case", "minimum": "0", "maximum": "5", "step": "1"}
        data = {key: value for key, value in {**sent, **scale}.items() if value is not None}

        as_curator.post(reverse("import_check", args=address), data)
        done = as_curator.post(reverse("import_check", args=address), {**data, "act": "import"})

        assert done.status_code == 302
        assert models.Grade.objects.count() == 4
        systems = models.Grade.objects.values_list("response__release__system__name", flat=True)
        assert set(systems) == {"Alpha", "Beta"}

    def test_with_a_list_in_each_record_asks_the_same_by_api(self, as_curator):
        text = lines({"id": "9", "question": "Why?", "output": "So.", "scores": [{"value": 1}]})
        file = SimpleUploadedFile("a.jsonl", text.encode())
        url = f"/api/v1/projects/{make.project().slug}/imports/answers/"

        refused = as_curator.post(url, {"file": file, "system": "pine"})
        file.seek(0)
        answers = json.dumps({"inner": "no"})
        columns = json.dumps({"scores": "response_details"})
        more = {"system": "pine", "answers": answers, "columns": columns}
        taken = as_curator.post(url, {"file": file, **more})

        assert (refused.status_code, list(refused.json()["fields"])) == (409, ["inner"])
        assert taken.status_code == 201, taken.json()
        assert models.Response.objects.get(item__external_id="9").details["scores"] == [
            {"value": 1}
        ]


class TestGradesAsPeopleKeepThem:
    def test_name_their_questions_by_their_texts(self):
        text = "Prompt,model,annotator,clarity\nWhat is a quay?,Alpha,ann,4\n"

        assert values(graded(text)) == [("Q1", "Alpha", "ann", "clarity", 4)]

    def test_name_raters_by_numbers(self):
        found = values(graded("id,system,rater_id,clarity\nQ1,Alpha,7,4\nQ1,Alpha,8,5\n"))

        assert [row[2] for row in found] == ["7", "8"]

    def test_have_a_column_for_each_numbered_rater(self):
        text = "id,system,annotator_1,annotator_2\nQ1,Alpha,4,5\n"

        assert [row[2:] for row in values(graded(text, criterion="depth"))] == [
            ("annotator_1", "depth", 4),
            ("annotator_2", "depth", 5),
        ]

    def test_of_one_criterion_have_a_comment_beside_them(self):
        upload = graded("id,system,rater,clarity,comment\nQ1,Alpha,ann,4,well put\n")

        assert upload.report["counts"]["comments"] == 1
        imports.apply(upload)
        assert models.Remark.objects.get().text == "well put"

    def test_may_be_written_in_digits_of_other_scripts(self):
        found = values(graded("id,system,rater,clarity\nQ1,Alpha,ann,٤\nQ2,Alpha,ann,۵٫۵\n"))

        assert [row[-1] for row in found] == [4, 5.5]

    def test_are_offered_without_the_texts_that_were_shown(self):
        found = places(looked("id,system,response,rater,score\nQ1,Alpha,A wall.,ann,4\n"))

        assert found["response"] == "ignore?"


class TestGradesInColumns:
    def test_are_of_a_rater_and_a_criterion_with_a_dash_between_them(self):
        table = (
            "ID,System,Anna - Accuracy,Anna - Fluency,Ben - Accuracy\n1,Oak,4,5,3\n2,Oak,2,3,4\n"
        )

        found = places(imports.take(table, "g.csv", kind=ImportKind.GRADES))

        assert list(found.values())[2:] == [
            "grade:Anna:Accuracy",
            "grade:Anna:Fluency",
            "grade:Ben:Accuracy",
        ]

    def test_are_of_criteria_where_most_are_known_words_of_quality(self):
        table = "prompt,helpfulness,correctness,coherence,verbosity\nWhy?,1,4,2,3\nHow?,2,3,4,1\n"

        found = places(imports.take(table, "g.csv", kind=ImportKind.GRADES))

        assert list(found.values())[1:] == [
            "grade:helpfulness",
            "grade:correctness",
            "grade:coherence",
            "grade:verbosity?",
        ]

    def test_of_lime_survey_are_those_of_its_grids_with_what_was_graded(self):
        table = (
            '"id. Response ID","submitdate. Date submitted","lastpage. Last page",'
            '"item. Which item","G00Q02. System","G01Q01[SQ001]. Rate it [clarity]",'
            '"G01Q01[SQ002]. Rate it [tone]"\n'
            "1,2026-01-02 10:00:00,3,Q1,Kestrel,4,2\n2,2026-01-02 10:05:00,3,Q2,Harbour,5,3\n"
            "3,,1,Q1,Kestrel,5,\n"
        )
        imports.apply(imports.answers())

        found = graded(table)

        assert found.report["ok"], found.report["problems"]
        assert list(places(looked(table))) == [
            "item",
            "system",
            "rater",
            "at",
            "criterion",
            "value",
        ]

    def test_of_lime_survey_stay_a_table_where_nothing_says_what_was_graded(self):
        table = (
            '"id. Response ID","submitdate. Date submitted","lastpage. Last page",'
            '"G01Q01[SQ001]. Rate it [clarity]","G01Q01[SQ002]. Rate it [tone]"\n'
            "1,2026-01-02 10:00:00,3,4,2\n2,2026-01-02 10:05:00,3,5,3\n"
        )

        found = imports.take(table, "g.csv", kind=ImportKind.GRADES)

        assert len(places(found)) == 5


class TestScoresInColumns:
    def test_stand_beside_a_text_that_is_of_none_of_them(self):
        table = "app_id,input,output,relevance,groundedness\noak,Why?,So.,0.8,0.4\noak,How?,So.,0.7,0.2\n"

        found = places(imports.take(table, "s.csv", kind=ImportKind.SCORES))

        assert list(found.values()) == [
            "system",
            "item",
            "ignore?",
            "score:relevance",
            "score:groundedness",
        ]


class TestSheets:
    HEAD = ("id", "rater", "clarity")

    def test_with_the_same_columns_are_read_together(self):
        data = workbook(
            Alpha=[self.HEAD, ("Q1", "ann", 4)],
            Notes=[("nothing of this",)],
            Beta=[self.HEAD, ("Q1", "ann", 2), ("Q2", "ann", 1)],
        )

        assert layout_asks(looked(data, "grades.xlsx")) == {"sheet": "*"}
        assert values(graded(data, "grades.xlsx")) == [
            ("Q1", "Alpha", "ann", "clarity", 4),
            ("Q1", "Beta", "ann", "clarity", 2),
            ("Q2", "Beta", "ann", "clarity", 1),
        ]

    def test_of_which_one_is_chosen_are_read_alone(self):
        data = workbook(Alpha=[self.HEAD, ("Q1", "ann", 4)], Beta=[self.HEAD, ("Q1", "ann", 2)])

        found = values(graded(data, "grades.xlsx", told={"sheet": "Beta"}, system="Beta"))

        assert found == [("Q1", "Beta", "ann", "clarity", 2)]

    def test_with_other_columns_are_not_read_together(self):
        data = workbook(Alpha=[self.HEAD, ("Q1", "ann", 4)], Key=[("code", "name"), (1, "poor")])

        assert layout_asks(looked(data, "grades.xlsx")) == {"sheet": "Alpha"}


class TestDates:
    TEXT = "id,system,rater,clarity,date\nQ1,Alpha,ann,4,45231\nQ2,Alpha,ann,3,45232.5\n"

    def test_that_a_spreadsheet_counts_in_days_are_asked_about(self):
        upload = graded(self.TEXT)

        assert asks(upload) == {"days": "yes"}
        values(upload)
        assert [
            str(one)
            for one in models.Grade.objects.order_by("pk").values_list("given_at", flat=True)
        ] == [
            "2023-11-01 00:00:00+00:00",
            "2023-11-02 12:00:00+00:00",
        ]

    def test_that_are_no_days_are_refused_where_somebody_says_so(self):
        upload = graded(self.TEXT, told={"days": "no"})

        assert [one["code"] for one in upload.report["problems"]] == ["no_moment"] * 2

    def test_of_a_workbook_are_days_as_they_are(self):
        rows = [
            ["id", "system", "rater", "clarity", "date"],
            ["Q1", "Alpha", "ann", 4, date(2023, 11, 1)],
        ]
        upload = graded(workbook(Grades=rows), "grades.xlsx")

        assert asks(upload) == {}
        assert len(values(upload)) == 1

    def test_are_not_what_other_languages_call_them_where_texts_stand(self):
        assert places(looked("id,data,label\n1,A wall.,4\n2,A bird.,2\n"))["data"] != "at"
        text = "id,sistema,valutatore,chiarezza,data\nQ1,Alpha,ann,4,1/11/2023\n"
        assert places(looked(text))["data"] == "at"

    def test_are_no_times_that_something_took(self):
        text = "id,system,rater,clarity,time\nQ1,Alpha,ann,4,12\nQ2,Alpha,ann,3,30\n"

        assert places(looked(text))["time"] == "ignore"

    def test_may_have_a_decimal_comma(self):
        upload = graded(self.TEXT.replace(",", ";").replace("45232.5", "45232,5"))

        assert upload.report["ok"]


class TestCommentsBesideSeveralMarks:
    def test_of_people_are_offered_to_be_left_out(self):
        text = "id,system,rater,clarity,fluency,comment\nQ1,Alpha,ann,4,5,fine\n"

        assert places(looked(text))["comment"] == "ignore?"
        assert (
            places(looked(text.replace(",fluency", "").replace("4,5", "4")))["comment"] == "comment"
        )

    def test_of_judges_are_offered_to_be_left_out(self):
        line = {"id": "Q1", "system": "Alpha", "judge": "gpt-4", "clarity": 4, "reasoning": "fine"}

        assert places(looked(lines(line), "scores.jsonl"))["reasoning"] == "ignore?"


class TestGridsOfForms:
    HEAD = "Timestamp,Your name,Question ID"
    WHEN = "2024/05/13 10:00:00 AM GMT+2,ann,Q1"

    def test_have_rows_of_systems_that_are_here(self):
        text = f"{self.HEAD},Fluency [Alpha],Fluency [Beta],Clarity [Alpha]\n{self.WHEN},4,5,3\n"

        assert places(looked(text))["row of the grid"] == "system"
        assert values(graded(text)) == [
            ("Q1", "Alpha", "ann", "Fluency", 4),
            ("Q1", "Beta", "ann", "Fluency", 5),
            ("Q1", "Alpha", "ann", "Clarity", 3),
        ]

    def test_of_one_question_have_criteria_or_systems_of_a_criterion_to_be_checked(self):
        asked = "How good is it?"
        of_systems = looked(f"{self.HEAD},{asked} [Alpha],{asked} [Beta]\n{self.WHEN},4,5\n")
        of_criteria = looked(f"{self.HEAD},{asked} [Tone],{asked} [Wit]\n{self.WHEN},4,5\n")

        found = [
            (one["question of the grid"], one["row of the grid"])
            for one in map(places, (of_systems, of_criteria))
        ]
        assert found == [("criterion?", "system"), ("ignore", "criterion")]

    def test_of_unknown_systems_are_offered_and_of_unknown_questions_are_left_open(self):
        systems = looked(f"{self.HEAD},Fluency [Gull],Clarity [Gull]\n{self.WHEN},4,5\n")
        neither = looked(f"{self.HEAD},First [Gull],Second [Gull]\n{self.WHEN},4,5\n")

        assert places(systems)["row of the grid"] == "system?"
        assert places(neither)["row of the grid"] == places(neither)["question of the grid"] == ""


class TestMarksInWords:
    def graded(self, *words):
        rows = "".join(f"Q{n % 2 + 1},Alpha,ann{n},{word}\n" for n, word in enumerate(words))
        return graded(f"id,system,rater,clarity\n{rows}")

    @pytest.mark.parametrize(
        "words", [("4 stars", "1 star"), ("good (4)", "bad [1]"), ("4 Punkte", "1分")]
    )
    def test_beside_a_number_are_asked_about(self, words):
        upload = self.graded(*words)

        assert asks(upload) == {"leading_number": "yes"}
        assert [row[-1] for row in values(upload)] == [4, 1]

    def test_of_so_many_out_of_all_are_shares(self):
        upload = self.graded("4 out of 5", "1 von 2")

        assert asks(upload) == {"fraction": "share"}
        assert [row[-1] for row in values(upload)] == [0.8, 0.5]

    def test_that_are_names_of_models_are_no_marks(self):
        found = places(looked("id,model,note\nQ1,GPT-4,Llama 3\nQ2,GPT-5,Claude 2\n"))

        assert "grade" not in str(found)


class TestWordsOfScales:
    def graded(self, *words, **options):
        rows = "".join(f"Q{n % 2 + 1},Alpha,ann{n},{word}\n" for n, word in enumerate(words))
        return graded(f"id,system,rater,clarity\n{rows}", **options)

    def test_are_the_steps_of_the_only_scale_that_has_them(self):
        upload = self.graded("Strongly agree", "neutral", "Disagree")

        assert asks(upload) == {"scale": "agreement"}
        assert [row[-1] for row in values(upload)] == [5, 3, 2]

    @pytest.mark.parametrize(
        ("words", "scale", "steps"),
        [
            (("Somewhat agree", "Strongly disagree"), "agreement_somewhat", [4, 1]),
            (("Somewhat agree", "Agree"), "agreement_7", [5, 6]),
            (("非常同意", "不同意"), "同意", [5, 2]),
            (("Tout à fait d’accord", "Pas d'accord"), "accord", [5, 2]),
            (("Yes", "Partially"), "correctness", [3, 2]),
        ],
    )
    def test_may_be_of_more_steps_or_other_languages(self, words, scale, steps):
        upload = self.graded(*words)

        assert asks(upload) == {"scale": scale}
        assert [row[-1] for row in values(upload)] == steps

    def test_are_asked_about_where_several_scales_have_them(self):
        assert asks(self.graded("poor", "excellent")) == {"scale": ""}

    def test_of_school_are_asked_about_as_the_best_may_be_one_or_six(self):
        up = self.graded("sehr gut", "mangelhaft", told={"scale": "noten_up"})

        assert asks(self.graded("sehr gut", "mangelhaft")) == {"scale": ""}
        assert [row[-1] for row in values(up)] == [6, 2]

    def test_beside_numbers_or_other_words_are_no_numbers(self):
        assert "scale" not in asks(self.graded("4", "good"))
        assert "scale" not in asks(self.graded("good", "splendid"))
        assert "scale" not in asks(self.graded("agree", "never"))

    def test_are_refused_where_somebody_says_so(self):
        said = self.graded("agree", "disagree", told={"scale": "no"})
        refused = dict.fromkeys(("scale", *asks(said)), "no")
        upload = self.graded("agree", "disagree", told=refused)

        assert len(refused) == 2
        assert [one["code"] for one in upload.report["problems"]] == ["not_a_number"] * 2


class TestMetricsBesideAnswers:
    def test_are_no_answers_however_they_are_called(self):
        found = places(
            looked(
                "inputs,outputs,answer_similarity/v1/score\nWhy?,So.,5\nHow?,Thus.,1\n", "eval.csv"
            )
        )

        assert list(found.values()) == ["question", "response", "response_details"]
