"""Bring in questions, systems and answers from a file: manage.py import_responses FILE --project x."""

from annotation.files.models import ImportKind
from annotation.imports.commands import ImportCommand


class Command(ImportCommand):
    help = "Bring in questions and the answers of systems from a CSV, JSONL, JSON or XLSX file."
    kind = ImportKind.ANSWERS
