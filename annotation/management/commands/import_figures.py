"""Bring in figures of other benchmarks: manage.py import_figures FILE --project x --figure MT-Bench."""

from annotation.files.models import ImportKind
from annotation.imports.commands import ImportCommand


class Command(ImportCommand):
    help = (
        "Bring in figures of other benchmarks: one of a system a row, in CSV, JSONL, JSON or XLSX."
    )
    kind = ImportKind.FIGURES
