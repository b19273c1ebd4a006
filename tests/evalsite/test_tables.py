"""Many tables in one go, and the way to them from a database of an earlier day."""

import subprocess
import sys

import pytest
from django.db import connection, models
from django.db.migrations.operations import CreateModel
from django.db.migrations.state import ProjectState
from django.db.migrations.writer import OperationWriter

from evalsite.db.tables import CreateTables

KEY = ("id", models.BigAutoField(primary_key=True))
# Each refers to the other: no order of theirs would do for two operations.
HEN = CreateModel("Hen", [KEY, ("egg", models.ForeignKey("farm.Egg", models.CASCADE))])
EGG = CreateModel("Egg", [KEY, ("hen", models.ForeignKey("farm.Hen", models.CASCADE, null=True))])


class TestCreateTables:
    @pytest.mark.parametrize("drawn", [True, False])
    def test_makes_the_models_known(self, drawn):
        state = ProjectState()
        if drawn:
            _ = state.apps

        CreateTables([HEN, EGG]).state_forwards("farm", state)

        hen = state.apps.get_model("farm", "Hen")
        assert hen._meta.get_field("egg").related_model is state.apps.get_model("farm", "Egg")

    @pytest.mark.django_db(transaction=True)
    def test_makes_and_takes_away_the_tables(self):
        before, after = ProjectState(), ProjectState()
        both = CreateTables([HEN, EGG])
        both.state_forwards("farm", after)

        with connection.schema_editor() as editor:
            both.database_forwards("farm", editor, before, after)
        made = {"farm_hen", "farm_egg"} & set(connection.introspection.table_names())
        with connection.schema_editor() as editor:
            both.database_backwards("farm", editor, after, before)

        assert made == {"farm_hen", "farm_egg"}
        assert not made & set(connection.introspection.table_names())

    def test_can_be_written_into_a_migration(self):
        text, imports = OperationWriter(CreateTables([HEN])).serialize()

        assert "evalsite.db.tables.CreateTables(" in text
        assert "migrations.CreateModel(" in text
        assert "import evalsite.db.tables" in imports

    def test_says_what_it_does(self):
        assert CreateTables([HEN, EGG]).describe() == "Make the tables of 2 models"


HALF_WAY = """
import django; django.setup()
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
executor = MigrationExecutor(connection)
executor.loader.replace_migrations = False
executor.loader.build_graph()
executor.migrate([("annotation", "0027_review_desk"), ("scoring", "0009_mass_of_weighed_scores")])
call_command("migrate", verbosity=0)
"""
AT_ONCE = """
import django; django.setup()
from django.core.management import call_command
from django.db import connection
call_command("migrate", verbosity=0)
"""
SCHEMA = """
with connection.cursor() as cursor:
    cursor.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
    for kind, name, table, sql in cursor.fetchall():
        if kind == "table":
            cursor.execute(f"PRAGMA table_info({name})")
            columns = sorted(row[1:] for row in cursor.fetchall())
            cursor.execute(f"PRAGMA foreign_key_list({name})")
            print(kind, name, columns, sorted(row[2:] for row in cursor.fetchall()))
            print(sorted((sql or "").replace(")", "").replace(",", "").split()))  # columns may stand in another order
        else:
            print(kind, name, table, sql)
"""


@pytest.mark.nightly
class TestAnEarlierDatabase:
    def test_comes_to_the_same_tables(self, tmp_path):
        schemas = []
        for place, code in enumerate([HALF_WAY, AT_ONCE]):
            done = subprocess.run(
                [sys.executable, "-c", code + SCHEMA],
                env={
                    "DJANGO_SETTINGS_MODULE": "evalsite.settings",
                    "EVALSITE_DATA": str(tmp_path / str(place)),
                },
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            schemas.append(done.stdout)

        assert "annotation_grade" in schemas[0]
        assert schemas[0].splitlines() == schemas[1].splitlines()
