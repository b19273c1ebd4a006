import pytest
from django.core.management import call_command

from evalsite import panels as sweeps
from evalsite.management.commands import sweep


@pytest.fixture
def seen():
    heard: list[object] = []
    yield heard
    sweeps.load({}, {"test-a": lambda now: None})
    sweeps.load({}, {"test-b": lambda now: None})


def fail(now):
    raise ZeroDivisionError


@pytest.mark.django_db
class TestSweepAll:
    def test_goes_on_after_one_that_fails(self, seen, caplog):
        sweeps.load({}, {"test-a": fail})
        sweeps.load({}, {"test-b": seen.append})

        sweep.sweep_all()

        assert len(seen) == 1
        assert "'test-a' failed" in caplog.text

    def test_is_what_the_command_does_once(self, seen):
        sweeps.load({}, {"test-b": seen.append})

        call_command("sweep", once=True)

        assert len(seen) == 1
