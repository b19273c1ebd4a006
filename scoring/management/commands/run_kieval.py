"""Interview systems from a terminal: manage.py run_kieval northport --over bank: --interactor NAME."""

import secrets
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.people.models import Project
from annotation.systems.models import SystemRelease
from evalsite.templatetags import amounts
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.forms import LARGEST_SEED
from scoring.engine.models import Run
from scoring.kinds.interviews import operations as interview_starting
from scoring.kinds.interviews import queries as interview_choice
from scoring.kinds.interviews.operations import DECISIONS, LANGUAGES, PRIORS, Wish
from scoring.management import endings
from scoring.management.commands.runs import add_start, amount, user_named, watch
from scoring.management.endings import Unusable
from scoring.shown import names as banner

SETTINGS = (
    "questions",
    "planned",
    "mark_but_continue",
    "prior",
    "decision",
    "verify",
    "temperature",
    "language",
)


class Command(BaseCommand):
    help = (
        "Interview systems about questions (KIEval), show how far it is, and a table at the end. "
        f"{endings.TOLD}"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument(
            "--over", default="bank:", help="bank:, bank:CAPABILITY, round:NUMBER or import:NUMBER"
        )
        parser.add_argument("--questions", type=int, help="how many are drawn; all unless given")
        parser.add_argument(
            "--release", action="append", default=[], help="as “Kestrel · 1”; all connected ones"
        )
        parser.add_argument("--interactor", required=True, help="the name of an endpoint")
        parser.add_argument("--evaluator", required=True, help="of an evaluator, or an endpoint")
        parser.add_argument("--planned", type=int, default=5, help="exchanges of a dialogue")
        parser.add_argument("--mark-but-continue", action="store_true")
        parser.add_argument("--prior", choices=PRIORS, default=PRIORS[0])
        parser.add_argument("--decision", choices=DECISIONS, default=DECISIONS[0])
        parser.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0])
        parser.add_argument("--verify", action="store_true")
        parser.add_argument("--temperature", type=float, default=0.0)
        add_start(parser, name="Interviews")

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise Unusable(f"There is no project {options['project']}.")
        wish = _wish(project, options)
        checked = interview_starting.check(project=project, wish=wish, now=timezone.now())
        self._say_estimate(checked)
        if not options["estimate"]:
            run = self._start(project, wish, options)
            watch(run, self.stdout, here=options["here"])
            self._table(run)
            endings.check(run, options["tolerate"])

    def _say_estimate(self, checked: interview_starting.Checked) -> None:
        found = checked.estimate
        self.stdout.write(
            f"{len(checked.found.items)} questions, {checked.found.n_without} without an answer. "
            f"{found.calls} calls, {found.prompt_tokens} + {found.completion_tokens} tokens, "
            f"{amounts.money(found.cost, found.currency)}, about {amounts.spell(found.seconds)}"
        )

    def _start(self, project: Project, wish: Wish, options: Mapping[str, Any]) -> Run:
        run = interview_starting.start(
            project=project,
            wish=wish,
            key=options["key"] or uuid4(),
            name=options["name"],
            user=user_named(project, options["by"]),
            now=timezone.now(),
            budget=amount(options["budget"]),
        )
        self.stdout.write(f"Run {run.number} has been asked for.")
        return run

    def _table(self, run: Run) -> None:
        # It loads pandas and scipy, which a command that only estimates need not wait for.
        from scoring.kinds.interviews import figure as interview_figures

        self.stdout.write(f"Run {run.number} is {run.get_state_display()}.")
        if run.scripted:
            self.stdout.write(banner.BANNER)
        data: Any = interview_figures.compute(run, {})
        names = {one.pk: str(one) for one in _releases(data["candidates"])}
        aspects = list(data["aspects"])
        self.stdout.write("".join(["System".ljust(28), *(one[:11].rjust(13) for one in aspects)]))
        for place, release in enumerate(data["candidates"]):
            values = [data["aspects"][one]["candidates"][place]["overall"] for one in aspects]
            said = ["–" if one["value"] is None else f"{one['value']:.2f}" for one in values]
            name = names[release][:27].ljust(28)
            failed = data["facts"][place]["n_failed"]
            told = f"   the system failed in {failed}" if failed else ""
            self.stdout.write("".join([name, *(one.rjust(13) for one in said), told]))


def _releases(keys: list[int]) -> list[SystemRelease]:
    return list(SystemRelease.objects.filter(pk__in=keys).select_related("system"))


def _wish(project: Project, options: Mapping[str, Any]) -> Wish:
    seed = options["seed"]
    return Wish(
        over=options["over"],
        releases=chosen(project, options["release"]),
        interactor=_endpoint(project, options["interactor"]),
        evaluator=_evaluator(project, options["evaluator"]),
        seed=secrets.randbelow(LARGEST_SEED) if seed is None else seed,
        settings={name: options[name] for name in SETTINGS},
    )


def chosen(project: Project, names: list[str]) -> list[int]:
    """Return the connected releases of these names; all of them without a name."""
    ready = {
        str(one.release): one.release.pk for one in connections.of_project(project) if one.is_ready
    }
    if missing := [one for one in names if one not in ready]:
        raise Unusable(f"No endpoint answers as {missing[0]}. Connected: {', '.join(ready)}")
    return [ready[one] for one in names] if names else list(ready.values())


def _endpoint(project: Project, name: str) -> Endpoint:
    found = connections.endpoints_of(project).filter(name=name).first()
    if found is None:
        raise Unusable(f"There is no endpoint {name} in the project {project.slug}.")
    return found


def _evaluator(project: Project, name: str) -> Judge | Endpoint:
    found = interview_choice.evaluators_of(project).filter(name=name).first()
    return found or _endpoint(project, name)
