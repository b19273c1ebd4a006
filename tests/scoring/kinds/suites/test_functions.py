import pytest

from scoring.kinds.suites.protocol import conversations, functions
from scoring.kinds.suites.protocol.functions import BadMetricPattern


def message(content, **details):
    return conversations.read(
        {"messages": [{"role": "assistant", "content": content} | details]}
    ).messages[0]


class TestRegex:
    @pytest.mark.parametrize(
        "function", [functions.message_matches_regex, functions.count_of_parts_matching_regex]
    )
    def test_refuses_what_is_no_expression(self, function):
        given = message("a") if function is functions.message_matches_regex else "a"

        with pytest.raises(BadMetricPattern, match="no regular expression"):
            function(given, expression="(")

    def test_gives_up_an_expression_without_end(self):
        with pytest.raises(BadMetricPattern, match="too long"):
            functions.count_of_parts_matching_regex(
                "a" * 40 + "!", expression=r"(?:a|aa|a?a)+$|(a*)*(a*)*b"
            )


class TestCountEmojis:
    @pytest.mark.parametrize(
        ("text", "n"),
        [("👩‍👩‍👧 family", 1), ("🇫🇷🇩🇪", 2), ("1️⃣ 2", 1), ("☀️ ☀", 1), ("👍🏽👍", 2), ("量子 © 5", 0)],
    )
    def test_counts_what_readers_see(self, text, n):
        assert functions.count_emojis(text) == n


class TestFlesch:
    @pytest.mark.parametrize("text", ["", "!?", "量子力学研究微观粒子"])
    def test_of_no_english_words_is_undefined(self, text):
        assert functions.flesch_reading_ease(text) is None
        assert functions.flesch_kincaid_grade(text) is None


class TestIsRefusal:
    @pytest.mark.parametrize("text", ["I'm sorry, but no.", "I cannot do that", "抱歉，我无法回答"])
    def test_knows_words_of_refusal(self, text):
        assert functions.is_refusal(text) is True

    def test_takes_no_help_for_one(self):
        assert functions.is_refusal("The crane cannot turn in wind. Wait.") is False


class TestCountPrivateData:
    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("write to a.b@c.example", "email"),
            ("card 4539 1488 0343 6467", "card"),
            ("from 10.0.0.7", "ip_address"),
            ("DE89 3704 0044 0532 0130 00", "iban"),
        ],
    )
    def test_finds_each_kind(self, text, kind):
        assert functions.count_private_data(text)[kind] == 1

    def test_knows_what_only_looks_like_it(self):
        found = functions.count_private_data("card 4539 1488 0343 6468, version 300.1.2.3")

        assert (found["card"], found["ip_address"]) == (0, 0)


class TestDetails:
    def test_are_found_in_their_envelopes(self):
        one = message(
            "x", response_metadata={"model_name": "small", "token_usage": {"completion_tokens": 3}}
        )

        assert functions.count_llm_models(one) == {"small": 1}
        assert functions.count_tokens(one) == {"completion_tokens": 3}
        assert functions.latency(one) is None
        assert functions.latency(message("x", latency="fast")) is None
