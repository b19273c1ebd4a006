import pytest

from scoring.engine.models import Run
from scoring.kinds.assistants import operations as assisting
from tests import make
from tests.scoring import assisted

pytestmark = pytest.mark.django_db


class TestRequestScores:
    def test_the_same_key_again_is_the_same_run(self):
        round_, assistant = make.open_round(), assisted.assistant()

        first, again = (assisted.requested(round_, assistant, 1) for _twice in range(2))

        assert first == again
        assert (first.kind, first.judge) == (Run.Kind.ASSIST, assistant)


class TestEstimate:
    def test_counts_requests_and_starts_nothing(self):
        round_ = make.open_round(n_items=2, n_releases=2)

        found = assisting.estimate(assistant=assisted.assistant(at_once=2), round_=round_)

        assert found.calls == 2
        assert found.prompt_tokens > 0
        assert not Run.objects.exists()
