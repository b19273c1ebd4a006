"""Write a project's whole bank into a file: manage.py export_bank --project northport bank.zip."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.bankfile import exporting
from annotation.people.models import Project


class Command(BaseCommand):
    help = "Write the bank of a project with its history into one file (docs/curator.md)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--project", required=True, help="short name of the project")
        parser.add_argument(
            "--names", action="store_true", help="people by their names, not by pseudonyms alone"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']}.")
        path: Path = options["file"]
        half = path.with_name(path.name + ".part")
        try:
            with half.open("wb") as file:
                manifest = exporting.write(project, file, named=options["names"])
            half.replace(path)
        except OSError as problem:
            raise CommandError(f"{path}: {problem.strerror}") from problem
        finally:
            half.unlink(missing_ok=True)
        n = manifest["files"]["questions.jsonl"]["records"]
        self.stdout.write(f"{path}: {n} questions, fingerprint {manifest['sha256']}.")
