import pytest

from scoring.kinds.metrics import languages


class TestLanguage:
    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("Where is my truck?", "en"),
            ("Où est le camion ?", "fr"),
            ("トラックはどこですか。", "ja"),
            ("Где мой грузовик?", "ru"),
        ],
    )
    def test_is_told_of_a_sentence(self, text, code):
        assert languages.language(text) == code

    @pytest.mark.parametrize("text", ["", " \n", "12:30", "🚚🚚", "ok"])
    def test_is_none_of_what_has_no_words_or_too_few(self, text):
        assert languages.language(text) == ""

    def test_goes_by_the_beginning_of_a_long_text(self):
        assert languages.language("Where is my truck? " * 100_000) == "en"
