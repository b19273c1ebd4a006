"""Evaluate conversations by a suite from a terminal: manage.py run_suite suite.yaml --data talks.jsonl."""

import secrets
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.people.models import Project, User
from evalsite import errors
from scoring.engine import requests
from scoring.engine.kinds import LARGEST_SEED
from scoring.engine.models import Run
from scoring.kinds.suites import exchange as suite_files
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites import operations as suite_runs
from scoring.kinds.suites.conversations import operations as conversations
from scoring.kinds.suites.conversations.operations import SetWish
from scoring.kinds.suites.models import ConversationSet, Suite, SuiteVersion
from scoring.kinds.suites.protocol import definition, source
from scoring.kinds.suites.protocol.definition import Rubric, UnusableSuite
from scoring.management import endings, reports
from scoring.management.reports import GateReport, RunReport
from scoring.management.starting import NO_LIMIT, amount, user_named, watch
from scoring.shown import names as banner

RUBRICS = "rubric_metrics.yaml"
CHUNK = 1024 * 1024
#: What a report keeps of a run, to hold a later one against.
Kept = Sequence[Mapping[str, Any]]


class Command(BaseCommand):
    help = (
        "Evaluate conversations by a suite, show how far it is, and a table at the end. The exit code "
        "is 0 if every gate is kept, 1 if one is not, 2 if something given cannot be used, 3 if more steps "
        "failed than --tolerate allows; no gate is kept where more judgments than that are missing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("suite", type=Path, help="the suite's YAML file")
        parser.add_argument(
            "--eval", default="", help="which suite of the file; needed if it holds several"
        )
        parser.add_argument(
            "--project", default="", help="the project's short name; needed if there are several"
        )
        parser.add_argument(
            "--data", action="append", type=Path, default=[], help="a file; may be repeated"
        )
        parser.add_argument(
            "--set", action="append", default=[], help="conversations that are stored, by name"
        )
        parser.add_argument("--system", default="Recorded", help="that took part in --data")
        parser.add_argument("--release", default="1", help="of the system")
        parser.add_argument(
            "--rubrics", action="append", type=Path, default=[], help="a file of rubrics"
        )
        parser.add_argument(
            "--baseline", help="what to compare with: number of a run, or a report (--json) of one"
        )
        parser.add_argument("--out", type=Path, help="a folder for results.csv, .jsonl and .sqlite")
        parser.add_argument("--name", default="", help="as it stands in the list of runs")
        parser.add_argument("--seed", type=int, help="one is drawn unless given")
        parser.add_argument("--budget", default=NO_LIMIT)
        parser.add_argument("--key", type=UUID, help="the same key again is the same run")
        parser.add_argument("--by", default="", help="user name of who does this; else the owner")
        endings.add_tolerance(parser)
        reports.add(parser)

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        try:
            run, baseline = self._asked(options)
        except (errors.Refusal, UnusableSuite) as refusal:
            problems = getattr(refusal, "problems", None)
            said = "\n".join(map(str, problems)) if problems else str(refusal)
            raise endings.Unusable(said) from refusal
        watch(run, self.stdout, here=True)
        gates = self._tell(run, baseline, options)
        if reports.is_wanted(options):
            self._report(run, gates, options)
        endings.check(run, options["tolerate"])
        if n_failed := sum(not one.is_kept for one in gates):
            said = f"{n_failed} of {len(gates)} gates failed."
            raise CommandError(said, returncode=endings.GATES_FAILED)

    def _report(self, run: Run, gates: Sequence[GateReport], options: Mapping[str, Any]) -> None:
        # It loads scipy, which a suite that cannot be used need not wait for.
        from scoring.kinds.suites import figure as suite_tables

        report = RunReport(
            run=run,
            tolerated=options["tolerate"],
            user=user_named(run.project, options["by"]),
            gates=gates,
            standards=suite_tables.standards(run),
            baseline=str(options["baseline"] or ""),
        )
        for path in reports.write(report, options):
            self.stdout.write(f"Written to {path}.")

    def _asked(self, options: Mapping[str, Any]) -> tuple[Run, Run | Kept | None]:
        project = _project(options["project"])
        user = user_named(project, options["by"])
        said = options["baseline"]
        baseline = None if said is None else _baseline(project, str(said))
        version, found = _saved(project, options, user)
        for warning in found.warnings:
            self.stdout.write(f"Note: {warning}")
        sets = self._sets(project, found, options, user)
        if not sets:
            raise endings.Unusable(
                "There are no conversations. Name a file with --data, or under “data” in the suite."
            )
        wish = suite_runs.SuiteRun(
            key=options["key"] or uuid4(),
            name=(options["name"] or version.suite.name)[:120],
            seed=secrets.randbelow(LARGEST_SEED) if options["seed"] is None else options["seed"],
            budget=amount(options["budget"]),
            sets=tuple(one.name for one in sets),
            tolerated=options["tolerate"],
        )
        of = suite_runs.Of(version)
        run = requests.started(suite_runs.START, of, wish, user=user, now=timezone.now())
        self.stdout.write(f"Run {run.number} of “{version.suite.name}”, version {version.number}.")
        return run, baseline

    def _sets(
        self, project: Project, suite: definition.SuiteText, options: Mapping[str, Any], user: User
    ) -> list[ConversationSet]:
        """Return the conversations that the command names, or those that the suite does."""
        sets = [_set(project, one) for one in options["set"]]
        files = [(one, one.stem) for one in options["data"]]
        if not (sets or files):
            path: Path = options["suite"]
            files = [
                (_beside(path, one), suite.named.get(one, Path(one).stem))
                for one in suite.data
                if one
            ]
            if missing := [str(file) for file, _name in files if not file.is_file()]:
                raise endings.Unusable(f"{', '.join(missing)} cannot be read.")
            sets = [_set(project, one) for one in suite.sets]
        return [*sets, *(self._brought(project, *one, options, user) for one in files)]

    def _brought(
        self, project: Project, file: Path, name: str, options: Mapping[str, Any], user: User
    ) -> ConversationSet:
        if not file.is_file():
            raise endings.Unusable(f"{file} cannot be read.")
        _refuse_unwritten(file)
        found = conversations.bring_file(
            project=project,
            wish=SetWish(name[:120], options["system"], options["release"], file.name),
            open_file=lambda: _chunks(file),
            by=user,
            now=timezone.now(),
        )
        self.stdout.write(
            f"{file.name}: {found.n} conversations new, {found.n_known} were there already."
        )
        return found.set

    def _tell(
        self, run: Run, baseline: Run | Kept | None, options: Mapping[str, Any]
    ) -> list[GateReport]:
        """Show the table and the gates; return what became of these."""
        # It loads scipy, which a suite that cannot be used need not wait for.
        from scoring.kinds.suites import figure as suite_tables

        if run.scripted:
            self.stdout.write(banner.BANNER)
        before: suite_tables.Baseline | None = None
        if baseline is not None:
            before = (
                suite_tables.OfRun(baseline)
                if isinstance(baseline, Run)
                else suite_tables.OfReport(baseline)
            )
        for line in suite_tables.lines(run, baseline if isinstance(baseline, Run) else None):
            self.stdout.write(line)
        if options["out"]:
            self._write(run, options["out"])
        gates = [
            GateReport(one.gate, one.release, one.value, one.passed, one.said)
            for one in suite_tables.gates(run, before)
        ]
        for gate in gates:
            kept_or_not = "kept  " if gate.is_kept else "FAILED"
            self.stdout.write(f"{kept_or_not} {gate.name}: {gate.system} {gate.words}")
        return gates

    def _write(self, run: Run, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, lines in (
            ("results.csv", suite_files.csv_lines(run)),
            ("results.jsonl", suite_files.jsonl_lines(run)),
        ):
            with (folder / name).open("w", encoding="utf-8", newline="") as file:
                file.writelines(lines)
        target = folder / "results.sqlite"
        target.unlink(missing_ok=True)
        suite_files.write_sqlite(run, target)
        self.stdout.write(f"Written to {folder}: results.csv, results.jsonl, results.sqlite.")


def _project(slug: str) -> Project:
    rows = Project.objects.order_by("slug")
    if slug:
        rows = rows.filter(slug=slug)
    found = list(rows[:2])
    if not found:
        said = (
            f"There is no project {slug}." if slug else "There is no project yet. Make one first."
        )
        raise endings.Unusable(said)
    if len(found) > 1:
        raise endings.Unusable("There are several projects. Say which with --project.")
    return found[0]


def _saved(
    project: Project, options: Mapping[str, Any], user: User
) -> tuple[SuiteVersion, definition.SuiteText]:
    """Save the suite, as a version of the one of its name, and return what its file says."""
    path, chosen = options["suite"], options["eval"]
    text = _text(path)
    rubrics = _rubrics(path, source.rubric_paths(text, chosen), options["rubrics"])
    found = suites.read_suite(text, rubrics, chosen)
    suite_runs.check_endpoints(project, found)
    given: dict[str, Any] = {
        "text": text,
        "by": user,
        "now": timezone.now(),
        "rubrics": rubrics,
        "chosen": chosen,
    }
    suite = Suite.objects.filter(project=project, name=found.name.strip() or "Suite").first()
    version = (
        suites.create(project=project, **given)
        if suite is None
        else suites.change(suite=suite, **given)
    )
    return version, found


def _rubrics(path: Path, named: list[str], given: list[Path]) -> dict[str, Rubric]:
    """Return the rubrics of the files that are named, or of the usual one beside the suite.

    Of two of a name the first counts, as with FlexEval.
    """
    files = [*given, *(_beside(path, one) for one in named)]
    beside = path.parent / RUBRICS
    if not files and beside.is_file():
        files = [beside]
    found: dict[str, Rubric] = {}
    for one in files:
        found = suites.read_rubrics(_text(one)) | found
    return found


def _refuse_unwritten(file: Path) -> None:
    """Refuse a SQLite database of which the newest part is in another file yet."""
    waiting = file.with_name(f"{file.name}-wal")
    if waiting.is_file() and waiting.stat().st_size:
        raise endings.Unusable(
            f"{waiting} holds what is not in {file.name} yet. End the program that writes it, or: "
            f"sqlite3 {file} 'PRAGMA wal_checkpoint(TRUNCATE)'"
        )


def _beside(path: Path, named: str) -> Path:
    """Return a file that a suite names: beside the suite, else where the command is run."""
    beside = path.parent / named
    return beside if beside.exists() or not Path(named).exists() else Path(named)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise endings.Unusable(f"{path} cannot be read.") from None


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            yield piece


def _set(project: Project, name: str) -> ConversationSet:
    found = ConversationSet.objects.filter(project=project, name=name).first()
    if found is None:
        known = ", ".join(project.conversation_sets.values_list("name", flat=True)) or "none"
        raise endings.Unusable(f"There are no conversations called {name}. There are: {known}.")
    return found


def _baseline(project: Project, said: str) -> Run | Kept:
    """Return the run that gates are held against, or what a report keeps of one."""
    if not said.isdecimal():
        return reports.kept_standards(Path(said))
    found = Run.objects.filter(project=project, number=said, kind=Run.Kind.SUITE).first()
    if found is None:
        raise endings.Unusable(f"There is no run {said} of a suite in {project.slug}.")
    return found
