import html

import pytest

from scoring.engine.models import Run
from scoring.kinds.suites.models import Suite, SuiteVersion
from tests import make
from tests.scoring import connected, suites, worker

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/suites/form/"


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
    def test_saves_what_was_chosen_as_yaml(self, as_curator):
        connected.endpoint("Judge")

        answer = as_curator.post(PAGE, sent())

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

    def test_says_what_a_rubric_judges(self, as_curator):
        connected.endpoint("Judge")

        as_curator.post(PAGE, sent(level="ToolCall"))

        (rubric,) = [
            o for o in SuiteVersion.objects.get().definition["entries"] if o["name"] == "kind"
        ]
        assert rubric["level"] == "ToolCall"
        assert as_curator.get(f"{PAGE}?suite=1").context["form"].initial["level"] == "ToolCall"

    def test_changes_what_it_can_say(self, as_curator):
        connected.endpoint("Judge")
        as_curator.post(PAGE, sent())

        page = as_curator.get(f"{PAGE}?suite=1")
        as_curator.post(f"{PAGE}?suite=1", sent(functions=["latency @ Turn"]))

        assert page.context["form"].initial["functions"] == sent()["functions"]
        assert page.context["form"].initial["choices"] == "YES = 1\nNO = 0"
        assert SuiteVersion.objects.latest("number").number == 2
        assert Suite.objects.count() == 1

    @pytest.mark.parametrize(
        "more",
        [
            "gates: [{metric: string_length, max_drop: 9}]\n",
            "    - {name: is_role, kwargs: {role: user}, metric_level: Turn}\n",
            "    - {name: latency, depends_on: [{name: count_errors, metric_max_value: 0}]}\n",
        ],
    )
    def test_leaves_to_yaml_what_it_cannot_say(self, as_curator, more):
        suites.saved(suites.SUITE + more)

        answer = as_curator.get(f"{PAGE}?suite=1")

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
    def test_says_what_is_missing(self, as_curator, given, why):
        connected.endpoint("Judge")

        answer = as_curator.post(PAGE, sent(**given))

        assert answer.status_code == 422
        assert why in answer.content.decode()
        assert not Suite.objects.exists()


class TestCompletions:
    def test_are_chosen_and_changed_by_the_form(self, as_curator):
        connected.connection(make.release("Kestrel", "2"))
        connected.endpoint("Judge")
        chosen = ['["", "Kestrel", "2"]', '["Judge", "", ""]']

        as_curator.post(PAGE, sent(completions=chosen, samples=2, turns=3))
        page = as_curator.get(f"{PAGE}?suite=1")

        version = SuiteVersion.objects.get()
        assert "- system: Kestrel" in version.text
        assert [
            (one["endpoint"], one["system"], one["release"], one["n"], one["turns"], one["start"])
            for one in version.definition["completions"]
        ] == [("", "Kestrel", "2", 2, 3, "first"), ("Judge", "", "", 2, 3, "first")]
        form = page.context["form"]
        assert form["completions"].value() == chosen
        assert form["samples"].value() == 2

    def test_are_left_to_yaml_where_the_form_offers_no_such_system(self, as_curator):
        suites.saved(
            "completion: {endpoint: gone}\n"
            + suites.SUITE.replace("is_role, kwargs: {role: assistant}", "latency")
        )

        answer = as_curator.get(f"{PAGE}?suite=1")

        assert answer.headers["Location"] == "/p/northport/suites/1/edit/"

    def test_stand_on_the_page_of_the_suite_and_in_the_estimate(self, as_curator):
        connected.connection(make.release("Kestrel", "2"))
        connected.endpoint("Judge")
        suites.brought()
        as_curator.post(PAGE, sent(completions=['["", "Kestrel", "2"]'], samples=2, turns=1))

        page = as_curator.get("/p/northport/suites/1/").content.decode()
        run = as_curator.get("/p/northport/suites/1/run/")
        key = run.context["form"]["key"].value()
        given = {"name": "x", "seed": 1, "key": key, "sets": ["Talks"], "deed": "estimate"}
        estimate = as_curator.post("/p/northport/suites/1/run/", given).context["estimate"]

        assert "Kestrel 2" in page
        assert "2 answers each" in page
        assert "Kestrel 2 complete the" in run.content.decode()
        assert {one.role: one.calls for one in estimate.shares}["candidate"] == 4

    def test_finds_a_metric_among_those_of_its_kind_with_an_example(self, as_curator):
        form = as_curator.get(PAGE).context["form"]

        kinds = {row.line.metric.name: group.title for group in form.groups for row in group.rows}
        assert kinds["count_private_data"] == "Safety and privacy"
        assert kinds["latency"] == "Cost, speed and errors"
        assert all(row.line.given or row.line.values for group in form.groups for row in group.rows)

    def test_shows_what_is_chosen_first_and_only_there(self, as_curator):
        form = as_curator.post(PAGE, sent(name="", graders=[])).context["form"]

        first = form.groups[0]
        names = [row.line.metric.name for group in form.groups for row in group.rows]
        assert first.title == "Chosen"
        assert {row.line.metric.name for row in first.rows} == {"string_length", "count_turns"}
        assert len(names) == len(set(names))

    def test_takes_arguments(self, as_curator):
        functions = ["tool_was_called @ Turn", "constant @ Turn"]
        given = sent(rubric="", answers_only="", functions=functions, graders=[])

        as_curator.post(
            PAGE, given | {"arg__tool_was_called__name": "wind", "arg__constant__response": "2.5"}
        )

        keys = [one["kwargs"] for one in SuiteVersion.objects.get().definition["entries"]]
        assert keys == [{"name": "wind"}, {"response": 2.5}]
        page = as_curator.get(f"{PAGE}?suite=1").content.decode()
        assert 'name="arg__tool_was_called__name" value="wind"' in page

    @pytest.mark.parametrize(
        ("functions", "more", "why"),
        [
            (["is_role @ Turn"], {}, "“is_role” needs “role”."),
            (["constant @ Turn"], {"arg__constant__response": "much"}, "is a number"),
            ([], {"gates": "is_refusal is low"}, "is no gate"),
        ],
    )
    def test_says_which_argument_or_gate_is_wrong(self, as_curator, functions, more, why):
        answer = as_curator.post(PAGE, sent(rubric="", functions=functions) | more)

        assert answer.status_code == 422
        assert why in html.unescape(answer.content.decode())
        assert not Suite.objects.exists()

    def test_holds_several_rubrics_and_gates_both_ways(self, as_curator):
        connected.endpoint("Judge")
        gates = "kind mean >= 0.5 at 90 %\nshort p98 of assistant <= 1"
        second = {"rubric_2": "short", "prompt_2": "Short? {content}", "choices_2": "S = 1\nL = 0"}

        as_curator.post(PAGE, sent(notes="Why.", gates=gates) | second)
        first = SuiteVersion.objects.get().definition
        form = as_curator.get(f"{PAGE}?suite=1").context["form"]
        as_curator.post(f"{PAGE}?suite=1", {**form.initial, "answers_only": "on"})

        assert [one["name"] for one in first["rubrics"]] == ["kind", "short"]
        assert [one["confidence"] for one in first["gates"]] == [0.9, None]
        assert form.initial["gates"].splitlines() == gates.splitlines()
        assert len(form.rubrics) == 3
        assert SuiteVersion.objects.count() == 1  # the same again

    def test_tries_the_suite_on_three_conversations(self, as_curator):
        connected.endpoint("Judge", script={"seed": 3})
        talks = [{"id": str(n), "messages": suites.TALKS[0]["messages"]} for n in range(7)]
        suites.brought(suites.lines(one | {"n": n} for n, one in enumerate(talks)))

        answer = as_curator.post(PAGE, sent(tried="1", deed="try"))
        run = suites.done(Run.objects.get())
        there = answer.headers["Location"]
        as_curator.get(there)
        worker.compute()
        page = as_curator.get(there)

        assert there == "/p/northport/runs/1/suite/"
        assert len(run.config["only"]) == 3
        said = list(page.context["outcome"].sheets["tried"].records())
        assert len([one for one in said if one["choice"] and one["value"] is not None]) == 3
        assert all(one["reasons"] for one in said)
        assert "form/?suite=1" in page.content.decode()

    def test_keeps_the_suite_where_it_cannot_be_tried(self, as_curator):
        connected.endpoint("Judge")

        answer = as_curator.post(PAGE, sent(deed="try"), follow=True)

        assert "Saved, not tried" in answer.content.decode()
        assert Suite.objects.count() == 1
