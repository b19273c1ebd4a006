import json
from uuid import UUID

import pytest
from django.urls import reverse

from annotation.bank.models import MachineDraft, QuestionVersion
from annotation.people.models import Role
from annotation.sources import operations as sources
from scoring.engine.models import Run
from scoring.kinds.drafting import operations as drafting
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db
TEXT = "First paragraph.\n\nDemurrage is charged inside the terminal."
ONE = {
    "question": "Where is demurrage charged?",
    "answer": "Inside the terminal.",
    "key_points": ["Inside the terminal."],
    "evidence": "charged inside the terminal",
}
PROPOSES = json.dumps({"questions": [ONE]})
POINTS = '{"key_points": ["It stays.", "It runs."]}'
KEY = str(UUID(int=1))


def allowed(reply):
    script = {"replies": [{"contains": "", "reply": reply}]}
    drafting.allow(
        project=make.project(),
        endpoint=connected.endpoint("Helper", script=script),
        by=make.member(Role.OWNER),
        now=make.NOW,
    )


def source():
    return sources.add_source(
        project=make.project(),
        about=sources.SourceAbout("Tariff"),
        said=sources.SourceSaid(text=TEXT),
        by=make.member(Role.CURATOR),
        now=make.NOW,
    )


def send(client, address, **body):
    return client.post(address, json.dumps(body), content_type="application/json")


def at(number=None):
    if number is None:
        return reverse("api_draftings", args=["northport"])
    return reverse("api_drafting", args=["northport", number])


class TestDraftings:
    def test_go_from_a_passage_to_a_draft(self, client, designer):
        allowed(PROPOSES)
        version = source()

        asked = send(client, at(), key=KEY, version=version.pk, start=18, end=len(TEXT))
        assert asked.status_code == 202
        assert asked["Location"].endswith(f"/drafting/{asked.json()['run']}/")
        run = asked.json()["run"]
        connected.done(Run.objects.get())
        came = client.get(at(run)).json()
        taken = send(client, at(run), proposal=1)

        assert (came["is_over"], came["proposals"][0]["content"]["question"]) == (
            True,
            ONE["question"],
        )
        assert taken.status_code == 201
        draft = QuestionVersion.objects.get()
        assert (draft.question_id, draft.state) == (taken.json()["question"], "DRAFT")
        assert draft.author == designer
        assert MachineDraft.objects.get().version == draft
        assert [one["run"] for one in client.get(at()).json()["results"]] == [run]
        assert client.get(at(run)).json()["proposals"][0]["taken"]

    def test_are_one_request_however_often_it_is_sent(self, client, designer):
        allowed(PROPOSES)
        body = {"key": KEY, "version": source().pk, "start": 0, "end": 10}

        answers = {send(client, at(), **body).json()["run"] for _ in range(2)}

        assert len(answers) == Run.objects.count() == 1

    def test_put_key_points_into_a_draft_that_has_not_moved_on(self, client, designer):
        allowed(POINTS)
        version = make.question_version("DRAFT", author=designer)

        run = send(client, at(), key=KEY, question=version.question_id, task="POINTS").json()["run"]
        connected.done(Run.objects.get())
        stale = send(client, at(run), proposal=1, rev=version.rev + 1)
        taken = send(client, at(run), proposal=1, rev=version.rev)

        assert (stale.status_code, taken.status_code) == (409, 201)
        version.refresh_from_db()
        assert version.key_points == ["It stays.", "It runs."]

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"version": 1},
            {"question": 1},
            {"version": 1, "start": 0, "end": 5, "task": "POINTS"},
        ],
        ids=["nothing", "no passage", "no task", "both"],
    )
    def test_refuse_half_a_request(self, client, designer, body):
        allowed(PROPOSES)

        assert send(client, at(), key=KEY, **body).status_code == 400
        assert not Run.objects.exists()

    def test_refuse_a_place_that_is_none(self, client, designer):
        allowed(PROPOSES)

        answer = send(client, at(), key=KEY, version=source().pk, start=900, end=950)

        assert (answer.status_code, answer.json()["code"]) == (422, "no_passage")

    def test_refuse_where_nobody_is_allowed_to_help(self, client, designer):
        answer = send(client, at(), key=KEY, version=source().pk, start=0, end=10)

        assert answer.status_code in {403, 409, 422}
        assert not Run.objects.exists()

    def test_know_nothing_of_a_source_that_one_does_not_see(self, client, designer):
        allowed(PROPOSES)
        version, curator = source(), make.member(Role.CURATOR)
        shelf = sources.create_collection(
            project=make.project(), name="Closed", note="", by=curator, now=make.NOW
        )
        sources.move(source=version.source, collection=shelf, by=curator, now=make.NOW)

        answer = send(client, at(), key=KEY, version=version.pk, start=0, end=10)

        assert answer.status_code == 404

    def test_are_seen_by_who_asked(self, client, designer):
        allowed(PROPOSES)
        run = send(client, at(), key=KEY, version=source().pk, start=0, end=10).json()["run"]
        client.force_login(make.member(Role.OWNER))

        assert client.get(at(run)).status_code == 404
        assert client.get(at()).json()["results"] == []
