from typing import Any

import numpy as np
import pytest

from scoring.engine.models import Judgment, LLMCall
from scoring.kinds.interviews import figure
from scoring.kinds.interviews import results as interview_voices
from scoring.kinds.interviews.models import Dialogue
from scoring.kinds.interviews.results import of_params
from tests.scoring import interviewed

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged():
    of = interviewed.held(n=4, planned=1)
    interviewed.judged_again(
        of,
        interviewed.evaluator("Listener", script={"seed": 3}),
        interviewed.evaluator("Mumbler", script={"seed": 4, "malformed": 0.9}),
    )
    return of


class TestCompute:
    def test_scores_the_first_evaluator_as_the_results_do(self, judged):
        found = figure.compute_panels(judged, {"scale": "released"})

        alone = figure.compute(judged, {"scale": "released"})
        for place, aspect in enumerate(alone["aspects"].values()):
            theirs = [one["overall"]["value"] for one in aspect["candidates"]]
            ours = [one["overall"]["value"] for one in found["voices"][0]["scores"][place]]
            assert ours == pytest.approx(theirs)

    def test_votes_on_dialogues_that_every_evaluator_scored(self, judged):
        panel = figure.VoicePanel(judged)
        options = of_params({})

        found = figure.compute_panels(judged, {"vote": "median"})

        scores = np.stack([panel.scores(one, options) for one in panel.voices])
        known = ~np.isnan(scores[:, -1]).any(axis=0)
        assert [one["overall"]["n"] for one in found["panel"][-1]] == known.sum(axis=1).tolist()
        assert 0 < known.sum() < Dialogue.objects.count()

    def test_says_how_much_higher_one_judges_on_the_same_exchanges(self, judged):
        found = figure.compute_panels(judged, {})

        pair = found["pairs"][0]
        first, second = interview_voices.voices_of(judged)[:2]
        rows = {
            name: {
                (one.response_id, one.target_index): one.value
                for one in Judgment.objects.filter(
                    run=voice.run, rater=voice.rater, criterion__name="overall", value__isnull=False
                )
            }
            for name, voice in (("first", first), ("second", second))
        }
        shared = rows["first"].keys() & rows["second"].keys()
        gaps = [rows["second"][key] - rows["first"][key] for key in shared]
        assert pair["offsets"]["overall"]["shift"]["value"] == pytest.approx(np.mean(gaps))
        assert pair["offsets"]["overall"]["n"] == len(gaps)
        assert pair["same"]["value"] == pytest.approx(np.mean([not gap for gap in gaps]))

    def test_agrees_perfectly_with_itself(self):
        of = interviewed.held(n=3)
        interviewed.judged_again(of, of.judge, seed=of.seed)

        found: Any = figure.compute_panels(of, {})
        (pair,) = found["pairs"]

        assert pair["same"]["value"] == 1
        assert pair["offsets"]["overall"]["shift"]["value"] == 0
        assert [one["value"] for one in pair["together"]] == pytest.approx([1, 1, 1])

    def test_asks_nobody(self, judged):
        n_calls = LLMCall.objects.count()

        figure.compute_panels(judged, {"decay": "none", "vote": "median"})

        assert LLMCall.objects.count() == n_calls
