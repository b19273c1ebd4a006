"""The index of words is kept true by the database itself, and made anew where it was lost."""

import subprocess
import sys

import pytest
from django.db import connection

from annotation import models
from annotation.search.queries import INDEX
from tests import make


@pytest.mark.django_db(transaction=True)
class TestWordIndex:
    def test_follows_every_write_of_the_column(self):
        item = make.item(question="A crane.")
        rows = models.SearchText.objects.filter(item=item)
        rows.update(words=" quay ")

        assert INDEX.is_sound(connection)
        assert [one.pk for one in INDEX.best(rows, [("quay", False)], most=5)] == [rows.get().pk]
        assert not list(INDEX.best(rows, [("crane", False)], most=5))

        rows.delete()

        assert INDEX.is_sound(connection)
        assert not list(INDEX.best(models.SearchText.objects.all(), [("quay", False)], most=5))

    def test_says_when_it_is_lost(self):
        with connection.cursor() as cursor:
            for statement in INDEX.take_off(connection.vendor):
                cursor.execute(statement)
        assert not INDEX.is_sound(connection)

        INDEX.install(connection)

        assert INDEX.is_sound(connection)


class TestMigrating:
    def test_leaves_the_index_in_place(self, tmp_path):
        code = (
            "import django; django.setup()\n"
            "from django.core.management import call_command\n"
            "from django.db import connection\n"
            "from annotation.search.queries import INDEX\n"
            "call_command('migrate', verbosity=0)\n"
            "assert INDEX.is_sound(connection)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"DJANGO_SETTINGS_MODULE": "evalsite.settings", "EVALSITE_DATA": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

        assert done.returncode == 0, done.stderr
