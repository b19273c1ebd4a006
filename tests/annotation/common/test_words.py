import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import texts as words


class TestCut:
    @pytest.mark.parametrize(
        ("text", "pieces"),
        [
            ("Two  words.", ["Two", "  ", "words", "."]),
            ("1,200.50 kg", ["1,200.50", " ", "kg"]),
            ("FOB条款", ["FOB", "条", "款"]),
            ("コーヒー", ["コ", "ー", "ヒ", "ー"]),
            ("한국어 말", ["한국어", " ", "말"]),
            ("a_b", ["a", "_", "b"]),
            ("a\u00a0\u3000b", ["a", "\u00a0\u3000", "b"]),
            ("", []),
        ],
    )
    def test_finds_words_numbers_and_signs(self, text, pieces):
        assert words.cut(text) == pieces

    @given(st.text())
    def test_loses_nothing(self, text):
        assert "".join(words.cut(text)) == text


class TestIsSign:
    def test_tells_signs_from_words(self):
        assert [words.is_sign(piece) for piece in ("货", "か", "x", "말", "ー", "。")] == [
            True,
            True,
            False,
            False,
            False,
            False,
        ]
