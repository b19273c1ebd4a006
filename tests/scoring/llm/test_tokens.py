import pytest

from scoring.llm import base as tokens
from scoring.llm.base import Message


class TestOfText:
    @pytest.mark.parametrize(
        ("text", "n"),
        [("", 0), ("word", 1), ("words", 2), ("集装箱", 3), ("a 集装箱 b", 4), ("контейнер", 3)],
    )
    def test_takes_four_letters_or_one_wide_character_for_a_token(self, text, n):
        assert tokens.of_text(text) == n


class TestOfMessages:
    def test_counts_what_is_around_them(self):
        said = [Message("system", "word"), Message("user", "words")]

        assert tokens.of_messages(said) == 1 + 2 + 2 * tokens.A_MESSAGE + tokens.A_REPLY
