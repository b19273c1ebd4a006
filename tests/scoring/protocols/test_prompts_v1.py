from dataclasses import fields

import pytest

from scoring.protocols import task_prompts_v1 as prompts


class TestWords:
    @pytest.mark.parametrize("language", ["en", "zh"])
    def test_are_complete_and_hold_nothing_to_be_filled_in(self, language):
        words = prompts.LANGUAGES[language]

        for one in fields(words):
            assert getattr(words, one.name).strip()
            assert "{" not in getattr(words, one.name)

    def test_have_a_hash_for_each_language(self):
        assert prompts.sha("en") != prompts.sha("zh")
