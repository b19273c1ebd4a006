"""Bring in which of two answers people preferred: manage.py import_preferences FILE --project x."""

from typing import Any

from annotation.files.models import ImportKind
from annotation.imports.commands import ImportCommand


class Command(ImportCommand):
    help = (
        "Bring in preferences between two answers from a CSV, JSONL, JSON or XLSX file, with questions "
        "and answers. Without --rubric a rubric is made and called --new-rubric, else as the file."
    )
    kind = ImportKind.PAIRS

    def said(self, options: dict[str, Any]) -> dict[str, Any]:
        stem = options["file"].stem
        named = "" if options["rubric"] else options["new_rubric"] or stem
        return {"round_name": options["round_name"] or stem, "new_rubric": named}
