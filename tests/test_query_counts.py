"""Lists ask the database as often for many rows as for few, and no oftener than this table allows.

A row is a page or an API list and the highest number of queries it may take. Its address and who asks
come from the table of who may what (tests/doors/): the owner, or else whoever may see it. What is asked
with a query of its own or by somebody else stands in `ASKED`. Anything that shows more rows when there
are more is a list, and needs a row.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from django.db import connection, reset_queries
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.people.models import Role
from scoring.figures.models import Figure
from tests.crowded_world import FEW, MANY, CrowdedWorld, Scored
from tests.recorder import cells
from tests.scoring.worker import compute
from tests.who_may import ROWS

MOST: dict[str, int] = {
    "account_tokens": 9,
    "answers": 17,
    "api_accuracy": 10,
    "api_agreement": 16,
    "api_annotators": 15,
    "api_answers": 15,
    "api_assistants": 6,
    "api_bank_files": 6,
    "api_breakdown": 24,
    "api_bulk_edit": 8,
    "api_bulk_edits": 6,
    "api_capabilities": 16,
    "api_comments": 18,
    "api_conversations": 9,
    "api_disputes": 16,
    "api_domains": 11,
    "api_draw": 12,
    "api_endpoints": 8,
    "api_examples": 7,
    "api_fusion_assistants": 11,
    "api_fusion_plans": 7,
    "api_fusion_tasks": 7,
    "api_graded_items": 39,
    "api_imports": 6,
    "api_inspections": 9,
    "api_interviews": 12,
    "api_invitations": 7,
    "api_judge_apart": 28,
    "api_judge_people": 29,
    "api_judges": 6,
    "api_judges_pairs": 23,
    "api_judges_people": 23,
    "api_judges_together": 23,
    "api_me": 7,
    "api_password_links": 6,
    "api_people": 6,
    "api_people_tokens": 6,
    "api_plan": 13,
    "api_pool": 11,
    "api_projects": 5,
    "api_questions": 10,
    "api_references": 12,
    "api_report": 77,
    "api_round_model": 29,
    "api_results": 26,
    "api_review": 17,
    "api_review_question": 30,
    "api_round_flags": 8,
    "api_rounds": 7,
    "api_rubric_versions": 8,
    "api_rubrics": 9,
    "api_run_accuracy": 10,
    "api_run_calls": 8,
    "api_run_dialogues": 8,
    "api_run_evaluators": 11,
    "api_run_fusion": 41,
    "api_run_pairs": 60,
    "api_run_metrics": 11,
    "api_run_steps": 9,
    "api_runs": 7,
    "api_saved_filters": 6,
    "api_schedules": 6,
    "api_signals": 18,
    "api_source_collections": 6,
    "api_source_edits": 7,
    "api_sources": 8,
    "api_study": 101,
    "api_suites": 8,
    "api_systems": 8,
    "api_trial": 15,
    "api_tuning": 18,
    "api_tuning_cases": 17,
    "api_workload": 15,
    "bank_files": 8,
    "bulk_edit": 13,
    "bulk_edits": 9,
    "capabilities": 18,
    "collect": 17,
    "conversations": 12,
    "domains": 23,
    "domains_picture": 16,
    "endpoints": 10,
    "example_new": 14,
    "examples": 9,
    "fusion_task": 11,
    "fusion_tasks": 9,
    "grade_sheet": 16,
    "grading": 30,
    "imports": 9,
    "insight": 13,
    "inspections": 13,
    "invitations": 9,
    "item": 12,
    "judge_apart": 30,
    "judge_people": 37,
    "judges": 11,
    "judges_pairs": 24,
    "judges_people": 24,
    "judges_together": 24,
    "people": 11,
    "plan": 18,
    "pool": 17,
    "pool_person": 15,
    "pool_rules": 10,
    "projects": 8,
    "question_board": 29,
    "question_looks": 17,
    "questions": 20,
    "results": 35,
    "results_agreement": 19,
    "results_annotators": 18,
    "results_breakdown": 27,
    "results_dispute": 31,
    "results_disputes": 17,
    "results_comments": 24,
    "results_explore": 27,
    "results_items": 42,
    "results_model": 27,
    "results_report": 66,
    "results_report_html": 78,
    "results_review": 23,
    "results_signals": 18,
    "results_table": 21,
    "review_question": 41,
    "round_flags": 10,
    "round_references": 18,
    "round_seats": 10,
    "round_systems": 12,
    "rounds": 9,
    "rubric": 15,
    "rubric_version": 15,
    "rubrics": 12,
    "run_dialogues": 11,
    "run_fusion": 45,
    "run_pairs": 60,
    "run_evaluators": 14,
    "run_steps": 12,
    "runs": 10,
    "saved_filters": 8,
    "settings_bank": 9,
    "source": 19,
    "source_collections": 8,
    "sources": 11,
    "study": 103,
    "suites": 11,
    "systems": 10,
    "training": 18,
    "trial_report": 20,
    "trials": 10,
    "tuning": 29,
    "workload": 17,
    "workload_leave": 17,
}


@dataclass(frozen=True)
class Ask:
    """A route, and how it is asked."""

    name: str
    query: str = ""
    role: str = ""

    def __str__(self) -> str:
        return f"{self.name}{self.query}{' by ' * bool(self.role)}{self.role}"


#: Asked otherwise than by its address alone.
ASKED: dict[Ask, int] = {
    Ask("imports", role=Role.DESIGNER): 9,
    Ask("questions", "?saved={saved.pk}&columns=id&columns=state&columns=tags"): 18,
    Ask("round_flags", "?only=all"): 10,
    Ask("runs_compare", "?a=1&b=2"): 20,
    Ask("search", "?q=demurrage"): 21,
    Ask("search_json", "?q=demurrage"): 23,
    Ask("search_json", "?q=LG-0"): 19,
    Ask("api_search", "?q=demurrage"): 13,
    # A page of these is full in a small world, too.
    Ask("api_items"): 8,
    Ask("api_round_seats"): 8,
    Ask("audit"): 12,
    Ask("project_home"): 62,
}
#: What may ask oftener in a larger world, and why.
GROWING: dict[str, str] = {
    "collect_sheet": "a query for every system, so that one sheet does not hold all questions",
    "runs_compare": "without a choice it compares the newest runs, whatever they are",
}
#: Not asked for: these answer otherwise each time, or do something.
LEFT_OUT = {"sign_in_again", "join", "password_link", "set_up", "healthz"}
#: On PostgreSQL each reading of the index of words says before and after it that it is to be used.
BESIDE_INDEX = {
    Ask("search", "?q=demurrage"): 2,
    Ask("search_json", "?q=demurrage"): 18,
    Ask("search_json", "?q=LG-0"): 8,
    Ask("api_search", "?q=demurrage"): 2,
}
TABLE = {**{Ask(name): most for name, most in MOST.items()}, **ASKED}
#: What a row begins with, by the kind of an answer.
ROW = {"text/html": re.compile(rb"<(?:tr|li|article)\b"), "application/json": re.compile(rb"{")}


@dataclass(frozen=True)
class Answer:
    """How many queries an answer took, and how many rows are in it."""

    status: int
    queries: int
    rows: int


class Visits:
    """Everybody who looks at a world that grows."""

    def __init__(self) -> None:
        self.world = CrowdedWorld()
        self._scored: Any = Scored(self.world)
        self._clients: dict[str, Client] = {}

    def answers(
        self, asks: Iterable[Ask], size: int, before: dict[Ask, Answer] | None = None
    ) -> dict[Ask, Answer]:
        """Return what is answered in a world of this size, once its figures are computed."""
        self.world.grow(size)
        urls = {one: self._url(one) for one in asks}
        if before is None:  # what the first visit to a page brings along does not count
            for one, url in urls.items():
                self._client(one).get(url)
        compute()
        found = {}
        for one, url in urls.items():
            found[one] = self._answer(one, url)
            wanted = Figure.objects.filter(state=Figure.State.WANTED).exists()
            if wanted:
                compute()
            if wanted or (before and found[one].queries > before[one].queries):  # the first visit
                found[one] = self._answer(one, url)
        return found

    def _answer(self, ask: Ask, url: str) -> Answer:
        reset_queries()
        with CaptureQueriesContext(connection) as queries:
            answer = self._client(ask).get(url)
            body = b"".join(answer) if answer.streaming else answer.content
        row = ROW.get(answer["Content-Type"].partition(";")[0])
        rows = len(row.findall(body.partition(b"<main")[2] or body)) if row else 0
        return Answer(answer.status_code, len(queries), rows)

    def _url(self, ask: Ask) -> str:
        world = self._scored if _routes()[ask.name].module.startswith("scoring.") else self.world
        arguments = dict(ROWS[ask.name].kwargs(world))
        return reverse(ask.name, kwargs=arguments) + ask.query.format(saved=self.world.saved_filter)

    def _client(self, ask: Ask) -> Client:
        role = ask.role or _seer(ask.name)
        if role not in self._clients:
            self._clients[role] = Client()
            self._clients[role].force_login(self.world.people[role])
        return self._clients[role]


@cache
def _routes() -> dict[str, cells.Route]:
    return cells.routes()


def _seer(name: str) -> str:
    """Return the role that looks at a route: the owner's where the owner may; "" for none."""
    row = ROWS[name]
    roles = [role for role in (Role.OWNER, *Role) if row.for_all or row.public or role in row.see]
    return roles[0] if roles else ""


def everything() -> list[Ask]:
    """Return every route that answers a visit, and what is asked otherwise."""
    names = [name for name, row in ROWS.items() if row.got and _seer(name)]
    return [*(Ask(name) for name in names if name not in LEFT_OUT), *ASKED]


def is_list(few: Answer, many: Answer) -> bool:
    return many.rows - few.rows > (MANY - FEW) / 2


def wrong(few: dict[Ask, Answer], many: dict[Ask, Answer]) -> list[str]:
    """Return what is asked oftener for more rows, or oftener than the table allows, or is no list."""
    found = [
        f"{one}: {few[one].queries} queries for {FEW} rows, {answer.queries} for {MANY}"
        for one, answer in many.items()
        if answer.queries > few[one].queries and one.name not in GROWING
    ]
    for one in many.keys() & TABLE.keys():
        allowed = TABLE[one]
        if connection.vendor == "postgresql":
            allowed += BESIDE_INDEX.get(one, 0)
        if many[one].queries > allowed:
            found.append(f"{one}: {many[one].queries} queries; the table allows {allowed}")
        if few[one].status != 200 or many[one].status != 200:
            found.append(f"{one}: answered {few[one].status} and {many[one].status}")
        if one not in ASKED and not is_list(few[one], many[one]):
            found.append(f"{one}: has a row, but does not show more when there is more")
    return found


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.timeout(600)
class TestLists:
    def test_have_a_row_each_and_nothing_at_all_asks_oftener_for_more(self):
        visits = Visits()
        asks = everything()

        few = visits.answers(asks, FEW)
        many = visits.answers(asks, MANY, few)

        assert not wrong(few, many), "\n".join(wrong(few, many))
        lists = {one for one in asks if is_list(few[one], many[one])}
        without = sorted(str(one) for one in lists - TABLE.keys())
        assert not without, f"Add a row to the table for: {', '.join(without)}"
