from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation import models
from tests import make, tampering
from tests.annotation.bankfile import stocked

pytestmark = pytest.mark.django_db


def told(*args: object) -> str:
    said = StringIO()
    call_command(*args, stdout=said, stderr=said)
    return said.getvalue()


class TestExportAndImport:
    def test_carry_a_bank_into_a_new_project(self, tmp_path: Path) -> None:
        stocked.bank()
        path = str(tmp_path / "bank.zip")

        said = told("export_bank", path, "--project", "northport", "--names")
        told(
            "import_bank",
            path,
            "--project",
            "south",
            "--create",
            "South",
            "--by",
            "northport-owner",
        )
        again = told("export_bank", path, "--project", "south", "--names")

        assert "5 questions" in said
        assert said == again
        assert not models.BankFile.objects.exists()

    def test_a_dry_run_writes_nothing(self, tmp_path: Path) -> None:
        stocked.bank()
        make.project("south")
        path = str(tmp_path / "bank.zip")
        told("export_bank", path, "--project", "northport")

        said = told("import_bank", path, "--project", "south", "--dry-run")

        assert "Questions: 5 new, 0 go on, 0 here already, 0 differ" in said
        assert not models.Question.objects.filter(project__slug="south").exists()

    def test_warn_of_a_pass_mark_that_everything_reaches(self, tmp_path: Path) -> None:
        stocked.bank()
        make.project("south")
        with tampering.unguarded():
            models.Criterion.objects.update(pass_at=0)
        path = str(tmp_path / "bank.zip")
        told("export_bank", path, "--project", "northport")

        said = told("import_bank", path, "--project", "south")

        assert f"{path}: Facts › " in said
        assert "every grade passes" in said
        assert "The bank is in." in said

    def test_say_what_is_wrong(self, tmp_path: Path) -> None:
        make.project()
        path = tmp_path / "bank.zip"
        path.write_bytes(b"PK no archive")

        with pytest.raises(CommandError, match="no bank file"):
            told("import_bank", str(path), "--project", "northport")
        with pytest.raises(CommandError, match="no file"):
            told("import_bank", str(tmp_path / "none.zip"), "--project", "northport")
        with pytest.raises(CommandError, match="no project"):
            told("export_bank", str(path), "--project", "nowhere")
