import pytest

from annotation.models import Role
from scoring.models import Suite, SuiteVersion
from tests import make
from tests.scoring import connected, suites

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/suites/form/"


@pytest.fixture
def curator(client):
    client.force_login(make.member(Role.CURATOR))
    return client


def sent(**given):
    usual = {
        "name": "Quay",
        "functions": ["string_length @ Turn", "count_turns @ Thread"],
        "answers_only": "on",
        "rubric": "kind",
        "prompt": "Kind? {content}",
        "choices": "YES = 1\nNO = 0\n",
        "graders": ["Judge"],
    }
    return {**usual, **given}


class TestSuiteBuild:
    def test_saves_what_was_chosen_as_yaml(self, curator):
        connected.endpoint("Judge")

        answer = curator.post(PAGE, sent())

        version = SuiteVersion.objects.get()
        assert answer.headers["Location"] == "/p/northport/suites/1/"
        assert "metric_level: Turn" in version.text
        assert [one["name"] for one in version.definition["entries"]] == [
            "string_length",
            "count_turns",
            "kind",
            "is_role",
        ]
        assert suites.requested(version).estimate["calls"] == 2

    def test_changes_what_it_can_say(self, curator):
        connected.endpoint("Judge")
        curator.post(PAGE, sent())

        page = curator.get(f"{PAGE}?suite=1")
        curator.post(f"{PAGE}?suite=1", sent(functions=["latency @ Turn"]))

        assert page.context["form"].initial["functions"] == sent()["functions"]
        assert page.context["form"].initial["choices"] == "YES = 1\nNO = 0"
        assert SuiteVersion.objects.latest("number").number == 2
        assert Suite.objects.count() == 1

    @pytest.mark.parametrize(
        "more", ["gates: [{metric: string_length, max: 9}]\n", "notes: with notes\n"]
    )
    def test_leaves_to_yaml_what_it_cannot_say(self, curator, more):
        suites.saved(suites.SUITE + more)

        answer = curator.get(f"{PAGE}?suite=1")

        assert answer.headers["Location"] == "/p/northport/suites/1/edit/"

    @pytest.mark.parametrize(
        ("given", "why"),
        [
            ({"choices": "YES is good"}, "is no choice"),
            ({"graders": []}, "name an endpoint under “grader”"),
            ({"prompt": "Kind?"}, "shows the judge nothing"),
            ({"functions": [], "rubric": ""}, "at least one metric"),
        ],
    )
    def test_says_what_is_missing(self, curator, given, why):
        connected.endpoint("Judge")

        answer = curator.post(PAGE, sent(**given))

        assert answer.status_code == 422
        assert why in answer.content.decode()
        assert not Suite.objects.exists()


class TestCompletions:
    def test_are_chosen_and_changed_by_the_form(self, curator):
        connected.connection(make.release("Kestrel", "2"))
        connected.endpoint("Judge")
        chosen = ['["", "Kestrel", "2"]', '["Judge", "", ""]']

        curator.post(PAGE, sent(completions=chosen, samples=2, turns=3))
        page = curator.get(f"{PAGE}?suite=1")

        version = SuiteVersion.objects.get()
        assert "- system: Kestrel" in version.text
        assert [
            (one["endpoint"], one["system"], one["release"], one["n"], one["turns"], one["start"])
            for one in version.definition["completions"]
        ] == [("", "Kestrel", "2", 2, 3, "first"), ("Judge", "", "", 2, 3, "first")]
        form = page.context["form"]
        assert form["completions"].value() == chosen
        assert form["samples"].value() == 2

    def test_are_left_to_yaml_where_the_form_offers_no_such_system(self, curator):
        suites.saved(
            "completion: {endpoint: gone}\n"
            + suites.SUITE.replace("is_role, kwargs: {role: assistant}", "latency")
        )

        answer = curator.get(f"{PAGE}?suite=1")

        assert answer.headers["Location"] == "/p/northport/suites/1/edit/"

    def test_stand_on_the_page_of_the_suite_and_in_the_estimate(self, curator):
        connected.connection(make.release("Kestrel", "2"))
        connected.endpoint("Judge")
        suites.brought()
        curator.post(PAGE, sent(completions=['["", "Kestrel", "2"]'], samples=2, turns=1))

        page = curator.get("/p/northport/suites/1/").content.decode()
        run = curator.get("/p/northport/suites/1/run/")
        key = run.context["form"]["key"].value()
        given = {"name": "x", "seed": 1, "key": key, "sets": ["1"], "deed": "estimate"}
        estimate = curator.post("/p/northport/suites/1/run/", given).context["estimate"]

        assert "Kestrel 2" in page
        assert "2 answers to each" in page
        assert "Kestrel 2 complete the starts" in run.content.decode()
        assert {one.role: one.calls for one in estimate.shares}["candidate"] == 4
