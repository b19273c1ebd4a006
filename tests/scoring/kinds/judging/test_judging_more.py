import pytest

from scoring.engine import kinds
from scoring.engine.models import Run
from scoring.kinds.judging import kind as running
from tests import make
from tests.scoring import connected, judged

pytestmark = pytest.mark.django_db


def wish(judge, **given):
    return running.Judged(**connected.head(1, "Judging"), judge=judge.rater_id, **given)


class TestEstimate:
    def test_says_what_it_would_take_and_writes_nothing(self):
        round_ = make.open_round(n_items=3, n_releases=2)

        found, _asked = connected.reckoned(running.KIND, round_, wish(judged.judge(repeats=4)))

        assert found.calls == 24
        assert found.prompt_tokens > found.completion_tokens > 0
        assert not Run.objects.exists()

    def test_refuses_what_could_not_be_started(self):
        with pytest.raises(running.RoundNotOpened):
            connected.reckoned(running.KIND, make.draft_round(), wish(judged.judge()))


class TestAsked:
    def test_names_each_criterion_once_in_one_order(self):
        round_, asking = make.open_round(), kinds.RunAsking(None, make.NOW)
        wanted = wish(judged.judge(), criteria=("b", "a", "b"))

        assert running.KIND.asked(round_, wanted, asking).config == {"criteria": ["a", "b"]}
