"""Write the bundle of a final round: manage.py export_bundle northport 3 bundle.zip."""

import time
from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.people import audit
from annotation.people.models import Membership, Project, Role
from annotation.people.permissions import Scope
from scoring import jobs
from scoring.figures.labels import ReadRound
from scoring.figures.models import Figure
from scoring.management import endings
from scoring.management.endings import Unusable
from scoring.report import pages as reports
from scoring.report import queries as reporting
from scoring.study import pages, queries

#: Seconds to wait for figures that a worker has in hands.
WAITS: Final = 300


class Command(BaseCommand):
    help = "Write the data and figures of a final round as a bundle, which verify_figures checks."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument("number", type=int, help="the round's number")
        parser.add_argument("file", type=Path, help="to be written; must not be there yet")
        parser.add_argument("--texts", action="store_true", help="with questions and answers")
        parser.add_argument("--names", action="store_true", help="systems by their names")

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        mine = reading(options["project"], options["number"], named=options["names"])
        if options["file"].exists():
            raise Unusable(f"{options['file']} is there already. Name another file.")
        now = timezone.now()
        figures = _figures(mine, now)
        with open(options["file"], "xb") as file:
            for piece in pages.bundle_of(
                pages.sheet_of(mine, figures), with_texts=options["texts"]
            ):
                file.write(piece)
        audit.done(mine.round, "round.exported", None, now, form="bundle.zip", named=mine.shown)
        self.stdout.write(f"{options['file']}: {options['file'].stat().st_size} bytes.")


def _figures(mine: ReadRound, now: datetime) -> dict[str, Figure]:
    """Return the figures of the sheet; those that no worker has in hands are computed here."""
    choice = reporting.read_report_choice(mine, pages.ASKED)
    for _second in range(WAITS):
        figures = reports.collect(choice=choice, now=now)
        if lost := [one for one in figures.values() if one.will_not_come]:
            raise Unusable(f"The figure {lost[0].name} is not there: {lost[0].problem}")
        waiting = [one for one in figures.values() if one.state != Figure.State.READY]
        if not waiting:
            return figures
        for one in waiting:
            jobs.compute_figure(one.pk)
        time.sleep(1)
    raise Unusable("Figures of the sheet are still being computed. Try again later.")


def reading(slug: str, number: int, *, named: bool) -> ReadRound:
    """Return the reading of a final round as one of its owners has it, with names or without."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise Unusable(f"There is no project {slug}.")
    owner = Membership.objects.with_role([Role.OWNER]).filter(project=project).first()
    if owner is None or not project.rounds.filter(number=number).exists():
        raise Unusable(f"There is no round {number} in the project {slug}.")
    mine = queries.allowed(Scope(project, owner.user, frozenset({Role.OWNER})), number)
    mine.shown = named or mine.is_imported
    return mine
