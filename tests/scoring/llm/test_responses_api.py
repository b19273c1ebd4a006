import asyncio

import pytest

from scoring.llm import chat_api, openai_client, responses_api
from scoring.llm.base import Message, Reply, Request, Role, Settings, Trouble
from scoring.llm.chat_api import NoReply
from scoring.llm.config import EndpointConfig
from tests.scoring.llm import behaving

TEXT = {"type": "output_text", "text": "Four."}


def answer(*items, **more):
    return {"id": "r", "model": "house-2", "status": "completed", "output": list(items), **more}


def message(*parts):
    return {"type": "message", "role": "assistant", "content": list(parts)}


def read(payload) -> Reply:
    return chat_api.reply(responses_api.as_chat(payload), seconds=0.1)


class TestBody:
    def test_says_what_a_chat_says_in_the_words_of_this_form(self):
        wish = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": {"type": "object"}, "strict": True},
        }

        made = responses_api.body(
            {
                "model": "house",
                "messages": [{"role": "user", "content": "Grade."}],
                "max_completion_tokens": 90,
                "reasoning_effort": "low",
                "response_format": wish,
                "logprobs": True,
                "top_logprobs": 5,
                "temperature": 0.3,
                "seed": 4,
            }
        )

        assert made == {
            "model": "house",
            "input": [{"role": "user", "content": "Grade."}],
            "store": False,
            "max_output_tokens": 90,
            "reasoning": {"effort": "low"},
            "text": {
                "format": {
                    "type": "json_schema",
                    "name": "reply",
                    "schema": {"type": "object"},
                    "strict": True,
                }
            },
            "include": ["message.output_text.logprobs"],
            "top_logprobs": 5,
            "temperature": 0.3,
        }

    def test_tells_calls_of_tools_and_their_results(self):
        call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}

        made = responses_api.body(
            {
                "messages": [
                    {"role": "assistant", "content": None, "tool_calls": [call]},
                    {"role": "tool", "content": "7", "tool_call_id": "c1"},
                ]
            }
        )

        assert made["input"] == [
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "7"},
        ]


class TestReply:
    def test_is_read_with_its_reasoning_apart_and_all_its_tokens(self):
        thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Two twos."}]}
        usage = {
            "input_tokens": 30,
            "output_tokens": 12,
            "total_tokens": 42,
            "input_tokens_details": {"cached_tokens": 20},
        }

        found = read(answer(thought, message(TEXT), usage=usage))

        assert (found.text, found.finish) == ("Four.", "stop")
        assert (found.prompt_tokens, found.completion_tokens, found.cached_tokens) == (30, 12, 20)
        assert found.notes == {"model": "house-2", "reasoning": "Two twos."}

    def test_brings_log_probabilities(self):
        chance = {"token": "Four", "logprob": -0.1, "top_logprobs": [{"token": "4", "logprob": -2}]}

        found = read(answer(message({**TEXT, "logprobs": [chance]})))

        assert [(one.token, one.others) for one in found.tokens] == [("Four", (("4", -2.0),))]

    @pytest.mark.parametrize(
        ("reason", "finish"), [("max_output_tokens", "length"), (None, "length")]
    )
    def test_says_that_it_was_cut_off(self, reason, finish):
        cut = {"status": "incomplete", "incomplete_details": {"reason": reason}}

        assert read(answer(message(TEXT), **cut)).finish == finish

    def test_withheld_by_a_filter_is_none(self):
        cut = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}

        with pytest.raises(NoReply) as withheld:
            read(answer(message(TEXT), **cut))

        assert withheld.value.trouble is Trouble.FILTERED

    def test_that_refuses_says_so(self):
        found = read(answer(message({"type": "refusal", "refusal": "I can't."})))

        assert (found.text, found.notes["refusal"]) == ("I can't.", "I can't.")

    def test_that_calls_a_tool_is_no_text(self):
        call = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"a": 1}'}

        with pytest.raises(NoReply, match="calls the tool “f”"):
            read(answer(call))

    @pytest.mark.parametrize("payload", [{}, {"output": None}, answer()])
    def test_without_any_item_is_garbage(self, payload):
        with pytest.raises(NoReply) as nothing:
            read(payload)

        assert nothing.value.trouble is Trouble.GARBAGE

    def test_that_failed_is_an_error(self):
        made = responses_api.as_chat(answer(message(TEXT), status="failed"))

        assert chat_api.error_of(made) == {"message": "The reply failed.", "code": "server_error"}


class TestAsking:
    def test_goes_to_the_second_form_with_headers_query_and_body_of_its_own(self):
        async def ask(url):
            endpoint = EndpointConfig(
                url=url,
                model="house",
                key=behaving.KEY,
                networks=("127.0.0.0/8",),
                headers={"api-key": "{key}", "x-team": "north"},
                options={
                    "api": "responses",
                    "query": {"api-version": "2024-10-21", "key": "{key}"},
                    "body": {"service_tier": "flex"},
                    "effort": "high",
                    "thinking_room": 1000,
                },
            )
            async with openai_client.open_client(endpoint) as model:
                asked = Request(Role.JUDGE, (Message("user", "Grade."),), Settings(max_tokens=50))
                return await model.reply(asked)

        with behaving.behaving(behaving.responses, "Four.") as stub:
            reply = asyncio.run(ask(stub.url))

        assert (reply.text, reply.notes["reasoning"]) == ("Four.", "Let me see.")
        assert stub.paths == [f"/v1/responses?api-version=2024-10-21&key={behaving.KEY}"]
        assert stub.headers[0]["api-key"] == behaving.KEY
        assert stub.headers[0]["x-team"] == "north"
        assert "authorization" not in stub.headers[0]
        assert stub.bodies[0]["service_tier"] == "flex"
        assert stub.bodies[0]["max_output_tokens"] == 1050
        assert stub.bodies[0]["reasoning"] == {"effort": "high"}
