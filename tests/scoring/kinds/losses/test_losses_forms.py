from uuid import UUID

import pytest

from scoring.kinds.losses.operations import KIND
from scoring.kinds.losses.start import LossesForm
from tests import make
from tests.scoring import interviewed, weighed

pytestmark = pytest.mark.django_db


class TestLossesForm:
    def test_can_start_once_somebody_can_be_asked(self):
        def form():
            return LossesForm(project=make.project(), key=UUID(int=1), seed=7)

        assert not form().can_start
        interviewed.candidates()
        assert form().can_start

    def test_shows_what_an_earlier_run_was_started_with(self):
        run = weighed.requested(n=2, texts=1)

        assert KIND.again(run)["texts"] == 1
        assert KIND.again(run)["train_over"].startswith("import:")
