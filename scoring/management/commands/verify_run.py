"""Check that a run still says what it said: manage.py verify_run northport 3."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.management import endings
from scoring.management.endings import Unusable
from scoring.models import Run
from scoring.operations.runs import auditing


class Command(BaseCommand):
    help = (
        "Play a run back from its recorded calls, asking nobody. The exit code is 0 if every step comes out as "
        "it did, 1 if one comes out otherwise, 2 if there is no such run."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument("number", type=int, help="the run's number")

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        number, slug = options["number"], options["project"]
        run = Run.objects.filter(project__slug=slug, number=number).first()
        if run is None:
            raise Unusable(f"There is no run {number} in the project {slug}.")
        found = auditing.audit(run=run)
        for one in found.differences:
            self.stdout.write(f"{one.key}: {one.why}")
        if found.n_left_out:
            self.stdout.write(f"{found.n_left_out} steps have no outcome to compare.")
        if found.differences:
            raise CommandError(
                f"{len(found.differences)} steps of run {number} come out otherwise; see above."
            )
        self.stdout.write(f"Run {number}: {found.n_same} steps come out as they did.")
