import pytest

from scoring.llm import base, chat_api
from scoring.llm.base import Message, Request, Role, Settings, Trouble
from scoring.llm.config import EndpointConfig

SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}
ASKED = (Message("system", "Be brief."), Message("user", "Grade this."))


def request(*, schema=SCHEMA, repeat=0, messages=ASKED, **settings):
    return Request(Role.JUDGE, messages, Settings(**settings), schema=schema, repeat=repeat)


def endpoint(**values):
    found = {name: {"value": value} for name, value in values.items()}
    return EndpointConfig(model="house", found=found)


def payload(content="4", finish="stop", **more):
    return {"choices": [{"message": {"content": content}, "finish_reason": finish, **more}]}


def read(made):
    return chat_api.reply(made, seconds=0.5)


class TestBody:
    def test_holds_the_model_to_a_schema_where_it_can(self):
        sent = chat_api.body(request(), endpoint(json_schema=True))

        assert sent["response_format"]["json_schema"]["schema"] == SCHEMA
        assert sent["messages"][-1]["content"] == "Grade this."

    def test_asks_for_the_schema_in_words_where_only_json_is_held(self):
        sent = chat_api.body(request(), endpoint(json_object=True))

        assert sent["response_format"] == {"type": "json_object"}
        assert sent["messages"][-1]["content"].startswith("Grade this.\n\nReply with one JSON")
        assert '"score"' in sent["messages"][-1]["content"]

    def test_asks_in_words_alone_where_nothing_is_known(self):
        sent = chat_api.body(request(), endpoint())

        assert "response_format" not in sent
        assert [one["role"] for one in sent["messages"]] == ["system", "user"]

    def test_says_nothing_of_a_form_without_a_schema(self):
        sent = chat_api.body(request(schema=None), endpoint(json_schema=True))

        assert sent == {"model": "house", "messages": base.transcript(ASKED)}

    def test_can_ask_for_a_form_without_messages(self):
        sent = chat_api.body(request(messages=()), endpoint())

        assert sent["messages"][0]["content"].startswith("Reply with one JSON object")

    def test_gives_every_repeat_a_seed_of_its_own(self):
        seeds = [
            chat_api.body(request(seed=7, repeat=number), endpoint())["seed"] for number in (0, 1)
        ]

        assert seeds == [7, 8]

    def test_keeps_seeds_small_enough_for_every_server(self):
        assert chat_api.body(request(seed=2**31), endpoint())["seed"] == 0

    def test_leaves_out_what_the_server_refuses(self):
        sent = chat_api.body(request(seed=7, top_logprobs=5), endpoint(seed=False, logprobs=False))

        assert sent.keys() == {"model", "messages"}

    def test_names_the_limit_as_the_server_does(self):
        named = endpoint(max_tokens_name="max_completion_tokens")

        assert chat_api.body(request(max_tokens=9), named)["max_completion_tokens"] == 9
        assert chat_api.body(request(max_tokens=9), endpoint())["max_tokens"] == 9

    def test_sends_what_else_was_set(self):
        sent = chat_api.body(
            request(temperature=0.0, top_p=0.5, stop=("END",), top_logprobs=50), endpoint()
        )

        assert sent["temperature"] == 0.0
        assert sent["top_p"] == 0.5
        assert sent["stop"] == ["END"]
        assert sent["top_logprobs"] == chat_api.MAX_TOP_LOGPROBS

    def test_asks_for_chances_alone_where_no_others_are_wanted(self):
        sent = chat_api.body(request(top_logprobs=0), endpoint())

        assert sent["logprobs"] is True
        assert "top_logprobs" not in sent


class TestSchemaInWords:
    def test_reads_what_a_body_asks_for(self):
        sent = chat_api.body(request(), endpoint())

        assert chat_api.schema_in_words(sent["messages"][-1]["content"]) == SCHEMA

    @pytest.mark.parametrize("text", ["Grade this.", chat_api.WISH, f"{chat_api.WISH}[1]"])
    def test_finds_none_where_none_is_asked_for(self, text):
        assert chat_api.schema_in_words(text) is None


class TestRead:
    @pytest.mark.parametrize("raw", [b"", b"<html>", b"[1]", b'{"a":', b"[" * 100_000])
    def test_refuses_what_is_no_object(self, raw):
        with pytest.raises(chat_api.NoReply) as refused:
            chat_api.read_body(raw)

        assert refused.value.trouble is Trouble.GARBAGE

    def test_takes_numbers_that_are_none_for_nothing(self):
        assert chat_api.read_body(b'{"a": NaN, "b": -Infinity}') == {"a": None, "b": None}


class TestReplies:
    def test_reads_every_choice_and_the_bill_once(self):
        made = payload("4")
        made["choices"] += payload("5")["choices"] + payload("", "content_filter")["choices"]
        made["usage"] = {"prompt_tokens": 10, "completion_tokens": 3}

        found = chat_api.replies(made, seconds=0.5)

        assert (found.prompt_tokens, found.completion_tokens, found.seconds) == (10, 3, 0.5)
        read = [(one.text, one.finish) for one in base.unpacked(found)]
        assert read == [("4", "stop"), ("5", "stop"), ("", "content_filter")]

    def test_refuses_a_body_in_which_no_choice_holds_text(self):
        made = payload("")
        made["choices"] += payload("  ")["choices"]

        with pytest.raises(chat_api.NoReply) as refused:
            chat_api.replies(made, seconds=0.5)

        assert refused.value.trouble is Trouble.EMPTY

    def test_are_asked_for_by_number(self):
        assert chat_api.body(request(n=8), endpoint())["n"] == 8
        assert "n" not in chat_api.body(request(), endpoint())


class TestReply:
    def test_reads_text_counts_and_who_answered(self):
        made = payload() | {
            "usage": {"prompt_tokens": 12, "completion_tokens": 3},
            "system_fingerprint": "fp",
            "model": "house-2",
        }

        found = read(made)

        assert (found.text, found.finish) == ("4", "stop")
        assert (found.prompt_tokens, found.completion_tokens) == (12, 3)
        assert (found.fingerprint, found.notes) == ("fp", {"model": "house-2"})

    @pytest.mark.parametrize(
        "usage", [None, "many", {"prompt_tokens": True}, {"prompt_tokens": -1}]
    )
    def test_knows_no_count_where_the_server_gives_none(self, usage):
        assert read(payload() | {"usage": usage}).prompt_tokens is None

    @pytest.mark.parametrize("choices", [None, [], "x", [None], {}])
    def test_refuses_a_body_without_a_reply(self, choices):
        with pytest.raises(chat_api.NoReply) as refused:
            read({"choices": choices})

        assert refused.value.trouble is Trouble.GARBAGE

    @pytest.mark.parametrize("content", [None, "", "  \n", 4, []])
    def test_tells_an_empty_reply(self, content):
        with pytest.raises(chat_api.NoReply) as refused:
            read(payload(content))

        assert refused.value.trouble is Trouble.EMPTY

    def test_says_that_the_limit_left_no_room(self):
        with pytest.raises(chat_api.NoReply, match="Raise it"):
            read(payload("", "length"))

    def test_tells_a_reply_that_was_withheld(self):
        with pytest.raises(chat_api.NoReply) as refused:
            read(payload("half of", "content_filter"))

        assert refused.value.trouble is Trouble.FILTERED

    def test_keeps_a_reply_that_was_cut(self):
        assert read(payload("half of", "length")).finish == "length"

    def test_takes_a_refusal_for_the_reply(self):
        made = {"choices": [{"message": {"content": None, "refusal": "I will not."}}]}

        assert read(made).text == "I will not."
        assert read(made).notes == {"refusal": "I will not."}

    def test_joins_a_reply_in_parts(self):
        parts = [{"type": "text", "text": "one "}, {"type": "image"}, {"text": "two"}, 3]

        assert read(payload(parts)).text == "one two"

    def test_keeps_nothing_that_a_database_cannot_hold(self):
        assert read(payload("a\x00b\ud800c")).text == "a\N{REPLACEMENT CHARACTER}b?c"

    def test_reads_chances_of_tokens(self):
        content = [
            {
                "token": "4",
                "logprob": -0.1,
                "top_logprobs": [{"token": "5", "logprob": float("-inf")}, "x"],
            },
            "x",
        ]

        tokens = read(payload(logprobs={"content": content})).tokens

        assert tokens == (base.TokenChance("4", -0.1, (("5", chat_api.NO_CHANCE),)),)

    @pytest.mark.parametrize("logprobs", [None, [], {"content": "x"}, {"content": None}])
    def test_has_no_chances_where_none_came(self, logprobs):
        assert read(payload(logprobs=logprobs)).tokens is None


class TestErrorOf:
    def test_reads_an_object_or_a_text(self):
        assert chat_api.error_of({"error": {"message": "no"}}) == {"message": "no"}
        assert chat_api.error_of({"error": "no"}) == {"message": "no"}
        assert chat_api.error_of({"choices": []}) is None


class TestToolCalls:
    CALL = {"id": "a", "type": "function", "function": {"name": "map", "arguments": '{"at": 1}'}}

    def message(self, **given):
        return {"choices": [{"message": {"content": None, **given}, "finish_reason": "tool_calls"}]}

    def calls(self, **given):
        made = chat_api.reply(self.message(**given), seconds=0.5, takes_calls=True)
        assert made.text == ""
        return made.tool_calls

    def test_are_a_reply_of_their_own_where_they_are_taken(self):
        assert self.calls(tool_calls=[self.CALL]) == (base.ToolCall("a", "map", '{"at": 1}'),)

    def test_are_no_reply_to_whoever_wants_words(self):
        with pytest.raises(chat_api.NoReply, match="calls the tool “map”"):
            read(self.message(tool_calls=[self.CALL]))

    def test_are_read_as_older_servers_and_local_ones_write_them(self):
        old = {"name": "map", "arguments": "{}"}

        assert self.calls(function_call=old) == (base.ToolCall("call_1", "map", "{}"),)
        assert self.calls(tool_calls=[{"function": {"arguments": {"at": 1}}}, "x"]) == (
            base.ToolCall("call_1", chat_api.UNNAMED, '{"at": 1}'),
        )

    def test_stand_beside_words(self):
        made = payload("There.")
        made["choices"][0]["message"]["tool_calls"] = [self.CALL]

        assert (read(made).text, len(read(made).tool_calls)) == ("There.", 1)

    def test_are_sent_back_with_their_results(self):
        called = base.ToolCall("a", "map", "{}")
        talk = (Message("assistant", "", (called,)), Message("tool", "north", answers="a"))

        sent = chat_api.body(request(schema=None, messages=talk), endpoint())["messages"]

        assert sent == [
            {"role": "assistant", "content": None, "tool_calls": [called.as_dict()]},
            {"role": "tool", "content": "north", "tool_call_id": "a"},
        ]

    def test_change_what_was_asked(self):
        told = request(messages=(Message("assistant", ""),)).sha()

        assert (
            request(messages=(Message("assistant", "", (base.ToolCall("a", "b"),)),)).sha() != told
        )


class TestParameters:
    def test_are_sent_only_where_they_are_set(self):
        assert chat_api.body(request(schema=None), endpoint()).keys() == {"model", "messages"}

    def test_that_an_owner_leaves_out_are_never_sent(self):
        options = {"leave_out": ["temperature", "seed"]}

        sent = chat_api.body(
            request(temperature=0.0, top_p=0.5, seed=3), EndpointConfig(options=options)
        )

        assert not {"temperature", "seed"} & sent.keys()
        assert sent["top_p"] == 0.5

    def test_that_a_test_saw_refused_are_never_sent(self):
        assert "temperature" not in chat_api.body(
            request(temperature=0.0), endpoint(temperature=False)
        )

    def test_leave_room_for_reasoning_beside_the_answer(self):
        assert chat_api.body(request(max_tokens=16), endpoint(thinking=4000))["max_tokens"] == 4016
        assert chat_api.body(request(max_tokens=16), endpoint(thinking=False))["max_tokens"] == 16

    def test_the_effort_of_a_request_goes_before_that_of_the_endpoint(self):
        house = EndpointConfig(options={"effort": "low", "limit_name": "max_completion_tokens"})

        assert chat_api.body(request(), house)["reasoning_effort"] == "low"
        assert chat_api.body(request(effort="high"), house)["reasoning_effort"] == "high"
        assert chat_api.body(request(max_tokens=5), house)["max_completion_tokens"] == 5

    def test_that_came_later_change_no_hash_where_they_are_not_set(self):
        assert request(temperature=0.5).sha() != request(temperature=0.5, effort="low").sha()


class TestUsage:
    def test_counts_reasoning_that_stands_in_the_total_alone(self):
        used = {"prompt_tokens": 40, "completion_tokens": 10, "total_tokens": 90}

        assert chat_api.usage_of({"usage": used}) == (40, 50)

    @pytest.mark.parametrize(
        "more",
        [
            {"prompt_tokens_details": {"cached_tokens": 30}},
            {"prompt_cache_hit_tokens": 30},
            {"cache_read_input_tokens": 30},
        ],
    )
    def test_tells_what_was_cached_whatever_it_is_called(self, more):
        used = {"prompt_tokens": 40, "completion_tokens": 10, **more}

        assert read(payload() | {"usage": used}).cached_tokens == 30
        assert chat_api.cached_of({"usage": {"prompt_tokens": 40}}) is None


class TestErrors:
    def test_are_read_from_a_list_as_gemini_sends_it(self):
        found = chat_api.read_body(b'[{"error": {"code": 429, "message": "Quota."}}]')

        assert chat_api.error_of(found) == {"code": 429, "message": "Quota."}
        with pytest.raises(chat_api.NoReply):
            chat_api.read_body(b"[1, 2]")

    def test_a_reply_that_broke_off_is_none_and_is_paid_for(self):
        used = {"prompt_tokens": 40, "completion_tokens": 10}

        with pytest.raises(chat_api.NoReply) as broken:
            read(payload(finish="error") | {"usage": used})

        assert broken.value.trouble is Trouble.GARBAGE
        assert broken.value.reply.completion_tokens == 10
