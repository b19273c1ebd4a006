import html
import re
import sqlite3
from contextlib import closing

import pytest

from annotation.people.models import Role
from scoring import jobs
from scoring.engine.models import Run
from scoring.figures.models import Figure
from scoring.kinds.suites import exchange
from tests import make
from tests.scoring import connected, suites

pytestmark = pytest.mark.django_db
RUN = "/p/northport/runs/1/suite/"


def shown(client, at=RUN):
    """Return a page once its figure is computed."""
    client.get(at)
    for one in Figure.objects.filter(state=Figure.State.WANTED):
        jobs.compute_figure(one.pk)
    return client.get(at).content.decode()


def told(client, run, query=""):
    """Return an outcome as the API tells it, its tables by name."""
    shown(client, f"/p/northport/runs/{run.number}/suite/{query}")
    found = client.get(f"/api/v1/projects/northport/runs/{run.number}/suite/{query}").json()
    return {**found, "tables": {one["name"]: one["rows"] for one in found["tables"]}}


class TestRunSuite:
    def test_waits_and_then_shows_distributions(self, as_analyst):
        suites.done(suites.requested())

        assert "being computed" in as_analyst.get(RUN).content.decode()
        page = shown(as_analyst)

        assert "Kestrel · 1" in page
        assert "23.400" in page
        assert "37.52" in page  # the 98th percentile
        assert "by role" in page
        assert "by turn number" in page
        assert f'href="{RUN}parts/' in page
        assert "Progress of the run" not in page

    def test_asks_again_by_itself_while_the_run_works(self, as_analyst):
        run = suites.done(suites.requested())
        shown(as_analyst)
        Run.objects.filter(pk=run.pk).update(state=Run.State.RUNNING)

        assert "Progress of the run" in as_analyst.get(RUN).content.decode()

    def test_names_metrics_that_measured_nothing(self, as_analyst):
        text = f"{suites.SUITE}    - {{name: count_tokens, metric_level: Turn}}\n"
        suites.done(suites.requested(suites.saved(text)))

        assert "No values: count_tokens (Turn)." in shown(as_analyst)

    def test_says_why_a_system_has_no_value(self, as_analyst):
        connected.endpoint("Judge", script={"empty": 1})
        run = suites.done(suites.requested(suites.saved(suites.JUDGED)))

        kind = told(as_analyst, run)["tables"]["metrics"][0]

        assert (kind["metric"], kind["value"], kind["n"]) == ("kind", None, 0)
        assert kind["n_held"] > 0
        assert kind["reason"]

    def test_puts_releases_and_a_baseline_beside_each_other(self, as_analyst):
        version = suites.saved()
        suites.done(suites.requested(version, suites.brought()))
        longer = suites.lines(
            {**one, "messages": [*one["messages"][:-1], {"role": "user", "content": "So " * 20}]}
            for one in suites.TALKS
        )
        both = suites.brought(longer, release="2")
        run = suites.done(suites.requested(version, both, number=2))

        found = told(as_analyst, run, "?baseline=1")

        (less,) = found["differences"]
        assert (less["left"], less["right"]) == ("Kestrel · 1", "Kestrel · 2")
        assert less["difference"] < 0 < less["difference_n"]
        changed = [one["value"] for one in found["tables"]["baseline"][:2]]
        assert changed == [0, pytest.approx(-less["difference"])]
        assert found["tables"]["pairs"][0]["difference"] == less["difference"]
        assert found["offered"]["baseline"] == {"": "nothing", "1": "1 · Suite 1"}
        assert "Less run 1" in shown(as_analyst, "/p/northport/runs/2/suite/?baseline=1")

    def test_says_that_two_systems_have_no_conversation_in_common(self, as_analyst):
        version = suites.saved()
        talks = [
            suites.brought(suites.lines([one]), name=one["id"], release=str(at))
            for at, one in enumerate(suites.TALKS)
        ]
        run = suites.done(suites.requested(version, *talks))

        (less,) = told(as_analyst, run)["differences"]

        assert (less["difference"], less["difference_reason"]) == (
            None,
            "No common conversation.",
        )

    def test_says_which_judgments_are_missing_because_steps_failed(self, as_analyst):
        run = suites.done(
            suites.requested(
                suites.saved(f"{suites.SUITE}gates: [{{metric: string_length, max: 99}}]\n")
            )
        )
        failed = {"state": "FAILED", "outcome": "MACHINE", "problem": "The server failed."}
        spec = run.steps.get().spec
        run.steps.create(ordinal=9, key="again", spec=spec, **failed)

        page = shown(as_analyst)

        assert "1 of 2 steps unfinished: its judgments are missing." in page
        assert "Mostly (1 ×): The server failed." in page
        assert "not kept" in page
        assert re.search(r"(\d+) of \d+ judgments are missing; at most 0 % may be", page)

    def test_warns_of_gates_that_are_not_kept(self, as_analyst):
        text = f"{suites.SUITE}gates: [{{metric: string_length, max: 5}}]\n"
        run = suites.done(suites.requested(suites.saved(text)))

        found = told(as_analyst, run)

        assert (
            found["verdict"] == "Gates not kept, 1 of 1: mean of string_length ≤ 5 (Kestrel · 1)."
        )
        (gate,) = found["tables"]["gates"]
        assert (gate["passed"], gate["said"]) == (False, "23.4 is above 5")

    def test_heads_its_page_with_gates_that_are_kept(self, as_analyst):
        text = f"{suites.SUITE}gates: [{{metric: string_length, max: 99}}]\n"
        run = suites.done(suites.requested(suites.saved(text)))

        assert told(as_analyst, run)["verdict"] == "The gate is kept."
        assert "<h1>The gate is kept</h1>" in shown(as_analyst)

    def test_says_where_a_script_stood_in(self, as_analyst):
        connected.endpoint("Judge", script={"seed": 3})
        suites.done(suites.requested(suites.saved(suites.JUDGED)))

        page = shown(as_analyst)

        assert "Demo: made by a script." in page
        assert "judged" in page
        name = as_analyst.get(f"{RUN}results.csv").headers["Content-Disposition"]
        assert "scripted-not-a-measurement" in name

    def test_leads_from_each_bar_role_and_turn_to_its_parts(self, as_analyst):
        suites.done(suites.requested())

        page = shown(as_analyst)

        leads = {html.unescape(one) for one in re.findall(rf'href="({RUN}parts/[^"]+)"', page)}
        found = {
            narrowed: as_analyst.get(one).context["parts"]
            for one in leads
            for narrowed in [one.partition("&release=")[2].partition("&")[2]]
            if "name=string_length" in one
        }
        assert [part.judgment.value for part in found["low=38.0&high=38.0"]] == [38]
        assert [part.role for part in found["role=assistant"]] == ["assistant"] * 2
        assert [part.turn for part in found["turn=2"]] == [2]
        assert len(found[""]) == 5

    def test_shows_names_as_shares_and_no_mean_of_them(self, as_analyst):
        text = "metrics: {function: [{name: identity, metric_level: Turn}]}"
        run = suites.done(suites.requested(suites.saved(text)))

        found = told(as_analyst, run)

        assert "Behind the weighbridge." in {one["of"] for one in found["tables"]["bars"]}
        assert not found["ranking"]
        assert not {"turns", "roles", "distributions"} & found["tables"].keys()

    def test_tells_of_the_chosen_metric_in_detail(self, as_analyst):
        run = suites.done(suites.requested())
        key = next(
            key
            for key, name in told(as_analyst, run)["offered"]["metric"].items()
            if "is_role" in name
        )

        found = told(as_analyst, run, f"?metric={key}")

        assert found["ranking"][0]["value"] == 0.4
        assert sum(one["n"] for one in found["tables"]["bars"]) == 5
        assert {one["of"] for one in found["tables"]["roles"]} >= {"user", "assistant"}

    def test_tells_every_metric_whichever_is_chosen(self, as_analyst):
        run = suites.done(suites.requested())

        rows = told(as_analyst, run)["tables"]["distributions"]

        assert [one["metric"].partition("(")[0] for one in rows] == ["string_length", "is_role"]
        assert round(rows[0]["p98"], 2) == 37.52

    def test_shows_nothing_odd_for_odd_addresses(self, as_analyst):
        suites.done(suites.requested())
        shown(as_analyst)

        for query in ("?metric=1:x:y", "?baseline=99", "?baseline=x"):
            page = as_analyst.get(f"{RUN}{query}").content.decode()
            assert "string_length (Turn): by role" in page


class TestRunSuiteSvg:
    @pytest.mark.parametrize(
        ("plot", "says"), [("bars", "distribution"), ("turns", "by turn number")]
    )
    def test_draws_a_metric(self, as_analyst, plot, says):
        suites.done(suites.requested())
        page = shown(as_analyst)

        answer = as_analyst.get(f"{RUN}plot.svg", {"plot": plot})

        text = answer.getvalue().decode()
        assert answer.headers["Content-Type"].startswith("image/svg+xml")
        assert says in text
        assert "<a " not in text
        assert f"{RUN}plot.svg?plot={plot}" in page


class TestHavePeopleRateIt:
    @pytest.mark.parametrize(("role", "there"), [(Role.CURATOR, True), (Role.ANALYST, False)])
    def test_is_offered_to_curators_on_results_and_parts(self, client, role, there):
        client.force_login(make.member(role))
        run = suites.done(suites.requested())
        parts = f"{RUN}parts/{run.config['raters']['0']}/?name=string_length"

        for page in (shown(client), client.get(parts).content.decode()):
            assert ("/p/northport/runs/1/publish/" in page) is there


class TestRunSuiteParts:
    def test_leads_to_the_turn(self, as_analyst):
        run = suites.done(suites.requested())
        rater = run.config["raters"]["0"]

        page = as_analyst.get(f"{RUN}parts/{rater}/?name=string_length").content.decode()

        assert page.index(">38<") < page.index(">7<")
        assert "?run=1#turn-1" in page

    def test_says_why_there_is_no_value(self, as_analyst):
        text = "metrics: {function: [{name: latency}]}"
        run = suites.done(suites.requested(suites.saved(text)))
        at = f"{RUN}parts/{run.config['raters']['0']}/?name=latency&only=without"

        assert "There is nothing to measure." in as_analyst.get(at).content.decode()

    def test_knows_only_metrics_of_the_run(self, as_analyst):
        suites.done(suites.requested())

        assert as_analyst.get(f"{RUN}parts/99999/").status_code == 404

    def test_turns_pages_by_value(self, as_analyst):
        talks = [
            {"id": str(n), "messages": [{"role": "user", "content": "a" * (n // 2)}]}
            for n in range(70)
        ]
        run = suites.done(suites.requested(None, suites.brought(suites.lines(talks))))
        at = f"{RUN}parts/{run.config['raters']['0']}/?name=string_length"

        first = as_analyst.get(at)
        following = as_analyst.get(
            f"{RUN}parts/{run.config['raters']['0']}/{first.context['next_url']}"
        )

        seen = [one.conversation.pk for page in (first, following) for one in page.context["parts"]]
        assert len(seen) == len(set(seen)) == 70

    def test_tells_levels_of_one_metric_apart(self, as_analyst):
        text = f"{suites.SUITE}    - {{name: string_length, metric_level: Message}}\n"
        run = suites.done(suites.requested(suites.saved(text)))
        at = f"{RUN}parts/{run.config['raters']['0']}/?name=string_length"

        assert len(as_analyst.get(f"{at}&level=Turn").context["parts"]) == 5
        assert len(as_analyst.get(f"{at}&level=Message").context["parts"]) == 7


class TestRecords:
    def test_tell_which_of_several_judgments_of_a_part_each_is(self, tmp_path):
        connected.endpoint("Judge")
        text = f"nb_evaluations_per_thread: 3\n{suites.JUDGED}"
        run = suites.done(suites.requested(suites.saved(text)))

        rows = [one for one in exchange.records(run) if one["metric"] == "kind"]

        parts = {(one["conversation"], one["place"]) for one in rows}
        assert sorted(one["repeat"] for one in rows) == sorted([1, 2, 3] * len(parts))
        computed = [one["repeat"] for one in exchange.records(run) if one["metric"] != "kind"]
        assert set(computed) == {1}
        exchange.write_sqlite(run, tmp_path / "results.sqlite")
        with closing(sqlite3.connect(tmp_path / "results.sqlite")) as file:
            found = file.execute("SELECT DISTINCT repeat FROM metric ORDER BY repeat").fetchall()
        assert found == [(1,), (2,), (3,)]


class TestRunSuiteFile:
    @pytest.mark.parametrize(
        ("form", "begins"),
        [
            ("results.csv", b"conversation,system"),
            ("results.jsonl", b'{"conversation"'),
            ("results.sqlite", b"SQLite format 3"),
        ],
    )
    def test_streams_every_value(self, as_analyst, form, begins):
        suites.done(suites.requested())

        answer = as_analyst.get(f"{RUN}{form}")

        assert answer.getvalue().lstrip(b"\xef\xbb\xbf").startswith(begins)
