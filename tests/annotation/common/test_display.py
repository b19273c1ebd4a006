import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import texts as display

TELLING = st.text(
    st.sampled_from(
        "ab 1\n\t\r.*#\u200b\u200d\u200c\ufe0f\u20e3\u00a0\u3000“’é\u0301e👩🚀🏽بकक्\ufeff\u2028"
    )
)


class TestNormalise:
    @given(st.text(st.characters()) | TELLING)
    def test_changes_nothing_the_second_time(self, text):
        once = display.normalise(text)

        assert display.normalise(once) == once

    @given(st.text(st.characters()) | TELLING)
    def test_gives_what_a_page_can_carry(self, text):
        shown = display.normalise(text)

        assert shown.encode().decode() == shown
        assert unicodedata.is_normalized("NFC", shown)
        assert "\r" not in shown
        assert shown == shown.strip()
        assert " \n" not in shown

    def test_leaves_no_sign_without_a_shape(self):
        visible_formats = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2}
        visible_formats |= {0x110BD, 0x110CD, *range(0x13430, 0x13440)}
        left = {
            code
            for code in range(sys.maxunicode + 1)
            if unicodedata.category(chr(code)) in {"Cf", "Cc", "Zl", "Zp", "Cs"}
            and chr(code) not in "\n\t"
            and chr(code) in display.normalise(f"a{chr(code)}b")
        }

        assert left <= visible_formats

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("a\u200bb\ufeffc\u00add", "abcd"),
            ("a\u202eb\u2066c\u061cd", "abcd"),
            ("one\r\ntwo\rthree\u2028four", "one\ntwo\nthree\nfour"),
            ("a\u00a0b\u2009c\u3000d", "a b c d"),
            ("\u3000\u3000\u3000\u3000段落", "段落"),
            ("x\n\u00a0\u00a0\u00a0\u00a0y", "x\ny"),
            ("x\n    y  \n z\t\n", "x\n    y\n z"),
            ("“It’s”", '"It\'s"'),
            ("«mot» 「字」", "«mot» 「字」"),
            ("e\u0301", "é"),
            ("a\ud800b", "a\ufffdb"),
            ("a\x00b\x1bc", "abc"),
            ("a\U000e0041\U000e0042b", "ab"),
            ("a\ufe0fb", "ab"),
        ],
    )
    def test_takes_away_what_nobody_sees(self, text, shown):
        assert display.normalise(text) == shown

    @pytest.mark.parametrize(
        "text",
        [
            "👩\u200d🚀",
            "👩🏽\u200d🚀",
            "❤\ufe0f",
            "1\ufe0f\u20e3",
            "می\u200cخواهم",
            "क्\u200dष",
            "ᠠ\u180bᠡ",
            "a — b … c",
        ],
    )
    def test_leaves_what_shapes_its_neighbours(self, text):
        assert display.normalise(text) == text

    def test_leaves_one_such_sign_not_a_row_of_them(self):
        assert "\u200c" not in display.normalise("ب\u200c\u200c\u200cب")
        assert display.normalise("a\u200cb\u200d") == "ab"


class TestUniform:
    @pytest.mark.parametrize(
        ("text", "flat"),
        [
            ("# Answer #\n\ntext", "Answer\n\ntext"),
            ("Answer\n===\ntext", "Answer\ntext"),
            ("**bold** and *slanted* and ***both***", "bold and slanted and both"),
            ("**bold *and* slanted**", "bold and slanted"),
            ("__bold__ and snake_case_name", "bold and snake_case_name"),
            ("* one\n+ two\n• three", "- one\n- two\n- three"),
            ("✅ yes ❌ no 🚀 go 1\ufe0f\u20e3 one 👩🏽\u200d🚀x", "✓ yes ✗ no go one x"),
            ("`**code**` **x**", "`**code**` x"),
            ("```\n# code\n**b**\n```\n# x", "```\n# code\n**b**\n```\nx"),
            ("~~~\n# open **x**", "~~~\n# open **x**"),
            ("$a*b*c$ *x*", "$a*b*c$ x"),
            ("a * b * c", "a * b * c"),
        ],
    )
    def test_makes_alike(self, text, flat):
        assert display.uniform(text) == flat

    @pytest.mark.parametrize("part", ["*", "_", "`", "$", "$$", "# ", " #", "**a ", "```\n", " "])
    def test_is_quick_with_any_text(self, part):
        assert display.uniform(part * 20_000) is not None


class TestIsEmpty:
    def test_sees_through_invisible_text(self):
        assert display.is_empty(" \u200b\ufeff\n\u00a0\u2800\u3164")
        assert not display.is_empty("\u200b0")
