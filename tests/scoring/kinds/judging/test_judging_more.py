import pytest

from scoring.engine.models import Run
from scoring.kinds.judging import kind as running
from scoring.kinds.judging import operations as judging
from tests import make
from tests.scoring import judged

pytestmark = pytest.mark.django_db


class TestEstimate:
    def test_says_what_it_would_take_and_writes_nothing(self):
        round_ = make.open_round(n_items=3, n_releases=2)

        found = judging.estimate(judge=judged.judge(repeats=4), round_=round_)

        assert found.calls == 24
        assert found.prompt_tokens > found.completion_tokens > 0
        assert not Run.objects.exists()

    def test_refuses_what_could_not_be_started(self):
        with pytest.raises(running.NotOpened):
            judging.estimate(judge=judged.judge(), round_=make.draft_round())


class TestConfigOf:
    def test_names_each_criterion_once_in_one_order(self):
        assert judging.config_of(["b", "a", "b"]) == {"criteria": ["a", "b"]}
