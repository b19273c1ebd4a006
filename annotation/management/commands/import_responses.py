"""Bring in questions, systems and answers from a file: manage.py import_responses FILE --project x."""

from argparse import ArgumentParser
from typing import Any

from annotation.files.mappings import AnswerMapping, Place
from annotation.files.models import ImportKind, Upload
from annotation.imports.commands import ImportCommand


class Command(ImportCommand):
    help = "Bring in questions and the answers of systems from a CSV, JSONL, JSON or XLSX file."
    kind = ImportKind.ANSWERS

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--system", default="", help="who answered, where no column says so")
        parser.add_argument("--release", default="1", help="the release, where none is named")
        parser.add_argument(
            "--create-missing",
            action="store_true",
            help="create capabilities and subject areas that the project does not have",
        )

        parser.add_argument(
            "--whole-conversation",
            action="store_true",
            help="answers in several messages as they are; else the last one of the assistant",
        )

    def mapping(self, upload: Upload, places: tuple[Place, ...], **options: Any) -> AnswerMapping:
        return AnswerMapping(
            places,
            options["system"],
            options["release"],
            options["create_missing"],
            options["whole_conversation"],
        )
