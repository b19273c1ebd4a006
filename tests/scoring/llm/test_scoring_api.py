import json

import pytest

from scoring.llm import chat_api, scoring_api
from scoring.llm.base import Ask, Message, Request, Role, Settings, Trouble

PAIR = {"premise": "The parcel left on Monday.", "hypothesis": "It left."}


def request(ask, *texts, **settings):
    messages = tuple(Message("user", text) for text in texts)
    return Request(Role.ASSISTANT, messages, Settings(**settings), ask=ask)


def read(payload, asked):
    return scoring_api.reply(payload, asked, seconds=0.1)


def echoed(tokens, chances, **more):
    return {"choices": [{"logprobs": {"tokens": tokens, "token_logprobs": chances, **more}}]}


class TestBody:
    def test_asks_for_vectors_of_texts(self):
        assert scoring_api.body(request(Ask.EMBED, "a", "b"), "m") == {
            "model": "m", "input": ["a", "b"],
        }  # fmt: skip

    def test_asks_for_scores_of_pairs(self):
        asked = request(Ask.SCORE, json.dumps(PAIR))

        assert scoring_api.body(asked, "m") == {"model": "m", "inputs": [PAIR]}

    def test_has_a_text_repeated_after_what_stands_before_it(self):
        body = scoring_api.body(request(Ask.WEIGH, "Why?\n\n", "Rain."), "m")

        assert (body["prompt"], body["echo"], body["max_tokens"]) == ("Why?\n\nRain.", True, 0)
        assert scoring_api.body(request(Ask.WEIGH, "a", max_tokens=1), "m")["max_tokens"] == 1


class TestReply:
    def test_of_scores_has_one_for_each_pair(self):
        found = read({"scores": [0.25, None]}, request(Ask.SCORE, "{}", "{}"))

        assert json.loads(found.text) == [0.25, None]

    @pytest.mark.parametrize(
        "payload",
        [
            {},
            {"scores": 1},
            {"scores": [1]},
            {"scores": [1, "2"]},
            {"scores": [1, True]},
            {"scores": [1, float("inf")]},
        ],
    )
    def test_of_other_than_scores_is_none(self, payload):
        with pytest.raises(chat_api.NoReply) as problem:
            read(payload, request(Ask.SCORE, "{}", "{}"))

        assert problem.value.trouble is Trouble.GARBAGE

    def test_of_vectors_keeps_them_in_the_order_of_the_texts(self):
        data = [{"index": 1, "embedding": [0.5, 1]}, {"index": 0, "embedding": [1, -2]}]
        payload = {"data": data, "usage": {"prompt_tokens": 7}}

        found = read(payload, request(Ask.EMBED, "a", "b"))

        assert scoring_api.vectors(found.text) == [(1, -2), (0.5, 1)]
        assert (found.prompt_tokens, found.completion_tokens) == (7, 0)

    @pytest.mark.parametrize(
        "data",
        [
            None,
            [],
            [{"embedding": [1]}],
            [{"embedding": [1]}, {"embedding": [1, 2]}],
            [{"embedding": []}] * 2,
            [{"embedding": [1]}, 3],
        ],
    )
    def test_of_other_than_vectors_is_none(self, data):
        with pytest.raises(chat_api.NoReply):
            read({"data": data}, request(Ask.EMBED, "a", "b"))

    def test_of_a_weighed_text_has_its_tokens_and_no_others(self):
        payload = echoed(
            ["<s>", "Why?", "\n\n", "Rain", ".", " And"], [None, None, -1, -0.5, -0.25, -3]
        )

        found = read(payload, request(Ask.WEIGH, "Why?\n\n", "Rain."))

        assert [(one.token, one.logprob) for one in found.tokens or ()] == [
            ("Rain", -0.5),
            (".", -0.25),
        ]
        assert found.text == "Rain."

    def test_takes_the_places_that_a_server_tells_where_its_tokens_are_not_the_text(self):
        payload = echoed(["Wh", "bytes:\\xe2", "R"], [None, -1, -0.5], text_offset=[0, 2, 3])

        found = read(payload, request(Ask.WEIGH, "Wh…", "R"))

        assert [one.token for one in found.tokens or ()] == ["R"]

    @pytest.mark.parametrize(
        "payload",
        [{}, {"choices": [{}]}, echoed(["a"], [None]), echoed(["a"], []), echoed(["x"], [-1])],
    )
    def test_of_no_log_probabilities_is_none(self, payload):
        with pytest.raises(chat_api.NoReply):
            read(payload, request(Ask.WEIGH, "a"))


class TestSha:
    def test_tells_what_is_asked_and_leaves_requests_of_chats_as_they_were(self):
        chat, embed = request(Ask.CHAT, "a"), request(Ask.EMBED, "a")

        assert chat.sha() != embed.sha()
        assert chat.sha() == Request(Role.ASSISTANT, (Message("user", "a"),)).sha()
