"""Bring in questions of multiple choice: manage.py import_choices FILE --project x --dataset MMLU."""

from annotation.files.models import ImportKind
from annotation.imports.commands import ImportCommand


class Command(ImportCommand):
    help = (
        "Bring in questions of multiple choice: files of ARC, HellaSwag, MMLU and C-Eval as they are "
        "published, or any CSV, JSONL, JSON or XLSX file with a column for each option."
    )
    kind = ImportKind.CHOICES
