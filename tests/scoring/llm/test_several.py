from scoring.llm import base as several
from scoring.llm.base import Reply, TokenChance


class TestPacked:
    def test_is_one_reply_with_the_counts_of_the_whole_call_and_back_again(self):
        chance = TokenChance("4", -0.1, (("5", -2.5),))
        one = Reply("4 — so", tokens=(chance,), prompt_tokens=9, completion_tokens=7, seconds=1.5)
        two = Reply("", finish="content_filter")

        packed = several.packed([one, two], like=one)

        assert (packed.prompt_tokens, packed.completion_tokens, packed.seconds) == (9, 7, 1.5)
        first, second = several.unpacked(packed)
        assert (first.text, first.tokens) == ("4 — so", (chance,))
        assert (second.text, second.finish, second.tokens) == ("", "content_filter", None)
