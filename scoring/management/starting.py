"""Runs that are started from a terminal: what their kind asks becomes arguments."""

import secrets
import time
from argparse import ArgumentParser
from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar
from uuid import UUID, uuid4

from django.core.management.base import BaseCommand, OutputWrapper
from django.utils import timezone

from annotation.people.models import Project, Role, User
from evalsite import arguments
from evalsite.records import parts
from evalsite.templatetags import amounts
from scoring.endpoints import queries as connections
from scoring.engine import progress as run_progress
from scoring.engine import requests, working
from scoring.engine.estimating import RunEstimate
from scoring.engine.kinds import LARGEST_SEED, LEAST_BUDGET, BeginRun, Begun
from scoring.engine.models import Run
from scoring.engine.progress import RunProgress
from scoring.management import endings, reports
from scoring.management.endings import Unusable
from scoring.shown import names as banner

RELEASES = "releases"
WIDTH = 30
WORKING = 0.05  # seconds between two looks for work in this process
NO_LIMIT = "none"


def add_wish(
    parser: ArgumentParser,
    record: type[BeginRun],
    *,
    leave_out: Collection[str] = (),
    **usual: Any,
) -> None:
    """Add an argument for each field of what a kind asks, but for what every start asks."""
    every = {one.name for one in parts(BeginRun)}
    for one in parts(record):
        if one.name == RELEASES:
            told = "as “Kestrel · 1”; may be repeated; all connected ones unless given"
            parser.add_argument("--release", action="append", default=[], help=told)
        elif one.name not in every and one.name not in leave_out and not one.many:
            arguments.add(parser, one, usual)


def wish_of(project: Project, record: type[Any], options: Mapping[str, Any], **given: Any) -> Any:
    """Return what was asked for as a record; `given` in place of what the arguments say.

    Raises:
        Unusable: a release is named that nobody answers as, or the budget is no amount.
    """
    names = {one.name for one in parts(record)} - {"estimate", RELEASES}
    said = {name: options[name] for name in names if name in options}
    said["key"] = options["key"] or uuid4()
    said["budget"] = amount(options["budget"])
    said["name"] = said["name"][:120]
    if said["seed"] is None:
        said["seed"] = secrets.randbelow(LARGEST_SEED)
    if RELEASES in {one.name for one in parts(record)}:
        said[RELEASES] = connected(project, options["release"])
    return record(**{**said, **given})


def connected(project: Project, names: list[str]) -> tuple[int, ...]:
    """Return the connected releases of these names; all of them without a name."""
    ready = {
        str(one.release): one.release.pk for one in connections.of_project(project) if one.is_ready
    }
    if missing := [one for one in names if one not in ready]:
        raise Unusable(f"No endpoint answers as {missing[0]}. Connected: {', '.join(ready)}")
    return tuple(ready[one] for one in names) if names else tuple(ready.values())


def project_named(slug: str) -> Project:
    found = Project.objects.filter(slug=slug).first()
    if found is None:
        raise Unusable(f"There is no project {slug}.")
    return found


def say(found: RunEstimate, out: OutputWrapper, before: str = "") -> None:
    """Write what a run would take."""
    out.write(
        f"{before}{found.calls} calls, {found.prompt_tokens} + {found.completion_tokens} tokens, "
        f"{amounts.money(found.cost, found.currency)}, about {amounts.spell(found.seconds)}"
    )


def add_start(parser: ArgumentParser, *, name: str) -> None:
    """Add what every command asks that starts a run; `name` is the run's unless one is given."""
    parser.add_argument("--name", default=name)
    parser.add_argument("--seed", type=int, help="one is drawn unless given")
    parser.add_argument("--budget", default=NO_LIMIT)
    parser.add_argument("--key", type=UUID, help="the same key again is the same run")
    parser.add_argument("--by", default="", help="user name of who does this; else the owner")
    parser.add_argument("--estimate", action="store_true", help="start nothing")
    parser.add_argument(
        "--pilot", action="store_true", help="pause after the first steps; resume it to go on"
    )
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
        found = run_progress.progress_of(run, timezone.now())
        moving = found.is_moving
        ending = "\r" if moving and out.isatty() else "\n"
        out.write(f"{bar(found.percent)} {line_of(found)}   ", ending=ending)
        out.flush()
        if moving:
            time.sleep(WORKING if here else every)


def report(run: Run, options: Mapping[str, Any], out: OutputWrapper) -> None:
    """Write the reports of a run that were asked for."""
    if not reports.is_wanted(options):
        return
    user = user_named(run.project, options["by"])
    for path in reports.write(reports.RunReport(run, options["tolerate"], user), options):
        out.write(f"Written to {path}.")


def bar(percent: float) -> str:
    full = round(WIDTH * percent / 100)
    return f"[{'#' * full}{'.' * (WIDTH - full)}]"


def line_of(found: RunProgress) -> str:
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


class StartCommand(BaseCommand):
    """A command that starts a run of a kind over questions, stays until it is over, and shows a table."""

    kind: ClassVar[Begun]
    #: What the run is called unless it is given a name.
    called: ClassVar[str]
    #: Fields that are asked for in another way.
    leave_out: ClassVar[tuple[str, ...]] = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        add_wish(parser, self.kind.wish, leave_out=self.leave_out, over="bank:")
        add_start(parser, name=self.called)
        reports.add(parser)

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        wish = self.wish(project, options)
        who: Any = {"user": user_named(project, options["by"]), "now": timezone.now()}
        estimate, asked = requests.checked(self.kind, project, wish, **who)
        counts = [f"{n} {name.replace('_', ' ')}" for name, n in asked.told.items()]
        say(estimate, self.stdout, ", ".join(counts) + ". ")
        if options["estimate"]:
            return
        run = requests.started(self.kind, project, wish, **who)
        self.stdout.write(f"Run {run.number} has been asked for.")
        watch(run, self.stdout, here=options["here"])
        self.stdout.write(f"Run {run.number} is {run.get_state_display()}.")
        if run.scripted:
            self.stdout.write(banner.BANNER)
        self.table(run)
        report(run, options, self.stdout)
        endings.check(run, options["tolerate"])

    def wish(self, project: Project, options: Mapping[str, Any]) -> Any:
        """Return what was asked for, of the kind's record."""
        return wish_of(project, self.kind.wish, options)

    def table(self, run: Run) -> None:
        """Write what the run came to."""
        raise NotImplementedError
