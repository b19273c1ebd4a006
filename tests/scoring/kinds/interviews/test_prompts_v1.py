from dataclasses import fields

import pytest

from scoring.kinds.interviews import prompts_v1 as prompts
from scoring.kinds.interviews import verdicts_v1 as verdicts


class TestWords:
    @pytest.mark.parametrize("language", ["en", "zh"])
    def test_are_complete_and_hold_nothing_to_be_filled_in(self, language):
        words = prompts.LANGUAGES[language]

        for one in fields(words):
            text = getattr(words, one.name)
            assert text.strip()
            assert "{" not in text.replace('{"comment"', "")
        assert all(name in words.evaluator for name in verdicts.ASPECTS)
        assert all(one.value in words.evaluator for one in verdicts.StopReason)

    def test_have_a_hash_for_each_language(self):
        assert prompts.sha("en") != prompts.sha("zh")
        assert len(prompts.sha("en")) == 64
