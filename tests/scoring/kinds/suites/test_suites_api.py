from uuid import uuid4

import pytest

from annotation.imports import wholes
from evalsite import queue
from scoring import jobs
from scoring.engine.models import Run
from scoring.figures.models import Figure
from scoring.kinds.suites import keeping as suite_metrics
from scoring.kinds.suites.models import Conversation, SuiteVersion
from tests.scoring import suites

pytestmark = pytest.mark.django_db
HOME = "/api/v1/projects/northport/"


def post(client, at, given):
    return client.post(f"{HOME}{at}", given, content_type="application/json")


def talks(**given):
    usual = {"key": "one", "set": "Live", "system": "Kestrel"}
    return {**usual, "conversations": list(suites.TALKS), **given}


class TestConversations:
    def test_come_in_once(self, as_curator):
        first = post(as_curator, "conversations/", talks())
        again = post(as_curator, "conversations/", talks())
        other = post(as_curator, "conversations/", talks(key="two"))

        assert (first.status_code, first.json()) == (201, {"set": "Live", "new": 2, "known": 0})
        assert (again.json()["new"], other.json()["new"]) == (0, 0)
        listed = as_curator.get(f"{HOME}conversations/?q=weighbridge").json()["results"]
        assert [one["external_id"] for one in listed] == ["gate"]
        one = as_curator.get(f"{HOME}conversations/{listed[0]['id']}/").json()
        assert one["messages"] == suites.TALKS[0]["messages"]

    def test_say_what_is_wrong_with_them(self, as_curator):
        answer = post(as_curator, "conversations/", talks(conversations=[{"messages": "x"}]))

        assert answer.status_code == 422
        assert answer.json()["code"] == "bad_conversations"
        assert not Conversation.objects.exists()

    def test_of_a_large_request_are_brought_in_by_a_worker(
        self, as_curator, django_capture_on_commit_callbacks
    ):
        long = [{**one, "note": "x" * wholes.SMALL} for one in suites.TALKS]
        with django_capture_on_commit_callbacks(execute=True):
            answer = post(as_curator, "conversations/", talks(conversations=long))
        assert (answer.status_code, answer.json()["state"]) == (202, "checking")
        assert not Conversation.objects.exists()

        queue.burst()

        said = as_curator.get(answer["Location"]).json()
        assert (said["state"], said["counts"]["new"]) == ("imported", len(suites.TALKS))
        again = post(as_curator, "conversations/", talks())
        assert (again.status_code, again.json()["new"]) == (201, 0)

    def test_of_a_large_request_say_where_the_request_leads_what_is_wrong(
        self, as_curator, django_capture_on_commit_callbacks
    ):
        bad = talks(conversations=[{"messages": "x" * wholes.SMALL}])
        with django_capture_on_commit_callbacks(execute=True):
            answer = post(as_curator, "conversations/", bad)
        queue.burst()

        said = as_curator.get(answer["Location"]).json()
        assert said["state"] == "refused"
        assert "cannot be used" in " ".join(said["problems"]["file"])


class TestSuites:
    def test_are_saved_changed_and_read(self, as_curator):
        made = post(as_curator, "suites/", {"text": suites.SUITE})
        changed = post(as_curator, "suites/1/", {"text": f"{suites.SUITE}notes: x\n"})

        assert (made.status_code, made.json()["version"]) == (201, 1)
        assert changed.json()["version"] == 2
        assert as_curator.get(f"{HOME}suites/1/").json()["text"].endswith("notes: x\n")
        assert as_curator.get(f"{HOME}suites/").json()["results"][0]["functions"] == 2

    def test_tell_the_lines_that_are_wrong(self, as_curator):
        answer = post(as_curator, "suites/", {"text": "metrics:\n  function: [{name: x}]\n"})

        assert answer.status_code == 422
        assert answer.json()["fields"]["text"][0].startswith("Line 2: There is no function")


class TestRubricFiles:
    NAMED = (
        "name: K\ngrader: [{endpoint: Judge}]\nrubric_paths: [kind.yaml]\n"
        "metrics: {rubric: [{name: kind}]}\n"
    )
    FILE = 'kind: {prompt: "{completion}", choice_scores: {YES: 1, NO: 0}}'

    def test_come_with_a_suite_and_stay_with_its_next_versions(self, as_curator):
        made = post(as_curator, "suites/", {"text": self.NAMED, "rubric_files": [self.FILE]})
        next_ = post(as_curator, "suites/1/", {"text": f"{self.NAMED}notes: x\n"})
        other = self.FILE.replace("YES: 1", "YES: 5")
        changed = post(as_curator, "suites/1/", {"text": self.NAMED, "rubric_files": [other]})

        assert [one.status_code for one in (made, next_, changed)] == [201, 200, 200]
        versions = SuiteVersion.objects.order_by("number")
        worth = [dict(one.definition["rubrics"][0]["choices"])["YES"] for one in versions]
        assert worth == [1, 1, 5]

    def test_say_file_and_line_of_what_is_wrong(self, as_curator):
        bad = 'kind: {prompt: "nothing", choice_scores: {YES: 1, NO: 0}}'

        answer = post(as_curator, "suites/", {"text": self.NAMED, "rubric_files": [self.FILE, bad]})

        assert answer.status_code == 422
        (said,) = answer.json()["fields"]["rubric_files"]
        assert said.startswith("File 2: Line 1: The prompt of “kind” shows the judge nothing")


class TestMetrics:
    def test_have_an_example_each(self, as_curator):
        found = as_curator.get(f"{HOME}suites/metrics/").json()["results"]

        assert len(found) == len(suite_metrics.available())
        assert all(one["example"] for one in found)


class TestRun:
    def test_estimates_starts_and_returns_results(self, as_curator):
        suites.saved()
        suites.brought()
        given = {"key": str(uuid4()), "name": "R", "sets": ["Talks"], "seed": 7}

        estimate = post(as_curator, "suites/1/run/", {**given, "estimate": True})
        started = post(as_curator, "suites/1/run/", given)
        suites.done(Run.objects.get())
        waits = as_curator.get(f"{HOME}runs/1/suite/")
        jobs.compute_figure(Figure.objects.get().pk)
        found = as_curator.get(f"{HOME}runs/1/suite/").json()

        assert (estimate.json()["calls"], started.status_code, waits.status_code) == (0, 201, 202)
        tables = {one["name"]: one["rows"] for one in found["tables"]}
        assert tables["counts"][0] == {"what": "conversations", "n": 2}
        assert tables["metrics"][0]["metric"] == "string_length"
        assert tables["metrics"][0]["value"] == found["ranking"][0]["value"] == 23.4
        assert as_curator.get(f"{HOME}runs/1/suite/?baseline=9").json()["fields"].keys() == {
            "baseline"
        }

    def test_says_that_there_are_no_such_conversations(self, as_curator):
        suites.saved()
        given = {"key": str(uuid4()), "name": "R", "sets": ["Nothing"], "seed": 7}

        assert post(as_curator, "suites/1/run/", given).status_code == 422
