"""Look after runs from a terminal: manage.py runs list northport, manage.py runs watch northport 3."""

import json
import secrets
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID, uuid4

from django.core.management.base import BaseCommand
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext

from annotation.people.models import Project
from annotation.people.permissions import scope_of
from evalsite import records
from evalsite.templatetags import amounts
from scoring.endpoints.models import Judge
from scoring.engine import progress as run_progress
from scoring.engine import queries as run_list
from scoring.engine import requests as control
from scoring.engine import starting
from scoring.engine.kinds import LARGEST_SEED
from scoring.engine.models import Run
from scoring.kinds.judging import kind as judging
from scoring.management import endings, reports
from scoring.management.endings import Unusable
from scoring.management.starting import (
    NO_LIMIT,
    add_start,
    amount,
    line_of,
    project_named,
    report,
    say,
    user_named,
    watch,
    wish_of,
)
from scoring.shown import names as banner

Deed = Callable[..., Any]
DEEDS: Mapping[str, tuple[Deed, str]] = {
    "pause": (control.pause, "stop a run for a while"),
    "resume": (control.resume, "let a paused run go on"),
    "cancel": (control.cancel, "call a run off for good"),
    "retry": (control.retry_failed, "try again the steps in which the machinery failed"),
}


class Command(BaseCommand):
    help = (
        "List runs, show how far one is, pause it, let it go on, call it off, try again what failed; begin "
        f"one of any kind. {endings.TOLD}"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

        def action(name: str, said: str, *, of_run: bool = True) -> ArgumentParser:
            made: ArgumentParser = actions.add_parser(name, help=said)
            made.add_argument("project", help="the project's short name, as in its address")
            if of_run:
                made.add_argument("number", type=int, help="the run's number")
            made.add_argument("--by", default="", help="user name of who does this; else the owner")
            return made

        action("list", "show the newest runs", of_run=False)
        action("show", "show how far a run is, what it cost and why it failed")
        watch = action("watch", "show a progress bar until the run is over or paused")
        watch.add_argument("--every", type=float, default=1.0, help="seconds between two looks")
        endings.add_tolerance(watch)
        reports.add(watch)
        for name, (_, said) in DEEDS.items():
            action(name, said)
        budget = action("budget", "give a run another budget")
        budget.add_argument("amount", help=f"in the endpoints' currency; “{NO_LIMIT}” for no limit")
        self._add_start(action("start", "have a judge grade a round", of_run=False))
        begin = actions.add_parser("begin", help="begin a run of any kind")
        begin.add_argument("project", help="the project's short name, as in its address")
        begin.add_argument("page", choices=sorted(_pages()), help="on which such runs are begun")
        begin.add_argument(
            "--of", type=int, default=0, help="number of the round, task, suite or run it is about"
        )
        begin.add_argument(
            "--with", default="{}", help="what the API takes, as JSON; - reads it from stdin"
        )
        add_start(begin, name="")

    def _add_start(self, start: ArgumentParser) -> None:
        start.add_argument("--judge", required=True, help="the judge's name")
        start.add_argument("--round", required=True, type=int, help="the round's number")
        start.add_argument("--name", default="", help="as it stands in the list of runs")
        start.add_argument("--criterion", action="append", default=[], help="may be repeated")
        start.add_argument("--seed", type=int, help="one is drawn unless given")
        start.add_argument("--budget", default=NO_LIMIT)
        start.add_argument("--key", type=UUID, help="the same key again is the same run")
        start.add_argument("--estimate", action="store_true", help="start nothing")
        start.add_argument("--watch", action="store_true", help="stay until it is over")
        endings.add_tolerance(start)

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        action = options["action"]
        if action == "list":
            self._list(project)
        elif action == "start":
            self._start(project, options)
        elif action == "begin":
            self._begin(project, options)
        elif action == "watch":
            self._watch(_run(project, options["number"]), options)
        else:
            self._do(_run(project, options["number"]), action, options)

    def _list(self, project: Project) -> None:
        lines = run_list.lines(run_list.page(run_list.of_run_list(project)).rows)
        for one in lines:
            note = f"  ({banner.BANNER})" if one.run.scripted else ""
            done = f"{one.n_done}/{one.n_steps}" + (
                f", {one.n_failed} failed" if one.n_failed else ""
            )
            self.stdout.write(
                f"{one.run.number:>4}  {_state(one.run):<22} {done:>24}  {one.run.name}{note}"
            )
        if not lines:
            self.stdout.write("No runs yet.")

    def _do(self, run: Run, action: str, options: Mapping[str, Any]) -> None:
        given: dict[str, Any] = {
            "run": run,
            "user": user_named(run.project, options["by"]),
            "now": timezone.now(),
        }
        if action in DEEDS:
            DEEDS[action][0](**given)
        elif action == "budget":
            control.set_budget(**given, budget=amount(options["amount"]))
        self._show(_run(run.project, run.number))

    def _show(self, run: Run) -> None:
        found = run_progress.progress_of(run, timezone.now())
        self.stdout.write(f"Run {run.number}, {run.name}: {_state(run)}")
        if run.scripted:
            self.stdout.write(banner.BANNER)
        if run.problem:
            self.stdout.write(run.problem)
        self.stdout.write(line_of(found))
        self.stdout.write(
            f"done {found.n_ok}, system failed {found.n_system_failed}, machinery failed "
            f"{found.n_failed}, no reading {found.n_no_reading}, left out {found.n_skipped}"
        )
        for one in found.spent:
            cost = amounts.money(one.known_cost, one.endpoint.currency)
            self.stdout.write(
                f"  {one.role} by {one.endpoint.name}: {one.n} calls ({one.n_failed} failed), "
                f"{one.prompt_tokens} + {one.completion_tokens} tokens, {cost}"
            )
        for reason in found.reasons:
            self.stdout.write(f"  {reason.n} × {reason.outcome}: {reason.label}")

    def _watch(self, run: Run, options: Mapping[str, Any]) -> None:
        watch(run, self.stdout, every=options["every"])
        self.stdout.write(f"Run {run.number} is {_state(run)}.")
        report(run, options, self.stdout)
        endings.check(run, options["tolerate"])

    def _begin(self, project: Project, options: Mapping[str, Any]) -> None:
        user = user_named(project, options["by"])
        try:
            scope = scope_of(user, project.slug)
            page = _pages()[options["page"]](HttpRequest(), scope, options["of"])
            what: tuple[Any, ...] = (page.kind, page.of, _wished(page, options))
        except Http404 as nothing:
            raise Unusable(
                f"There is nothing of that number to begin a run of. {nothing}"
            ) from None
        who: Any = {"user": user, "now": timezone.now()}
        say(control.checked(*what, **who)[0], self.stdout)
        if options["estimate"]:
            return
        run = control.started(*what, **who)
        self.stdout.write(f"Run {run.number} has been asked for.")
        if options["here"]:
            watch(run, self.stdout, here=True)
            endings.check(run, options["tolerate"])

    def _start(self, project: Project, options: Mapping[str, Any]) -> None:
        round_ = _round(project, options["round"])
        name = options["name"] or f"{options['judge']} over round {options['round']}"
        rater = _judge(project, options["judge"]).rater_id
        given = {"judge": rater, "criteria": tuple(options["criterion"])}
        wish = wish_of(project, judging.Judged, {**options, "name": name}, **given)
        who: Any = {"user": user_named(project, options["by"]), "now": timezone.now()}
        found, _asked = control.checked(judging.KIND, round_, wish, **who)
        say(found, self.stdout)
        if options["estimate"]:
            return
        run = control.started(judging.KIND, round_, wish, **who)
        self.stdout.write(f"Run {run.number} has been asked for.")
        if options["watch"]:
            self._watch(run, {**options, "every": 1.0})


def _pages() -> Mapping[str, type[starting.StartPage]]:
    """Return the pages on which runs are begun, by the names of their addresses."""
    return {one.name: one for one in starting.starts_of_kinds()}


def _wished(page: starting.StartPage, options: Mapping[str, Any]) -> Any:
    """Return what was chosen, of the record of the kind.

    Raises:
        Unusable: it is no JSON, or none that the kind takes; says what of it.
    """
    text = sys.stdin.read() if options["with"] == "-" else options["with"]
    seed, budget = options["seed"], options["budget"]
    said = {
        "name": options["name"] or str(page.run_name)[:120],
        "seed": secrets.randbelow(LARGEST_SEED) if seed is None else seed,
        "key": str(options["key"] or uuid4()),
        "pilot": options["pilot"],
        "budget": None if budget == NO_LIMIT else budget,
    }
    try:
        return records.read(page.kind.wish, {**said, **json.loads(text)}, sent=True)
    except records.NoSuchRecord as problem:
        told = [f"{one.path}: {records.said(one, gettext)}" for one in problem.faults]
        raise Unusable(" ".join(told)) from None
    except (ValueError, TypeError):
        raise Unusable("What stands behind --with is no object of JSON.") from None


def _state(run: Run) -> str:
    state = run.get_state_display()
    return f"{state} ({run.get_pause_display()})" if run.pause else str(state)


def _run(project: Project, number: int) -> Run:
    found = run_list.of_run_list(project).filter(number=number).first()
    if found is None:
        raise Unusable(f"There is no run {number} in the project {project.slug}.")
    found.project = project
    return found


def _judge(project: Project, name: str) -> Judge:
    found = Judge.objects.filter(project=project, name=name).order_by("-pk").first()
    if found is None:
        raise Unusable(f"There is no judge {name} in the project {project.slug}.")
    return found


def _round(project: Project, number: int) -> Any:
    found = project.rounds.filter(number=number).first()
    if found is None:
        raise Unusable(f"There is no round {number} in the project {project.slug}.")
    found.project = project
    return found
