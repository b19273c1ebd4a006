from scoring.kinds.assistants import prompts_v1


class TestLanguages:
    def test_say_all_of_it_and_show_the_form(self):
        for words in prompts_v1.LANGUAGES.values():
            assert '{"entailment":' in words.form
            assert "<<<BEGIN" in words.system

    def test_have_one_hash(self):
        assert len(prompts_v1.sha()) == 64
