import math

import pytest

from scoring.engine.models import LLMCall
from scoring.kinds.interviews import figure as interview_figures
from scoring.kinds.interviews.models import Dialogue, Exchange
from scoring.stats.machines import interviews
from tests.scoring import interviewed

pytestmark = pytest.mark.django_db
SHARES = {1: 0.1, 2: 0.3, 3: 0.7, 4: 1.0}


def released_by_hand(dialogue):
    """Score a dialogue as the released code does, from the exchanges as they stand for readers."""
    rows = Exchange.objects.filter(dialogue=dialogue).order_by("k")
    scores = [one.scores["overall"] for one in rows if one.scores]
    weights = [math.exp(-0.2 * place) for place in range(len(scores))]
    total = sum(SHARES[one] * weight for one, weight in zip(scores, weights, strict=True))
    return 100 * total / sum(weights) if scores else None


class TestCompute:
    def test_scores_each_data_set_and_means_over_them(self):
        run = interviewed.held(n=4)

        found = interview_figures.compute(
            run, {"scale": "released", "decay": "fifth", "unscored": "shifts_up"}
        )

        release = found["candidates"][0]
        for place, dataset in enumerate(found["datasets"]):
            mine = Dialogue.objects.filter(release=release, dataset=dataset)
            by_hand = [released_by_hand(one) for one in mine]
            known = [one for one in by_hand if one is not None]
            score = found["aspects"]["overall"]["candidates"][0]["datasets"][place]
            assert score["value"] == pytest.approx(sum(known) / len(known))
            assert (score["n"], score["n_held"]) == (len(known), len(by_hand))
        assert found["profiles"][0]["profile"]["name"] == "released"

    def test_has_the_four_of_the_ablation_from_dialogues_that_went_on(self):
        run = interviewed.held(n=4, mark_but_continue=True)

        found = interview_figures.compute(run, {})

        assert [(one["decaying"], one["stopping"]) for one in found["ablation"]] == [
            (True, True),
            (True, False),
            (False, True),
            (False, False),
        ]
        assert found["ablation"][0]["values"] == found["profiles"][0]["values"]

    def test_asks_nobody(self):
        run = interviewed.held(n=1)
        n_calls = LLMCall.objects.count()

        for profile in interviews.PROFILES:
            interview_figures.compute(run, {"scale": str(profile.scale)})

        assert LLMCall.objects.count() == n_calls

    def test_counts_why_dialogues_ended(self):
        run = interviewed.held(n=4)

        found = interview_figures.compute(run, {})

        for facts in found["facts"]:
            mine = Dialogue.objects.filter(release=facts["release"])
            assert facts["n"] == mine.count()
            assert sum(facts["reasons"].values()) == mine.exclude(stop_reason="").count()
