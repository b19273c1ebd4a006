"""Tune a judge from a terminal: manage.py tune begin northport --round 3 --endpoint Judge --name Reader."""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.people.models import Project
from annotation.rounds.models import Round
from scoring.engine.models import Run
from scoring.kinds.judging.models import Tuning
from scoring.management import endings
from scoring.management.endings import Unusable
from scoring.management.starting import NO_LIMIT, amount, project_named, user_named, watch
from scoring.tuning import operations
from scoring.tuning import queries as reads
from scoring.tuning.records import TuningBegin, TuningExample


class Command(BaseCommand):
    help = (
        "Tune a judge on part of a final round, and measure it once on the rest: list, begin, try, show, "
        f"measure. {endings.TOLD}"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

        def action(name: str, said: str, *, of_one: bool = True) -> ArgumentParser:
            made: ArgumentParser = actions.add_parser(name, help=said)
            made.add_argument("project", help="the project's short name, as in its address")
            if of_one:
                made.add_argument("number", type=int, help="the tuning's number")
            made.add_argument("--by", default="", help="user name of who does this; else the owner")
            return made

        action("list", "show the judges that are tuned", of_one=False)
        begin = action("begin", "split the questions of a final round", of_one=False)
        begin.add_argument("--name", required=True, help="of the judge")
        begin.add_argument("--round", required=True, type=int, help="the round's number")
        begin.add_argument("--endpoint", required=True, help="the language model, by name")
        begin.add_argument("--criterion", action="append", default=[], help="may be repeated")
        begin.add_argument("--share", type=int, default=40, help="percent of questions set aside")
        begin.add_argument("--seed", type=int, help="one is drawn unless given")
        begin.add_argument("--repeats", type=int, default=1, help="readings of each answer")
        attempt = action("try", "grade the practice answers by new instructions")
        attempt.add_argument("--instructions", help="a file; - reads them from stdin")
        attempt.add_argument("--note", default="", help="what changed")
        attempt.add_argument(
            "--example", type=int, action="append", help="a response, by its key; may be repeated"
        )
        self._add_run(attempt)
        show = action("show", "show versions, their agreement and the disagreements of the newest")
        show.add_argument("--json", action="store_true", help="for programs")
        measure = action("measure", "lock a version and measure it on the questions set aside")
        measure.add_argument("--tried", type=int, required=True, help="the version's number")
        self._add_run(measure)

    def _add_run(self, parser: ArgumentParser) -> None:
        parser.add_argument("--budget", default=NO_LIMIT)
        parser.add_argument("--here", action="store_true", help="do the work in this process")
        endings.add_tolerance(parser)

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        deeds: Mapping[str, Callable[[Project, Mapping[str, Any]], None]] = {
            "list": self._list,
            "begin": self._begin,
            "try": self._try,
            "show": self._show,
            "measure": self._measure,
        }
        deeds[options["action"]](project, options)

    def _list(self, project: Project, options: Mapping[str, Any]) -> None:
        for one in reads.tunings_of(project):
            state = f"version {one.locked.number} locked" if one.locked else "being tuned"
            self.stdout.write(f"{one.number:>4}  {state:<20} {one.name}, {one.round.name}")

    def _begin(self, project: Project, options: Mapping[str, Any]) -> None:
        round_ = Round.objects.filter(project=project, number=options["round"]).first()
        if round_ is None:
            raise Unusable(f"There is no round {options['round']} in the project {project.slug}.")
        names = ("name", "round", "endpoint", "share", "seed", "repeats")
        wish = TuningBegin(
            **{name: options[name] for name in names}, criteria=tuple(options["criterion"])
        )
        made = operations.begin(round_=round_, wish=wish, **_who(project, options))
        split = reads.split(made)
        self.stdout.write(
            f"Tuning {made.number}: {split.n_practice} questions to practise on, "
            f"{split.n_held_out} set aside."
        )

    def _try(self, project: Project, options: Mapping[str, Any]) -> None:
        tuning, who = _tuning(project, options["number"]), _who(project, options)
        examples = [TuningExample(**one) for one in tuning.examples]
        if options["example"] is not None:
            examples = [TuningExample(response=one) for one in options["example"]]
        operations.keep(
            tuning=tuning,
            instructions=_text(options["instructions"]) or tuning.instructions,
            examples=examples,
            rev=tuning.rev,
            **who,
        )
        budget = amount(options["budget"])
        made = operations.try_version(
            tuning=tuning, key=uuid4(), note=options["note"], budget=budget, **who
        )
        self._follow(f"Version {made.number}", made.run, options)

    def _measure(self, project: Project, options: Mapping[str, Any]) -> None:
        found = operations.measure(
            tuning=_tuning(project, options["number"]),
            number=options["tried"],
            key=uuid4(),
            budget=amount(options["budget"]),
            **_who(project, options),
        )
        assert found.measure is not None
        self._follow(f"Version {options['tried']} is locked:", found.measure, options)

    def _follow(self, said: str, run: Run, options: Mapping[str, Any]) -> None:
        self.stdout.write(f"{said} run {run.number} has been asked for.")
        if options["here"]:
            watch(run, self.stdout, here=True)
            endings.check(run, options["tolerate"])

    def _show(self, project: Project, options: Mapping[str, Any]) -> None:
        tuning = _tuning(project, options["number"])
        rows = list(tuning.versions.select_related("run").order_by("number"))
        told: dict[str, Any] = {
            "number": tuning.number,
            "name": tuning.name,
            "versions": [
                {"number": one.number, "note": one.note, "figure": _figure(tuning, one.run)}
                for one in rows
            ],
            "locked": tuning.locked.number if tuning.locked else None,
            "measured": _figure(tuning, tuning.measure),
        }
        if options["json"]:
            self.stdout.write(json.dumps(told, ensure_ascii=False, indent=2))
            return
        for one in told["versions"]:
            self._line(f"v{one['number']} {one['note']}".strip(), one["figure"])
        if told["locked"]:
            self._line(f"v{told['locked']}, set aside", told["measured"])

    def _line(self, name: str, figure: Any) -> None:
        if figure is None:
            self.stdout.write(f"{name}: not there yet")
            return
        for one in figure["criteria"]:
            found, top = one["agreement"], one["people"]["value"]
            said = "–" if found["value"] is None else f"{found['value']:.2f}"
            if found["low"] is not None:
                said += f" ({found['low']:.2f} to {found['high']:.2f})"
            people = "–" if top is None else f"{top:.2f}"
            self.stdout.write(
                f"{name}: {one['criterion']} r {said}, people {people}, "
                f"{one['n_apart']} of {found['n']} differ, {one['n_unscored']} unscored"
            )


def _who(project: Project, options: Mapping[str, Any]) -> dict[str, Any]:
    return {"by": user_named(project, options["by"]), "now": timezone.now()}


def _tuning(project: Project, number: int) -> Tuning:
    found = reads.tunings_of(project).filter(number=number).first()
    if found is None:
        raise Unusable(f"There is no tuning {number} in the project {project.slug}.")
    return found


def _text(path: str | None) -> str:
    if path is None:
        return ""
    if path == "-":
        return sys.stdin.read()
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise Unusable(f"{path} cannot be read.") from None


def _figure(tuning: Tuning, run: Run | None) -> Any:
    """Return what a run came to, computed here and now; None while it is at work."""
    # It loads pandas, which a command that only begins something need not wait for.
    from scoring.tuning import figure as figures

    if run is None or run.state != Run.State.DONE:
        return None
    return figures.tuning_of(tuning.round, {"run": run.pk})
