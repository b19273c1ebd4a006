import pytest

from annotation.common import texts as faces


def says(role, content):
    return {"role": role, "content": content}


class TestSpoken:
    @pytest.mark.parametrize(
        ("content", "words"),
        [
            ("Hello.", "Hello."),
            ("", ""),
            (None, ""),
            (7, ""),
            ([], ""),
            ([{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}], "One.\n\nTwo."),
            ([{"type": "image_url", "image_url": {"url": "x"}}, "stray", {"text": 3}], ""),
        ],
    )
    def test_is_the_text_of_a_message(self, content, words):
        assert faces.spoken(says("assistant", content)) == words

    def test_is_nothing_without_content(self):
        assert faces.spoken({"role": "assistant", "tool_calls": []}) == ""


class TestConversation:
    def test_is_the_text_of_a_single_message(self):
        assert faces.conversation([says("assistant", "  A pallet.\r\n")]) == "A pallet."

    def test_says_who_speaks_where_there_are_several(self):
        messages = [says("assistant", "Which?"), says("user", "That."), says("gpt-x", "Ah.")]

        assert faces.conversation(messages) == (
            "**Assistant**\n\nWhich?\n\n**User**\n\nThat.\n\n**Assistant**\n\nAh."
        )

    def test_is_nothing_of_nothing(self):
        assert faces.conversation([]) == ""

    def test_is_the_same_for_what_looks_the_same(self):
        plain = faces.conversation([says("assistant", "caf\u00e9 - 'x'")])

        assert faces.conversation(
            [says("assistant", "cafe\u0301\u00a0- \u2018x\u2019\u200b ")]
        ) == (plain)
