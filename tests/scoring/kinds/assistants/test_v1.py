import asyncio
import json
import math

import pytest

from scoring.kinds.assistants import v1
from scoring.kinds.assistants.asking_v1 import Config, Kind, Pair
from scoring.llm.base import Ask, MachineryFailed, Reply, TokenChance, Trouble
from scoring.llm.scripted.model import ScriptedModel
from scoring.protocols import untrusted
from tests.scoring.protocols import hostile
from tests.scoring.protocols.answering import Answering

FENCE = untrusted.Fence("secret", "answers 1–2")
MONDAY = Pair("It left on Monday.", ("The parcel left on Monday.",))
WHALES = Pair("Whales sing.", ("The parcel left on Monday.",))


def score(model, *pairs, **config):
    made = Config(**{"kind": Kind.SERVED, "low": 0.0, "high": 1.0, **config})
    return asyncio.run(v1.score(model, pairs or (MONDAY,), made, fence=FENCE, seed=5))


def served(*values):
    return Answering(json.dumps(values))


def said(value):
    return json.dumps({"entailment": {"reasoning": "So.", "score": value}})


class TestServed:
    def test_scores_several_answers_in_one_request(self):
        model = served(0.75, 0.25)

        found = score(model, MONDAY, WHALES)

        assert [(one["outcome"], one["value"], one["n_valid"]) for one in found] == [
            ("SCORED", 0.75, 1),
            ("SCORED", 0.25, 1),
        ]
        (request,) = model.requests
        assert request.ask is Ask.SCORE
        assert json.loads(request.messages[0].content) == {
            "premise": "The parcel left on Monday.",
            "hypothesis": "It left on Monday.",
        }

    def test_turned_asks_what_follows_from_the_answer(self):
        model = served(0.5)

        score(model, turned=True)

        assert json.loads(model.requests[0].messages[0].content)["premise"] == "It left on Monday."

    @pytest.mark.parametrize("value", [1.2, -0.01, 100])
    def test_a_score_outside_the_declared_range_is_a_problem_and_no_score(self, value):
        (found,) = score(served(value))

        assert (found["outcome"], found["value"]) == ("UNSCORED", None)
        assert "outside the declared range, 0 to 1" in found["reason"]

    def test_what_rounding_put_outside_is_at_the_end(self):
        assert score(served(1.0000004))[0]["value"] == 1.0

    def test_an_open_range_takes_any_number(self):
        assert score(served(-12.5), low=None, high=None)[0]["value"] == -12.5

    def test_a_missing_number_is_said_to_be_missing(self):
        found = score(served(None, 0.5), MONDAY, WHALES)

        assert (found[0]["outcome"], found[0]["reason"]) == ("UNSCORED", v1.NO_NUMBER)
        assert found[1]["value"] == 0.5

    def test_with_several_texts_the_score_is_the_mean_over_them(self):
        pair = Pair("It left.", ("It left.", "It left on Monday."))

        (found,) = score(served(0.5, 1.0), pair)

        assert found["value"] == 0.75

    def test_a_text_without_a_score_leaves_no_mean(self):
        pair = Pair("It left.", ("It left.", "It left on Monday."))

        assert score(served(0.5, None), pair)[0]["value"] is None

    def test_what_is_not_there_is_left_out_without_asking(self):
        model = served(0.5)

        found = score(model, Pair(" ", ("a",)), Pair("a", ()), MONDAY)

        assert [one["reason"] for one in found] == [v1.NO_ANSWER, v1.NO_PREMISE, ""]
        assert len(model.requests[0].messages) == 1
        assert score(Answering(), Pair("", ("a",)))[0]["outcome"] == "SKIPPED"

    def test_a_text_too_long_for_the_server_costs_the_others_nothing(self):
        long = MachineryFailed(Trouble.TOO_LONG, "too long")
        model = Answering(
            lambda asked: long if "Whales" in str(asked.messages) else json.dumps([0.5])
        )

        one, other = score(model, MONDAY, WHALES)

        assert (one["value"], other["value"], other["outcome"]) == (0.5, None, "UNSCORED")
        assert other["reason"]


class TestLikelihood:
    def reply(self, *chances):
        return Reply("It left.", tokens=tuple(TokenChance("x", one) for one in chances))

    def test_is_exp_of_the_mean_log_probability(self):
        model = Answering(self.reply(math.log(0.5), math.log(0.125)))

        (found,) = score(model, kind=Kind.LIKELIHOOD)

        assert found["value"] == pytest.approx(0.25)
        (request,) = model.requests
        assert request.ask is Ask.WEIGH
        assert [one.content for one in request.messages] == [
            "The parcel left on Monday.\n\n", "It left on Monday.",
        ]  # fmt: skip

    def test_needs_no_context(self):
        model = Answering(self.reply(-1))

        assert score(model, Pair("It left.", ()), kind=Kind.LIKELIHOOD)[0]["value"] is not None
        assert len(model.requests[0].messages) == 1

    def test_gives_room_for_a_token_to_servers_that_want_it(self):
        refused = MachineryFailed(Trouble.BAD_REQUEST, "max_tokens must be at least 1")
        model = Answering(refused, self.reply(-1))

        assert score(model, kind=Kind.LIKELIHOOD)[0]["value"] == pytest.approx(math.exp(-1))
        assert [one.settings.max_tokens for one in model.requests] == [None, 1]

    def test_a_failure_of_the_network_goes_upwards(self):
        with pytest.raises(MachineryFailed):
            score(Answering(MachineryFailed(Trouble.TIMEOUT, "late")), kind=Kind.LIKELIHOOD)


class TestEntailment:
    def test_is_the_mean_of_readings_with_their_spread(self):
        model = Answering(said(0.5), said(1))

        (found,) = score(model, kind=Kind.ENTAILMENT, repeats=2)

        assert (found["value"], found["n_valid"]) == (0.75, 2)
        assert found["sd"] == pytest.approx(math.sqrt(0.125))
        assert [one.repeat for one in model.requests] == [1, 2]

    @pytest.mark.parametrize("reply", [said(1.5), "none", said(-1)])
    def test_what_cannot_be_read_is_asked_for_once_more_and_is_no_score(self, reply):
        model = Answering(reply)

        (found,) = score(model, kind=Kind.ENTAILMENT)

        assert (found["outcome"], found["value"]) == ("UNSCORED", None)
        assert len(model.requests) == 2

    @pytest.mark.parametrize("text", hostile.ALL[:12], ids=lambda text: repr(text[:20]))
    def test_no_answer_leaves_its_delimiters(self, text):
        model = Answering(said(0.5))

        score(model, Pair(text or ".", ("A.",)), kind=Kind.ENTAILMENT)

        shown = model.requests[0].messages[1].content
        code = FENCE.code(model.requests[0].role, repeat=1)
        assert shown.count("<<<") == shown.count(code) == 4

    def test_turned_puts_the_answer_first(self):
        model = Answering(said(0.5))

        score(model, kind=Kind.ENTAILMENT, turned=True)

        shown = model.requests[0].messages[1].content
        assert shown.index("It left on Monday.") < shown.index("The parcel left on Monday.")


class TestSimilarity:
    def test_of_the_same_words_is_one_and_of_others_less(self):
        same = Pair("The parcel left.", ("the parcel LEFT",))

        one, other = score(
            ScriptedModel({}), same, WHALES, kind=Kind.SIMILARITY, low=-1.0, high=1.0
        )

        assert one["value"] == pytest.approx(1)
        assert other["value"] < 0.5

    def test_sends_each_text_once(self):
        requests = v1.requests([MONDAY, WHALES], Config(Kind.SIMILARITY), fence=FENCE, seed=0)

        assert len(requests[0].messages) == 3


class TestCosine:
    def test_of_known_vectors(self):
        assert v1.cosine((3, 4), (4, 3)) == pytest.approx(24 / 25)
        assert v1.cosine((1, 0), (0, 2)) == 0

    def test_of_a_vector_without_length_is_none(self):
        assert v1.cosine((0, 0), (1, 0)) is None


class TestRequests:
    @pytest.mark.parametrize(
        ("kind", "n"),
        [(Kind.SERVED, 1), (Kind.SIMILARITY, 1), (Kind.LIKELIHOOD, 2), (Kind.ENTAILMENT, 6)],
    )
    def test_are_as_many_as_are_asked(self, kind, n):
        found = v1.requests([MONDAY, WHALES], Config(kind, repeats=3), fence=FENCE, seed=5)

        assert len(found) == n

    def test_are_none_where_there_is_nothing_to_score(self):
        assert v1.requests([Pair("", ())], Config(Kind.SERVED), fence=FENCE, seed=5) == []
