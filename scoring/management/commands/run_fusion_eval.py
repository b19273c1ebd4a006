"""Evaluate answers by Fusion-Eval: manage.py run_fusion_eval northport --task Summaries --over round:3."""

import secrets
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.models import Project, Round
from annotation.permissions import Scope
from annotation.queries import rounds
from evalsite import errors
from evalsite.templatetags import amounts
from scoring.forms.runs import LARGEST_SEED
from scoring.management.commands.runs import add_start, amount, user_named, watch
from scoring.models import Endpoint, EvaluationTask, Plan, Run, TaskVersion
from scoring.operations import evaluation_tasks, fusing, plan_writing
from scoring.operations.fusing import Checked, Wish
from scoring.operations.fusion_judges import Settings
from scoring.protocols.fusion_eval.templates import TEMPLATES
from scoring.protocols.fusion_eval.v1 import Variant
from scoring.queries import banner, fusion_results, judge_list
from scoring.queries import evaluation_tasks as reads
from scoring.queries.run_reading import Reading

USUAL = Settings()
WRITE = "write"


class Command(BaseCommand):
    help = "Evaluate answers by Fusion-Eval, show how far it is, and a table at the end."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument("--task", required=True, help="its name or number")
        parser.add_argument(
            "--template", choices=sorted(TEMPLATES), help="make the task of it if there is none"
        )
        parser.add_argument("--over", required=True, help="round:NUMBER or import:NUMBER")
        parser.add_argument(
            "--variant", action="append", choices=[str(one) for one in Variant], default=[]
        )
        parser.add_argument(
            "--plan", default="", help=f"its number, or “{WRITE}”; the newest unless given"
        )
        parser.add_argument("--endpoint", required=True, help="the name of who judges")
        parser.add_argument("--planner", default="", help="of who writes the plan; else who judges")
        parser.add_argument("--predictions", type=int, default=USUAL.predictions)
        parser.add_argument("--fewest-valid", type=int, default=USUAL.fewest_valid)
        parser.add_argument("--temperature", type=float, default=USUAL.temperature)
        parser.add_argument("--max-tokens", type=int, default=USUAL.max_tokens)
        parser.add_argument(
            "--turned", action="store_true", help="turn the order in every second prediction"
        )
        add_start(parser, name="Fusion-Eval")

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']}.")
        given = {**options, "seed": _seed(options["seed"])}
        try:
            wish = self._wish(project, given)
            self._say_estimate(fusing.check(project=project, wish=wish))
            if not options["estimate"]:
                run = self._start(project, wish, given)
                watch(run, self.stdout, here=given["here"])
                self._table(run, given)
        except errors.Refusal as refusal:
            raise CommandError(refusal.message) from refusal

    def _wish(self, project: Project, options: Mapping[str, Any]) -> Wish:
        version = _version(project, options)
        variants = [Variant(one) for one in options["variant"]] or [Variant.FE]
        round_, batch = _over(project, options["over"])
        return Wish(
            version=version,
            variants=variants,
            endpoint=_endpoint(project, options["endpoint"]),
            plan=self._plan(project, version, options) if Variant.FE in variants else None,
            round=round_,
            batch=batch,
            settings=Settings(**{name: options[name] for name in Settings.__dataclass_fields__}),
        )

    def _plan(
        self, project: Project, version: TaskVersion, options: Mapping[str, Any]
    ) -> Plan | None:
        wished = options["plan"]
        rows = version.plans.order_by("-number")
        if wished.isdecimal():
            return rows.filter(number=int(wished)).first()
        if wished and wished != WRITE:
            raise CommandError(f"A plan has a number, or is “{WRITE}”; not {wished}.")
        if not wished or options["estimate"]:
            return rows.first()
        run = plan_writing.request_plan(
            version=version,
            endpoint=_endpoint(project, options["planner"] or options["endpoint"]),
            key=uuid4(),
            name=f"Plan for {version.task.name}"[:120],
            seed=options["seed"],
            user=user_named(project, options["by"]),
            now=timezone.now(),
        )
        self.stdout.write(f"Run {run.number} writes a plan.")
        watch(run, self.stdout, here=options["here"])
        return rows.filter(run=run).first()

    def _say_estimate(self, checked: Checked) -> None:
        estimate, found = checked.estimate, checked.found
        self.stdout.write(
            f"{found.n} answers. {estimate.calls} calls, {estimate.prompt_tokens} + "
            f"{estimate.completion_tokens} tokens, {amounts.money(estimate.cost, estimate.currency)}, "
            f"about {amounts.spell(estimate.seconds)}"
        )
        for name, n in found.lacking:
            self.stdout.write(f"  {n} of them have no score by {name}: “not available”")

    def _start(self, project: Project, wish: Wish, options: Mapping[str, Any]) -> Run:
        run = fusing.start(
            project=project,
            wish=wish,
            key=options["key"] or uuid4(),
            name=options["name"],
            seed=options["seed"],
            user=user_named(project, options["by"]),
            now=timezone.now(),
            budget=amount(options["budget"]),
        )
        self.stdout.write(f"Run {run.number} has been asked for.")
        return run

    def _table(self, run: Run, options: Mapping[str, Any]) -> None:
        self.stdout.write(f"Run {run.number} is {run.get_state_display()}.")
        if run.scripted:
            self.stdout.write(banner.BANNER)
        user = user_named(run.project, options["by"])
        board = fusion_results.board(Reading(Scope(run.project, user, frozenset()), run))
        width = max([28, *(len(one.name) + 2 for one in board.lines)])
        names = [one[:13].rjust(15) for one in [*board.criteria, "seconds each"]]
        self.stdout.write("".join(["Judge".ljust(width), *names]))
        for line in board.lines:
            values = ["–" if one.mean is None else f"{one.mean:.2f}" for one in line.whole]
            values.append("–" if line.spent is None else f"{line.spent.seconds:.2f}")
            self.stdout.write("".join([line.name.ljust(width), *(one.rjust(15) for one in values)]))


def _seed(given: int | None) -> int:
    return secrets.randbelow(LARGEST_SEED) if given is None else given


def _version(project: Project, options: Mapping[str, Any]) -> TaskVersion:
    wished = options["task"]
    rows = EvaluationTask.objects.filter(project=project)
    found = rows.filter(name=wished).first()
    if found is None and wished.isdecimal():
        found = rows.filter(number=int(wished)).first()
    if found is not None:
        return reads.newest(found)
    if not options["template"] or options["estimate"]:
        raise CommandError(f"There is no task {wished} in the project {project.slug}.")
    return evaluation_tasks.create(
        project=project,
        name=wished,
        content=TEMPLATES[options["template"]],
        by=user_named(project, options["by"]),
        now=timezone.now(),
    )


def _over(project: Project, over: str) -> tuple[Round | None, int | None]:
    kind, _colon, number = over.partition(":")
    if kind not in {"round", "import"} or not number.isdecimal() or len(number) > 9:
        raise CommandError(f"{over} is neither round:NUMBER nor import:NUMBER.")
    if kind == "import":
        return None, int(number)
    found = rounds.of(project).filter(number=int(number)).first()
    if found is None:
        raise CommandError(f"There is no round {number} in the project {project.slug}.")
    return found, None


def _endpoint(project: Project, name: str) -> Endpoint:
    found = judge_list.endpoints_of(project).filter(name=name).first()
    if found is None:
        raise CommandError(f"There is no endpoint {name} in the project {project.slug}.")
    return found
