"""Evaluate answers by Fusion-Eval: manage.py run_fusion_eval northport --task Summaries --over round:3."""

import secrets
from argparse import ArgumentParser
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import uuid4, uuid5

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from annotation.people.models import Project, Rater, RaterKind
from annotation.people.permissions import Scope
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round
from evalsite import errors
from evalsite.templatetags import amounts
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint
from scoring.engine import progress as run_progress
from scoring.engine import requests
from scoring.engine.estimating import RunEstimate
from scoring.engine.kinds import LARGEST_SEED, RunAsking
from scoring.engine.models import Run
from scoring.engine.queries import RunReading
from scoring.kinds.fusion import operations as fusing
from scoring.kinds.fusion import queries as fusion
from scoring.kinds.fusion import results as fusion_results
from scoring.kinds.fusion import task_operations
from scoring.kinds.fusion.models import EvaluationTask, Plan, TaskVersion
from scoring.kinds.fusion.operations import Fused, FusionSettings, FusionWish
from scoring.kinds.fusion.task_operations import PlanWritten
from scoring.kinds.fusion.tasks import MOST_ASSISTANTS, FusionTask, Helper
from scoring.kinds.fusion.templates import TEMPLATES
from scoring.kinds.fusion.v1 import Variant
from scoring.management import endings, reports
from scoring.management.endings import Unusable
from scoring.management.starting import (
    add_start,
    add_wish,
    amount,
    project_named,
    report,
    say,
    user_named,
    watch,
)
from scoring.shown import names as banner

WRITE = "write"


class Command(BaseCommand):
    help = (
        "Evaluate answers by Fusion-Eval, show how far it is, and a table at the end. "
        f"{endings.TOLD}"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument(
            "--assistants", action="store_true", help="list what can assist, by its key; then end"
        )
        parser.add_argument("--task", help="its name or number")
        parser.add_argument(
            "--template", choices=sorted(TEMPLATES), help="make the task of it if there is none"
        )
        parser.add_argument(
            "--assistant",
            action="append",
            default=[],
            help="by key or name; a task that lacks it gets a version with it. A task made of a template has "
            "the metrics that scored these answers unless given",
        )
        parser.add_argument("--over", help="round:NUMBER or import:NUMBER")
        parser.add_argument(
            "--variant", action="append", choices=[str(one) for one in Variant], default=[]
        )
        parser.add_argument(
            "--plan", default="", help=f"its number, or “{WRITE}”; the newest unless given"
        )
        parser.add_argument("--endpoint", help="the name of who judges")
        parser.add_argument("--planner", default="", help="of who writes the plan; else who judges")
        own = ("round", "batch", "variants", "plan", "endpoint")
        add_wish(parser, Fused, leave_out=own)
        add_start(parser, name="Fusion-Eval")
        reports.add(parser)

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        if options["assistants"]:
            self._list(project)
            return
        if lacking := [f"--{one}" for one in ("task", "over", "endpoint") if not options[one]]:
            raise Unusable(
                f"Give {', '.join(lacking)} too; or --assistants, to list what can assist."
            )
        given = {**options, "seed": _seed(options["seed"]), "budget": amount(options["budget"])}
        wish = self._checked(project, given)
        if options["estimate"]:
            return
        if _is_to_write(wish, options):
            wish = replace(wish, plan=self._written(wish, given))
        run = self._start(project, wish, given)
        watch(run, self.stdout, here=given["here"])
        self._table(run, given)
        report(run, options, self.stdout)
        endings.check(run, options["tolerate"])

    def _list(self, project: Project) -> None:
        known = fusion.assistants(project)
        width = max([10, *(len(one.helper.assistant.key) + 2 for one in known)])
        for one in known:
            self.stdout.write(one.helper.assistant.key.ljust(width) + one.label)
        if not known:
            self.stdout.write("None yet: compute metrics over some answers, or bring scores in.")

    @transaction.atomic
    def _checked(self, project: Project, options: Mapping[str, Any]) -> FusionWish:
        """Return what is wanted, once all of it can be done: nothing is asked and paid for before.

        A task that is made of a template stays only if it can be evaluated, and is not only estimated.
        """
        wish = _wish(project, options)
        asking = RunAsking(user_named(project, options["by"]), timezone.now())
        imagined = replace(wish, plan=wish.plan or Plan(version=wish.version))
        told = imagined if _is_to_write(wish, options) else wish
        asked = fusing.asked_run(told, asking)
        found = requests.reckoned(fusing.START, project, asked, options["seed"])
        say(found, self.stdout, f"{asked.told['answers']} answers. ")
        for name, n in asked.told["without_score"].items():
            self.stdout.write(f"  {n} of them have no score by {name}: “not available”")
        if _is_to_write(wish, options):
            by: Any = {"user": asking.user, "now": asking.now}
            plan = _plan_wish(wish, options)
            self._say_plan(requests.checked(task_operations.WRITE, wish.version, plan, **by)[0])
        if options["estimate"]:
            transaction.set_rollback(True)
        return wish

    def _written(self, wish: FusionWish, options: Mapping[str, Any]) -> Plan:
        """Have the plan written, and return it."""
        user = user_named(wish.version.project, options["by"])
        plan = _plan_wish(wish, options)
        run = requests.started(
            task_operations.WRITE, wish.version, plan, user=user, now=timezone.now()
        )
        self.stdout.write(f"Run {run.number} writes a plan.")
        watch(run, self.stdout, here=options["here"])
        endings.check(run)
        found = wish.version.plans.filter(run=run).first()
        if found is None:
            raise CommandError(
                f"Run {run.number} brought no plan. Look at its page.",
                returncode=endings.STEPS_FAILED,
            )
        return found

    def _say_plan(self, found: RunEstimate) -> None:
        self.stdout.write(
            f"A plan before it: {found.calls} calls, {amounts.money(found.cost, found.currency)}"
        )

    def _start(self, project: Project, wish: FusionWish, options: Mapping[str, Any]) -> Run:
        left = {
            **options,
            "budget": _left(options["budget"], wish),
            "key": options["key"] or uuid4(),
        }
        names = ("key", "name", "seed", "budget", *FusionSettings.__dataclass_fields__)
        fused = Fused(
            **{name: left[name] for name in names},
            variants=tuple(map(str, wish.variants)),
            plan=wish.plan.number if wish.plan else None,
            endpoint=wish.endpoint.name,
            round=wish.round.number if wish.round else None,
            batch=wish.batch,
        )
        user = user_named(project, options["by"])
        run = requests.started(fusing.START, wish.version, fused, user=user, now=timezone.now())
        self.stdout.write(f"Run {run.number} has been asked for.")
        return run

    def _table(self, run: Run, options: Mapping[str, Any]) -> None:
        self.stdout.write(f"Run {run.number} is {run.get_state_display()}.")
        if run.scripted:
            self.stdout.write(banner.BANNER)
        user = user_named(run.project, options["by"])
        try:
            board = fusion_results.board(RunReading(Scope(run.project, user, frozenset()), run))
        except errors.Refusal as hidden:  # of a round that people still grade
            self.stdout.write(hidden.message)
            return
        width = max([28, *(len(one.name) + 2 for one in board.lines)])
        names = [one[:13].rjust(15) for one in [*board.criteria, "seconds each"]]
        self.stdout.write("".join(["Judge".ljust(width), *names]))
        for line in board.lines:
            values = ["–" if one.mean is None else f"{one.mean:.2f}" for one in line.whole]
            values.append("–" if line.spent is None else f"{line.spent.seconds:.2f}")
            self.stdout.write("".join([line.name.ljust(width), *(one.rjust(15) for one in values)]))


def _plan_wish(wish: FusionWish, options: Mapping[str, Any]) -> PlanWritten:
    key = options["key"]
    return PlanWritten(
        key=uuid5(key, "plan") if key else uuid4(),
        name=f"Plan for {wish.version.task.name}"[:120],
        seed=options["seed"],
        budget=options["budget"],
        endpoint=_planner(wish, options).name,
    )


def _seed(given: int | None) -> int:
    return secrets.randbelow(LARGEST_SEED) if given is None else given


def _wish(project: Project, options: Mapping[str, Any]) -> FusionWish:
    round_, batch = _over(project, options["over"])
    version = _version(project, options, round_, batch)
    variants = [Variant(one) for one in options["variant"]] or [Variant.FE]
    return FusionWish(
        version=version,
        variants=variants,
        endpoint=_endpoint(project, options["endpoint"]),
        plan=_plan(version, options["plan"]) if Variant.FE in variants else None,
        round=round_,
        batch=batch,
        settings=FusionSettings(
            **{name: options[name] for name in FusionSettings.__dataclass_fields__}
        ),
    )


def _plan(version: TaskVersion, wished: str) -> Plan | None:
    """Return the plan that is wished for; none where one is to be written."""
    rows = version.plans.order_by("-number")
    if wished == WRITE:
        return None
    if not wished:
        return rows.first()
    if not wished.isdecimal() or len(wished) > 9:
        raise Unusable(f"A plan has a number, or is “{WRITE}”; not {wished}.")
    found = rows.filter(number=int(wished)).first()
    if found is None:
        known = ", ".join(str(one.number) for one in rows) or "none yet"
        raise Unusable(f"This version of the task has no plan {wished}. There are: {known}.")
    return found


def _is_to_write(wish: FusionWish, options: Mapping[str, Any]) -> bool:
    return options["plan"] == WRITE and wish.plan is None and Variant.FE in wish.variants


def _planner(wish: FusionWish, options: Mapping[str, Any]) -> Endpoint:
    name = options["planner"]
    return _endpoint(wish.version.task.project, name) if name else wish.endpoint


def _left(budget: Decimal | None, wish: FusionWish) -> Decimal | None:
    """Return what is left of a budget once the plan is paid that was written for this."""
    plan = wish.plan
    if budget is None or plan is None or plan.run_id is None or plan.run is None:
        return budget
    if plan.run.budget != budget:  # written at another time, from a budget of its own
        return budget
    left = budget - run_progress.progress_of(plan.run, timezone.now()).cost
    if left <= 0:
        raise CommandError(
            f"The plan has used up the budget of {budget}.", returncode=endings.STEPS_FAILED
        )
    return left


def _version(
    project: Project, options: Mapping[str, Any], round_: Round | None, batch: int | None
) -> TaskVersion:
    wished = options["task"]
    rows = EvaluationTask.objects.filter(project=project)
    found = rows.filter(name=wished).first()
    if found is None and wished.isdecimal():
        found = rows.filter(number=int(wished)).first()
    if found is not None:
        return _with_assistants(found, options)
    if not options["template"]:
        known = ", ".join(rows.values_list("name", flat=True)) or "none yet"
        raise Unusable(
            f"There is no task {wished} in the project {project.slug}. There are: {known}. "
            "To make one, say --template."
        )
    content = TEMPLATES[options["template"]]
    helpers = _helpers(project, content, options["assistant"], round_, batch)
    if not helpers and set(options["variant"]) != {Variant.DE.value}:
        raise Unusable(
            "No metric has scores of these answers, so there is nothing to fuse. Compute metrics over them "
            "first (Runs, Metrics), name assistants with --assistant, or take --variant DE."
        )
    return task_operations.create(
        project=project,
        name=wished,
        content=replace(content, helpers=helpers),
        by=user_named(project, options["by"]),
        now=timezone.now(),
    )


def _with_assistants(task: EvaluationTask, options: Mapping[str, Any]) -> TaskVersion:
    """Return the newest version, with the assistants that are named."""
    helpers = task_operations.assistants_named(task.project, options["assistant"])
    who: Any = {"by": user_named(task.project, options["by"]), "now": timezone.now()}
    with suppress(task_operations.Unchanged):
        return task_operations.assist(task=task, helpers=helpers, **who)
    return fusion.newest(task)


def _helpers(
    project: Project, content: FusionTask, names: list[str], round_: Round | None, batch: int | None
) -> tuple[Helper, ...]:
    """Return the assistants of a task: those that are named, else the metrics that scored the answers."""
    if names:
        return task_operations.assistants_named(project, names)
    metrics = set(
        Rater.objects.filter(project=project, kind=RaterKind.METRIC).values_list("pk", flat=True)
    )
    some = [one.helper for one in fusion.assistants(project) if one.helper.rater in metrics]
    found = fusion.count_answers(project, round_, batch, replace(content, helpers=tuple(some)))
    scored = [one for one in some if found.scored.get(one.assistant.name)]
    return tuple(scored[:MOST_ASSISTANTS])


def _over(project: Project, over: str) -> tuple[Round | None, int | None]:
    kind, _colon, number = over.partition(":")
    if kind not in {"round", "import"} or not number.isdecimal() or len(number) > 9:
        raise Unusable(f"{over} is neither round:NUMBER nor import:NUMBER.")
    if kind == "import":
        return None, int(number)
    found = rounds.rounds_of(project).filter(number=int(number)).first()
    if found is None:
        raise Unusable(f"There is no round {number} in the project {project.slug}.")
    return found, None


def _endpoint(project: Project, name: str) -> Endpoint:
    found = connections.endpoints_of(project).filter(name=name).first()
    if found is None:
        raise Unusable(f"There is no endpoint {name} in the project {project.slug}.")
    return found
