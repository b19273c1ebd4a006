"""Bring in scores of judges and metrics: manage.py import_scores FILE --project x."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext as _

from annotation.management.commands.import_grades import word_of
from annotation.management.importing import ImportCommand
from annotation.models import ImportKind, Upload
from annotation.queries.imports import surveys
from annotation.rules.tabular import machines
from annotation.rules.tabular.machines import Machine
from annotation.rules.tabular.mappings import Place
from annotation.rules.tabular.score_mappings import ScoreMapping


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
            metavar="NAME=KIND:LOWEST:HIGHEST",
            help="what a judge or metric is: gpt=judge:1:5, or ter=metric:0: for an open end; "
            "may be repeated",
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
        parser.add_argument(
            "--word",
            action="append",
            default=[],
            metavar="WORD=NUMBER",
            help="the score of what is written in words; may be repeated",
        )

    def _bring_in(self, upload: Upload, options: dict[str, Any]) -> None:
        self._upload = upload
        super()._bring_in(upload, options)

    def mapping(self, places: tuple[Place, ...], **options: Any) -> ScoreMapping:
        words = dict(word_of(written) for written in options["word"])
        trial = ScoreMapping(places, (), options["release"], options["rater"], words)
        suggested = [machines.suggest(one) for one in surveys.machines(self._upload, trial)]
        declared = dict(_declared(written) for written in options["machine"])
        families = dict(word_of(written) for written in options["family"])
        found = [
            Machine(
                one.name,
                *declared.get(one.name, (one.kind, one.minimum, one.maximum)),
                one.name not in options["lower_is_better"]
                and (one.higher_is_better or one.name in declared),
                families.get(one.name, ""),
            )
            for one in suggested
        ]
        for one in found:
            self.stdout.write(_said(one))
        return ScoreMapping(places, tuple(found), options["release"], options["rater"], words)


def _declared(written: str) -> tuple[str, tuple[str, str, str]]:
    name, sign, said = written.rpartition("=")
    kind, *ends = said.split(":")
    if not (name and sign) or len(ends) != 2 or kind.upper() not in machines.KINDS:
        message = _("Write --machine as NAME=KIND:LOWEST:HIGHEST, such as gpt=judge:1:5, not %s.")
        raise CommandError(message % written)
    return name, (kind.upper(), ends[0], ends[1])


def _said(one: Machine) -> str:
    kind = _("judge") if one.kind == machines.JUDGE else _("metric")
    better = "" if one.higher_is_better else _(", lower is better")
    ends = f"{one.minimum or '…'} – {one.maximum or '…'}"
    return f"{one.name}: {kind}, {ends}{better}"
