"""Check that a run still says what it said: manage.py verify_run northport 3."""

from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser

from scoring.engine import auditing
from scoring.engine import imported as imported_runs
from scoring.engine.imported import ImportAudit
from scoring.engine.models import Run
from scoring.kinds.interviews import exchange as imported_dialogues
from scoring.kinds.suites.conversations import results as imported_suites
from scoring.management import endings
from scoring.management.endings import Unusable

#: What the command ends with: something differs; there was nothing to compare, or no such run.
DIFFERS: Final = 1
NOTHING: Final = 2


class Command(BaseCommand):
    help = (
        "Play a run back from its recorded calls, asking nobody; of a run from a file, compare it with what "
        "came in. The exit code is 0 if all comes out as it did, 1 if anything comes out otherwise, 2 if "
        "nothing could be compared or there is no such run."
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
        if imported_runs.is_imported(run):
            self._of_a_file(run)
        else:
            self._played_back(run)

    def _played_back(self, run: Run) -> None:
        found = auditing.audit(run=run)
        for one in found.differences:
            self.stdout.write(f"{one.key}: {one.why}")
        if found.n_left_out:
            self.stdout.write(f"{found.n_left_out} steps have no outcome to compare.")
        if found.differences:
            message = (
                f"{len(found.differences)} steps of run {run.number} come out otherwise; see above."
            )
            raise CommandError(message, returncode=DIFFERS)
        if not found.n_same:
            message = f"Run {run.number} has no step with an outcome: nothing was verified."
            raise CommandError(message, returncode=NOTHING)
        self.stdout.write(f"Run {run.number}: {found.n_same} steps come out as they did.")

    def _compared(self, run: Run) -> ImportAudit:
        if run.kind == Run.Kind.KIEVAL:
            return imported_dialogues.audit(run)
        return imported_runs.audit(run, imported_suites.parts(run))

    def _of_a_file(self, run: Run) -> None:
        about = (
            f"Run {run.number} came from a file: nobody was asked, so no step can be played back."
        )
        found = self._compared(run)
        for one in found.differences:
            self.stdout.write(one)
        if found.differences:
            message = f"{about} {len(found.differences)} differences; see above."
            raise CommandError(message, returncode=DIFFERS)
        if not found.compared:
            message = f"{about} What came in was not written down then: nothing was verified."
            raise CommandError(message, returncode=NOTHING)
        self.stdout.write(" ".join([about, *found.compared]))
