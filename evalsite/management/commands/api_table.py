"""Write the table of every route of the API into docs/api.md."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evalsite.contract import pages as table


class Command(BaseCommand):
    help = "Write the table of every route of the API into docs/api.md."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--file", type=Path, default=Path("docs/api.md"))

    def handle(self, *_args: Any, file: Path, **_options: Any) -> None:
        file.write_text(table.written_into(file.read_text("utf-8")), "utf-8")
        self.stdout.write(f"{file} names every route of the API.")
