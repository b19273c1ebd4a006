import csv
import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation import models
from annotation.files.look import layouts
from annotation.files.models import ImportKind, Upload
from annotation.imports import found
from annotation.imports.matching import starters
from annotation.people.models import Role
from tests import imports, make
from tests.pages import squeezed

pytestmark = pytest.mark.django_db

ONE_SYSTEM = "id,question,model,output\n" + "".join(
    f"Q{n},What is thing {n}?,finch,Hello! I am Finch. {answer}\n"
    for n, answer in enumerate(("A crate.", "Wood mostly.", "No; a rope.", "Two of them."), 1)
)


def url(name, *args):
    return reverse(name, args=["northport", *args])


def client_of(role=Role.CURATOR):
    client = Client()
    client.force_login(make.member(role))
    return client


def send(client, text, name="answers.csv", **more):
    return client.post(url("import_new"), {"file": SimpleUploadedFile(name, text.encode()), **more})


def page_of(client, upload):
    return squeezed(client.get(url("import_map", upload.number)).content.decode())


def latest():
    return Upload.objects.latest("pk")


class TestFoundInTheProject:
    def found(self, upload):
        return upload.report["found"]

    def test_tells_how_questions_were_found(self):
        imports.apply(imports.answers())
        rows = "id,question,answer_Gull\nQ1,What is a pallet?,a\nQ2,What is a quay wall?,b\nQ3,New?,c\n"
        told = self.found(imports.answers(rows, "gull.csv"))

        assert told["questions"] == {"by_both": 1, "differing": 1, "new": 1}
        assert told["differences"] == [
            {"id": "Q2", "ours": "What is a quay?", "theirs": "What is a quay wall?"}
        ]

    def test_finds_questions_by_text_and_by_id_alone(self):
        imports.apply(imports.answers())

        by_text = self.found(
            imports.answers("question,answer_Gull\nWhat is a pallet?,a\n", "a.csv")
        )
        by_id = self.found(imports.answers("id,answer_Gull\nQ2,b\n", "b.csv"))

        assert by_text["questions"] == {"by_text": 1}
        assert by_id["questions"] == {"by_id": 1}

    def test_tells_new_systems_with_a_name_that_is_near(self):
        imports.apply(imports.answers())
        rows = "id,system,response\nQ1,kestrel-2,a\nQ1,Puffin,b\n"

        told = self.found(imports.answers(rows, "a.csv"))

        assert told["systems"]["new"] == [
            {"name": "Puffin", "near": ""},
            {"name": "kestrel-2", "near": "Kestrel"},
        ]

    def test_counts_grades_outside_their_scale_by_value(self):
        imports.apply(imports.answers())

        told = self.found(imports.grades(imports.GRADES.replace(",5,4,4,4", ",5,6,7,7")))

        assert (told["n_outside"], told["outside"]) == (3, {"7": 2, "6": 1})
        assert [one["name"] for one in told["raters"]["new"]] == ["e0", "e1"]

    @pytest.mark.parametrize(
        ("name", "near"),
        [("finch-rag-2", "Finch RAG"), ("FinchRAG", "Finch RAG"), ("Osprey", ""), ("", "")],
    )
    def test_takes_names_for_near_that_differ_in_little(self, name, near):
        assert found.near(name, {"finch rag": "Finch RAG", "oak": "Oak"}) == near


class TestAnOpening:
    def test_that_all_answers_of_a_system_share_is_warned_of(self):
        upload = imports.answers(ONE_SYSTEM, "finch.csv")

        assert imports.problems(upload) == [("shared_opening", None, "")]
        assert upload.report["ok"]
        assert "4 of 4 answers of finch begin with “Hello! I am Finch.”." in page_of(
            client_of(), upload
        )

    def prompted(self, *prompts):
        rows = [
            {
                "id": f"M{n}",
                "system": "Osprey",
                "messages": [
                    {"role": "system", "content": prompt},
                    {"role": "user", "content": f"What does berth {n} cost?"},
                    {"role": "assistant", "content": f"{n}0 a day."},
                ],
            }
            for n, prompt in enumerate(prompts)
        ]
        return imports.answers("\n".join(json.dumps(one) for one in rows), "osprey.jsonl")

    def test_by_one_of_many_system_prompts_is_counted_to_the_end(self):
        upload = self.prompted(*(f"You are number {n}." for n in range(60)), *["Be kind."] * 70)

        assert imports.problems(upload) == [("system_prompt", None, "")]
        assert "70 of 130 questions begin with the system prompt “Be kind.”." in page_of(
            client_of(), upload
        )

    def test_of_questions_with_a_system_prompt_is_warned_of(self):
        upload = self.prompted(*["You are Osprey."] * 3)

        assert imports.problems(upload) == [("system_prompt", None, "")]
        assert upload.report["ok"]
        assert "3 of 3 questions begin with the system prompt “You are Osprey.”." in page_of(
            client_of(), upload
        )

    def test_that_other_systems_have_as_well_tells_nothing(self):
        other = ONE_SYSTEM.replace("finch,", "wren,")
        imports.apply(imports.answers(other, "wren.csv"))

        assert imports.problems(imports.answers(ONE_SYSTEM, "finch.csv")) == []


class TestTheKind:
    def test_is_found_out_and_may_be_changed(self):
        client = client_of()
        send(client, imports.ANSWERS)
        assert latest().kind == ImportKind.ANSWERS
        assert latest().report["ok"]

        client.post(url("import_check", latest().number), {"ask-kind": "QUESTIONS"})

        assert latest().kind == ImportKind.QUESTIONS
        assert latest().told == {"kind": "QUESTIONS"}

    def test_is_asked_for_where_nothing_tells_it(self):
        client = client_of()
        send(client, "place,height\na,1\nb,2\n", "odd.csv")

        page = page_of(client, latest())

        assert latest().kind == ""
        assert "What is in it?" in page
        assert "1 to answer first" in page
        assert "odd.csv" in client.get(url("imports")).content.decode()

    def test_of_a_designer_is_questions_alone(self):
        client = client_of(Role.DESIGNER)
        send(client, imports.ANSWERS)

        client.post(url("import_check", latest().number), {"ask-kind": "GRADES"})

        assert latest().kind == ImportKind.QUESTIONS


class TestAFileThatIsClear:
    def test_is_checked_at_once(self):
        client = client_of()

        sent = send(client, imports.ANSWERS)

        assert "Import 4 answers" in squeezed(client.get(sent.url).content.decode())

    def test_tells_nobody_twice_what_was_not_asked(self):
        client = client_of()
        send(client, imports.ANSWERS)
        before = latest().report["checked_at"]

        client.post(url("import_check", latest().number), {"ask-kind": "ANSWERS"})

        assert latest().told == {}
        assert latest().report["checked_at"] == before

    def test_says_that_the_project_has_changed_since(self):
        client = client_of()
        send(client, "id,answer_Gull\nQ1,b\n", "gull.csv")
        waiting = latest()
        send(client, imports.ANSWERS)
        client.post(url("import_check", latest().number), {"act": "import"})

        stale = page_of(client, waiting)
        client.post(url("import_check", waiting.number), {"act": "check"})

        assert "Something changed since this check" in stale
        assert "Answers of one new system, for one question you already have" in page_of(
            client, waiting
        )


class TestAnswering:
    TEXT = imports.ANSWERS + "Q3,,,,Kestrel,No.\n"

    def test_keeps_an_answer_and_checks_again(self):
        client = client_of()
        send(client, self.TEXT)

        client.post(url("import_check", latest().number), {"ask-broken": "leave_out"})
        page = page_of(client, latest())

        assert latest().told == {"broken": "leave_out"}
        assert "Left out: 1 row" in page
        assert "Import 4 answers" in page

    def test_does_not_import_by_an_answer_that_was_not_looked_at(self):
        client = client_of()
        send(client, self.TEXT)

        sent = {"ask-broken": "leave_out", "act": "import"}
        page = client.post(url("import_check", latest().number), sent, follow=True)

        assert "Checked. Import it" in page.content.decode()
        assert models.Response.objects.count() == 0

    def test_shows_both_wordings_of_a_question(self):
        imports.apply(imports.answers())
        client = client_of()
        send(client, "id,question,answer_Gull\nQ2,What is a quay wall?,b\n", "gull.csv")

        page = page_of(client, latest())

        assert "<ins>" in page
        assert "please check" in page
        assert "Keep ours, with these answers" in page

    def test_asks_about_every_column_that_would_make_a_system(self):
        names = ["oak", "elm", "ash", "yew", "fir", "box", "background"]
        texts = ",".join(f"A text that {name} wrote about how ships float." for name in names)
        client = client_of()
        send(client, f"question,{','.join(names)}\nWhy do ships float?,{texts}\n", kind="ANSWERS")

        page = client.get(url("import_map", latest().number))

        assert page.context["asked_columns"] == names
        assert not page.context["is_unsure"]

    def test_opens_the_columns_where_many_are_to_be_looked_at_in_their_table(self):
        shown = "question,prompt,input,output,completion,response,answer,reference,gold"
        client = client_of()
        send(
            client,
            f"id,system,judge,score,{shown}\nQ1,oak,gpt,3,{','.join(['So it is.'] * 9)}\n",
            kind="SCORES",
        )

        page = client.get(url("import_map", latest().number))

        assert page.context["is_unsure"]
        assert '<details class="data" open>' in page.content.decode()

    def test_asks_for_the_scale_of_grades_that_no_rubric_has(self):
        imports.apply(imports.answers())
        client = client_of()
        send(client, imports.GRADES, "old.csv", kind="GRADES")

        page = page_of(client, latest())

        assert "On which scale were they graded?" in page
        assert not latest().report

    def test_offers_to_make_a_rubric_of_labels(self):
        imports.apply(imports.answers())
        client = client_of()
        text = (
            "item,system,rater,criterion,grade\nQ1,Kestrel,a,slip,Fact\nQ2,Kestrel,a,slip,Style\n"
        )
        send(client, text, "slips.csv", kind="GRADES")

        asked = page_of(client, latest())
        client.post(url("import_check", latest().number), {"ask-labels:slip": "LABEL"})
        page = page_of(client, latest())
        number = latest().number
        client.post(url("import_check", number), {"ask-labels:slip": "LABEL", "act": "import"})

        assert "Are the words of slip labels?" in asked
        assert "A criterion is made of them: Fact, Style." in asked
        assert "Labels of slip: 2" in page
        assert models.Criterion.objects.get().mark == "LABEL"
        assert models.Grade.objects.count() == 2

    def test_suggests_the_rubric_whose_criteria_and_scale_fit(self):
        imports.apply(imports.answers())
        make.rubric_version("summary", maximum=5, criteria=("coh", "flu"))
        client = client_of()
        send(client, imports.GRADES, "old.csv", kind="GRADES")

        page = page_of(client, latest())

        assert latest().mapping["rubric"] == "summary@1"
        assert "By which rubric were they graded?" in page


class TestSeveralFiles:
    def test_are_taken_one_after_another_and_listed(self):
        client = client_of()
        files = [
            SimpleUploadedFile("a.csv", imports.ANSWERS.encode()),
            SimpleUploadedFile("bad.csv", b""),
            SimpleUploadedFile("b.csv", imports.QUESTIONS.encode()),
        ]

        answer = client.post(url("import_new"), {"file": files})

        assert "bad.csv: The file is empty." in squeezed(answer.content.decode())
        assert set(Upload.objects.values_list("name", flat=True)) == {"a.csv", "b.csv"}

    def test_are_listed_where_all_came_in(self):
        files = [SimpleUploadedFile(name, imports.ANSWERS.encode()) for name in ("a.csv", "b.csv")]

        assert client_of().post(url("import_new"), {"file": files}).url == url("imports")


class TestPastedRows:
    @pytest.mark.parametrize(
        "text",
        [
            imports.ANSWERS,
            imports.ANSWERS.replace(",", "\t"),
            imports.lines({"id": "Q1", "question": "Why?", "system": "K", "response": "So."}),
            '[{"id": "Q1", "question": "Why?", "system": "K", "response": "So."}]',
        ],
    )
    def test_are_a_file(self, text):
        client = client_of()

        client.post(url("import_new"), {"pasted": text})

        assert latest().kind == ImportKind.ANSWERS
        assert latest().report["ok"]


class TestFilesToStartFrom:
    @pytest.mark.parametrize("kind", starters.KINDS)
    @pytest.mark.parametrize("form", starters.FORMS)
    def test_are_recognised_as_what_they_are(self, kind, form):
        imports.apply(imports.answers())
        made = starters.starter(make.project(), kind, form)

        layout = layouts.recognise(made.name, lambda: iter([made.data]))

        assert layout.format == {"csv": "csv", "xlsx": "workbook", "jsonl": "lines"}[form]

    def test_name_what_the_project_has(self):
        imports.apply(imports.answers())
        make.rubric_version("summary", maximum=5, criteria=("coh", "flu"))

        response = client_of().get(url("import_template", "grades", "csv"))

        rows = list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))
        assert {row["criterion"] for row in rows} == {"coh", "flu"}
        assert {row["system"] for row in rows} == {"Kestrel", "Harbour"}
        assert {row["item"] for row in rows} == {"Q1", "Q2"}

    @pytest.mark.parametrize("path", [("figures", "csv"), ("answers", "ods")])
    def test_of_another_kind_are_none(self, path):
        assert client_of().get(url("import_template", *path)).status_code == 404


class TestThePreview:
    def test_is_turned_over_without_scripts(self):
        upload = imports.answers()
        client = client_of()

        second = client.get(url("import_map", upload.number), {"card": "2"}).content.decode()

        assert "What is a quay?" in second
        assert "2 of the first 2" in squeezed(second)
