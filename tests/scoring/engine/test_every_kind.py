"""Every kind of run is begun, told, read and commanded in the same ways."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import load_command_class
from django.urls import URLPattern, URLResolver, get_resolver, reverse

import scoring.kinds
from scoring.engine import kinds, starting
from scoring.engine.kinds import BeginRun
from scoring.engine.models import Run
from scoring.kinds import judging
from scoring.outcomes import kinds as outcomes
from tests import make
from tests.scoring import run_rows

#: Proposals for one question or source, asked for on its page, read on a page of their own.
BESIDE_A_THING = {Run.Kind.DRAFT}
#: What they come to stands elsewhere: answers with their systems, grades with the round's.
ELSEWHERE = {Run.Kind.COLLECT, Run.Kind.JUDGE, Run.Kind.PLAN, Run.Kind.COMBINE, Run.Kind.REJUDGE}
EVERY = [pytest.param(one, id=one.value) for one in Run.Kind]
BEGUN = [one for one in Run.Kind if one not in BESIDE_A_THING]
FOLDERS = [
    folder
    for package in (scoring.kinds, judging)
    for folder in Path(package.__path__[0]).iterdir()
    if (folder / "__init__.py").exists()
]
DEEDS = ("check", "endpoints", "prompts", "plan", "prepare", "record", "record_failure")


def pages_of(kind: Run.Kind) -> list[type[starting.StartPage]]:
    return [one for one in starting.starts_of_kinds() if one.kind.kind == kind]


def routes(of: Any = None) -> Iterator[URLPattern]:
    for one in (of or get_resolver()).url_patterns:
        if isinstance(one, URLResolver):
            yield from routes(one)
        else:
            yield one


def taken_by_the_api() -> set[type[BeginRun]]:
    promises = [getattr(getattr(one.callback, "cls", None), "schema", None) for one in routes()]
    calls = [call for one in promises for call in getattr(one, "calls", {}).values()]
    return {one.takes for one in calls if isinstance(one.takes, type)}


class TestEveryKind:
    @pytest.mark.parametrize("kind", EVERY)
    def test_says_what_an_estimate_and_a_worker_need(self, kind):
        assert [
            one for one in DEEDS if not callable(getattr(kinds.kind_called(kind), one, None))
        ] == []

    @pytest.mark.parametrize("kind", BEGUN)
    def test_has_a_page_on_which_it_is_begun(self, kind):
        assert [one.form for one in pages_of(kind)]

    @pytest.mark.parametrize("kind", BEGUN)
    def test_is_begun_by_the_api_with_what_the_page_asks(self, kind):
        assert {one.kind.wish for one in pages_of(kind)} <= taken_by_the_api()

    @pytest.mark.parametrize("kind", BEGUN)
    def test_is_begun_from_a_terminal(self, kind):
        parser = load_command_class("scoring", "runs").create_parser("manage.py", "runs")

        for page in pages_of(kind):
            given = parser.parse_args(["begin", "northport", page.name, "--estimate"])
            assert given.page == page.name

    @pytest.mark.parametrize("kind", [one for one in Run.Kind if one not in ELSEWHERE])
    def test_has_a_page_of_its_result(self, kind):
        of_it = [one for one in outcomes.outcome_kinds().values() if one.of == kind]

        assert of_it or kind in BESIDE_A_THING

    @pytest.mark.django_db
    @pytest.mark.parametrize("kind", EVERY)
    def test_has_progress_files_and_calls(self, kind, as_curator):
        run = run_rows.run(kind=kind, config={"suite": 1, "of_run": 1, "task": 1})
        slug = make.project().slug

        for name in ("run", "run_live", "run_steps", "run_jsonl", "api_run", "api_run_calls"):
            answer = as_curator.get(reverse(name, args=[slug, run.number]))
            assert (name, answer.status_code) == (name, 200)


class TestEveryFolder:
    @pytest.mark.parametrize("folder", FOLDERS, ids=lambda one: one.name)
    def test_names_the_paper_that_it_follows_or_says_there_is_none(self, folder):
        text = (folder / "README.md").read_text()

        assert re.search(r"\b(19|20)\d\d\b|No paper", text)
