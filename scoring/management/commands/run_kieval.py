"""Interview systems from a terminal: manage.py run_kieval northport --over bank: --interactor NAME."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from annotation.people.models import Project
from annotation.systems.models import SystemRelease
from scoring.engine.models import Run
from scoring.kinds.interviews import queries as interview_choice
from scoring.kinds.interviews import results
from scoring.kinds.interviews.kind import KIND
from scoring.management import endings
from scoring.management.starting import StartCommand, wish_of


class Command(StartCommand):
    help = (
        "Interview systems about questions (KIEval), show how far it is, and a table at the end. "
        f"{endings.TOLD}"
    )
    kind = KIND
    called = "Interviews"
    leave_out = ("evaluator", "evaluator_endpoint")

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--evaluator", required=True, help="of an evaluator, or an endpoint")

    def wish(self, project: Project, options: Mapping[str, Any]) -> Any:
        name = options["evaluator"]
        known = interview_choice.evaluators_of(project).filter(name=name).first()
        given = {"evaluator": None, "evaluator_endpoint": name}
        if known is not None:
            given = {"evaluator": known.rater_id, "evaluator_endpoint": ""}
        return wish_of(project, KIND.wish, options, **given)

    def table(self, run: Run) -> None:
        # It loads pandas and scipy, which a command that only estimates need not wait for.
        from scoring.kinds.interviews import figure as interview_figures

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
        if more := results.costs_said(results.shares(run)):
            self.stdout.write(f"Cost of interviews like these: {more}")


def _releases(keys: list[int]) -> list[SystemRelease]:
    return list(SystemRelease.objects.filter(pk__in=keys).select_related("system"))
