"""A copied world is the world that is made."""

import inspect
import re
from functools import partial

import pytest
from django.db import connection, transaction

from annotation import models
from annotation.people.models import Role
from tests import copies, make
from tests.scoring import beside_people, rounds, suites

pytestmark = pytest.mark.django_db
#: What differs each time: ids that are drawn, the salt of a password, the moment by the true clock, how long it took.
BY_CHANCE = re.compile(
    r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}(?![0-9a-f])"
    r"|md5\$\w+\$\w+|\"seconds\": [\d.]+|datetime\.datetime\((\d+, ){6}\d+\)"
)

MAKERS = {
    "project": make.project,
    "draft": make.draft_round,
    "open": make.open_round,
    "graded": rounds.graded,
    "member": partial(make.member, Role.ANALYST),
    "imported": beside_people.world,
    "judged": suites.brought,
}


def everything() -> dict[str, list[str]]:
    with connection.cursor() as cursor:
        numbers = cursor.execute("SELECT name, seq FROM sqlite_sequence WHERE seq > 0")
        return {"numbers that are used up": sorted(map(repr, numbers))} | {
            table: sorted(
                BY_CHANCE.sub("#", repr(row))
                for row in cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608
            )
            for table in connection.introspection.django_table_names(only_existing=True)
        }


@pytest.fixture
def apart():
    """Run each of two makings in an empty database, one after the other."""

    def run(deed):
        with transaction.atomic():
            told = deed()
            transaction.set_rollback(True)
        return told

    return run


@pytest.mark.skipif(connection.vendor != "sqlite", reason="Copies are put in on SQLite only.")
class TestMadeOnce:
    @pytest.mark.parametrize("name", MAKERS)
    def test_leaves_the_same_rows_as_the_maker(self, name, apart):
        maker = MAKERS[name]

        def made(deed):
            one = deed()
            return {"made": one, "rings": len(connection.run_on_commit), **everything()}

        apart(lambda: made(maker))  # it may be the first time
        copied = apart(lambda: made(maker))
        again = apart(lambda: made(inspect.unwrap(maker)))

        assert {name for name, rows in again.items() if rows != copied[name]} == set()

    def test_makes_anew_where_something_is_there(self):
        make.project("another")
        before = models.Project.objects.count()

        make.open_round()

        assert models.Project.objects.count() == before + 1

    def test_goes_on_like_what_was_made(self, apart):
        apart(make.open_round)

        round_ = make.open_round()

        assert make.submit(make.claim(round_)).rev == 1
        assert make.member(Role.ANNOTATOR).pk not in {
            one.user.pk for one in make.annotators(round_)
        }

    def test_takes_no_function_without_a_name_for_another(self, apart):
        def marks(worth):
            return rounds.graded(marks=lambda *_place: worth)

        apart(lambda: marks(0))
        marks(2)

        assert {int(one.value) for one in models.Grade.objects.all()} == {2}

    def test_makes_nothing_a_second_time(self, apart):
        """It would be a slow suite that no test of it fails for."""
        n_made = []

        @copies.made_once_among
        def makes():
            n_made.append(1)
            return make.project("northport")

        apart(makes)
        apart(makes)

        assert len(n_made) == 1

    def test_is_put_in_among_the_rows_that_were_there(self, apart):
        def made():
            make.member(Role.ANALYST, username="before")
            models.Project.objects.update(name="Another name")
            rounds.graded()
            return everything()

        first = apart(made)

        assert apart(made) == first
