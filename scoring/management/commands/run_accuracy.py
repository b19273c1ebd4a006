"""Measure accuracy from a terminal: manage.py run_accuracy northport --over import:3 --orders 4."""

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
from scoring.engine.forms import LARGEST_SEED
from scoring.engine.models import Run
from scoring.kinds.accuracy import operations as quizzes
from scoring.kinds.accuracy.operations import Wish
from scoring.kinds.interviews.operations import LANGUAGES
from scoring.management import endings
from scoring.management.commands.run_kieval import chosen
from scoring.management.commands.runs import add_start, amount, user_named, watch
from scoring.management.endings import Unusable
from scoring.shown import names as banner


class Command(BaseCommand):
    help = (
        "Measure the accuracy of systems on questions of multiple choice; a table at the end. "
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
        parser.add_argument("--orders", type=int, default=1, help="of the options")
        parser.add_argument("--shots", type=int, default=0, help="examples before each question")
        parser.add_argument(
            "--examples-over", default="", help="where examples come from; as --over"
        )
        parser.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0])
        add_start(parser, name="Accuracy")

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise Unusable(f"There is no project {options['project']}.")
        wish = _wish(project, options)
        self._say_estimate(quizzes.check(project=project, wish=wish, now=timezone.now()))
        if not options["estimate"]:
            run = self._start(project, wish, options)
            watch(run, self.stdout, here=options["here"])
            self._table(run)
            endings.check(run, options["tolerate"])

    def _say_estimate(self, checked: quizzes.Checked) -> None:
        found = checked.estimate
        self.stdout.write(
            f"{len(checked.found.items)} questions, {checked.found.n_without} without options. "
            f"{found.calls} calls, {found.prompt_tokens} + {found.completion_tokens} tokens, "
            f"{amounts.money(found.cost, found.currency)}, about {amounts.spell(found.seconds)}"
        )

    def _start(self, project: Project, wish: Wish, options: Mapping[str, Any]) -> Run:
        run = quizzes.start(
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
        # It loads scipy, which a command that only estimates need not wait for.
        from scoring.kinds.accuracy import figure as quiz_figures

        self.stdout.write(f"Run {run.number} is {run.get_state_display()}.")
        if run.scripted:
            self.stdout.write(banner.BANNER)
        data: Any = quiz_figures.compute(run, {})
        names = SystemRelease.objects.select_related("system").in_bulk(data["candidates"])
        heads = ["All", *data["datasets"]]
        self.stdout.write("".join(["System".ljust(28), *(one[:11].rjust(13) for one in heads)]))
        rows = zip(data["candidates"], data["accuracy"], data["facts"], strict=True)
        for release, accuracy, facts in rows:
            found = [accuracy["overall"], *accuracy["datasets"]]
            said = ["–" if one["value"] is None else f"{one['value']:.1f}" for one in found]
            cells = "".join([str(names[release])[:27].ljust(28), *(one.rjust(13) for one in said)])
            told = f"{facts['n_unread']} of {facts['n_replies']} replies named no option"
            if n := facts["n_system_failed"]:
                told += f", the system failed at {n}"
            self.stdout.write(f"{cells}   {told}")


def _wish(project: Project, options: Mapping[str, Any]) -> Wish:
    seed = options["seed"]
    names = ("over", "questions", "orders", "shots", "examples_over", "language")
    return Wish(
        releases=chosen(project, options["release"]),
        seed=secrets.randbelow(LARGEST_SEED) if seed is None else seed,
        **{name: options[name] for name in names},
    )
