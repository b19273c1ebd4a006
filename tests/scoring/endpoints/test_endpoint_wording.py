import pytest

from scoring.endpoints import wording as endpoint_wording
from scoring.llm import abilities
from scoring.llm.base import Trouble


def entry(value, how="seen", **facts):
    return {"value": value, "how": how, "facts": facts, "at": "2026-11-22T09:00:00+00:00"}


def word(name, *args, **facts):
    return endpoint_wording.words({name: entry(*args, **facts)})[0]


class TestFailure:
    @pytest.mark.parametrize("trouble", list(Trouble))
    def test_says_in_the_readers_language_what_to_do_and_then_what_came(self, trouble):
        said = endpoint_wording.failure(trouble.value, "Says the server.")

        assert said.endswith(" In detail: Says the server.")
        assert "est again" in said or "address" in said or "operator" in said

    def test_of_a_kind_nobody_knows_says_so_much(self):
        assert endpoint_wording.failure("", "") == (
            "The test was not possible. Test again in a minute."
        )


class TestWords:
    def test_has_a_label_for_every_ability(self):
        assert set(endpoint_wording.LABELS) == set(abilities.NAMES)

    @pytest.mark.parametrize(
        ("value", "said", "known", "good"),
        [
            (True, "yes", True, True),
            (False, "no", True, False),
            (None, "not known", False, False),
            ("completions", "yes, by completions", True, True),
            ("chat", "yes, by chat", True, True),
            (20, "20", True, True),
        ],
    )
    def test_says_what_was_found(self, value, said, known, good):
        found = word("prompt_logprobs", value)

        assert (found.value, found.known, found.good) == (said, known, good)
        assert found.at is not None

    @pytest.mark.parametrize(
        ("how", "facts", "said"),
        [
            ("seen", {}, "Seen in a reply."),
            ("refused", {"status": 400}, "The server refused it (status 400)."),
            ("failed", {"trouble": "TIMEOUT"}, "The question was not answered (no reply in time)."),
            ("median", {"n": 12}, "Median of 12 requests."),
            ("counted", {"asked": 20}, "Counted in a reply."),
            ("counted", {"10": 1, "4.5": 3}, "“10” is one token, “4.5” is 3 tokens."),
            ("unheard of", {}, ""),
        ],
    )
    def test_says_how_it_was_found(self, how, facts, said):
        assert word("logprobs", True, how, **facts).how.startswith(said)

    def test_leaves_out_what_it_does_not_know(self):
        assert endpoint_wording.words({"telepathy": entry(True)}) == []


class TestShort:
    def test_names_what_counts(self):
        found = {"json_schema": entry(True), "logprobs": entry(False), "n": entry(True), "seed": 1}

        assert endpoint_wording.short(found) == ["JSON schema"]
