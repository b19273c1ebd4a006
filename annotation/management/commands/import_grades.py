"""Bring in grades that somebody already has: manage.py import_grades FILE --project x --rubric y."""

from argparse import ArgumentParser
from typing import Any

from annotation.files.mappings import FileRubric
from annotation.files.models import ImportKind
from annotation.imports.commands import ImportCommand


class Command(ImportCommand):
    help = (
        "Bring in a long or wide table of grades from a CSV, JSONL, JSON or XLSX file. A rubric is named "
        "by its key, with a version if it is not the newest: summary@2."
    )
    kind = ImportKind.GRADES

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--new-rubric", default="", help="name of a rubric to make of the file")
        parser.add_argument("--min", default="0", help="lowest grade of the new rubric")
        parser.add_argument("--max", default="", help="highest grade of the new rubric")
        parser.add_argument("--step", default="1", help="step between grades; empty for none")

    def said(self, options: dict[str, Any]) -> dict[str, Any]:
        scale = [options[name] for name in ("new_rubric", "min", "max", "step")]
        return {
            "round_name": options["round_name"] or options["file"].stem,
            "new_rubric": FileRubric(*scale) if options["new_rubric"] else None,
        }
