import pytest

from annotation.models import Role
from annotation.permissions import Scope
from annotation.queries import anchors
from scoring.queries import rounds
from scoring.views import slots
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


class TestWithResults:
    def test_leave_trials_out(self):
        shown = make.open_round(n_items=1)
        trial = qualified.open_trial(("ann-1",), n_items=1)
        curator = Scope(shown.project, make.member(Role.CURATOR), frozenset({Role.CURATOR}))

        assert list(rounds.with_results(shown.project)) == [shown]
        assert list(anchors.earlier(trial)) == [shown]
        assert slots.of_round(scope=curator, round=trial) is None
        assert slots.of_round(scope=curator, round=shown) is not None
