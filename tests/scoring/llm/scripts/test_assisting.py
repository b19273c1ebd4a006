import asyncio
import json

import pytest

from scoring.llm import openai_client, scoring_api
from scoring.llm.base import Ask, Failed, Message, Request, Role
from scoring.llm.config import EndpointConfig
from scoring.llm.scripted import composing as assisting
from scoring.llm.scripted.bodies import BadBody
from scoring.llm.scripted.model import ScriptedModel
from scoring.llm.scripted.script import Script
from tests.scoring.llm import serving

NEAR = {"premise": "The parcel left on Monday.", "hypothesis": "The parcel left."}
FAR = {"premise": "The parcel left on Monday.", "hypothesis": "Whales sing at night."}
ASKED = {
    Ask.EMBED: ("A parcel.", "The parcel left."),
    Ask.SCORE: (json.dumps(NEAR), json.dumps(FAR)),
    Ask.WEIGH: ("When did it leave?\n\n", "On Monday."),
}


def request(ask):
    return Request(Role.ASSISTANT, tuple(Message("user", one) for one in ASKED[ask]), ask=ask)


def over_http(asked, script=None, **more):
    """Return what a server with this script answers, or what failed."""

    async def ask(url):
        endpoint = EndpointConfig(url=url, model="scripted", networks=("127.0.0.0/8",), timeout=5)
        async with openai_client.open_client(endpoint) as model:
            try:
                return await model.reply(asked)
            except Failed as problem:
                return problem

    with serving.in_thread(script, **more) as server:
        return asyncio.run(ask(server.url))


class TestEmbeddings:
    def test_put_texts_of_the_same_words_near_each_other(self):
        data = assisting.embeddings(
            {"input": ["The parcel left.", "the PARCEL left", "Whales sing."]}
        )

        one, two, three = (each["embedding"] for each in data["data"])
        assert one == two != three
        assert sum(each * each for each in one) == pytest.approx(1, abs=1e-4)

    @pytest.mark.parametrize("body", [{}, {"input": []}, {"input": [1]}])
    def test_need_texts(self, body):
        with pytest.raises(BadBody):
            assisting.embeddings(body)


class TestScores:
    def test_are_higher_where_more_words_are_shared(self):
        near, far = assisting.scores({"inputs": [NEAR, FAR]}, Script())["scores"]

        assert 0 <= far < 0.2 < 0.8 < near <= 1

    def test_leave_their_range_if_they_are_lifted(self):
        (near,) = assisting.scores({"inputs": [NEAR]}, Script(lift=2))["scores"]

        assert near > 2

    def test_a_hypothesis_without_words_has_none(self):
        assert assisting.scores({"inputs": [{**NEAR, "hypothesis": "…"}]}, Script())["scores"] == [
            None
        ]

    @pytest.mark.parametrize(
        "body", [{}, {"inputs": []}, {"inputs": [{"premise": "a"}]}, {"inputs": [3]}]
    )
    def test_need_pairs(self, body):
        with pytest.raises(BadBody):
            assisting.scores(body, Script())


class TestBothWays:
    @pytest.mark.parametrize("ask", list(ASKED))
    def test_a_server_answers_as_the_model_in_process_does(self, ask):
        served = over_http(request(ask))
        own = asyncio.run(ScriptedModel({}).reply(request(ask)))

        assert (served.text, served.tokens) == (own.text, own.tokens)
        assert scoring_api.PATHS[ask]

    def test_a_failing_server_fails_as_any_other(self):
        found = over_http(request(Ask.SCORE), faults={"500": 1.0})

        assert found.status == 500

    def test_a_server_without_log_probabilities_says_none(self):
        found = over_http(request(Ask.WEIGH), {"logprobs": False})

        assert "no log-probabilities" in str(found)
