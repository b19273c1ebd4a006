"""Files as people have them, each told by its kind: none is misread, and none is refused without need."""

import io
import json
from dataclasses import replace

import openpyxl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from annotation import models
from annotation.files import stored as files
from annotation.files.mappings import AnswerMapping, GradeMapping, NewRubric
from annotation.files.models import ImportKind
from annotation.imports import operations, recognising, uploading
from annotation.imports.matching import faces
from tests import imports, make

pytestmark = pytest.mark.django_db

HERE = """id,question,system,response
Q1,What is a quay?,Alpha,A wall.
Q1,What is a quay?,Beta,A bird.
Q2,What lifts a crate?,Alpha,A crane.
Q2,What lifts a crate?,Beta,A rope.
"""


@pytest.fixture(autouse=True)
def world():
    """Have two questions that two systems answered."""
    imports.apply(imports.answers(HERE))


def looked(text, name="file.csv"):
    """Return a file as the page of all files takes it, its kind told by what it holds."""
    return imports.take(text, name, "")


def places(upload):
    """Return where the columns go, each as a program writes it; what is only offered has a question mark."""
    found = {}
    for column, guess in recognising.guesses(upload):
        parts = [str(guess.target), guess.system, guess.rater, guess.criterion]
        said = ":".join(part for part in parts if part)
        found[column.name] = said if guess.sure else f"{said}?"
    return found


def graded(text, name="grades.csv", told=None, **options):
    """Return a file of grades that was checked, its columns where they are sure to belong."""
    upload = imports.take(text, name, ImportKind.GRADES, told=told)
    rubric = NewRubric("Case", "0", "10", "")
    mapping = GradeMapping(imports.places(upload), name, "", rubric, **options)
    uploading.set_mapping(upload=upload, mapping=mapping)
    operations.check(upload=upload, clock=imports.clock)
    return upload


def values(upload):
    """Return the grades that come in by a file: question, system, rater, criterion, value."""
    assert upload.report["ok"], upload.report["problems"]
    imports.apply(upload)
    rows = models.Grade.objects.order_by("pk").values_list(
        "response__item__external_id",
        "response__release__system__name",
        "rater__ref",
        "criterion__name",
        "value",
    )
    return [(*row, float(value)) for *row, value in rows]


def asks(upload):
    return {one["key"]: one["suggested"] for one in upload.report["asks"]}


class TestColumns:
    def test_without_a_name_and_without_a_cell_are_ignored(self):
        upload = looked("id,question,model,response,,\nX1,Why?,Pine,So.,,\n,,,,,\n")

        assert places(upload) == {
            "id": "external_id",
            "question": "question",
            "model": "system",
            "response": "response",
            "column 5": "ignore",
            "column 6": "ignore",
        }

    @pytest.mark.parametrize(
        "heads",
        [
            "番号,質問文,モデル名,回答文",
            "번호,질문,모델,답변",
            "المعرف,السؤال,النموذج,الإجابة",
            "номер,вопрос,модель,ответ",
            "No.,Question (English),Model,Output",
            "row.id,row.question,row.model,row.response",
            "id,userInput,modelName,actualOutput",
        ],
    )
    def test_are_known_by_their_names_in_many_languages_and_spellings(self, heads):
        upload = looked(f"{heads}\n1,Why 1?,Pine,So.\n2,Why 2?,Pine,Because.\n")

        assert upload.kind == ImportKind.ANSWERS
        assert list(places(upload).values()) == ["external_id", "question", "system", "response"]

    def test_may_name_the_system_before_the_word_for_an_answer(self):
        found = places(looked("question,pine_response,Oak 7B Output,expected_output\nWhy?,a,b,c\n"))

        assert list(found.values()) == [
            "question",
            "answer:pine",
            "answer:Oak 7B",
            "standard_answer",
        ]

    def test_of_numbered_answers_are_not_taken_for_systems_in_silence(self):
        found = places(looked("question,answer_1,answer_2\nWhy?,So.,Because.\n"))

        assert list(found.values()) == ["question", "answer:1?", "answer:2?"]


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

        upload = graded(text, told={"truth": "no"})

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
        mapping = GradeMapping(told, "Case", "", NewRubric("Case", "0", "9", "1"))

        with pytest.raises(uploading.MappingIncomplete) as refusal:
            uploading.set_mapping(upload=upload, mapping=mapping)

        assert [one.code for one in refusal.value.problems] == ["no_system_name"]


def lines(*records):
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records)


def answered(text, name="answers.jsonl", told=None, **options):
    """Return the answers that come in by a file: question, system, sample and text."""
    upload = imports.take(text, name, ImportKind.ANSWERS, told=told)
    mapping = AnswerMapping(imports.places(upload), **options)
    uploading.set_mapping(upload=upload, mapping=mapping)
    operations.check(upload=upload, clock=imports.clock)
    assert upload.report["ok"], upload.report["problems"]
    here = set(models.Response.objects.values_list("pk", flat=True))
    imports.apply(upload)
    rows = models.Response.objects.exclude(pk__in=here).order_by("pk")
    return [
        (
            one.item.messages[-1]["content"],
            one.release.system.name,
            one.sample_no,
            one.messages[-1]["content"],
        )
        for one in rows.select_related("item", "release__system")
    ]


def layout_asks(upload):
    return {one.key: one.suggested for one in files.layout_of(upload).asks}


class TestListsWithinRecords:
    def test_of_answers_are_a_row_each(self):
        text = lines(
            {
                "prompt": "Why?",
                "responses": [{"model": "pine", "text": "So."}, {"model": "oak", "text": "No."}],
            },
            {"prompt": "How?", "responses": [{"model": "pine", "text": "Thus."}]},
        )

        assert layout_asks(looked(text, "answers.jsonl")) == {"inner": "responses"}
        assert sorted(answered(text)) == [
            ("How?", "pine", 1, "Thus."),
            ("Why?", "oak", 1, "No."),
            ("Why?", "pine", 1, "So."),
        ]

    def test_of_texts_are_samples_of_one_system(self):
        text = lines(
            {"prompt": "Why?", "model": "pine", "responses": ["So.", "Thus."]},
            {"prompt": "How?", "model": "pine", "responses": ["By hand.", "By foot."]},
        )

        assert [row[1:] for row in answered(text)] == [
            ("pine", 1, "So."),
            ("pine", 2, "Thus."),
            ("pine", 1, "By hand."),
            ("pine", 2, "By foot."),
        ]

    def test_of_grades_are_of_their_raters(self):
        text = lines(
            {
                "id": "Q1",
                "system": "Alpha",
                "annotations": [
                    {"annotator": "ann", "fluency": 4},
                    {"annotator": "bo", "fluency": 3},
                ],
            }
        )

        assert [row[2:] for row in values(graded(text, "grades.jsonl"))] == [
            ("ann", "fluency", 4),
            ("bo", "fluency", 3),
        ]

    def test_of_bare_numbers_say_nothing_of_who_gave_them(self):
        found = places(looked(lines({"id": "Q1", "system": "Alpha", "ratings": [4, 5]}), "g.jsonl"))

        assert found == {
            "id": "item",
            "system": "system",
            "value": "value",
            "place in ratings": "",
        }

    def test_stay_where_somebody_says_that_a_record_is_a_row(self):
        text = lines({"prompt": "Why?", "responses": [{"model": "pine", "text": "So."}]})
        upload = imports.take(text, "answers.jsonl", "", told={"inner": "no"})

        assert [one.name for one in files.layout_of(upload).columns] == ["prompt", "responses"]

    @pytest.mark.parametrize("name", ["choices", "sources", "messages"])
    def test_that_say_more_of_one_row_are_no_rows(self, name):
        text = lines(
            {"question": "Why?", name: [{"role": "user", "content": "Why?", "label": "A"}]}
        )

        assert layout_asks(looked(text, "file.jsonl")) == {}


class TestListsOfReferences:
    def test_are_no_answers_where_nobody_gave_them(self):
        upload = looked(lines({"question": "Why?", "answers": ["So.", "Thus."]}), "q.jsonl")

        assert layout_asks(upload) == {}

    def test_are_answers_beside_who_gave_them(self):
        text = lines({"question": "Why?", "model": "pine", "answers": ["So.", "Thus."]})

        assert layout_asks(looked(text, "a.jsonl")) == {"inner": "answers"}


class TestOneObject:
    def test_with_the_answers_of_each_system_holds_those_of_all(self):
        rows = [{"id": one, "question": f"Why {one}?", "response": "So."} for one in ("1", "2")]
        upload = looked(json.dumps({"pine": rows, "oak": rows}), "answers.json")

        assert layout_asks(upload) == {"path": "*"}
        assert len(list(files.records(upload))) == 4
        assert places(upload)["key 1"] == "system?"

    def test_with_records_by_their_ids_holds_a_row_each(self):
        one = {"question": "Why?", "response": "So.", "model": "pine"}
        upload = looked(json.dumps({"a": one, "b": one}), "answers.json")

        assert [record.cells["key 1"] for record in files.records(upload)] == ["a", "b"]


class TestAnswers:
    def test_in_numbered_columns_beside_a_system_are_its_samples(self):
        text = "prompt,model,response_1,response_2\nWhy?,pine,So.,Thus.\nHow?,oak,By hand.,\n"

        assert answered(text, "answers.csv") == [
            ("Why?", "pine", 1, "So."),
            ("Why?", "pine", 2, "Thus."),
            ("How?", "oak", 1, "By hand."),
        ]

    def test_to_an_instruction_with_an_input_are_asked_of_both(self):
        text = lines({"instruction": "Translate.", "input": "Hallo", "output": "Hello"})

        assert answered(text, system="pine") == [("Translate.\n\nHallo", "pine", 1, "Hello")]


class TestPairs:
    @pytest.mark.parametrize(
        "text",
        [
            "id,model_a,model_b,annotator,winner\nQ1,Alpha,Beta,ann,model_a\n",
            "id,System 1,System 2,Preference\nQ1,Alpha,Beta,tie\n",
            "id,left_model,right_model,choice\nQ1,Alpha,Beta,left\n",
        ],
    )
    def test_of_systems_are_told_by_name(self, text):
        with pytest.raises(uploading.FileRefused) as refusal:
            looked(text)

        assert "Pairs of systems" in refusal.value.message


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


class TestTables:
    def test_as_markdown_draws_them_are_read(self):
        text = "| id | question | model | response |\n|----|:--|---|--:|\n| 1 | Why? | pine | So, so. |\n"
        upload = looked(text, "answers.md")

        assert list(places(upload)) == ["id", "question", "model", "response"]
        assert answered(text, "answers.md") == [("Why?", "pine", 1, "So, so.")]

    def test_divided_by_pipes_keep_their_empty_cells(self):
        assert answered("question|model|response|tokens\nWhy?|pine|So.|\n|||\n", "a.csv") == [
            ("Why?", "pine", 1, "So.")
        ]

    def test_are_not_offered_in_encodings_with_signs_that_no_text_has(self):
        text = "id;Frage;System;Antwort\n1;Wie heißt er?;Eiche;Er heißt „Rhein“ – für 5 €.\n"
        upload = imports.take(text.encode("cp1252"), "a.csv", ImportKind.ANSWERS)

        found = [one.encoding for one in files.layout_of(upload).readings]
        assert found[0] == "cp1252"
        assert "iso8859-15" not in found

    def test_with_columns_and_rows_of_cells_is_a_table(self):
        table = {
            "columns": ["id", "system", "rater", "clarity"],
            "data": [["Q1", "Alpha", "ann", 4]],
        }

        assert values(graded(json.dumps(table), "grades.json")) == [
            ("Q1", "Alpha", "ann", "clarity", 4)
        ]

    def test_with_a_schema_holds_its_rows_beside_it(self):
        row = {"index": 0, "id": "Q1", "system": "Alpha", "rater": "ann", "clarity": 4}
        table = {"schema": {"fields": [{"name": "id"}]}, "data": [row]}

        assert layout_asks(looked(json.dumps(table), "grades.json"))["path"] == "data"


class TestNamesWithinNames:
    def test_are_known_behind_what_only_holds_them(self):
        text = lines(
            {
                "id": "b1",
                "input": {"question": "Why?"},
                "output": "So.",
                "metadata": {"model": "pine"},
                "reasoning": "Hm.",
            }
        )

        assert list(places(looked(text, "a.jsonl")).values()) == [
            "external_id",
            "question",
            "response",
            "system",
            "response_details",
        ]

    def test_of_what_was_shown_to_annotators_are_no_names_of_them(self):
        text = "INPUT:item\tINPUT:system\tOUTPUT:fluency\nQ1\tAlpha\t4\n"

        assert places(looked(text, "g.tsv"))["OUTPUT:fluency"] == "grade:fluency"


class TestConversations:
    def test_as_questions_beside_an_answer_are_read_whole(self):
        asked = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Why?"}]
        text = lines({"prompt": asked, "response": "So.", "model": "pine"})

        assert answered(text) == [("Why?", "pine", 1, "So.")]

    def test_of_people_whose_role_is_likely_are_asked_about(self):
        talk = [{"role": "Student", "content": "Why?"}, {"role": "tutor", "content": "So."}]
        text = lines({"model": "pine", "messages": talk})
        upload = imports.answers(text, "a.jsonl")

        assert asks(upload) == {"role:student": "user", "role:tutor": "assistant"}
        assert answered(text) == [("Why?", "pine", 1, "So.")]

    def test_are_of_whom_somebody_says_they_are(self):
        talk = [{"role": "agent", "content": "Why?"}, {"role": "client", "content": "So."}]
        text = lines({"model": "pine", "messages": talk})
        told = {"role:agent": "user", "role:client": "assistant"}

        assert answered(text, told=told) == [("Why?", "pine", 1, "So.")]


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


class TestSystems:
    def test_whose_names_differ_in_signs_alone_are_asked_about(self):
        upload = imports.answers("id,question,system,response\nQ9,Why?,al-pha,So.\n")

        assert asks(upload) == {"system:al-pha": ""}

    @pytest.mark.parametrize(("said", "system"), [("same", "Alpha"), ("apart", "al-pha")])
    def test_are_what_somebody_says_of_them(self, said, system):
        text = "id,question,system,response\nQ9,Why?,al-pha,So.\n"

        found = answered(text, "a.csv", told={"system:al-pha": said})

        assert found == [("Why?", system, 1, "So.")]

    def test_whose_names_differ_in_capitals_are_taken_for_one(self):
        assert answered("id,question,system,response\nQ9,Why?,ALPHA,So.\n", "a.csv") == [
            ("Why?", "Alpha", 1, "So.")
        ]

    def test_of_one_file_are_asked_about_as_well(self):
        text = "id,question,system,response\nQ8,Why?,pine 7b,So.\nQ9,How?,Pine-7B,So.\n"

        assert asks(imports.answers(text)) == {"system:Pine-7B": ""}


class TestMarksOfMachines:
    def test_are_not_taken_for_grades_of_people(self):
        upload = looked("id,rater,Alpha,Beta\nQ1,gpt-4o,8,3\nQ2,gpt-4o,7,5\n")

        assert upload.kind != ImportKind.GRADES

    def test_beside_answers_are_said_not_to_count(self):
        text = "id,question,model,response,helpfulness,latency\nX,Why?,pine,So.,4,0.3\n"
        upload = imports.answers(text)

        assert upload.report["marks"] == ["helpfulness"]
        assert "Marks beside the answers: helpfulness" in [one.title for one in faces.lines(upload)]


class TestQuotationMarks:
    def test_within_texts_of_a_table_with_tabs_are_signs_like_others(self):
        text = 'id\tquestion\tmodel\tresponse\nX1\tWhy "oh"?\tpine\t"So" it said\n'

        assert answered(text, "a.tsv") == [('Why "oh"?', "pine", 1, '"So" it said')]

    def test_around_whole_lines_are_told_by_name(self):
        with pytest.raises(uploading.FileRefused) as refusal:
            looked('"id,question,model"\n"X1,Why?,pine"\n"X2,How?,oak"\n')

        assert "quotation marks as a whole" in refusal.value.message


class TestHalfCharacters:
    def test_in_cells_are_refused_with_their_row(self):
        escaped = '{"id": "1", "question": "Why?", "system": "pi\\ud800ne", "response": "So."}\n'

        upload = imports.answers(escaped, "a.jsonl")

        assert [one["code"] for one in upload.report["problems"]] == ["half_character"]

    def test_in_names_of_columns_are_refused(self):
        with pytest.raises(uploading.FileRefused, match="half of a character"):
            looked('{"id": "1", "que\\ud800stion": "Why?"}\n', "a.jsonl")


def workbook(**sheets):
    """Return a workbook with a sheet of rows under each name."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


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


class TestObjectsInCells:
    def test_are_opened_to_columns(self):
        text = 'id,system,rater,scores\nQ1,Alpha,ann,"{""clarity"": 4, ""fluency"": 5}"\n'

        assert [row[3:] for row in values(graded(text))] == [("clarity", 4), ("fluency", 5)]

    def test_that_systems_wrote_stay_as_they_are(self):
        text = 'id,question,model,response\n1,Why?,pine,"{""a"": 2}"\n2,How?,pine,"{""a"": 1}"\n'

        assert [row[-1] for row in answered(text, "a.csv")] == ['{"a": 2}', '{"a": 1}']

    def test_that_are_messages_are_conversations(self):
        talk = '"[{""role"": ""user"", ""content"": ""Why?""}, {""role"": ""assistant"", ""content"": ""So.""}]"'

        assert answered(f"id,model,messages\n1,pine,{talk}\n", "a.csv") == [
            ("Why?", "pine", 1, "So.")
        ]


class TestQuestions:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("question,answer\nA crane lifts.,true\nA rope lifts.,false\n", "q.csv"),
            (lines({"input": [{"role": "user", "content": "Why?"}], "ideal": "So."}), "q.jsonl"),
            ("Question,Best Answer,Correct Answers,Incorrect Answers\nWhy?,So.,So.,No.\n", "q.csv"),
        ],
    )
    def test_are_neither_answers_nor_grades(self, text, name):
        assert looked(text, name).kind == ImportKind.QUESTIONS

    def test_have_no_systems_in_their_references(self):
        upload = imports.take("question,correct_answers,final_answer\nWhy?,So.,No.\n", "a.csv")

        assert list(places(upload).values()) == ["question", "", "answer:final?"]

    def test_beside_numbers_of_models_may_be_answers_or_marks(self):
        assert looked("id,question,gpt-4o,claude-3\n1,2+2?,4,4\n").kind != ImportKind.GRADES


class TestPrompts:
    def test_of_systems_are_not_their_answers(self):
        found = places(
            looked("id,system_prompt,user_prompt,assistant_response\n1,Be brief.,Why?,So.\n")
        )

        assert found == {
            "id": "external_id",
            "system_prompt": "response_details?",
            "user_prompt": "question",
            "assistant_response": "response",
        }

    @pytest.mark.parametrize(("run", "target"), [("2", "sample_no"), ("run-a", "response_details")])
    def test_that_ran_again_are_told_by_the_number_of_the_run(self, run, target):
        found = places(looked(f"id,question,model,run,response\n1,Why?,pine,{run},So.\n"))

        assert found["run"] == target


class TestColumnsThatAreCalledAfterSystems:
    def test_are_offered_as_answers_where_several_hold_sentences(self):
        table = (
            "Question,Reference,GPT-4o,Claude 3.5,Gemini\n"
            "What is demurrage?,A fee.,A fee for delay.,Money for time.,It is a charge.\n"
            "When is a bond needed?,In transit.,Under suspension of duty.,Always.,In transit only.\n"
        )

        assert places(looked(table)) == {
            "Question": "question",
            "Reference": "standard_answer",
            "GPT-4o": "answer:GPT-4o?",
            "Claude 3.5": "answer:Claude 3.5?",
            "Gemini": "answer:Gemini?",
        }

    def test_are_none_where_they_ask_or_hold_single_words(self):
        table = (
            "id,What is it?,Where is it?,shift\n1,A fee.,At a port.,late\n2,No fee.,At sea.,early\n"
        )

        found = places(imports.take(table, "a.csv"))

        assert "answer:shift?" not in found.values()
        assert not any("it?" in place for place in found.values())


class TestWhatToolsNote:
    @pytest.mark.parametrize(
        ("head", "place"),
        [
            ("coherence/explanation", "response_details"),
            ("outputs.coherence.coherence_reason", "response_details"),
            ("metadata", "response_details"),
            ("tags", "response_details"),
            ("span_kind", "response_details"),
            ("cluster_of_topics", "response_details?"),
        ],
    )
    def test_is_kept_with_the_answer(self, head, place):
        found = places(imports.take(f"prompt,response,{head}\nWhy?,So.,Fine\n", "a.csv"))

        assert found[head] == place

    def test_may_stand_under_value(self):
        table = (
            "context.span_id,attributes.input.value,attributes.output.value,attributes.llm.model_name\n"
            "s1,Why?,So it is.,oak-7b\n"
        )

        found = places(imports.take(table, "spans.csv"))

        assert list(found.values())[1:] == ["question", "response", "system"]


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

    def test_of_lime_survey_are_those_of_its_grids(self):
        table = (
            '"id. Response ID","submitdate. Date submitted","lastpage. Last page",'
            '"G01Q01[SQ001]. Rate it [clarity]","G01Q01[SQ002]. Rate it [tone]"\n'
            "1,2026-01-02 10:00:00,3,4,2\n2,2026-01-02 10:05:00,3,5,3\n3,,1,5,\n"
        )

        found = places(looked(table))

        assert list(found) == ["rater", "at", "criterion", "value"]


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


class TestQuestionsInOtherWords:
    def test_have_their_topic_and_their_turns(self):
        german = imports.take(
            "Nr.;Frage;Antwort;Thema\n1;Was?;Das.;Zoll\n", "q.csv", kind=ImportKind.QUESTIONS
        )
        turns = looked(
            lines({"question_id": "a", "category": "x", "turns": [{"content": "Why?"}]}), "q.jsonl"
        )

        assert list(places(german).values()) == [
            "external_id",
            "question",
            "standard_answer",
            "domain",
        ]
        assert "messages" in places(turns).values()
