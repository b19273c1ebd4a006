"""Bring in scores of judges and metrics: manage.py import_scores FILE --project x."""

from argparse import ArgumentParser
from dataclasses import replace
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext as _

from annotation.files import scores as machines
from annotation.files.mappings import ColumnTarget, FileMapping
from annotation.files.models import ImportKind, Upload
from annotation.files.scores import Machine, ScoreMapping
from annotation.imports.commands import ImportCommand
from evalsite import arguments


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

    def remedy(self, upload: Upload) -> str:
        """Return how ranges are confirmed that are mere guesses."""
        if not (upload.report or {}).get("doubts"):
            return ""
        return _("Say each range with --machine NAME=KIND:LOWEST:HIGHEST:CRITERION.")

    def said(self, options: dict[str, Any]) -> dict[str, Any]:
        return {"machines": tuple(_declared(written) for written in options["machine"])}

    def mapping(
        self, upload: Upload, places: tuple[ColumnTarget, ...], **options: Any
    ) -> FileMapping:
        made = super().mapping(upload, places, **options)
        assert isinstance(made, ScoreMapping)
        families = arguments.pairs("--family NAME=FAMILY", options["family"])
        lower = options["lower_is_better"]
        found = tuple(
            replace(
                one,
                higher_is_better=one.higher_is_better and one.name not in lower,
                family=families.get(one.name, ""),
            )
            for one in made.machines
        )
        for one in found:
            self.say(_said(one))
        return replace(made, machines=found)


def _declared(written: str) -> Machine:
    name, sign, said = (part.strip() for part in written.rpartition("="))
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
