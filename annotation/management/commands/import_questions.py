"""Bring questions into the bank from a file: manage.py import_questions FILE --project x."""

from annotation.files.models import ImportKind
from annotation.imports.commands import ImportCommand


class Command(ImportCommand):
    help = (
        "Bring questions into the bank, as drafts, from a CSV, JSONL, JSON or XLSX file. Capabilities and "
        "areas are named, or given as paths."
    )
    kind = ImportKind.QUESTIONS
