"""Bring a whole bank in: manage.py import_bank bank.zip --project northport [--create NAME]."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.bankfile import importing as working
from annotation.bankfile import operations as files
from annotation.bankfile import reading as lists
from annotation.bankfile.models import BankFile
from annotation.people import operations as people
from annotation.people.models import Membership, Project, Role, User
from evalsite import errors

State = BankFile.State


class Command(BaseCommand):
    help = "Bring a bank that was exported into a project: read through first, then all or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--project", required=True, help="short name of the project")
        parser.add_argument("--create", default="", metavar="NAME", help="make the project first")
        parser.add_argument("--by", default="", help="user name of who does this; else the owner")
        parser.add_argument("--dry-run", action="store_true", help="read it through, write nothing")
        parser.add_argument(
            "--keep-own", action="store_true", help="what differs here stays; the rest comes in"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if not path.is_file():
            raise CommandError(f"There is no file {path}.")
        project, by = self._place(options)
        try:
            file = files.receive(
                project=project, name=path.name, pieces=_pieces(path), by=by, now=timezone.now()
            )
        except errors.Refusal as refusal:
            raise CommandError(f"{path}: {refusal.message}") from refusal
        try:
            self._bring_in(file, path, options)
        finally:
            files.throw_away(file=file, by=by, now=timezone.now() + 2 * files.QUIET)

    def _place(self, options: dict[str, Any]) -> tuple[Project, User]:
        project = Project.objects.filter(slug=options["project"]).first()
        by = User.objects.filter(username=options["by"], is_active=True).first()
        if options["by"] and by is None:
            raise CommandError(f"There is no active account {options['by']}.")
        if project is None and options["create"] and not options["dry_run"]:
            if by is None:
                raise CommandError("Say with --by who is to own the new project.")
            now = timezone.now()
            project = people.create_project(
                slug=options["project"], name=options["create"], by=by, now=now
            )
        if project is None:
            raise CommandError(f"There is no project {options['project']}. --create makes it.")
        owners = Membership.objects.with_role([Role.OWNER]).filter(project=project)
        owner = owners.select_related("user").order_by("pk").first()
        if by is None and owner is None:
            raise CommandError("The project has no owner. Say who does this with --by.")
        return project, by or owner.user  # type: ignore[union-attr]

    def _bring_in(self, file: BankFile, path: Path, options: dict[str, Any]) -> None:
        file = _worked(file)
        for one in file.report.get("problems", []):
            where = f"{path}:{one['part']}.jsonl:{one['line']}:{one['place']}"
            self.stderr.write(f"{where}: {one['said']}")
        if file.state != State.READY:
            n = file.report.get("n_problems", 0)
            raise CommandError(file.said or f"Nothing was brought in: {n} problems were found.")
        for said in file.report.get("warnings", []):
            self.stderr.write(f"{path}: {said}")
        for line in lists.lines(file):
            said = f"{line.new} new, {line.more} go on, {line.same} here already, "
            self.stdout.write(f"{line.label}: {said}{line.differs} differ")
        if options["dry_run"]:
            self.stdout.write("Nothing was written: this was a check.")
            return
        try:
            keep_own = options["keep_own"]
            files.confirm(file=file, keep_own=keep_own, by=file.by, now=timezone.now())
        except errors.Refusal as refusal:
            raise CommandError(f"{refusal.message} (--keep-own)") from refusal
        file = _worked(file)
        if file.state != State.APPLIED:
            raise CommandError(file.said or "The import did not finish.")
        self.stdout.write("The bank is in.")


def _worked(file: BankFile) -> BankFile:
    fresh = BankFile.objects.select_related("project", "by").get(pk=file.pk)
    working.work(file=fresh, clock=timezone.now)
    return BankFile.objects.select_related("project", "by").get(pk=file.pk)


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(files.CHUNK):
            yield piece
