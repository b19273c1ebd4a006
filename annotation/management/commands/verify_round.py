"""Check that what a round froze when it opened is still so, text by text."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.rounds import manifests
from annotation.rounds.models import Round


class Command(BaseCommand):
    help = "Compare a round with its manifest; the command fails if anything differs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("project", help="the project's short name, as in its address")
        parser.add_argument("number", type=int, help="the round's number")

    def handle(self, *args: Any, **options: Any) -> None:
        number, slug = options["number"], options["project"]
        found = Round.objects.filter(project__slug=slug, number=number).first()
        if found is None:
            raise CommandError(f"There is no round {number} in the project {slug}.")
        differences = manifests.differences(found)
        if differences is None:
            raise CommandError(
                f"Round {number} has no manifest to compare with: it is a draft, or it was opened "
                "before manifests were kept entry by entry."
            )
        for one in differences:
            self.stdout.write(f"{one.where}: was {one.was}, is {one.now}")
        if differences:
            raise CommandError(f"Round {number} is not as it was when it opened; see above.")
        self.stdout.write(f"Round {number} is as it was when it opened.")
