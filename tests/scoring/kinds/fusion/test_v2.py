import asyncio

from scoring.kinds.fusion import v2
from scoring.kinds.fusion.v1 import Config, Variant
from scoring.llm.base import Message
from scoring.protocols.task_asking_v1 import Example
from tests.scoring.kinds.fusion.notes import DESIGN, FENCE, NOTE
from tests.scoring.protocols.answering import Answering

SCORES = {"clear": 4, "true": 1, "overall": 3.5}


def asked_for(request):
    return next(key for key in SCORES if request.part.startswith(key))


def saying(request):
    key = asked_for(request)
    return f'{{"{key}": {{"score": {SCORES[key]}, "explanation": "so"}}}}'


def evaluate(model, example=NOTE, **config):
    made = Config(**{"variant": Variant.FE_NO_PLAN, "predictions": 2} | config)
    return asyncio.run(v2.evaluate(model, DESIGN, example, made, fence=FENCE, seed=5))


class TestEvaluate:
    def test_asks_for_each_criterion_and_overall_by_itself(self):
        model = Answering(saying)

        found = evaluate(model)

        assert {key: one["value"] for key, one in found["criteria"].items()} == SCORES
        assert [(one.part, one.repeat) for one in model.requests] == [
            (key, repeat) for key in SCORES for repeat in (1, 2)
        ]
        assert [list(one.schema["properties"]) for one in model.requests[::2]] == [
            [key] for key in SCORES
        ]

    def test_shows_a_criterion_nothing_of_the_others_and_overall_all_of_them(self):
        model = Answering(saying)

        evaluate(model, predictions=1)

        clear, true, overall = (one.messages[1].content for one in model.requests)
        assert ("Easy to read." in clear, "Nothing wrong." in clear) == (True, False)
        assert ("Easy to read." in true, "Nothing wrong." in true) == (False, True)
        assert "Easy to read." in overall
        assert "Nothing wrong." in overall
        assert all("overlap: 0.123" in one for one in (clear, true, overall))

    def test_keeps_the_predictions_of_all_criteria_side_by_side(self):
        found = evaluate(Answering(saying))

        assert [one["repeat"] for one in found["samples"]] == [1, 2]
        assert [list(one["criteria"]) for one in found["samples"]] == [list(SCORES)] * 2

    def test_what_cannot_be_read_costs_one_criterion_alone(self):
        model = Answering(lambda one: "Splendid." if asked_for(one) == "true" else saying(one))

        found = evaluate(model, predictions=1)["criteria"]

        assert [found[key]["outcome"] for key in SCORES] == ["SCORED", "UNSCORED", "SCORED"]
        assert {one.part for one in model.requests} >= {"true", "true repair"}

    def test_does_not_evaluate_an_empty_answer(self):
        model = Answering(saying)

        found = evaluate(model, Example((), (Message("assistant", ""),)))

        assert (bool(found["skipped"]), found["criteria"], found["samples"]) == (True, {}, [])
        assert model.requests == []
