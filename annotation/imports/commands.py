"""What the import commands share: take the file, map it, check it, bring it in, tell the outcome."""

import json
import shlex
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.files import wording
from annotation.files.cells import FileProblem
from annotation.files.mappings import ColumnTarget, FileMapping, written_place
from annotation.files.models import ImportBatch, ImportKind, Upload
from annotation.imports import checks, lists, recognising, uploading
from annotation.imports import operations as imports
from annotation.imports import places as surveys
from annotation.imports.kind_forms import OFFERS
from annotation.imports.matching import faces, kept
from annotation.people.models import Membership, Project, Role, User
from evalsite import arguments, errors
from evalsite.arguments import refused
from evalsite.records import RecordPart, parts

#: How a command ends that needs an answer; 0 where it was done, 2 where it is refused.
NEEDS_ANSWER = 1


class ImportCommand(BaseCommand):
    """Ends with 0 where a file came in, or is fine; 1 where it needs an answer; 2 where it is refused."""

    kind: ImportKind

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--project", required=True, help="short name of the project")
        parser.add_argument("--by", default="", help="user name of who does this; else the owner")
        parser.add_argument(
            "--encoding",
            default="",
            help="of the file, such as windows-1252, where it is asked for",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would come of it, write nothing"
        )
        parser.add_argument("--json", action="store_true", help="say what came of it as JSON")
        parser.add_argument(
            "--answer",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="what only a person can say of the file, where it is asked for; may be repeated",
        )
        parser.add_argument(
            "--mapping",
            type=Path,
            help="a file of a mapping, as the page of a file hands it out; in place of --map",
        )
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="COLUMN=TARGET",
            help="where a column goes; the column may hold * and ?; may be repeated. "
            "answer:NAME names the system, grade:RATER:CRITERION:SYSTEM and score:JUDGE:CRITERION whose marks of what",
        )
        for one in self._asked():
            arguments.add(parser, one)

    def _asked(self) -> Iterator[RecordPart]:
        """Yield what a file of this kind asks for in words, of all that its mapping holds."""
        for one in parts(checks.MAPPINGS[self.kind]):
            if one.kind is not None:
                yield replace(one, default="") if one.required else one

    def mapping(
        self, upload: Upload, places: tuple[ColumnTarget, ...], **options: Any
    ) -> FileMapping:
        """Return what was said of a file; what nobody said, as the file or the project says it."""
        said = {one.name: arguments.value(one, options) for one in self._asked()}
        said |= self.said(options)
        return surveys.filled(upload, checks.MAPPINGS[self.kind](places, **said))

    def said(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return what is said of a file in other arguments, or else than in these."""
        del options
        return {}

    def remedy(self, upload: Upload) -> str:
        """Return what else may be said of a file that is refused."""
        del upload
        return ""

    def say(self, line: str) -> None:
        """Write a line for people; programs that want JSON read nothing else."""
        if not self._as_json:
            self.stdout.write(line)

    def handle(self, *args: Any, **options: Any) -> None:
        self._as_json = bool(options["json"])
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise refused(_("There is no project %s.") % options["project"])
        upload = self._receive(project, _person(project, options["by"]), options)
        try:
            self._bring_in(upload, options)
        finally:
            if not upload.batches.exists():
                uploading.discard(upload=upload)

    def _receive(self, project: Project, by: User, options: dict[str, Any]) -> Upload:
        path: Path = options["file"]
        found = self._document(options)
        told = found.told if found else {}
        said = arguments.pairs("--answer KEY=VALUE", options["answer"], first=True)
        try:
            return uploading.receive(
                project=project,
                kind=self.kind,
                name=path.name,
                pieces=_pieces(path),
                by=by,
                now=timezone.now(),
                told={**told, **_said(encoding=options["encoding"]), **said},
            )
        except errors.Refusal as refusal:
            raise refused(f"{path}: {refusal.message}") from refusal
        except OSError as problem:
            raise refused(f"{path}: {problem.strerror}") from problem

    def _bring_in(self, upload: Upload, options: dict[str, Any]) -> None:
        self._stop_at_questions(upload)
        self._map(upload, options)
        if twin := lists.applied_twin(upload):
            self._end(upload, imports.already(twin).message, twin)
            return
        self._check(upload, options)
        if options["dry_run"]:
            self._end(upload, _("Nothing was written: this was a check."))
            return
        try:
            batch = imports.start(upload=upload, by=upload.created_by, now=timezone.now())
        except errors.Refusal as refusal:
            raise refused(refusal.message) from refusal
        done = imports.carry_on(batch_id=batch.pk, clock=timezone.now)
        if done is None or done.state != ImportBatch.State.APPLIED:
            raise refused((done and done.stopped) or _("The import did not finish."))
        said = _("Import %(number)d is applied: %(counts)s.")
        self._end(upload, said % {"number": done.number, "counts": _counted(done.counts)}, done)

    def _map(self, upload: Upload, options: dict[str, Any]) -> None:
        rules = [_rule(one) for one in options["map"]]
        named = [pattern for pattern, _target in rules if not set(pattern) & set("*?[")]
        uploading.find_columns(upload=upload, names=named)
        places = tuple(_places(upload, rules))
        found = self._document(options)
        mapping = (
            checks.mapping_of(self.kind, kept.completed(found, upload.name))
            if found
            else self.mapping(upload, places, **options)
        )
        try:
            uploading.set_mapping(upload=upload, mapping=mapping)
        except uploading.MappingIncomplete as refusal:
            for problem in refusal.problems:
                fields = faces.FIELDS.get(problem.code, ())
                told = [f"--{name.replace('_', '-')}" for name in fields if name in options]
                by_option = _("Or say it with %s.") % ", ".join(told) if told else ""
                meant = refusal.probably.get(problem.column)
                by_map = shlex.quote(f"{problem.column}={meant}") if meant else ""
                probably = _("Probably: --map %s") % by_map if by_map else ""
                said = " ".join(filter(None, (wording.sentence(problem), by_option, probably)))
                self.stderr.write(f"{options['file']}: {said}")
            raise refused(
                _("The columns are not all mapped. Use --map COLUMN=TARGET; targets: %s.")
                % ", ".join(_targets(self.kind))
            ) from refusal

    def _document(self, options: dict[str, Any]) -> kept.MappingDocument | None:
        """Return the mapping that is sent along as a file, if one is."""
        path: Path | None = options["mapping"]
        if path is None:
            return None
        if options["map"]:
            raise refused(_("Give --mapping or --map, not both."))
        try:
            found = kept.read_mapping(path.read_text("utf-8"))
        except OSError as problem:
            raise refused(f"{path}: {problem.strerror}") from problem
        except errors.Refusal as refusal:
            raise refused(f"{path}: {refusal.message}") from refusal
        if found.kind != self.kind:
            raise refused(f"{path}: {_('This is a mapping of files of %s.') % found.kind.label}")
        return found

    def _check(self, upload: Upload, options: dict[str, Any]) -> None:
        report = imports.check(upload=upload, clock=timezone.now)
        n_problems = report["n_errors"] + report["n_warnings"]
        if n_problems > imports.KEPT:
            for step in checks.steps(upload, checks.begin(upload)):
                self._tell(options["file"], step.problems)
        else:
            self._tell(options["file"], [FileProblem.from_dict(one) for one in report["problems"]])
        self._match(upload)
        self._stop_at_questions(upload)
        if not report["ok"]:
            self._end(upload, "")
            said = _("Nothing was imported: mend the problems and try again (%d found).")
            raise refused(f"{said % report['n_errors']} {self.remedy(upload)}".strip())

    def _match(self, upload: Upload) -> None:
        """Say what was found of the file here, and what is taken of that which is not answered."""
        report = upload.report or {}
        counted = {"rows": report["n_rows"], "counts": _counted(report["counts"])}
        self.say(_("%(rows)d rows read: %(counts)s.") % counted)
        for line in faces.lines(upload):
            self.say(line.title)
            for text in [*line.texts, *line.notes]:
                self.say(f"  {text}")
        for one in imports.questions(upload):
            if not one.is_open and not one.answered:
                self.say(_("Please check: %s") % one.title)
                self.say(f"  --answer {shlex.quote(f'{one.key}={one.answer}')}")

    def _stop_at_questions(self, upload: Upload) -> None:
        """End where something has to be answered, with each question, its key and its options."""
        if not (asked := imports.open_questions(upload)):
            return
        for one in asked:
            self.stderr.write(f"{one.key}: {one.lines()[0]}")
            for option in one.options:
                said = shlex.quote(f"{one.key}={option.value}")
                self.stderr.write(f"  --answer {said}: {option.label}")
        self._end(upload, "")
        keys = ", ".join(one.key for one in asked)
        raise CommandError(
            _("Nothing was imported: answer with --answer KEY=VALUE (%s).") % keys,
            returncode=NEEDS_ANSWER,
        )

    def _end(self, upload: Upload, said: str, batch: ImportBatch | None = None) -> None:
        """Say in a line, or as JSON, what came of the file."""
        if self._as_json:
            plain = {**faces.plain(upload), "import": batch.number if batch else None}
            self.stdout.write(json.dumps(plain, ensure_ascii=False, indent=2))
        elif said:
            self.stdout.write(said)

    def _tell(self, path: Path, problems: list[FileProblem]) -> None:
        for problem in problems:
            words = wording.worded(problem)
            where = ":".join(
                str(part) for part in (path, words.part, words.row, words.column) if part
            )
            self.stderr.write(f"{where}: {words.message} {words.remedy}")


def _said(**given: str) -> dict[str, str]:
    return {name: value for name, value in given.items() if value}


def _person(project: Project, username: str) -> User:
    if username:
        user = User.objects.filter(username=username, is_active=True).first()
        if user is None:
            raise refused(_("There is no active account %s.") % username)
        return user
    owners = Membership.objects.with_role([Role.OWNER]).filter(project=project)
    owner = owners.select_related("user").order_by("pk").first()
    if owner is None:
        raise refused(_("The project has no owner. Say who does this with --by."))
    return owner.user


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(uploading.CHUNK):
            yield piece


def _places(upload: Upload, rules: list[tuple[str, str]]) -> Iterator[ColumnTarget]:
    used: set[str] = set()
    for column, guess in recognising.guesses(upload):
        chosen = next(((p, t) for p, t in rules if fnmatchcase(column.name, p)), None)
        if chosen is not None:
            used.add(chosen[0])
            yield written_place(column.name, chosen[1], guess)
        elif guess.target and guess.sure:
            yield ColumnTarget(
                column.name, guess.target, guess.system, "", guess.rater, guess.criterion
            )
    for pattern, _t in rules:
        if pattern not in used:
            raise refused(uploading.no_column(upload=upload, names=[pattern]))


def _rule(written: str) -> tuple[str, str]:
    pattern, _sign, target = (part.strip() for part in written.rpartition("="))
    if not (pattern and target):
        raise refused(_("Write --map as COLUMN=TARGET, not %s.") % written)
    return pattern, target


def _targets(kind: ImportKind) -> list[str]:
    return [str(one) for one in OFFERS[kind].targets]


def _counted(counts: dict[str, int]) -> str:
    found = sorted(counts.items())  # a database need not keep the order of names
    return ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in found if n) or "–"
