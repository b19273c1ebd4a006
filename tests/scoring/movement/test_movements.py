import json

import pytest

from annotation.rounds import sameness
from scoring import jobs as scoring_jobs
from tests import make
from tests.scoring import worked

pytestmark = pytest.mark.django_db


def figures(after, before, **params):
    system = before.systems.get().release.system_id
    data = scoring_jobs.compute(
        name="fluctuation",
        round_=after,
        params={"before": before.number, "system": system, "resamples": 20} | params,
    )
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    return data


def causes(figure, method):
    return [
        part["value"] if isinstance(part, dict) else part
        for part in (
            figure["methods"][method][name]
            for name in ("questions", "responses", "same_raters", "other_raters")
        )
    ]


class TestFluctuationOf:
    def test_is_that_of_the_worked_example(self):
        before, after = worked.two_rounds()

        data = figures(after, before)

        score = data["figures"][0]
        assert causes(score, "fixed_effects") == pytest.approx([-5 / 48, 3 / 16, -5 / 36, 1 / 18])
        assert causes(score, "lalaeval") == pytest.approx([-1 / 8, 1 / 6, -1 / 12, 1 / 24])
        assert score["methods"]["shapley"]["change"]["num"] == 0
        assert data["pairs"] == {
            "common": 3,
            "same_questions": 3,
            "same_responses": 2,
            "gone": 1,
            "new": 1,
            "open": 1,
        }
        assert score["intervals"]["change"]["n_clusters"] == 5

    def test_takes_a_persons_word_for_a_response(self):
        before, after = worked.two_rounds()
        one, other = (
            round_.items.get(item__external_id="Q2").responses.get().response
            for round_ in (before, after)
        )
        sameness.tag(
            project=before.project,
            left=one,
            right=other,
            verdict="SAME",
            by=before.created_by,
            now=make.NOW,
        )

        data = figures(after, before)

        assert (data["pairs"]["same_responses"], data["pairs"]["open"]) == (3, 0)
        assert causes(data["figures"][0], "fixed_effects")[1] == 0

    def test_of_accuracy_counts_what_passes(self):
        before, after = worked.two_rounds()

        accuracy = next(
            one for one in figures(after, before)["figures"] if one["figure"] == "accuracy"
        )

        assert accuracy["methods"]["shapley"]["before"] == {"num": 11, "den": 12, "value": 11 / 12}

    def test_says_what_is_missing(self):
        before, after = worked.two_rounds()
        before.grades.update(is_current=False)

        (score, _accuracy) = figures(after, before)["figures"]

        assert score["problem"] == "Both rounds need grades."
