"""What every test gets."""

import gc
import os
import sys
from typing import Any

import pytest
from django.db import connection
from django.utils import translation
from hypothesis import settings as hypothesis_settings

from evalsite.db import fulltext, guards
from tests import copies, emptying, fake_queue, guarding, timed
from tests import golden as known_answers

# Properties are about truth, not speed: a busy machine must not fail them.
hypothesis_settings.register_profile("evalsite", deadline=None, max_examples=50)
#: At night (make nightly).
hypothesis_settings.register_profile("thorough", deadline=None, max_examples=1_000)
hypothesis_settings.load_profile("evalsite")

# Collecting throws next to nothing away: looking for garbage among it took a fifth of its time.
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is noted to take long, and keep only a share of it where one is asked for."""
    noted, share = timed.noted(), os.environ.get("EVALSITE_TEST_SHARE", "")
    left_out = []
    for item in items:
        name = item.nodeid.partition("@")[0]
        if item.get_closest_marker("load"):
            name = timed.site_of(name)
        elif item.get_closest_marker("e2e"):
            name = timed.class_of(name)
            if name.startswith(timed.ALWAYS_SEEN):
                continue
        elif name in noted:
            item.add_marker(pytest.mark.slow)
        else:
            continue
        if share and not timed.is_of_share(name, share):
            left_out.append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        away = set(left_out)
        items[:] = [item for item in items if item not in away]


def pytest_collection_finish():
    """Look for garbage seldom, and not among what was imported: it is most of what there is."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    gc.enable()


@pytest.fixture(autouse=True)
def empty_queue():
    """Start every test with nothing queued."""
    fake_queue.empty()


@pytest.fixture(autouse=True)
def worlds_copied(request):
    """Copy what tests often begin with, where that is the same as to make it."""
    with copies.in_a_test(request):
        yield


@pytest.fixture(autouse=True)
def english():
    """Let no test be in the language that the one before was answered in."""
    yield
    translation.activate("en")


@pytest.fixture(autouse=True)
def no_frames_kept():
    """Let no test read the ratings that a worker kept from the one before: keys come again."""
    yield
    if kept := sys.modules.get("scoring.figures.snapshots"):
        kept.forget()


def _signed_in(role: str) -> Any:
    """Return two fixtures: somebody of a role in Northport whom `client` is signed in as, and that client."""

    @pytest.fixture
    def person(client):
        from tests import make

        found = make.member(role)
        client.force_login(found)
        return found

    @pytest.fixture
    def asking(client):
        from tests import make

        client.force_login(make.member(role))
        return client

    return person, asking


analyst, as_analyst = _signed_in("ANALYST")
curator, as_curator = _signed_in("CURATOR")
designer, _ = _signed_in("DESIGNER")
inspector, _ = _signed_in("INSPECTOR")


@pytest.fixture(scope="session")
def golden():
    """The folder of published known answers; skips where there is none."""
    return known_answers.folder()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """Guard the tables as the migrations do: the tests' tables are made without them."""
    declared = [
        guard
        for package in ("annotation.migrations", "scoring.migrations")
        for guard in guards.declared(package)
    ]
    with django_db_blocker.unblock():
        guarding.install(declared, connection)
        fulltext.WordIndex("annotation_searchtext", column="words").install(connection)
    # A test that commits is cleaned up by emptying all tables, which the guards refuse.
    emptied = emptying.past(declared, connection.ops.execute_sql_flush)
    connection.ops.execute_sql_flush = emptied  # type: ignore[assignment,method-assign]
