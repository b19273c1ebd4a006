import pytest

from scoring.engine.models import Run
from scoring.kinds.assistants import operations as assisting
from tests import make
from tests.scoring import assisted, connected

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

        head = connected.head(1, "Scores") | {"assistant": assisted.assistant(at_once=2).rater_id}
        wish = assisting.Assisted(**head, round=round_.number)
        found, _asked = connected.reckoned(assisting.KIND, make.project(), wish)

        assert found.calls == 2
        assert found.prompt_tokens > 0
        assert not Run.objects.exists()
