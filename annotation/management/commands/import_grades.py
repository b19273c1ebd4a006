"""Bring in grades that somebody already has: manage.py import_grades FILE --project x --rubric y."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext as _

from annotation.files.mappings import GradeMapping, NewRubric, Place
from annotation.files.models import ImportKind, Upload
from annotation.imports import places as surveys
from annotation.imports.commands import ImportCommand


class Command(ImportCommand):
    help = "Bring in a long or wide table of grades from a CSV, JSONL, JSON or XLSX file."
    kind = ImportKind.GRADES

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--round-name", default="", help="what the grades are shown under")
        parser.add_argument(
            "--rubric", default="", help="key of a rubric, such as summary or summary@2"
        )
        parser.add_argument("--new-rubric", default="", help="name of a rubric to make of the file")
        parser.add_argument("--min", default="0", help="lowest grade of the new rubric")
        parser.add_argument("--max", default="", help="highest grade of the new rubric")
        parser.add_argument("--step", default="1", help="step between grades; empty for none")
        parser.add_argument("--release", default="", help="the release that was graded")
        parser.add_argument("--rater", default="", help="who graded, where no column says so")
        parser.add_argument("--system", default="", help="who answered, where no column says so")
        parser.add_argument(
            "--criterion", default="", help="what was graded, where no column says so"
        )
        parser.add_argument(
            "--alias",
            action="append",
            default=[],
            metavar="FILE=RUBRIC",
            help="what a criterion of the file is called in the rubric; may be repeated",
        )
        parser.add_argument(
            "--word",
            action="append",
            default=[],
            metavar="WORD=NUMBER",
            help="the grade of what is written in words; may be repeated",
        )

    def mapping(self, upload: Upload, places: tuple[Place, ...], **options: Any) -> GradeMapping:
        new = None
        if options["new_rubric"]:
            new = NewRubric(options["new_rubric"], options["min"], options["max"], options["step"])
        return GradeMapping(
            places,
            options["round_name"] or options["file"].stem,
            options["rubric"],
            new,
            options["release"],
            options["rater"],
            dict(_pair(written) for written in options["alias"]),
            dict(word_of(written) for written in options["word"]),
            *surveys.whole_of(upload, places, options["system"], options["criterion"]),
        )


def word_of(written: str) -> tuple[str, str]:
    """Return a word and its number, as they are given on the command line."""
    word, sign, number = written.rpartition("=")
    if not (word and sign and number):
        raise CommandError(_("Write a word as WORD=NUMBER, such as tie=0."))
    return word, number


def _pair(written: str) -> tuple[str, str]:
    name, sign, key = written.partition("=")
    if not (name and sign and key):
        raise CommandError(_("Write an alias as FILE=RUBRIC, such as coh=coherence."))
    return name, key
