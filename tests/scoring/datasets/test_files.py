"""Training data of a round: the page, the file, and preferences that come back in."""

import csv
import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation import models
from annotation.files.models import ImportKind
from annotation.people.models import AuditEvent, Role
from annotation.rubrics.rules import TURNED
from scoring.datasets.rules import LeftOut
from tests import imports, make
from tests.files import looked_at
from tests.scoring import preferred, rounds

pytestmark = pytest.mark.django_db


def client_of(role=Role.CURATOR, named=True):
    client = Client()
    user = make.member(role)
    client.force_login(user)
    if named:
        for round_ in models.Round.objects.all():
            models.Unblinding.objects.create(round=round_, user=user, at=make.NOW)
    return client


def url(name, number=1):
    return reverse(name, args=["northport", number])


def body(response):
    return b"".join(response.streaming_content)


def unpacked(response):
    """Return the lines of a file, and what is said of how it was made."""
    with zipfile.ZipFile(io.BytesIO(body(response))) as found:
        names = found.namelist()
        lines = [json.loads(line) for line in found.read(names[0]).decode().splitlines()]
        return lines, json.loads(found.read("about.json"))


@pytest.fixture
def graded():
    return rounds.graded(systems=("Kestrel", "Harbour", "Tern"), n_items=2, says=rounds.apart)


class TestPairsOfGrades:
    def test_are_messages_with_the_better_answer_chosen(self, graded):
        lines, about = unpacked(client_of().get(url("datasets_zip"), {"margin": "10"}))

        assert lines
        for line in lines:
            assert line["prompt"][0]["role"] == "user"
            assert line["chosen"][0]["role"] == line["rejected"][0]["role"] == "assistant"
            assert line["score_chosen"] - line["score_rejected"] >= 0.1 - 1e-4
            assert line["agreement"] >= 0.75
            assert line["chosen_model"] != line["rejected_model"]
        assert (about["lines"], about["of"]) == (len(lines), "grades")
        assert about["rules"]["margin"] == 0.1

    def test_have_scores_that_are_the_means_of_their_grades(self, graded):
        lines, _about = unpacked(
            client_of().get(url("datasets_zip"), {"margin": "0", "agreement": "0"})
        )

        means = {}
        for grade in models.Grade.objects.filter(round=graded):
            key = (grade.response.item.external_id, grade.response.release.system.name)
            means.setdefault(key, []).append(float(grade.value) / 2)
        for line in lines:
            for side in ("chosen", "rejected"):
                some = means[line["question_id"], line[f"{side}_model"]]
                assert line[f"score_{side}"] == pytest.approx(sum(some) / len(some), abs=1e-4)

    def test_are_counted_on_the_page_as_they_come_out(self, graded):
        client = client_of()
        asked = {"margin": "10", "agreement": "60"}

        page = client.get(url("results_datasets"), asked)
        lines, about = unpacked(client.get(url("datasets_zip"), asked))

        found = page.context["found"]
        assert (found.n, found.n + found.left_out.total()) == (len(lines), 2 * 3)
        assert about["left_out"] == {str(one): n for one, n in found.left_out.items()}

    def test_of_answers_that_say_the_same_are_none(self):
        rounds.graded(n_items=2)  # both systems say the same

        page = client_of().get(url("results_datasets"))

        assert page.context["found"].n == 0
        assert page.context["found"].left_out == {LeftOut.SAME: 2}
        assert "Both say the same, or nothing" in page.content.decode()


class TestPairsOfPreferences:
    def test_are_what_most_chose(self):
        preferred.chosen(n_items=4)

        lines, about = unpacked(client_of().get(url("datasets_zip"), {"agreement": "60"}))

        order = ["Kestrel", "Harbour", "Tern"]
        assert lines
        for line in lines:
            assert order.index(line["chosen_model"]) < order.index(line["rejected_model"]) or (
                line["agreement"] >= 0.6
            )
        assert (about["of"], about["criterion"]) == ("preferences", "better")

    def test_leave_ties_and_bad_pairs_out(self):
        preferred.chosen(n_items=3, choices=lambda a, b, item, rater: (2, 3, 6)[item])

        page = client_of().get(url("results_datasets"))

        found = page.context["found"]
        assert found.n == 3
        assert found.left_out == {LeftOut.TIED: 3, LeftOut.BAD: 3}

    def test_are_of_one_criterion(self):
        preferred.chosen(
            n_items=1,
            criteria=("better", "kinder"),
        )

        found = client_of().get(url("results_datasets"), {"criterion": "kinder"}).context["found"]

        assert found.n + found.left_out.total() == 3


class TestGoodAnswers:
    def test_are_the_best_of_each_question(self, graded):
        lines, _about = unpacked(client_of().get(url("datasets_zip"), {"form": "sft", "good": "0"}))

        assert len(lines) == 2
        assert {line["source"] for line in lines} == {"system"}
        assert [one["role"] for one in lines[0]["messages"]] == ["user", "assistant"]

    def test_written_by_people_come_with_them(self, graded):
        criterion = models.Criterion.objects.create(
            rubric_version=models.RubricVersion.objects.get(),
            key="rewrite",
            name="Rewrite",
            mark="TEXT",
            position=5,
            minimum=0,
            maximum=20000,
            weight=0,
        )
        grade = models.Grade.objects.filter(round=graded).order_by("pk")[0]
        models.Grade.objects.create(
            round=graded,
            response=grade.response,
            criterion=criterion,
            rater=grade.rater,
            slot=grade.slot,
            assignment=grade.assignment,
            value=None,
            text="A far better answer.",
            given_at=make.NOW,
        )
        asked = {"form": "sft", "good": "0", "written": "rewrite"}

        lines, about = unpacked(client_of().get(url("datasets_zip"), asked))

        (written,) = [line for line in lines if line["source"] == "annotator"]
        assert written["messages"][-1] == {"role": "assistant", "content": "A far better answer."}
        assert (len(lines), about["written_by_people"]) == (3, 1)

    def test_of_preferences_were_chosen_most(self):
        preferred.chosen(n_items=1, choices=lambda a, b, item, rater: 2)

        (line,), _about = unpacked(client_of().get(url("datasets_zip"), {"form": "sft"}))

        assert (line["model"], line["score"]) == ("Kestrel", 1.0)


class TestBattles:
    def test_say_who_won_and_name_nobody(self):
        round_ = preferred.chosen(n_items=1)

        lines, _about = unpacked(client_of().get(url("datasets_zip"), {"form": "arena"}))

        assert len(lines) == round_.grades.count() == 9
        assert {line["judge"] for line in lines} == {f"annotator_{n}" for n in (1, 2, 3)}
        assert {line["winner"] for line in lines} <= {"model_a", "model_b", "tie", "tie (bothbad)"}
        for line in lines:
            assert line["conversation_a"][:1] == line["conversation_b"][:1]

    def test_are_known_where_they_come_in(self):
        preferred.chosen(n_items=2)
        lines, _about = unpacked(client_of().get(url("datasets_zip"), {"form": "arena"}))

        layout, rows = looked_at(imports.lines(*lines).encode(), "arena.jsonl")

        assert (layout.shape, len(rows)) == ("arena", 18)

    def test_need_preferences(self, graded):
        answer = client_of().get(url("results_datasets"), {"form": "arena"})

        assert answer.status_code == 409
        assert "This round has grades, no preferences." in answer.content.decode()


def choices(round_):
    """Return what was chosen in a round as it reads from the system whose name comes first."""
    found = []
    for one in round_.grades.select_related(
        "response__release__system", "against__release__system"
    ):
        names = [answer.release.system.name for answer in (one.response, one.against)]
        value = int(one.value) if names == sorted(names) else TURNED[int(one.value)]
        found.append((one.response.item.external_id, *sorted(names), value, str(one.given_at)))
    return sorted(found)


class TestOwnPreferences:
    def text(self):
        return body(client_of().get(url("preferences_csv"))).decode()

    def test_come_back_in_as_they_went(self):
        went = preferred.chosen(n_items=3)

        upload = imports.pairs(self.text(), "preferences.csv", told={})
        imports.apply(upload)

        came = models.Round.objects.get(kind="IMPORTED")
        assert choices(came) == choices(went)
        assert upload.report["counts"]["new_items"] == upload.report["counts"]["new_responses"] == 0
        assert came.items.count() == went.items.count()
        assert len({grade.rater_id for grade in came.grades.all()}) == 3

    def test_come_into_an_empty_project(self):
        went = preferred.chosen(n_items=2)
        text = self.text()
        make.project("southgate")
        upload = imports.take(
            text, "preferences.csv", ImportKind.PAIRS, models.Project.objects.get(slug="southgate")
        )

        assert upload.kind == ImportKind.PAIRS
        assert upload.layout["shape"] == "our_preferences"
        assert len(list(csv.reader(io.StringIO(text)))) == 1 + went.grades.count()

    def test_keep_texts_that_look_like_formulas_and_conversations(self):
        talk = [
            {"role": "user", "content": "Why?"},
            {"role": "assistant", "content": "So."},
            {"role": "user", "content": "And?"},
        ]
        record = {
            "id": "=Q",
            "messages": talk,
            "system_a": "Pine",
            "system_b": "Oak",
            "answer_a": "=1+1",
            "answer_b": "- 2",
            "choice": "A",
            "annotator": "ada",
        }
        imports.apply(imports.pairs(imports.lines(record), "a.jsonl"))

        _layout, (row,) = looked_at(self.text().encode(), "preferences.csv")

        assert (row["external_id"], row["messages"]) == ("=Q", talk)
        assert (row["answer_a"], row["answer_b"]) == ("=1+1", "- 2")

    def test_of_preferences_are_packed_too(self):
        preferred.chosen(n_items=1)

        answer = client_of().get(url("datasets_zip"), {"form": "preferences"})

        with zipfile.ZipFile(io.BytesIO(body(answer))) as found:
            assert set(found.namelist()) == {"preferences.csv", "about.json"}
            assert json.loads(found.read("about.json"))["lines"] == 9


class TestWhoMay:
    def test_systems_go_by_numbers_while_names_are_hidden(self, graded):
        lines, about = unpacked(client_of(named=False).get(url("datasets_zip"), {"margin": "0"}))

        assert {line["chosen_model"] for line in lines} <= {f"System {n}" for n in (1, 2, 3)}
        assert about["systems_named"] is False

    def test_a_round_that_is_not_final_gives_nothing(self):
        rounds.graded(state="REVIEW")
        client = client_of()

        assert "Not final yet" in client.get(url("results_datasets")).content.decode()
        assert client.get(url("datasets_zip")).status_code == 302

    def test_who_took_it_is_written_down(self, graded):
        body(client_of().get(url("datasets_zip")))

        event = AuditEvent.objects.get(verb="round.exported")
        assert (event.data["form"], event.data["named"]) == ("dpo.zip", True)

    def test_a_field_that_cannot_be_used_is_told_there(self, graded):
        answer = client_of().get(url("results_datasets"), {"margin": "200"})

        assert answer.status_code in {400, 422}
        assert "margin" in answer.context["form"].errors


class TestPrograms:
    URL = "/api/v1/projects/northport/rounds/1/datasets/"

    def test_learn_what_comes_out_and_fetch_it(self, graded, as_curator):
        found = as_curator.get(self.URL, {"margin": "0"}).json()
        lines, _about = unpacked(
            as_curator.get("/api/v1/projects/northport/rounds/1/datasets.zip", {"margin": "0"})
        )

        assert (found["form"], found["lines"]) == ("dpo", len(lines))

    def test_are_refused_in_words(self, graded, as_curator):
        assert as_curator.get(self.URL, {"form": "arena"}).json()["code"] == "no_preferences"
        wrong = as_curator.get(self.URL, {"margin": "200"})
        assert (wrong.status_code, list(wrong.json()["fields"])) == (422, ["margin"])


class TestTheCommand:
    def test_writes_the_file(self, graded, tmp_path):
        path = tmp_path / "pairs.zip"
        out = io.StringIO()

        call_command(
            "export_dataset", "northport", 1, path, "--names", "--set", "margin=0", stdout=out
        )

        with zipfile.ZipFile(path) as found:
            about = json.loads(found.read("about.json"))
        assert about["systems_named"] is True
        assert str(about["lines"]) in out.getvalue()

    def test_refuses_a_file_that_is_there(self, graded, tmp_path):
        path = tmp_path / "pairs.zip"
        path.write_text("mine")

        with pytest.raises(CommandError):
            call_command("export_dataset", "northport", 1, path)

        assert path.read_text() == "mine"


def test_what_is_left_out_adds_up():
    preferred.chosen(n_items=6)

    found = client_of().get(url("results_datasets")).context["found"]

    assert found.n + found.left_out.total() == 6 * 3


def test_marks_of_an_open_scale_are_a_share_of_nothing():
    rounds.graded(n_items=2, says=rounds.apart)
    models.Criterion.objects.update(mark="NUMBER", maximum=None)

    found = client_of().get(url("results_datasets"), {"margin": "0"}).context["found"]

    assert (found.n, found.left_out) == (0, {})
