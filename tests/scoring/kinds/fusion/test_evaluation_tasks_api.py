from uuid import uuid4

import pytest

from scoring.engine.models import Run
from scoring.kinds.fusion.models import EvaluationTask, Plan
from tests import make
from tests.scoring import connected, fused, rounds

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/tasks/"


def post(client, url, **given):
    return client.post(url, given, content_type="application/json")


def content(**given):
    criterion = {"name": "Clear", "minimum": 1, "maximum": 5}
    return {
        "description": "Judge a note.",
        "fields": [{"name": "Question", "where": "question"}],
        "criteria": [criterion],
        **given,
    }


class TestTasks:
    def test_are_made_of_templates_rubrics_and_content(self, as_curator):
        rubric = rounds.graded().items.first().rubric_version.rubric

        made = [
            post(as_curator, URL, name="A", template="dialogue"),
            post(as_curator, URL, name="B", rubric=rubric.key),
            post(as_curator, URL, name="C", content=content()),
        ]

        assert [one.status_code for one in made] == [201] * 3
        listed = as_curator.get(URL).json()["results"]
        assert [one["name"] for one in listed] == ["C", "B", "A"]
        assert listed[0]["criteria"][0]["key"] == "clear"

    def test_take_assistants_by_their_machine(self, as_curator):
        fused.scored()
        (one,) = fused.helpers("overlap")

        given = content(assistants=[{"machine": one.rater, "meaning": "how alike"}])
        made = post(as_curator, URL, name="Notes", content=given).json()

        assert made["assistants"][0]["criterion"] == one.criterion
        assert (made["assistants"][0]["low"], made["assistants"][0]["high"]) == (0.0, 1.0)

    @pytest.mark.parametrize(
        "given",
        [
            {},
            {"template": "summary", "rubric": "x"},
            {"rubric": "nothing"},
            {"content": content(criteria=[{"name": "A", "minimum": 5, "maximum": 1}])},
            {"content": content(assistants=[{"machine": 10**6}])},
        ],
    )
    def test_say_what_cannot_be_used(self, as_curator, given):
        make.project()

        answer = post(as_curator, URL, name="Notes", **given)

        assert answer.status_code == 400
        assert answer.json()["fields"]
        assert not EvaluationTask.objects.exists()


class TestTask:
    def test_gets_a_next_version(self, as_curator):
        fused.version()

        made = post(as_curator, f"{URL}1/", **content())
        again = post(as_curator, f"{URL}1/", **content())

        assert (made.status_code, made.json()["version"]) == (201, 2)
        assert (again.status_code, again.json()["code"]) == (409, "unchanged")
        assert [one["version"] for one in as_curator.get(f"{URL}1/").json()["results"]] == [2, 1]


class TestAssistants:
    def test_are_listed_by_key_and_added_as_a_version(self, as_curator):
        fused.scored()
        fused.version("overlap")
        url = f"{URL}1/assistants/"

        listed = as_curator.get(url).json()["results"]
        more = {"assistant": "entailment", "meaning": "whether it follows"}
        made = post(as_curator, url, assistants=[more, {"assistant": "overlap"}])
        again = post(as_curator, url, assistants=[more])

        assert {one["key"]: one["assists"] for one in listed} == {
            "overlap": True,
            "entailment": False,
        }
        assert (made.status_code, made.json()["version"]) == (201, 2)
        assert [one["name"] for one in made.json()["assistants"]] == ["overlap", "entailment"]
        assert made.json()["assistants"][1]["meaning"] == "whether it follows"
        assert (again.status_code, again.json()["code"]) == (409, "unchanged")

    def test_that_do_not_exist_are_refused_with_those_there_are(self, as_curator):
        fused.scored()
        fused.version()

        answer = post(as_curator, f"{URL}1/assistants/", assistants=[{"assistant": "rouge9"}])

        assert answer.status_code == 422
        (said,) = answer.json()["fields"]["assistants"]
        assert "no assistant rouge9" in said
        assert "overlap" in said


class TestPlans:
    def test_are_written_and_listed(self, as_curator):
        fused.scored()
        fused.version("overlap")

        first = post(as_curator, f"{URL}1/plans/", text="Look.", alignment={"clear": ["overlap"]})
        second = post(as_curator, f"{URL}1/plans/", text="Look twice.", based_on=1)
        wrong = post(as_curator, f"{URL}1/plans/", text="Look.", alignment={"clear": ["nobody"]})

        assert [one.status_code for one in (first, second, wrong)] == [201, 201, 422]
        assert Plan.objects.get(number=2).based_on.number == 1
        listed = as_curator.get(f"{URL}1/plans/").json()["results"]
        assert listed[1]["alignment"] == {"clear": ["overlap"], "right": []}


class TestWritePlan:
    def test_estimates_and_starts(self, as_curator):
        fused.version()
        given = {"key": str(uuid4()), "name": "Plan", "endpoint": "Scripted", "seed": 1}
        connected.endpoint()

        counted = post(as_curator, f"{URL}1/plans/write/", **given, estimate=True)
        started = post(as_curator, f"{URL}1/plans/write/", **given)

        assert counted.json()["calls"] == 1
        assert (started.status_code, started.json()["kind"]) == (201, "PLAN")
        assert Run.objects.count() == 1
