import math

import pytest

from scoring.llm.base import Message
from scoring.llm.scripted import script as tokens
from scoring.llm.scripted.script import Script


class TestCut:
    @pytest.mark.parametrize("text", ["", "Score: 10, 4.5\n  so", "分数为10。", "a\x00b\ud83d"])
    @pytest.mark.parametrize("single", [True, False])
    def test_loses_nothing(self, text, single):
        assert "".join(tokens.cut(text, Script(one_digit_tokens=single))) == text

    def test_may_write_a_score_with_several_tokens(self):
        assert tokens.cut("10", Script()) == ["10"]
        assert tokens.cut("10", Script(one_digit_tokens=True)) == ["1", "0"]


class TestEstimate:
    def test_counts_letters_by_fours_and_other_signs_singly(self):
        assert tokens.estimate("abcdefgh") == 2
        assert tokens.estimate("彩虹") == 2
        assert tokens.of_prompt([Message("user", "abcd")]) == 5


class TestChances:
    def test_are_chances(self):
        for one in tokens.chances(["The", " score", ":", " ", "4"], 20, "seed"):
            assert sum(math.exp(logprob) for _, logprob in one.others) <= 1.001
