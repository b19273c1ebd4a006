"""Bring in questions of multiple choice: manage.py import_choices FILE --project x --dataset MMLU."""

from argparse import ArgumentParser
from typing import Any

from annotation.files import choices as choice_mappings
from annotation.files import stored as files
from annotation.files.choices import KNOWN_NAMES, ChoiceMapping
from annotation.files.mappings import Place
from annotation.files.models import ImportKind, Upload
from annotation.imports.commands import ImportCommand


class Command(ImportCommand):
    help = (
        "Bring in questions of multiple choice: files of ARC, HellaSwag, MMLU and C-Eval as they are "
        "published, or any CSV, JSONL, JSON or XLSX file with a column for each option."
    )
    kind = ImportKind.CHOICES

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--dataset", default="", help="name of the data set; else that of the published layout"
        )
        parser.add_argument(
            "--subject", default="", help="where no row names one; else the name of the file"
        )

    def mapping(self, upload: Upload, places: tuple[Place, ...], **options: Any) -> ChoiceMapping:
        layout = choice_mappings.published(files.layout_of(upload))
        if layout is None:
            return ChoiceMapping(places, "", options["dataset"], options["subject"])
        dataset = options["dataset"] or KNOWN_NAMES[layout]
        return ChoiceMapping((), str(layout), dataset, options["subject"])
