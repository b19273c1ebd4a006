import pytest
from django.db import IntegrityError

from scoring.kinds.interviews.models import Dialogue, Exchange, PublishedExchange
from tests.scoring import interviewed
from tests.scoring.interviews_published import published

pytestmark = pytest.mark.django_db


class TestWhatWasSaid:
    @pytest.mark.parametrize(
        ("model", "change", "said"),
        [
            (Dialogue, {"answer": "Something else."}, "a dialogue stays"),
            (Exchange, {"answer": "Something else."}, "an exchange stays"),
            (PublishedExchange, {"exchange": 1}, "a published exchange stays"),
        ],
    )
    def test_stays_as_it_was(self, model, change, said):
        published(interviewed.held(n=1))

        with pytest.raises(IntegrityError, match=said):
            model.objects.update(**change)
