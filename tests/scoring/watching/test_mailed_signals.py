import pytest

from annotation.people.models import Person
from evalsite import panels as sweeps
from scoring.figures.models import Figure
from scoring.watching import queries as mailed_signals
from tests import make
from tests.scoring import rounds, signals

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def not_looked(monkeypatch):
    monkeypatch.setattr(mailed_signals, "_looked", None)


def graded(**wanted):
    """Return a round that was graded, in a project whose owner wants this of the daily mail."""
    round_ = rounds.graded(n_items=1, state="REVIEW")
    wanted = {"email": "owner@example.org", "daily_mail": True} | wanted
    Person.objects.filter(user=round_.created_by).update(**wanted)
    return round_


class TestSweep:
    def test_asks_for_the_signals_that_a_mail_will_tell_of(self):
        round_ = graded()

        assert mailed_signals.sweep(make.at(60)) == 1

        figure = Figure.objects.get(name="signals")
        assert (figure.round, figure.state) == (round_, Figure.State.WANTED)

    def test_asks_once_an_hour(self):
        graded()

        assert [mailed_signals.sweep(make.at(minute)) for minute in (0, 59, 60)] == [1, 0, 1]

    def test_leaves_alone_what_nobody_has_graded_in_since(self):
        signals.raised(graded())

        assert mailed_signals.sweep(make.at(60)) == 0

    @pytest.mark.parametrize("wanted", [{"daily_mail": False}, {"email": ""}])
    def test_computes_nothing_where_nobody_reads_it(self, wanted):
        graded(**wanted)

        assert mailed_signals.sweep(make.at(60)) == 0
        assert not Figure.objects.exists()

    def test_is_called_by_the_sweeper(self):
        assert sweeps.registered()["signals.ask"] is mailed_signals.sweep
