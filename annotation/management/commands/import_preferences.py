"""Bring in which of two answers people preferred: manage.py import_preferences FILE --project x."""

from typing import Any

from annotation.files.models import ImportKind
from annotation.imports.commands import ImportCommand


class Command(ImportCommand):
    help = (
        "Bring in preferences between two answers from a CSV, JSONL, JSON or XLSX file, with questions "
        "and answers. Without --rubric one is made of the file, called --new-rubric or as the round."
    )
    kind = ImportKind.PAIRS

    def said(self, options: dict[str, Any]) -> dict[str, Any]:
        return {"round_name": options["round_name"] or options["file"].stem}
