"""Bring in figures of other benchmarks: manage.py import_figures FILE --project x --figure MT-Bench."""

from argparse import ArgumentParser
from typing import Any

from annotation.files.mappings import Place
from annotation.files.models import ImportKind, Upload
from annotation.files.scores import FigureMapping
from annotation.imports.commands import ImportCommand


class Command(ImportCommand):
    help = (
        "Bring in figures of other benchmarks: one of a system a row, in CSV, JSONL, JSON or XLSX."
    )
    kind = ImportKind.FIGURES

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--figure", default="", help="what was measured, where no column says")
        parser.add_argument("--release", default="", help="the release that was measured")

    def mapping(self, upload: Upload, places: tuple[Place, ...], **options: Any) -> FigureMapping:
        return FigureMapping(places, options["figure"], options["release"])
