"""What may not change, the database itself keeps."""

import subprocess
import sys

import pytest
from django.db import IntegrityError, connection, transaction

from annotation import models
from annotation.people.models import Role
from evalsite.db import guards
from tests import make, servers

MIGRATIONS = "annotation.migrations"


class TestDeclared:
    def test_names_every_guard_once(self):
        names = [one.name for one in guards.declared(MIGRATIONS)]

        assert "a_submitted_version_stays" in names
        assert len(names) == len(set(names))

    def test_can_be_written_into_a_migration(self):
        for guard in guards.declared(MIGRATIONS):
            name, args, given = guard.deconstruct()
            assert (name, args) == ("Guard", [guard.name])
            assert guards.Guard(*args, **given).message == guard.message


@pytest.mark.django_db
class TestPresent:
    @pytest.mark.parametrize("package", [MIGRATIONS, "scoring.migrations"])
    def test_are_all_there(self, package):
        names = {one.name for one in guards.declared(package)}

        assert names
        assert names <= guards.present(connection)


#: How far the tables of version one had come.
VERSION_ONE = (
    "call_command('migrate', 'annotation', '0051', verbosity=0)\n"
    "call_command('migrate', 'scoring', '0027', verbosity=0)\n"
)


class TestMigrating:
    @pytest.mark.parametrize("earlier", ["", VERSION_ONE])
    def test_leaves_every_guard_in_place(self, earlier, tmp_path):
        # A later migration that makes a table anew on SQLite would lose its triggers.
        code = (
            "import django; django.setup()\n"
            "from django.core.management import call_command\n"
            "from django.db import connection\n"
            "from evalsite.db import guards\n"
            f"{earlier}"
            "call_command('migrate', verbosity=0)\n"
            f"known = guards.declared('{MIGRATIONS}') + guards.declared('scoring.migrations')\n"
            "lost = {g.name for g in known} - guards.present(connection)\n"
            "assert not lost, lost\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"DJANGO_SETTINGS_MODULE": "evalsite.settings", "EVALSITE_DATA": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

        assert done.returncode == 0, done.stderr


#: Which guards the database has on the way back to earlier days, and forward again.
TO_AND_FRO = """
import django; django.setup()
from django.core.management import call_command
from django.db import connection
from evalsite.db import guards
call_command("migrate", verbosity=0)
before = guards.present(connection)
assert "a_conversation_stays" in before
for earlier in ("0023", "0022"):
    call_command("migrate", "scoring", earlier, verbosity=0)
    assert guards.present(connection) == before, (earlier, before - guards.present(connection))
    call_command("migrate", verbosity=0)
    assert guards.present(connection) == before
"""


class TestMigratingBack:
    def test_leaves_guards_as_they_were(self, tmp_path):
        self.check({"EVALSITE_DATA": str(tmp_path)})

    def test_leaves_guards_as_they_were_on_postgresql(self, tmp_path):
        with servers.postgres() as url:
            self.check({"EVALSITE_DATA": str(tmp_path), "DATABASE_URL": url})

    def check(self, environment):
        done = subprocess.run(
            [sys.executable, "-c", TO_AND_FRO],
            env={"DJANGO_SETTINGS_MODULE": "evalsite.settings", **environment},
            capture_output=True,
            text=True,
            check=False,
        )

        assert done.returncode == 0, done.stderr[-3000:]


def refused(message: str):
    return pytest.raises(IntegrityError, match=message)


@pytest.mark.django_db
class TestGuard:
    @pytest.mark.parametrize("state", ["SUBMITTED", "ACCEPTED", "RETURNED"])
    @pytest.mark.parametrize(
        "change",
        [
            {"turns": []},
            {"answer": "Other."},
            {"key_points": ["other"]},
            {"difficulty": "DIFFICULT"},
            {"number": 7},
            {"author_id": None},
        ],
    )
    def test_keeps_what_was_submitted(self, state, change):
        version = make.question_version(state)
        if "author_id" in change:
            change = {"author_id": make.member(Role.INSPECTOR).pk}

        with refused("stays as it is"), transaction.atomic():
            models.QuestionVersion.objects.filter(pk=version.pk).update(**change)
        for name, value in change.items():
            setattr(version, name, value)
        with refused("stays as it is"), transaction.atomic():
            version.save()

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("DRAFT", "ACCEPTED"),
            ("DRAFT", "RETURNED"),
            ("ACCEPTED", "DRAFT"),
            ("ACCEPTED", "SUBMITTED"),
            ("ACCEPTED", "RETURNED"),
            ("RETURNED", "DRAFT"),
            ("RETURNED", "ACCEPTED"),
        ],
    )
    def test_keeps_what_was_decided(self, old, new):
        version = make.question_version(old)
        decided = make.NOW if new in {"ACCEPTED", "RETURNED"} else None
        dates = {"submitted_at": make.NOW, "decided_at": decided}

        with pytest.raises(IntegrityError), transaction.atomic():
            models.QuestionVersion.objects.filter(pk=version.pk).update(state=new, **dates)

    def test_lets_nobody_inspect_their_own_question(self):
        version = make.question_version("SUBMITTED")
        given = {
            "version": version,
            "checklist": models.Checklist.objects.create(
                project=version.question.project, number=9, created_at=make.NOW
            ),
            "verdict": "ACCEPT",
            "at": make.NOW,
            "inspector": version.author,
        }

        with pytest.raises(IntegrityError), transaction.atomic():
            models.Inspection.objects.create(author=version.author, **given)
        with refused("names the author"), transaction.atomic():
            models.Inspection.objects.create(author=make.user("somebody-else"), **given)

    def test_keeps_inspections_findings_and_checklists(self):
        version = make.question_version("RETURNED")
        for rows, change in (
            (models.Inspection.objects.all(), {"verdict": "ACCEPT"}),
            (models.Finding.objects.all(), {"outcome": "PASS"}),
            (models.Checklist.objects.all(), {"lines": []}),
            (models.SourceVersion.objects.all(), {"text": "Other."}),
        ):
            with refused("stays as it is"), transaction.atomic():
                rows.update(**change)
        assert version.inspections.count() == 1

    def test_keeps_what_is_put_before_raters(self):
        item = make.question_version("ACCEPTED").item

        with refused("stays as it is"), transaction.atomic():
            models.Item.objects.filter(pk=item.pk).update(reference="Other.")
        with refused("stays as it is"), transaction.atomic():
            models.Item.objects.filter(pk=item.pk).update(question_version=None)
        item.domain = None
        item.save()  # what it is filed under is no part of what raters see
