import pytest

from scoring.kinds.losses import operations as loss_figuring
from tests import make
from tests.scoring import interviewed, weighed

pytestmark = pytest.mark.django_db


class TestFigureOf:
    def test_is_another_one_when_texts_came_in_and_for_another_share(self):
        run = weighed.requested(n=1)

        def figure(share=20):
            return loss_figuring.figure_of(run=run, share=share, now=make.NOW)

        before = figure()
        assert figure() == before
        assert figure(10) != before
        interviewed.done(run)

        assert figure() != before
