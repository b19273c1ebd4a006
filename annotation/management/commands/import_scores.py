"""Bring in scores of judges and metrics: manage.py import_scores FILE --project x."""

from argparse import ArgumentParser
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext as _

from annotation.files import scores as machines
from annotation.files.mappings import Place
from annotation.files.models import ImportKind, Upload
from annotation.files.scores import Machine, ScoreMapping
from annotation.imports import places as surveys
from annotation.imports.commands import ImportCommand
from annotation.management.commands.import_grades import word_of


class Command(ImportCommand):
    help = (
        "Bring in a long or wide table of scores of judges and metrics from a CSV, JSONL, JSON or "
        "XLSX file. What is not declared by --machine is taken as name and scores suggest."
    )
    kind = ImportKind.SCORES

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--machine",
            action="append",
            default=[],
            metavar="NAME=KIND:LOWEST:HIGHEST[:CRITERION]",
            help="what a judge or metric is, for all criteria or for one: gpt=judge:1:5, "
            "gpt=judge:1:10:helpfulness, ter=metric:0: for an open end; may be repeated",
        )
        parser.add_argument(
            "--lower-is-better", action="append", default=[], metavar="NAME", help="of a machine"
        )
        parser.add_argument(
            "--family",
            action="append",
            default=[],
            metavar="NAME=FAMILY",
            help="the family of the model behind a judge; may be repeated",
        )
        parser.add_argument("--release", default="", help="the release that was scored")
        parser.add_argument("--rater", default="", help="who scored, where no column says so")
        parser.add_argument("--system", default="", help="who answered, where no column says so")
        parser.add_argument(
            "--criterion", default="", help="what was scored, where no column says so"
        )
        parser.add_argument(
            "--word",
            action="append",
            default=[],
            metavar="WORD=NUMBER",
            help="the score of what is written in words; may be repeated",
        )

    def remedy(self, upload: Upload) -> str:
        """Return how ranges are confirmed that are mere guesses."""
        if not (upload.report or {}).get("doubts"):
            return ""
        return _("Say each range with --machine NAME=KIND:LOWEST:HIGHEST:CRITERION.")

    def mapping(self, upload: Upload, places: tuple[Place, ...], **options: Any) -> ScoreMapping:
        words = dict(word_of(written) for written in options["word"])
        declared = tuple(_declared(written) for written in options["machine"])
        system, _criterion = surveys.whole_of(upload, places, options["system"], "")
        said = ScoreMapping(
            places,
            declared,
            options["release"],
            options["rater"],
            words,
            system,
            options["criterion"],
        )
        families = dict(word_of(written) for written in options["family"])
        lower = options["lower_is_better"]
        found = tuple(
            replace(
                one,
                higher_is_better=one.higher_is_better and one.name not in lower,
                family=families.get(one.name, ""),
            )
            for one in surveys.declared(upload, said).machines
        )
        for one in found:
            self.say(_said(one))
        return surveys.with_machines(said, found)


def _declared(written: str) -> Machine:
    name, sign, said = written.rpartition("=")
    kind, *ends = said.split(":", 3)
    if not (name and sign) or len(ends) < 2 or kind.upper() not in machines.KINDS:
        message = _(
            "Write --machine as NAME=KIND:LOWEST:HIGHEST, such as gpt=judge:1:5, with :CRITERION "
            "behind it for one criterion, not %s."
        )
        raise CommandError(message % written)
    criterion = ends[2] if len(ends) > 2 else ""
    return Machine(name, kind.upper(), ends[0], ends[1], criterion=criterion)


def _said(one: Machine) -> str:
    kind = _("judge") if one.kind == machines.JUDGE else _("metric")
    better = "" if one.higher_is_better else _(", lower is better")
    ends = f"{one.minimum or '…'} – {one.maximum or '…'}"
    named = ", ".join(filter(None, (one.name, one.criterion)))
    return f"{named}: {kind}, {ends}{better}"
