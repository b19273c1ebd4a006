import gzip
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import resolve

from annotation.bank.models import Question
from annotation.files.models import ImportBatch, Upload
from annotation.grading.models import Grade
from annotation.people.models import Rater
from annotation.rubrics.models import Criterion
from annotation.systems.models import Item, Response, System, SystemRelease
from evalsite import queue
from scoring.kinds.contamination.models import BenchmarkFigure
from tests import imports, make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/imports/"


def post(client, kind="choices", text=imports.CHOICES, name="quay.csv", **more):
    file = SimpleUploadedFile(name, text if isinstance(text, bytes) else text.encode())
    return client.post(f"{URL}{kind}/", {"file": file, **more})


class TestChoices:
    def test_come_in_once_however_often_they_are_sent(self, as_curator):
        first = post(as_curator, dataset="Quay")
        again = post(as_curator, dataset="Quay")

        assert (first.status_code, first.json()["state"]) == (201, "APPLIED")
        assert first.json()["counts"]["items"] == 2
        assert again.json()["import"] == first.json()["import"]
        assert (Item.objects.count(), Upload.objects.count()) == (2, 1)

    def test_are_only_checked_where_that_is_wanted(self, as_curator):
        found = post(as_curator, dataset="Quay", only_check=True)

        assert (found.status_code, found.json()["import"]) == (200, None)
        assert found.json()["counts"] == {"new_items": 2, "known_items": 0}
        assert not (Item.objects.exists())
        assert not (Upload.objects.exists())

    def test_take_columns_of_other_names(self, as_curator):
        text = "frage,one,two,right\nWhy?,a,b,a\n"
        columns = {"frage": "question", "one": "option", "two": "option"}

        found = post(as_curator, text=text, dataset="Own", columns=json.dumps(columns))

        assert found.status_code == 201, found.json()
        assert Item.objects.get().extra["options"] == {"A": "a", "B": "b"}

    def test_bring_nothing_where_a_line_is_wrong(self, as_curator):
        found = post(as_curator, text=imports.CHOICES.replace("gull,C,", "gull,E,"), dataset="Quay")

        assert (found.status_code, found.json()["code"]) == (409, "needs_answer")
        assert list(found.json()["fields"]) == ["broken", "line 3, answer"]
        assert not (Item.objects.exists())
        assert not (Upload.objects.exists())

    def test_leave_out_lines_that_are_wrong_where_a_program_says_so(self, as_curator):
        answers = json.dumps({"broken": "leave_out"})
        text = imports.CHOICES.replace("gull,C,", "gull,E,")

        found = post(as_curator, text=text, dataset="Quay", answers=answers)

        assert (found.status_code, found.json()["left_out"]) == (201, 1), found.json()
        assert [(one["key"], one["answer"]) for one in found.json()["asks"]] == [
            ("broken", "leave_out")
        ]
        assert Item.objects.count() == 1

    @pytest.mark.parametrize(
        ("more", "status"),
        [({}, 422), ({"columns": "[1]", "dataset": "Quay"}, 400), ({"name": "x.pdf"}, 422)],
    )
    def test_say_what_cannot_be_used(self, as_curator, more, status):
        assert post(as_curator, **more).status_code == status
        assert not (ImportBatch.objects.exists())
        assert not (Upload.objects.exists())


class TestAnEncoding:
    TEXT = "id;question;system;response\n1;Was heißt „Löschen“?;Kestrel;Entladen am Kai.\n"

    def test_is_asked_for_and_taken(self, as_curator):
        data = self.TEXT.encode("cp1252")
        url = f"{URL}answers/"

        asked = as_curator.post(url, {"file": SimpleUploadedFile("a.csv", data)})
        taken = as_curator.post(
            url, {"file": SimpleUploadedFile("a.csv", data), "encoding": "windows-1252"}
        )

        assert (asked.status_code, asked.json()["code"]) == (409, "needs_answer")
        assert any("Löschen" in line for line in asked.json()["fields"]["encoding"])
        assert taken.status_code == 201, taken.json()
        assert Item.objects.get().question == "Was heißt „Löschen“?"


class TestColumns:
    TEXT = (
        "".join(
            json.dumps({"question": f"Why {n}?", "a": "x", "b": "y", "right": "a"}) + "\n"
            for n in range(1001)
        )
        + json.dumps({"question": "And?", "a": "x", "b": "y", "right": "a", "late": "z"})
        + "\n"
    )

    def test_are_known_though_they_come_up_late(self, as_curator):
        given = {"columns": json.dumps({"a": "option", "b": "option", "late": "ignore"})}

        found = post(
            as_curator, text=self.TEXT, name="q.jsonl", dataset="Own", only_check=True, **given
        )

        assert found.status_code == 200, found.json()

    def test_that_are_nowhere_are_refused_by_name(self, as_curator):
        found = post(as_curator, dataset="Quay", columns=json.dumps({"queston": "question"}))

        assert found.status_code == 422
        assert "No column is called queston" in found.json()["fields"]["columns"][0]
        assert not Upload.objects.exists()


class TestRanges:
    TEXT = "item,system,judge,criterion,score\nQ1,Kestrel,gpt,tone,2\nQ2,Kestrel,gpt,tone,3\n"

    @pytest.fixture(autouse=True)
    def _answers(self):
        imports.apply(imports.answers())

    def test_with_a_guessed_range_are_refused_with_the_remedy(self, as_curator):
        found = post(as_curator, "scores", self.TEXT, "s.csv")

        assert found.status_code == 422
        assert "Declare its lowest and highest possible score" in str(found.json()["fields"])

    def test_take_a_range_for_one_criterion(self, as_curator):
        told = [{"name": "gpt", "kind": "JUDGE", "criterion": "tone", "min": "0", "max": "6"}]

        found = post(as_curator, "scores", self.TEXT, "s.csv", machines=json.dumps(told))

        assert found.status_code == 201, found.json()
        made = Criterion.objects.get(name="tone")
        assert (made.minimum, made.maximum) == (0, 6)


class TestFigures:
    def test_come_in_for_the_systems_that_are_here(self, as_curator):
        make.release("Kestrel")
        make.release("Osprey")

        found = post(as_curator, "figures", imports.FIGURES, "figures.csv")

        assert found.json()["counts"] == {"figures": 3, "known": 0}
        assert BenchmarkFigure.objects.count() == 3


class TestAnswers:
    def test_come_in_with_their_questions(self, as_curator):
        found = post(as_curator, "answers", imports.ANSWERS, "answers.csv", create_missing=True)

        assert (found.status_code, found.json()["state"]) == (201, "APPLIED")
        assert Response.objects.count() == imports.ANSWERS.count("\n") - 1

    def test_of_one_system_to_a_column_are_named_by_it(self, as_curator):
        text = "id,question,first,second\nQ1,Why?,Because.,Who knows.\n"
        columns = {"first": "answer:Kestrel:2", "second": "answer"}

        found = post(as_curator, "answers", text, "wide.csv", columns=json.dumps(columns))

        assert found.status_code == 201, found.json()
        releases = SystemRelease.objects.values_list("system__name", "label")
        assert set(releases) == {("Kestrel", "2"), ("second", "1")}

    def test_in_columns_of_unknown_names_wait_for_a_person_to_confirm_them(self, as_curator):
        oak = "Because the water that they push aside weighs as much as they do."
        text = (
            f"question,oak,background\nWhy do ships float?,{oak},{oak.replace('they', 'ships')}\n"
        )

        found = post(as_curator, "answers", text, "wide.csv")

        assert found.status_code == 422
        assert list(found.json()["fields"]) == ["oak", "background"]
        assert "Probably: answer:oak." in found.json()["fields"]["oak"][0]
        assert not System.objects.exists()

        columns = json.dumps({"oak": "answer:oak", "background": "ignore"})
        post(as_curator, "answers", text, "wide.csv", columns=columns)
        assert [one.name for one in System.objects.all()] == ["oak"]

    def test_say_which_column_goes_nowhere(self, as_curator):
        found = post(as_curator, "answers", "id,question,mystery\nQ1,Why?,x\n", "odd.csv")

        assert found.status_code == 422
        assert "mystery" in found.content.decode()
        assert not (Upload.objects.exists())


class TestGrades:
    def test_become_a_round_by_a_new_rubric(self, as_curator):
        post(as_curator, "answers", imports.ANSWERS, "answers.csv", create_missing=True)
        item, system = Item.objects.order_by("pk").first(), SystemRelease.objects.first().system
        text = f"item,system,rater,criterion,grade\n{item.external_id},{system.name},Ann,tone,2\n"
        rubric = {"name": "Tone", "min": "1", "max": "3"}

        found = post(
            as_curator,
            "grades",
            text,
            "grades.csv",
            round_name="Earlier",
            new_rubric=json.dumps(rubric),
        )

        assert found.status_code == 201, found.json()
        assert [str(one.value) for one in Grade.objects.all()] == ["2.0000"]

    def test_of_words_become_labels_once_that_is_said(self, as_curator):
        post(as_curator, "answers", imports.ANSWERS, "answers.csv", create_missing=True)
        text = "item,system,rater,criterion,grade\nQ1,Kestrel,Ann,slip,Fact\nQ2,Kestrel,Ann,slip,Style\n"
        sent = {"round_name": "Earlier", "new_rubric": '{"name": "Slips"}'}

        asked = post(as_curator, "grades", text, "grades.csv", **sent)
        found = post(
            as_curator,
            "grades",
            text,
            "grades.csv",
            **sent,
            answers=json.dumps({"labels:slip": "LABEL"}),
        )

        said = asked.json()["fields"]["labels:slip"]
        assert (asked.status_code, asked.json()["code"]) == (409, "needs_answer")
        assert "Fact, Style" in said[0]
        assert found.status_code == 201, found.json()
        assert Criterion.objects.get().mark == "LABEL"
        assert [int(one.value) for one in Grade.objects.order_by("pk")] == [1, 2]

    @pytest.mark.parametrize(
        ("more", "field"),
        [
            ({"new_rubric": '{"min": "1", "max": "3"}'}, "new_rubric"),
            ({"words": "[]", "rubric": "tone@1"}, "words"),
            ({"aliases": '"x"', "rubric": "tone@1"}, "aliases"),
        ],
    )
    def test_say_which_field_cannot_be_used(self, as_curator, more, field):
        found = post(as_curator, "grades", imports.GRADES, "g.csv", round_name="x", **more)

        assert (found.status_code, list(found.json()["fields"])) == (400, [field])


class TestScores:
    @pytest.fixture
    def scores(self, as_curator):
        post(as_curator, "answers", imports.ANSWERS, "answers.csv", create_missing=True)
        item, system = Item.objects.order_by("pk").first(), SystemRelease.objects.first().system
        return f"item,system,judge,criterion,score\n{item.external_id},{system.name},Owl,tone,%s\n"

    def test_come_in_for_what_a_machine_is_said_to_be(self, as_curator, scores):
        machine = [{"name": "Owl", "kind": "JUDGE", "min": "1", "max": "5", "family": "birds"}]

        found = post(as_curator, "scores", scores % 4, "scores.csv", machines=json.dumps(machine))

        assert found.status_code == 201, found.json()
        owl = Rater.objects.get(kind="JUDGE")
        assert "Owl" in str(owl)

    def test_out_of_the_range_are_refused_by_line_and_column(self, as_curator, scores):
        machine = [{"name": "Owl", "kind": "JUDGE", "min": "1", "max": "5"}]

        found = post(as_curator, "scores", scores % 7, "scores.csv", machines=json.dumps(machine))

        assert found.status_code == 422
        assert list(found.json()["fields"]) == ["line 2, score"]

    def test_say_what_a_machine_cannot_be(self, as_curator, scores):
        found = post(as_curator, "scores", scores % 4, "s.csv", machines='[{"name": "Owl"}]')

        assert (found.status_code, list(found.json()["fields"])) == (400, ["machines"])


class TestQuestions:
    def test_become_drafts(self, as_curator):
        found = post(
            as_curator,
            "questions",
            imports.QUESTIONS,
            "bank.csv",
            create_missing=True,
            make_sources=True,
            language="en",
        )

        assert found.status_code == 201, found.json()
        assert Question.objects.count() == imports.QUESTIONS.count("\n") - 1


class TestALargeFile:
    def test_is_taken_on_and_brought_in_by_a_worker(
        self, as_curator, django_capture_on_commit_callbacks
    ):
        rows = "".join(f"{n},{'Which way? ' * 50}{n},left,right,B\n" for n in range(1_000))
        packed = gzip.compress(f"id,question,A,B,answer\n{rows}".encode())
        with django_capture_on_commit_callbacks(execute=True):
            taken = post(as_curator, text=packed, name="quay.csv.gz", dataset="Quay")
        with django_capture_on_commit_callbacks(execute=True):
            queue.burst("bulk")
        reading = as_curator.get(taken.headers["Location"]).json()
        with django_capture_on_commit_callbacks(execute=True):
            queue.burst("bulk")
        done = as_curator.get(taken.headers["Location"]).json()

        assert taken.status_code == 202
        assert (taken.json()["state"], taken.json()["import"]) == ("checking", None)
        assert (reading["state"], reading["rows"]) == ("importing", 1_000)
        assert (done["state"], done["import"]) == ("imported", 1)
        assert Item.objects.count() == 1_000

    def test_tells_what_is_wrong_with_it(self, as_curator, django_capture_on_commit_callbacks):
        rows = "".join(f"{n},{'Which way? ' * 50}{n},left,right,Z\n" for n in range(1_000))
        with django_capture_on_commit_callbacks(execute=True):
            taken = post(as_curator, text=f"id,question,A,B,answer\n{rows}", dataset="Quay")
        queue.burst("bulk")
        found = as_curator.get(taken.headers["Location"]).json()

        assert found["state"] == "refused"
        assert "line 2, answer" in found["problems"]
        assert not Item.objects.exists()

    def test_that_unpacks_to_too_much_is_refused_at_once(self, as_curator, settings):
        settings.FILE_MOST = 1024**2
        packed = gzip.compress(b"id,question,A,B,answer\n" + b"x" * 2 * 1024**2)

        found = post(as_curator, text=packed, name="quay.csv.gz", dataset="Quay")

        assert (found.status_code, found.json()["code"]) == (422, "file_refused")
        assert "larger than 1 MB" in found.json()["message"]

    def test_is_refused_while_too_many_wait(self, as_curator):
        rows = "".join(f"{n},{'Which way? ' * 50}{n},left,right,B\n" for n in range(1_000))
        found = [
            post(as_curator, text=f"id,question,A,B,answer\n{n}{rows}", dataset="Quay")
            for n in range(5)
        ]

        assert [one.status_code for one in found] == [202, 202, 202, 202, 429]
        assert found[-1].json()["code"] == "too_many_imports"

    def test_under_a_key_is_brought_in_once_and_answered_the_same(self, as_curator):
        headers = {"Idempotency-Key": "one-and-only"}
        file = SimpleUploadedFile("quay.csv", imports.CHOICES.encode())
        first = as_curator.post(
            f"{URL}choices/", {"file": file, "dataset": "Quay"}, headers=headers
        )
        file.seek(0)
        again = as_curator.post(
            f"{URL}choices/", {"file": file, "dataset": "Quay"}, headers=headers
        )

        assert first.status_code == again.status_code == 201
        assert again.headers["Idempotency-Replayed"] == "true"
        assert again.json() == first.json()
        assert getattr(resolve(f"{URL}choices/").func, "in_steps", False)


class TestGradesThatNeedAnAnswer:
    TEXT = "item,system,rater,grade,timestamp\nQ1,kestrel,Ada,4,3/5/2024 14:33\n"

    def send(self, as_curator, **more):
        file = SimpleUploadedFile("g.csv", self.TEXT.encode())
        rubric = json.dumps({"name": "S", "min": "1", "max": "5"})
        body = {"file": file, "round_name": "Old", "new_rubric": rubric, "criterion": "coh"}
        return as_curator.post(f"{URL}grades/", body | more)

    def test_are_refused_with_the_questions(self, as_curator):
        imports.apply(imports.answers())

        found = self.send(as_curator)

        assert (found.status_code, found.json()["code"]) == (409, "needs_answer")
        assert found.json()["fields"]["date_order"][1:] == ["day: The day", "month: The month"]

    def test_come_in_with_the_answers(self, as_curator):
        imports.apply(imports.answers())
        answers = json.dumps({"date_order": "day"})

        found = self.send(as_curator, answers=answers)

        assert found.status_code == 201, found.json()
        (ask,) = found.json()["asks"]
        assert (ask["key"], ask["answer"]) == ("date_order", "day")

    def test_say_what_was_asked_where_they_are_only_checked(self, as_curator):
        imports.apply(imports.answers())
        answers = json.dumps({"date_order": "day"})

        found = self.send(as_curator, answers=answers, only_check=True)

        assert found.status_code == 200
        assert [one["key"] for one in found.json()["asks"]] == ["date_order"]

    def test_refuse_answers_that_are_no_object(self, as_curator):
        assert self.send(as_curator, answers="[1]").status_code == 400
