"""A round by programs alone, from its draft to the end; every answer is held to the document."""

import pytest

from annotation import models
from annotation.people.models import Role
from annotation.rounds import opening as starting
from evalsite import queue
from tests import answers, make

pytestmark = pytest.mark.django_db
ROUNDS = "/api/v1/projects/northport/rounds/"
DOCUMENTED = "/api/v1/projects/{project}/rounds/"


@pytest.fixture
def owner(client):
    person = make.project().memberships.get(role=Role.OWNER).user
    client.force_login(person)
    return person


@pytest.fixture
def send(client, owner):
    def sent(place="", body=None, *, status=200):
        """Send something to a round; the answer is what the document promises."""
        answer = client.post(f"{ROUNDS}{place}", body or {}, content_type="application/json")
        assert answer.status_code == status, answer.content
        address = DOCUMENTED + "/".join(
            {1: "{number}"}.get(depth, one) if one.isdigit() else one
            for depth, one in enumerate(place.split("/"), 1)
        )
        if not any(one.isdigit() for one in place.split("/")[1:]):
            said = answer.json()
            assert answers.problems(address, "POST", status, answer["Content-Type"], said) == [], (
                said
            )
        return answer.json()

    return sent


@pytest.fixture
def parts():
    """What a round is made of, without a round."""
    given = make.draft_round()
    release = models.SystemRelease.objects.values_list("pk", flat=True)
    version = given.rubrics.get().rubric_version
    people = [
        str(one.user.public_id)
        for one in models.Membership.objects.filter(role=Role.ANNOTATOR, project=given.project)
    ]
    return {
        "releases": sorted(release),
        "rubrics": [{"capability": None, "rubric": version.rubric.key, "version": version.number}],
        "annotators": people,
    }


class TestAWholeRound:
    def test_goes_from_a_draft_to_its_end(self, client, send, parts):
        made = send("", {"name": "Spring", "seed": "by lot"}, status=201)
        place = f"{made['number']}/"
        assert (made["state"], made["seed"]) == ("DRAFT", "by lot")
        assert not all(one["met"] for one in made["needs"])

        changed = send(place, {**parts, "instructions": "Read twice.", "lease_minutes": 45})
        assert (changed["instructions"], changed["lease_minutes"]) == ("Read twice.", 45)
        assert [one["id"] for one in changed["systems"]] != []
        assert {one["person"] for one in changed["annotators"]} == set(parts["annotators"])

        prepared = send(f"{place}prepare/")["prepared"]
        assert (prepared["items"], prepared["responses"]) == (2, 4)
        assert all(one["met"] for one in client.get(f"{ROUNDS}{place}").json()["needs"])

        opened = send(f"{place}open/")
        assert (opened["state"], opened["needs"]) == ("OPEN", None)
        assert send(f"{place}pause/")["paused_at"] is not None
        assert send(f"{place}resume/")["paused_at"] is None
        until = send(f"{place}prolong/", {"deadline": "2099-01-01T00:00:00Z"})["deadline"]
        assert until.startswith("2099-01-01T00:00:00")
        assert send(f"{place}close/", {"reason": "Enough."})["state"] == "REVIEW"
        assert send(f"{place}finish/")["state"] == "FINAL"

    def test_draws_a_seed_where_none_is_given(self, send):
        assert len(send("", {"name": "Spring"}, status=201)["seed"]) == 16

    def test_is_prepared_and_opened_by_a_worker_where_it_is_large(
        self, client, send, parts, monkeypatch, django_capture_on_commit_callbacks
    ):
        monkeypatch.setattr(starting, "MOST_RESPONSES", 0)
        monkeypatch.setattr(starting, "MOST_SEATS", 0)
        place = f"{send('', {'name': 'Spring'}, status=201)['number']}/"
        send(place, parts)

        with django_capture_on_commit_callbacks(execute=True):
            assert send(f"{place}prepare/", status=202) == {"prepared": None}
        queue.burst()
        with django_capture_on_commit_callbacks(execute=True):
            assert send(f"{place}open/", status=202)["state"] == "DRAFT"
        queue.burst()

        assert client.get(f"{ROUNDS}{place}").json()["state"] == "OPEN"


class TestChange:
    def test_changes_all_of_it_or_nothing(self, client, send, parts):
        number = send("", {"name": "Spring"}, status=201)["number"]

        said = send(f"{number}/", {"name": "Autumn", "releases": [10**6]}, status=422)

        assert said["fields"] == {"releases": ["No release of this project: 1000000."]}
        assert client.get(f"{ROUNDS}{number}/").json()["name"] == "Spring"

    @pytest.mark.parametrize(
        ("body", "field", "status"),
        [
            ({"annotators": ["7b7c3f0e-6d3e-4a55-9d3a-1f6d8c0a2b11"]}, "annotators", 422),
            ({"rubrics": [{"capability": None, "rubric": "none", "version": 1}]}, "rubrics", 422),
            ({"n_seats": 0}, "n_seats", 400),
            ({"n_seats": 2}, "n_seats", 403),
            ({"deadline": "2001-01-01T00:00:00Z"}, "deadline", 422),
            ({"releases": []}, "releases", 422),
        ],
    )
    def test_says_what_cannot_be_used(self, send, body, field, status):
        number = send("", {"name": "Spring"}, status=201)["number"]

        assert list(send(f"{number}/", body, status=status)["fields"]) == [field]

    def test_names_a_capability_that_is_none_of_this_project(self, send, parts):
        number = send("", {"name": "Spring"}, status=201)["number"]
        wrong = [{**parts["rubrics"][0], "capability": 10**6}]

        said = send(f"{number}/", {"rubrics": wrong}, status=422)

        assert said["fields"]["rubrics"] == ["No capability of this project: 1000000."]

    def test_of_an_open_round_takes_annotators_only(self, send):
        round_ = make.open_round(n_annotators=4)
        fewer = [str(make.account(one).public_id) for one in make.annotators(round_)[:3]]

        said = send(f"{round_.number}/", {"name": "Another"}, status=409)
        send(f"{round_.number}/", {"annotators": fewer})

        assert said["code"] == "not_a_draft"
        assert round_.annotators.filter(ended_at__isnull=True).count() == 3

    def test_asks_an_owner_for_a_reason_where_somebody_sees_identities(self, client, send, parts):
        curator = make.member(Role.CURATOR)
        make.member(Role.ANNOTATOR, username=curator.username)
        body = {"annotators": [*parts["annotators"], str(curator.public_id)]}
        reason = {"override": "Nobody else knows it."}

        bare = send("1/", body, status=403)
        client.force_login(curator)
        of_curator = client.post(f"{ROUNDS}1/", body | reason, content_type="application/json")
        client.force_login(make.project().memberships.get(role=Role.OWNER).user)
        of_owner = send("1/", body | reason)

        assert bare["code"] == "override_needed"
        assert of_curator.status_code == 403
        assert "Nobody else knows it." in {one["override"] for one in of_owner["annotators"]}


class TestSteps:
    @pytest.mark.parametrize("step", ["resume", "withdraw", "finish"])
    def test_refuse_what_does_not_fit_the_state(self, send, step):
        make.open_round()

        assert send(f"1/{step}/", status=409)["message"]

    def test_an_unready_draft_stays_one(self, send):
        made = send("", {"name": "Spring"}, status=201)

        said = send(f"{made['number']}/open/", status=409)

        assert "cannot be opened yet" in said["message"]

    def test_prepare_names_what_is_missing(self, send):
        made = send("", {"name": "Spring"}, status=201)

        said = send(f"{made['number']}/prepare/", status=422)

        assert said["code"] == "nothing_to_draw"


class TestAMisspeltField:
    def test_is_named_and_changes_nothing(self, client, owner):
        given = make.draft_round()

        answer = client.post(
            f"{ROUNDS}{given.number}/",
            {"name": "Another", "dedline": None},
            content_type="application/json",
        )

        assert answer.status_code == 400
        assert set(answer.json()["fields"]) == {"dedline"}
        given.refresh_from_db()
        assert given.name != "Another"


class TestCopyAndDiscard:
    def test_begin_a_draft_like_another_and_take_it_away(self, client, send):
        make.open_round()

        made = send("1/copy/", {"questions": "NEW", "name": "Spring"}, status=201)
        gone = client.post(f"{ROUNDS}2/discard/", {}, "application/json")
        asked = client.post(f"{ROUNDS}1/discard/", {}, "application/json")
        told = client.post(f"{ROUNDS}1/discard/", {"reason": "Wrong."}, "application/json")

        assert (made["number"], made["name"], made["state"]) == (2, "Spring", "DRAFT")
        assert (gone.status_code, gone.content) == (204, b"")
        assert (asked.status_code, asked.json()["code"]) == (422, "reason_needed")
        assert told.status_code == 204
        assert client.get(ROUNDS).json()["results"] == []
