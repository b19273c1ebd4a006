"""Every outcome there is, by the same tests."""

import csv
import re

import pytest
from django.utils.html import strip_tags

from annotation.people.models import AuditEvent
from scoring.engine.models import LLMCall, Step
from scoring.outcomes import kinds
from tests.scoring import run_rows
from tests.scoring.outcomes.outcomes_world import RUNS, api_at, computed, page_at

pytestmark = pytest.mark.django_db
every = pytest.mark.parametrize("name", sorted(RUNS))


def main_of(answer):
    """Return the part of a page that tells the outcome."""
    page = answer.content.decode()
    return page[page.index("<main") : page.index("</main>")]


def numbers_of(value):
    """Yield every number of an answer."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from numbers_of(one)
    elif isinstance(value, int | float):
        yield abs(value)


def numbers_on(page):
    """Return the numbers in the cells of a page's tables, but for those of notes."""
    cells = re.findall(r'<td\s+class="r num">(.*?)</td>', page, re.DOTALL)
    texts = [strip_tags(re.sub(r"<sup.*?</sup>", "", one, flags=re.DOTALL)) for one in cells]
    return [one for text in texts for one in re.findall(r"\d+(?:\.\d+)?", text)]


def is_one_of(shown, known):
    """Whether a number as a page writes it is one of those known, rounded."""
    half = 0.5 * 10 ** -len(shown.partition(".")[2]) + 1e-9
    return any(abs(one - float(shown)) <= half for one in known)


def told(client, run, name, capture):
    return computed(client, api_at(run, name), capture).json()


def test_every_outcome_is_tried_here():
    assert set(RUNS) == set(kinds.outcome_kinds())


class TestPage:
    @every
    def test_shows_no_number_that_the_api_does_not_tell_and_is_linked_from_its_run(
        self, name, as_analyst, django_capture_on_commit_callbacks
    ):
        run = RUNS[name]()
        n_calls = LLMCall.objects.count()
        found = told(as_analyst, run, name, django_capture_on_commit_callbacks)

        page = main_of(as_analyst.get(page_at(run, name)))

        shown, known = numbers_on(page), set(numbers_of(found))
        assert shown
        assert [one for one in shown if not is_one_of(one, known)] == []
        assert all(one["title"] in page for one in found["tables"])
        assert ("Demo: made by a script" in page) == run.scripted
        assert LLMCall.objects.count() == n_calls
        linked_from = {"contamination": "interviews", "labels": "suite"}.get(name, "")
        there = page_at(run, linked_from) if linked_from else page_at(run, "")[:-1]
        assert page_at(run, name) in as_analyst.get(there, follow=True).content.decode()

    @every
    def test_is_none_of_another_kind_of_run(self, name, as_analyst):
        run = run_rows.run()

        assert as_analyst.get(page_at(run, name)).status_code == 404
        assert as_analyst.get(api_at(run, name)).status_code == 404


class TestFiles:
    @every
    def test_hold_what_the_api_tells_are_recorded_and_lead_to_the_page_that_waits(
        self, name, as_analyst, django_capture_on_commit_callbacks
    ):
        run = RUNS[name]()
        early = as_analyst.get(page_at(run, name, "ranking.csv?a=b"))
        found = told(as_analyst, run, name, django_capture_on_commit_callbacks)
        tables = {one["name"]: one["rows"] for one in found["tables"]}
        tables |= {key: found[key] for key in ("ranking", "differences") if found[key]}

        for table, rows in tables.items():
            text = b"".join(as_analyst.get(page_at(run, name, f"{table}.csv"))).decode()
            lines = list(csv.DictReader(text.splitlines()))
            assert len(lines) == len(rows)
            assert set(lines[0]) == {*rows[0], "choices", "note"}
            assert lines[0]["note"] == ("scripted, not a measurement" if run.scripted else "")

        if kinds.outcome_kinds()[name].figure:
            assert early.headers["Location"] == page_at(run, name, "?a=b")
        assert AuditEvent.objects.filter(verb="run.exported").count() == len(tables)
        drawn = as_analyst.get(page_at(run, name, "plot.svg"))
        if any(one["value"] for one in found["ranking"]):
            assert "<svg" in b"".join(drawn).decode()
        else:
            assert drawn.headers["Location"] == page_at(run, name)

    def test_of_a_table_that_is_not_there_are_not_found(
        self, as_analyst, django_capture_on_commit_callbacks
    ):
        run = RUNS["accuracy"]()
        computed(as_analyst, page_at(run, "accuracy"), django_capture_on_commit_callbacks)

        assert as_analyst.get(page_at(run, "accuracy", "nothing.csv")).status_code == 404


class TestApi:
    def test_is_computed_anew_when_more_of_the_run_is_in(
        self, as_analyst, django_capture_on_commit_callbacks
    ):
        run = RUNS["accuracy"]()
        told(as_analyst, run, "accuracy", django_capture_on_commit_callbacks)

        Step.objects.create(run=run, ordinal=99, key="more", state=Step.State.DONE)

        assert as_analyst.get(api_at(run, "accuracy")).status_code == 202

    @every
    def test_takes_only_what_it_offers(self, name, as_analyst):
        address = api_at(run_rows.run(), name)

        assert as_analyst.get(f"{address}?nothing=1").status_code == 400
        for one in kinds.outcome_kinds()[name].documented:
            if one.values:
                answer = as_analyst.get(f"{address}?{one.name}=nothing%20of%20this")
                assert answer.status_code == 400, one.name

    def test_tells_what_was_chosen_and_what_could_be(
        self, as_analyst, django_capture_on_commit_callbacks
    ):
        run = RUNS["accuracy"]()
        url = f"{api_at(run, 'accuracy')}?rule=strict"

        found = computed(as_analyst, url, django_capture_on_commit_callbacks).json()

        assert found["chosen"] == {"rule": "strict", "unread": "wrong"}
        assert list(found["offered"]["rule"]) == ["mean", "strict", "vote", "own"]
