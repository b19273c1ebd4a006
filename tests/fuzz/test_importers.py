"""Damaged files never crash an importer and never come in by halves."""

import pytest
from django.apps import apps
from django.db import transaction

from annotation.files.models import ImportKind
from annotation.people.models import Project
from evalsite import errors
from tests import make
from tests.fuzz.importers import ANSWERS, IMPORTERS, Importer, take_table
from tests.fuzz.mutations import damaged

pytestmark = pytest.mark.django_db
#: What may be left of a file that was refused: the note that it was handed in.
NOTES = {"AuditEvent", "BankFile", "BankPiece"}
#: Whose valid file is refused here: its judges are not declared, or it is the form of another tool.
UNDECLARED = {"scores-scores.jsonl", "dialogues"}
#: What stands on answers that are there already.
ON_ANSWERS = {"grades-grades.csv", "scores-scores.jsonl", "figures-figures.csv"}
EVERY_DAY, NIGHTLY = 12, 1000


class _Undo(Exception):
    """Takes back what one file brought."""


def totals() -> dict[str, int]:
    kinds = [*apps.get_app_config("annotation").get_models()]
    kinds += apps.get_app_config("scoring").get_models()
    return {one.__name__: one._base_manager.count() for one in kinds if one.__name__ not in NOTES}


def prepare(importer: Importer, home: Project) -> None:
    """Bring the answers in that a file of grades, scores or figures speaks of."""
    if importer.name in ON_ANSWERS:
        take_table(ImportKind.ANSWERS, "answers.jsonl", home, ANSWERS)


def feed(importer: Importer, numbers: range) -> tuple[int, int]:
    """Hand in the files of these numbers; return how many came in and how many were refused."""
    home = make.project()
    make.user("northport-owner")
    prepare(importer, home)
    valid = importer.valid()
    before = totals()
    taken = refused = 0
    for number in numbers:
        data = damaged(valid, number)
        try:
            with transaction.atomic():
                try:
                    importer.take(home, data)
                    taken += 1
                except errors.Refusal as refusal:
                    refused += bool(refusal.message.strip())
                    assert totals() == before, f"{importer.name} {number}: came in by half"
                raise _Undo
        except _Undo:
            continue
        except Exception as crash:
            crash.add_note(f"{importer.name}, file {number}")
            raise
    return taken, refused


@pytest.mark.parametrize("importer", IMPORTERS, ids=lambda one: one.name)
class TestAnImporter:
    def test_takes_the_valid_file(self, importer: Importer) -> None:
        home = make.project()
        make.user("northport-owner")

        prepare(importer, home)
        if importer.name in UNDECLARED:
            with pytest.raises(errors.Refusal):
                importer.take(home, importer.valid())
        else:
            importer.take(home, importer.valid())

    def test_takes_or_refuses_some_damaged_files(self, importer: Importer) -> None:
        assert sum(feed(importer, range(EVERY_DAY))) == EVERY_DAY

    @pytest.mark.nightly
    def test_takes_or_refuses_a_thousand_damaged_files(self, importer: Importer) -> None:
        assert sum(feed(importer, range(NIGHTLY))) == NIGHTLY
