"""Indexes that are made beside the work of the site."""

import pytest
from django.db import connection, models
from django.db.migrations.operations import CreateModel
from django.db.migrations.state import ProjectState
from django.test.utils import CaptureQueriesContext

from annotation.grading.models import Grade
from evalsite.db.indexes import AddIndexBeside

BARN = CreateModel(
    "Barn", [("id", models.BigAutoField(primary_key=True)), ("hay", models.IntegerField())]
)
INDEX = AddIndexBeside(
    "barn", models.Index(fields=["hay"], condition=models.Q(hay__gt=0), name="full_barns")
)


def names() -> set[str]:
    with connection.cursor() as cursor:
        return set(connection.introspection.get_constraints(cursor, "farm_barn"))


@pytest.mark.django_db(transaction=True)
class TestAddIndexBeside:
    @pytest.fixture
    def states(self):
        before, after = ProjectState(), ProjectState()
        for state in (before, after):
            BARN.state_forwards("farm", state)
        INDEX.state_forwards("farm", after)
        with connection.schema_editor() as editor:
            BARN.database_forwards("farm", editor, ProjectState(), before)
        yield before, after
        with connection.schema_editor() as editor:
            BARN.database_backwards("farm", editor, before, ProjectState())

    def test_makes_one_and_takes_it_away_again(self, states):
        before, after = states
        with (
            CaptureQueriesContext(connection) as asked,
            connection.schema_editor(atomic=False) as editor,
        ):
            INDEX.database_forwards("farm", editor, before, after)
        assert "full_barns" in names()
        beside = any("CREATE INDEX CONCURRENTLY" in one["sql"] for one in asked)
        assert beside is (connection.vendor == "postgresql")

        with connection.schema_editor(atomic=False) as editor:
            INDEX.database_backwards("farm", editor, after, before)
        assert "full_barns" not in names()

    def test_begins_one_anew_that_was_broken_off(self, states):
        if connection.vendor != "postgresql":
            pytest.skip("Elsewhere an index is made at once or not at all.")
        for _time in range(2):
            with connection.schema_editor(atomic=False) as editor:
                INDEX.database_forwards("farm", editor, *states)

        assert "full_barns" in names()


class TestLateGrades:
    def test_are_known_by_the_index_that_the_migration_makes(self):
        assert "late_grades" in {one.name for one in Grade._meta.indexes}
