"""Check that the figures of a bundle follow from its data: manage.py verify_figures BUNDLE.zip."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from annotation.rounds.models import Round
from scoring import jobs
from scoring.figures import operations as figures
from scoring.management import endings
from scoring.stats.plain import Plain
from scoring.study import verifying

#: What the command ends with where a figure comes out otherwise.
DIFFERS: Final = 1


class Command(BaseCommand):
    help = (
        "Compute every figure of a bundle anew from its tables, and compare it to the last digit. It needs no "
        "project. The exit code is 0 if all are equal, 1 if one differs, 2 if the file is no bundle, is "
        "damaged, or has another form."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("bundle", type=Path, help="the file")
        parser.add_argument("--json", action="store_true", help="one JSON object, for programs")

    @endings.refusing
    def handle(self, *args: Any, **options: Any) -> None:
        with verifying.Bundle(options["bundle"]) as bundle:
            found = []
            for one in verifying.verify(bundle, _computed):
                found.append(one)
                if not options["json"]:
                    self.stdout.write(_line(one))
        self._tell(found, _other(bundle), as_json=options["json"])

    def _tell(self, found: list[verifying.Compared], other: str, *, as_json: bool) -> None:
        differ = sum(not one.is_equal for one in found)
        if as_json:
            rows = [{**asdict(one), "equal": one.is_equal} for one in found]
            self.stdout.write(json.dumps({"figures": rows, "n": len(rows), "differ": differ}))
        if differ:
            said = f"{differ} of {len(found)} figures differ; see above.{other}"
            raise CommandError(said, returncode=DIFFERS)
        if not as_json:
            self.stdout.write(f"All {len(found)} figures come out as stored, to the last digit.")


def _computed(round_: Round, name: str, params: Mapping[str, Any]) -> Plain:
    return jobs.compute(name=name, round_=round_, params=params)


def _line(one: verifying.Compared) -> str:
    if one.is_equal:
        return f"equal    {one.file}"
    return f"differs  {one.file} at {one.path}: stored {one.stored}, computed {one.computed}"


def _other(bundle: verifying.Bundle) -> str:
    """Return that another version of the program made a bundle, where one did."""
    formula = bundle.about["program"]["formula"]
    if formula == figures.fingerprint():
        return ""
    return f" Another version of the program made the bundle (formulas {formula})."
