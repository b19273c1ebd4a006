"""Look after runs from a terminal: manage.py runs list northport, manage.py runs watch northport 3."""

import secrets
import time
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID, uuid4

from django.core.management.base import BaseCommand, OutputWrapper
from django.utils import timezone

from annotation.people.models import Project, Role, User
from evalsite.templatetags import amounts
from scoring.endpoints.models import Judge
from scoring.engine import progress as run_progress
from scoring.engine import queries as run_list
from scoring.engine import requests as control
from scoring.engine import working
from scoring.engine.forms import LARGEST_SEED
from scoring.engine.models import Run
from scoring.engine.progress import Progress
from scoring.engine.requests import LEAST_BUDGET
from scoring.kinds.judging import operations as judging
from scoring.management import endings
from scoring.management.endings import Unusable
from scoring.shown import names as banner

WIDTH = 30
WORKING = 0.05  # seconds between two looks for work in this process
NO_LIMIT = "none"
Deed = Callable[..., Any]
DEEDS: Mapping[str, tuple[Deed, str]] = {
    "pause": (control.pause, "stop a run for a while"),
    "resume": (control.resume, "let a paused run go on"),
    "cancel": (control.cancel, "call a run off for good"),
    "retry": (control.retry_failed, "try again the steps in which the machinery failed"),
}


class Command(BaseCommand):
    help = (
        "List runs, show how far one is, pause it, let it go on, call it off, try again what failed; start a "
        f"judge. {endings.TOLD}"
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
        for name, (_, said) in DEEDS.items():
            action(name, said)
        budget = action("budget", "give a run another budget")
        budget.add_argument("amount", help=f"in the endpoints' currency; “{NO_LIMIT}” for no limit")
        self._add_start(action("start", "have a judge grade a round", of_run=False))

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
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise Unusable(f"There is no project {options['project']}.")
        action = options["action"]
        if action == "list":
            self._list(project)
        elif action == "start":
            self._start(project, options)
        elif action == "watch":
            self._watch(_run(project, options["number"]), options)
        else:
            self._do(_run(project, options["number"]), action, options)

    def _list(self, project: Project) -> None:
        lines = run_list.lines(run_list.page(run_list.of_run_list(project)).rows)
        for one in lines:
            note = f"  ({banner.BANNER})" if one.run.scripted else ""
            done = f"{one.n_done}/{one.n_steps}"
            self.stdout.write(
                f"{one.run.number:>4}  {_state(one.run):<22} {done:>13}  {one.run.name}{note}"
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
        found = run_progress.of(run, timezone.now())
        self.stdout.write(f"Run {run.number}, {run.name}: {_state(run)}")
        if run.scripted:
            self.stdout.write(banner.BANNER)
        if run.problem:
            self.stdout.write(run.problem)
        self.stdout.write(_line_of(found))
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
        endings.check(run, options["tolerate"])

    def _start(self, project: Project, options: Mapping[str, Any]) -> None:
        asked = {
            "judge": _judge(project, options["judge"]),
            "round_": _round(project, options["round"]),
            "criteria": options["criterion"],
        }
        found = judging.estimate(**asked)
        self.stdout.write(
            f"{found.calls} calls, {found.prompt_tokens} + {found.completion_tokens} tokens, "
            f"{amounts.money(found.cost, found.currency)}, about {amounts.spell(found.seconds)}"
        )
        if options["estimate"]:
            return
        run = judging.request_judging(
            **asked,
            key=options["key"] or uuid4(),
            name=options["name"] or f"{options['judge']} over round {options['round']}",
            seed=secrets.randbelow(LARGEST_SEED) if options["seed"] is None else options["seed"],
            user=user_named(project, options["by"]),
            now=timezone.now(),
            budget=amount(options["budget"]),
        )
        self.stdout.write(f"Run {run.number} has been asked for.")
        if options["watch"]:
            self._watch(run, {**options, "every": 1.0})


def add_start(parser: ArgumentParser, *, name: str) -> None:
    """Add what every command asks that starts a run; `name` is the run's unless one is given."""
    parser.add_argument("--name", default=name)
    parser.add_argument("--seed", type=int, help="one is drawn unless given")
    parser.add_argument("--budget", default=NO_LIMIT)
    parser.add_argument("--key", type=UUID, help="the same key again is the same run")
    parser.add_argument("--by", default="", help="user name of who does this; else the owner")
    parser.add_argument("--estimate", action="store_true", help="start nothing")
    parser.add_argument("--here", action="store_true", help="work on it in this process")
    endings.add_tolerance(parser)


def watch(run: Run, out: OutputWrapper, *, here: bool = False, every: float = 1.0) -> None:
    """Show how far a run is until it is over or paused.

    Args:
        here: work on it in this process meanwhile, so that no worker is needed.
        every: seconds between two looks at a run that workers do.
    """
    moving = True
    while moving:
        if here:
            working.work(run.pk, timezone.now)
        run.refresh_from_db()
        found = run_progress.of(run, timezone.now())
        moving = found.is_moving
        ending = "\r" if moving and out.isatty() else "\n"
        out.write(f"{bar(found.percent)} {_line_of(found)}   ", ending=ending)
        out.flush()
        if moving:
            time.sleep(WORKING if here else every)


def bar(percent: float) -> str:
    full = round(WIDTH * percent / 100)
    return f"[{'#' * full}{'.' * (WIDTH - full)}]"


def _line_of(found: Progress) -> str:
    """Return how far a run is, in one line."""
    parts = [f"{found.n_over}/{found.n_steps} steps"]
    if found.per_minute:
        parts.append(f"{found.per_minute:.1f} a minute")
    parts.append(f"{found.n_calls} calls")
    parts.append(amounts.money(found.cost, found.currency))
    if found.run.budget is not None:
        parts.append(f"of {amounts.money(found.run.budget, found.currency)}")
    if found.seconds_left is not None:
        parts.append(f"about {amounts.spell(found.seconds_left)} left")
    return ", ".join(parts)


def _state(run: Run) -> str:
    state = run.get_state_display()
    return f"{state} ({run.get_pause_display()})" if run.pause else str(state)


def _run(project: Project, number: int) -> Run:
    found = run_list.of_run_list(project).filter(number=number).first()
    if found is None:
        raise Unusable(f"There is no run {number} in the project {project.slug}.")
    found.project = project
    return found


def user_named(project: Project, name: str) -> User:
    if not name:
        owners = project.memberships.filter(role=Role.OWNER).select_related("user")
        first = owners.order_by("pk").first()
        if first is None:
            raise Unusable(f"The project {project.slug} has no owner. Say who does this with --by.")
        return first.user
    found = User.objects.filter(username=name).first()
    if found is None:
        raise Unusable(f"There is nobody called {name}.")
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


def amount(text: str) -> Decimal | None:
    """Return a budget as it was typed; None for no limit."""
    if text == NO_LIMIT:
        return None
    try:
        found = Decimal(text)
    except InvalidOperation:
        found = Decimal(0)
    if not found.is_finite() or found < LEAST_BUDGET:
        raise Unusable(f"{text} is no amount of money. Say a number, or “{NO_LIMIT}”.")
    return found
