"""Write training data of a final round: manage.py export_dataset northport 3 pairs.zip --set margin=30."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from annotation.people import audit
from evalsite import arguments
from scoring.datasets import queries
from scoring.datasets.forms import source_of
from scoring.datasets.rules import OWN
from scoring.management import endings
from scoring.management.commands.export_bundle import reading
from scoring.management.endings import Unusable


class Command(BaseCommand):
    help = (
        "Write pairs (form=dpo), good answers (form=sft), battles (form=arena) or preferences "
        "(form=preferences) of a final round. Say more as the API does: criterion, margin, agreement, "
        "raters, good, written, one_each."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument("number", type=int, help="the round's number")
        parser.add_argument("file", type=Path, help="to be written; must not be there yet")
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="what is asked for, such as form=sft; may be repeated",
        )
        parser.add_argument("--names", action="store_true", help="systems by their names")

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        if path.exists():
            raise Unusable(f"{path} is there already. Name another file.")
        mine = reading(options["project"], options["number"], named=options["names"])
        source = source_of(mine, arguments.pairs("--set NAME=VALUE", options["set"]))
        now = timezone.now()
        with open(path, "xb") as file:
            if source.kind == OWN:
                file.writelines(line.encode() for line in queries.own_lines(source))
            else:
                file.writelines(queries.packed(source, now))
        audit.done(mine.round, "round.exported", None, now, form=source.kind, named=mine.shown)
        self.stdout.write(f"{path}: {queries.counted(source).n} lines.")
