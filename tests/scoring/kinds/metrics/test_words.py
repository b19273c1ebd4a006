import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score import tokenizers

from scoring.kinds.metrics import catalogue as words


class TestWords:
    @given(st.text(st.characters(max_codepoint=0x24F, exclude_categories=["Lo"]), max_size=40))
    def test_are_those_of_rouge_score_in_latin_texts(self, text):
        plain = text if text.isascii() else unicodedata.normalize("NFKC", text)

        # Signs such as μ are Greek after all, whatever block they were written in.
        if all(sign < "\u0250" for sign in plain.lower()):
            assert list(words.words(text)) == tokenizers.DefaultTokenizer().tokenize(plain)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Yûki's 2nd photo", ["y", "ki", "s", "2nd", "photo"]),  # as rouge-score divides them
            ("量子力学", ["量", "子", "力", "学"]),
            ("第３章 GPS定位", ["第", "3", "章", "gps", "定", "位"]),
            ("カタカナ", ["カ", "タ", "カ", "ナ"]),
            ("Привет, мир", ["привет", "мир"]),
            ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
            ("한국어 문장", ["한국어", "문장"]),
            ("😀 ... !", []),
        ],
    )
    def test_are_signs_where_no_spaces_are_written(self, text, expected):
        assert list(words.words(text)) == expected


class TestNgrams:
    def test_are_counted(self):
        assert words.ngrams("a b a b", 2) == {("a", "b"): 2, ("b", "a"): 1}

    def test_are_none_where_the_text_is_shorter(self):
        assert not words.ngrams("one two", 3)


class TestSentences:
    @pytest.mark.parametrize(
        ("text", "n"),
        [
            ("One. Two! Three?", 3),
            ("Version 2.5 is out. It works.", 2),
            ("第一句。第二句！第三句", 3),
            ("A line\nanother line", 2),
            ("... !", 0),
        ],
    )
    def test_end_with_their_stop(self, text, n):
        assert len(words.sentences(text)) == n

    def test_come_on_lines_of_their_own(self):
        assert words.lines("One. Two. 三。四。") == "One.\nTwo.\n三。\n四。"


class TestSpaced:
    def test_sets_chinese_signs_apart_and_leaves_plain_texts_alone(self):
        assert words.spaced("用GPS。").split() == ["用", "GPS", "。"]
        assert words.spaced("plain text.") == "plain text."
