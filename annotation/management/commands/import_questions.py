"""Bring questions into the bank from a file: manage.py import_questions FILE --project x."""

from argparse import ArgumentParser
from typing import Any

from annotation.domains.models import Difficulty
from annotation.files.mappings import Place, QuestionMapping
from annotation.files.models import ImportKind, Upload
from annotation.imports.commands import ImportCommand


class Command(ImportCommand):
    help = "Bring questions into the bank, as drafts, from a CSV, JSONL, JSON or XLSX file."
    kind = ImportKind.QUESTIONS

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--author", default="", help="user name of whose drafts they become")
        parser.add_argument(
            "--capability", default="", help="name or path, where a row names no capability"
        )
        parser.add_argument(
            "--difficulty",
            default="",
            choices=["", *Difficulty.values],
            help="where a row names none",
        )
        parser.add_argument(
            "--domain", default="", help="name or path, where a row names no subject area"
        )
        parser.add_argument("--language", default="", help="where a row names none")
        parser.add_argument(
            "--new-versions",
            action="store_true",
            help="rows that differ from the bank's question become drafts of its next version",
        )
        parser.add_argument(
            "--create-missing",
            action="store_true",
            help="create capabilities and subject areas that the project does not have",
        )
        parser.add_argument(
            "--make-sources", action="store_true", help="add sources that the corpus does not have"
        )

    def mapping(self, upload: Upload, places: tuple[Place, ...], **options: Any) -> QuestionMapping:
        names = (
            "capability",
            "difficulty",
            "domain",
            "language",
            "author",
            "new_versions",
            "create_missing",
            "make_sources",
        )
        return QuestionMapping(places, **{name: options[name] for name in names})
