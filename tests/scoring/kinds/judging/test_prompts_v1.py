from scoring.kinds.judging import prompts_v1


class TestSha:
    def test_each_language_has_its_own(self):
        assert prompts_v1.sha("en") != prompts_v1.sha("zh")
        assert len(prompts_v1.sha("en")) == 64


class TestLanguages:
    def test_speak_of_delimiters_and_of_what_was_written_in(self):
        for words in prompts_v1.LANGUAGES.values():
            assert all(
                one in words.system for one in ("<<<BEGIN", "<<<END", "[quoted]", "[U+200B]")
            )
