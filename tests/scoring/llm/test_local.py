"""A run's requests meet a real server and a real, weak model. Needs the extra `local` (docs/operator.md)."""

import asyncio
import json
import socket
from contextlib import closing
from decimal import Decimal

import pytest

from annotation.common.scales import Scale
from scoring.kinds.judging import asking_v1
from scoring.llm import base, clients, config, local

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not local.is_installed(), reason="the local model is not installed"),
]
SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "enum": [0, 1, 2, 3]}},
    "required": ["score"],
    "additionalProperties": False,
}
ABLE = {name: {"value": True} for name in ("json_schema", "logprobs", "seed")}


@pytest.fixture(scope="module")
def url():
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    with local.serving(local.LocalOptions(port=port)) as served:
        yield served


def reply(url, text, schema=None, **settings):
    async def asking():
        endpoint = config.EndpointConfig(
            url=url, model=local.MODEL, timeout=50, found=ABLE, networks=("127.0.0.0/8",)
        )
        request = base.Request(
            base.Role.JUDGE, (base.Message("user", text),), base.Settings(**settings), schema
        )
        async with clients.open_model(endpoint) as model:
            return await model.reply(request)

    return asyncio.run(asking())


class TestServing:
    def test_answers_with_text_and_counts(self, url):
        got = reply(url, "Say hello.", max_tokens=12, temperature=0)

        assert got.text
        assert got.prompt_tokens > 0
        assert 0 < got.completion_tokens <= 12

    def test_keeps_to_a_schema(self, url):
        got = reply(url, "Score this from 0 to 3: rain falls.", SCHEMA, max_tokens=60)

        assert json.loads(got.text)["score"] in {0, 1, 2, 3}

    def test_gives_log_probabilities(self, url):
        got = reply(url, "Say one number.", max_tokens=3, top_logprobs=3)

        assert "".join(one.token for one in got.tokens) == got.text
        assert all(one.logprob <= 0 for one in got.tokens)

    def test_says_the_same_with_the_same_seed(self, url):
        first, again = (
            reply(url, "Tell a story.", max_tokens=12, seed=4, temperature=1) for _ in range(2)
        )

        assert first.text == again.text

    def test_refuses_a_prompt_that_is_too_long(self, url):
        with pytest.raises(base.Failed) as caught:
            reply(url, "word " * 4000, max_tokens=3)

        assert caught.value.trouble is base.Trouble.TOO_LONG

    def test_fills_in_the_direct_judges_form(self, url):
        task = asking_v1.Task(
            (base.Message("user", "Why is there a rainbow?"),),
            (base.Message("assistant", "Droplets refract sunlight."),),
            (asking_v1.Criterion("fact", "Factuality", Scale(Decimal(0), Decimal(3), Decimal(1))),),
        )

        system, user = asking_v1.messages(task, "ab" * 10)
        got = reply(
            url, f"{system.content}\n\n{user.content}", asking_v1.schema(task), max_tokens=120
        )

        assert got.finish == "length" or json.loads(got.text)["fact"]["score"] in {0, 1, 2, 3}
