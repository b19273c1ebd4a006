import pytest

from evalsite.templatetags.reference import ticked


class TestTicked:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("as `next` has it", "as <code>next</code> has it"),
            ("`a` and `<b>`", "<code>a</code> and <code>&lt;b&gt;</code>"),
            ("plain & simple", "plain &amp; simple"),
            ("one ` alone", "one ` alone"),
            ("", ""),
        ],
    )
    def test_makes_code_of_what_stands_between_backticks(self, text, expected):
        assert ticked(text) == expected
