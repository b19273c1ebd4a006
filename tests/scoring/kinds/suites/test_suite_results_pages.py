import csv
import html
import re

import pytest

from annotation.people.models import Role
from scoring import jobs
from scoring.figures.models import Figure
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


class TestRunSuite:
    def test_waits_and_then_shows_distributions(self, as_analyst):
        suites.done(suites.requested())

        assert "being computed" in as_analyst.get(RUN).content.decode()
        page = shown(as_analyst)

        assert "Kestrel · 1" in page
        assert "23.400" in page
        assert "37.52" in page  # the 98th percentile
        assert "By role" in page
        assert "By turn number" in page
        assert 'href="parts/' in page

    def test_names_metrics_that_measured_nothing(self, as_analyst):
        text = f"{suites.SUITE}    - {{name: count_tokens, metric_level: Turn}}\n"
        suites.done(suites.requested(suites.saved(text)))

        assert "Without any value: count_tokens (Turn)." in shown(as_analyst)

    def test_keeps_its_columns_in_a_row_without_a_value(self, as_analyst):
        connected.endpoint("Judge", script={"empty": 1})
        suites.done(suites.requested(suites.saved(suites.JUDGED)))

        page = shown(as_analyst)

        table = next(
            one for one in re.findall(r"<table.*?</table>", page, re.DOTALL) if "Least" in one
        )
        heads, row = (
            sum(int(n or 1) for n in re.findall(r"<t[hd]\b(?:[^>]*colspan=.(\d+))?", one))
            for one in re.findall(r"<tr>.*?</tr>", table, re.DOTALL)[:2]
        )
        assert "no value" in table
        assert row == heads

    def test_puts_releases_and_a_baseline_beside_each_other(self, as_analyst):
        version = suites.saved()
        suites.done(suites.requested(version, suites.brought()))
        longer = suites.lines(
            {**one, "messages": [*one["messages"][:-1], {"role": "user", "content": "So " * 20}]}
            for one in suites.TALKS
        )
        both = suites.brought(longer, release="2")
        suites.done(suites.requested(version, both, number=2))

        page = shown(as_analyst, "/p/northport/runs/2/suite/?baseline=1")

        text = " ".join(re.sub(r"<[^>]+>", " ", page).split())
        assert "Kestrel · 1 less Kestrel · 2 " in text
        assert "Shared conversations" in text
        assert "Kestrel · 2 less run 1 " in text

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

        assert "1 of 2 steps did not finish; its judgments are missing." in page
        assert "The most frequent reason (1 ×): The server failed." in page
        assert "not kept" in page
        assert re.search(r"(\d+) of \d+ judgments are missing; at most 0 % may be", page)

    def test_shows_gates_that_are_not_kept(self, as_analyst):
        text = f"{suites.SUITE}gates: [{{metric: string_length, max: 5}}]\n"
        suites.done(suites.requested(suites.saved(text)))

        assert "23.4 is above 5" in shown(as_analyst)

    def test_says_where_a_script_stood_in(self, as_analyst):
        connected.endpoint("Judge", script={"seed": 3})
        suites.done(suites.requested(suites.saved(suites.JUDGED)))

        page = shown(as_analyst)

        assert "Scripted, not a measurement." in page
        assert "judged" in page
        name = as_analyst.get(f"{RUN}results.csv").headers["Content-Disposition"]
        assert "scripted-not-a-measurement" in name

    def test_leads_from_each_bar_role_and_turn_to_its_parts(self, as_analyst):
        suites.done(suites.requested())

        page = shown(as_analyst)

        leads = {html.unescape(one) for one in re.findall(r'href="(parts/[^"]+)"', page)}
        found = {
            narrowed: as_analyst.get(f"{RUN}{one}").context["parts"]
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
        suites.done(suites.requested(suites.saved(text)))

        page = shown(as_analyst)

        assert "Behind the weighbridge." in page
        assert "By turn number" not in page
        assert '<th class="r">SD</th>' not in page

    def test_shows_one_metric_alone_or_some_at_a_time(self, as_analyst):
        many = "".join(
            f"    - {{name: constant, kwargs: {{response: {n}}}, metric_level: Turn}}\n"
            for n in range(6)
        )
        suites.done(suites.requested(suites.saved(suites.SUITE + many)))
        shown(as_analyst)

        first, second = (as_analyst.get(f"{RUN}?page={n}") for n in (1, 2))
        key = second.context["shown"][0]["one"].key
        alone = as_analyst.get(RUN, {"metric": key})

        assert [len(one.context["shown"]) for one in (first, second)] == [6, 2]
        assert [one["one"].key for one in alone.context["shown"]] == [key]

    def test_shows_nothing_odd_for_odd_addresses(self, as_analyst):
        suites.done(suites.requested())
        shown(as_analyst)

        for query in ("?page=0", "?page=9999999", "?page=x", "?metric=1:x:y", "?baseline=99"):
            assert as_analyst.get(f"{RUN}{query}").context["shown"]


class TestRunSuiteFigures:
    def test_holds_every_figure_that_the_page_shows(self, as_analyst):
        suites.done(suites.requested())
        assert as_analyst.get(f"{RUN}figures.csv").status_code == 302
        shown(as_analyst)

        rows = list(
            csv.DictReader(
                as_analyst.get(f"{RUN}figures.csv").getvalue().decode("utf-8-sig").splitlines()
            )
        )

        length = [one for one in rows if one["metric"] == "string_length"]
        assert {one["part"] for one in length} == {"all", "bar", "role", "turn"}
        assert (length[0]["mean"], round(float(length[0]["p98"]), 2)) == ("23.4", 37.52)
        assert sum(int(one["n"]) for one in length if one["part"] == "bar") == 5


class TestRunSuiteSvg:
    @pytest.mark.parametrize(
        ("plot", "says"), [("bars", "how the values lie"), ("turns", "by turn number")]
    )
    def test_draws_a_metric(self, as_analyst, plot, says):
        suites.done(suites.requested())
        shown(as_analyst)
        key = as_analyst.get(RUN).context["shown"][0]["one"].key

        answer = as_analyst.get(f"{RUN}plot.svg", {"metric": key, "plot": plot})

        text = answer.getvalue().decode()
        assert answer.headers["Content-Type"].startswith("image/svg+xml")
        assert says in text
        assert "<a " not in text

    def test_goes_to_the_page_for_a_metric_that_is_not_there(self, as_analyst):
        suites.done(suites.requested())
        shown(as_analyst)

        assert as_analyst.get(f"{RUN}plot.svg?metric=9").status_code == 302


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
