"""Answers and questions as people have them, told by their kind: none is misread, none refused without need."""

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation.files import stored as files
from annotation.files.mappings import AnswerMapping
from annotation.files.models import ImportKind, Upload
from annotation.imports import operations, recognising, uploading
from evalsite import errors
from tests import imports, make
from tests.files import packed
from tests.imports import lines
from tests.unseen import (
    HERE,
    answered,
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
    def test_of_systems_are_preferences(self, text):
        home = make.project()
        upload = uploading.receive(
            project=home,
            kind=None,
            name="a.csv",
            pieces=[text.encode()],
            by=make.user("northport-owner"),
            now=make.NOW,
        )
        found = {guess.target for _column, guess in recognising.guesses(upload)}

        assert upload.kind == ImportKind.PAIRS
        assert {"external_id", "system_a", "system_b", "choice"} <= found


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


class TestQuotationMarks:
    def test_within_texts_of_a_table_with_tabs_are_signs_like_others(self):
        text = 'id\tquestion\tmodel\tresponse\nX1\tWhy "oh"?\tpine\t"So" it said\n'

        assert answered(text, "a.tsv") == [('Why "oh"?', "pine", 1, '"So" it said')]

    def test_around_whole_lines_are_told_by_name(self):
        with pytest.raises(errors.FileRefused) as refusal:
            looked('"id,question,model"\n"X1,Why?,pine"\n"X2,How?,oak"\n')

        assert "quotation marks as a whole" in refusal.value.message


class TestHalfCharacters:
    def test_in_cells_are_refused_with_their_row(self):
        escaped = '{"id": "1", "question": "Why?", "system": "pi\\ud800ne", "response": "So."}\n'

        upload = imports.answers(escaped, "a.jsonl")

        assert [one["code"] for one in upload.report["problems"]] == ["half_character"]

    def test_in_names_of_columns_are_refused(self):
        with pytest.raises(errors.FileRefused, match="half of a character"):
            looked('{"id": "1", "que\\ud800stion": "Why?"}\n', "a.jsonl")


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


class TestNamesThatLeadToTexts:
    """One object: {question: answer}, {question: {system: answer}} or {system: {question: answer}}."""

    ASKED = ("What is a quay?", "What lifts a crate?")

    def test_alone_may_be_answers_or_the_right_ones(self):
        upload = looked(
            json.dumps(dict(zip(self.ASKED, ("A wall.", "A crane."), strict=True))), "a.json"
        )

        assert upload.kind == ""
        upload.kind = ImportKind.QUESTIONS
        assert places(upload) == {"key 1": "question?", "response": "standard_answer"}

    @pytest.mark.parametrize("turned", [False, True])
    def test_of_questions_and_systems_are_told_apart(self, turned):
        said = {one: {"pine": "So.", "oak": "No."} for one in self.ASKED}
        if turned:
            said = {name: {one: said[one][name] for one in said} for name in ("pine", "oak")}

        upload = looked(json.dumps(said), "a.json")

        found = places(upload)
        assert upload.kind == ImportKind.ANSWERS
        assert (found["key 1"], found["key 2"]) == (
            ("system?", "question?") if turned else ("question?", "system?")
        )
        assert sorted(answered(json.dumps(said), "a.json")) == [
            ("What is a quay?", "oak", 1, "No."),
            ("What is a quay?", "pine", 1, "So."),
            ("What lifts a crate?", "oak", 1, "No."),
            ("What lifts a crate?", "pine", 1, "So."),
        ]

    def test_with_ids_of_the_project_name_its_questions(self):
        text = json.dumps({"Q1": {"pine": "A wall."}, "Q2": {"pine": "A crane."}})

        assert sorted(answered(text, "a.json"))[0] == ("What is a quay?", "pine", 1, "A wall.")

    def test_are_none_where_they_are_names_of_columns(self):
        text = json.dumps({"id": "1", "question": "Why?", "model": "pine", "response": "So."})

        assert places(looked(text, "a.json"))["question"] == "question"

    def test_with_lists_are_several_answers(self):
        text = json.dumps({one: ["So.", "Thus."] for one in self.ASKED})

        assert [
            row["sample"] for row in (one.cells for one in files.records(looked(text, "a.json")))
        ] == [1, 2] * 2


class TestWhatToolsCallOtherThings:
    def test_in_scores_are_no_answers_of_a_system(self):
        line = {
            "inputs": {"example": {"question": "Why?"}, "model": "Owl"},
            "output": {"output": {"answer": "So."}, "scores": {"correct": True}},
        }
        found = places(looked(imports.lines(line), "calls.jsonl"))

        assert found["output.output.answer"] == "response"
        assert found["output.scores.correct"] == "response_details?"

    def test_in_numbers_for_a_criterion_are_no_answers(self):
        text = "item,rater,Response A - clarity,Response B - clarity\nQ1,ann,4,3\n"

        assert looked(text).kind == ImportKind.GRADES

    def test_types_are_believed_where_they_are_types(self):
        line = {"question": "Why?", "answer": "So.", "metadata": {"question_type": "simple"}}

        assert places(looked(imports.lines(line), "a.jsonl"))["metadata.question_type"] != "type"

    def test_workbooks_are_told_by_what_they_hold(self):
        data = workbook(A=[["id", "system", "response"], ["Q1", "Gamma", "A pier."]])

        for name in ("answers.xlsm", "answers"):
            assert looked(data, name).kind == ImportKind.ANSWERS


class TestAZip:
    ONE = "id,question,response\nX1,Why?,So.\n"

    def test_of_a_table_for_each_system_names_them_by_its_files(self):
        data = packed(**{"pine.csv": self.ONE, "oak.csv": self.ONE.replace("So.", "No.")})

        assert answered(data, "answers.zip") == [
            ("Why?", "oak", 1, "No."),
            ("Why?", "pine", 1, "So."),
        ]

    def test_tells_a_problem_with_its_file(self):
        text = "id,question,system,response\n"
        data = packed(
            **{
                "a.csv": text + "X1,Why?,Owl,So.\n",
                "b.csv": text + "X2,What?,Owl\nX3,How?,Owl,So.\n",
            }
        )
        upload = imports.take(data, "answers.zip")
        uploading.set_mapping(upload=upload, mapping=AnswerMapping(imports.places(upload)))

        report = operations.check(upload=upload, clock=imports.clock)

        assert list(operations.problems_of(report)) == ["line 2 of b"]

    def test_of_texts_finds_questions_by_the_names_of_files(self):
        data = packed(**{"Q1/Gamma.txt": "A wall.", "Q2/Gamma.txt": "A crane."})

        assert answered(data, "answers.zip") == [
            ("What is a quay?", "Gamma", 1, "A wall."),
            ("What lifts a crate?", "Gamma", 1, "A crane."),
        ]

    def test_of_answers_and_grades_asks_which_is_meant_and_tells_its_kind(self):
        grades = "id,system,rater,clarity\nQ1,Alpha,ann,4\n"
        upload = looked(packed(**{"a.csv": self.ONE, "g.csv": grades}), "all.zip")

        assert [one.key for one in files.layout_of(upload).open_asks()] == ["member"]
        uploading.answer(upload=upload, told={"member": "g.csv"})

        assert (upload.kind, places(upload)["clarity"]) == (ImportKind.GRADES, "grade:clarity")

    def test_is_refused_by_its_own_words(self, settings):
        settings.FILE_MOST = 1000
        bomb = packed(**{"a.csv": "x" * 2000})
        for data, says in (
            (bomb, "larger than 0 MB"),
            (b"PK\x03\x04 rubbish", "compressed file is damaged"),
        ):
            with pytest.raises(errors.FileRefused, match=says):
                looked(data, "a.zip")

    def test_is_checked_at_once_and_what_was_only_suggested_is_to_be_checked(self, as_curator):
        data = packed(**{"pine.csv": self.ONE, "oak.csv": self.ONE.replace("So.", "No.")})
        slug = make.project().slug

        as_curator.post(
            reverse("import_new", args=[slug]), {"file": SimpleUploadedFile("a.zip", data)}
        )
        number = Upload.objects.latest("number").number
        page = as_curator.get(reverse("import_map", args=[slug, number]))

        assert page.context["cards"][-1].title == "Column “name of the file”"
        assert {card.is_open for card in page.context["cards"]} == {False}

    def test_comes_in_by_api_once_somebody_says_whose_answers_its_files_hold(self, as_curator):
        data = packed(**{"pine.csv": self.ONE, "oak.csv": self.ONE.replace("So.", "No.")})
        url = f"/api/v1/projects/{make.project().slug}/imports/answers/"
        columns = json.dumps({"name of the file": "system"})

        refused = as_curator.post(url, {"file": SimpleUploadedFile("a.zip", data)})
        taken = as_curator.post(
            url, {"file": SimpleUploadedFile("a.zip", data), "columns": columns}
        )

        assert refused.status_code == 422
        assert "name of the file" in refused.json()["fields"]
        assert taken.status_code == 201, taken.json()

    def test_that_is_large_is_described_by_a_process_of_its_own(self):
        rows = "".join(f"L{n},Why {n}?,{'So. ' * 40}\n" for n in range(3000))
        data = packed(**{"pine.csv": "id,question,response\n" + rows, "oak.csv": self.ONE})

        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            stored = io.BytesIO()
            with zipfile.ZipFile(stored, "w", zipfile.ZIP_STORED) as plain:
                for name in parts.namelist():
                    plain.writestr(name, parts.read(name))
        upload = looked(stored.getvalue(), "large.zip")

        assert (upload.is_large, files.layout_of(upload).members) == (True, ("oak.csv", "pine.csv"))
        assert sum(1 for _one in files.records(upload)) == 3001
