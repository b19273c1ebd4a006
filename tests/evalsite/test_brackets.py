r"""Formulas between `\( \)` and `\[ \]`."""

import pytest

from evalsite import markdown, mathml


def inline(latex):
    return f'<span class="math">{mathml.from_latex(latex)}</span>'


def block(latex):
    return f'<div class="math">{mathml.from_latex(latex, block=True)}</div>'


class TestBrackets:
    @pytest.mark.parametrize(
        ("text", "page"),
        [
            (r"so \(x^2\).", f"<p>so {inline('x^2')}.</p>"),
            (r"\[ a=b \]", block("a=b")),
            ("\\[\na=b\n- c\n\\]\nthen", block("a=b\n- c") + "<p>then</p>"),
            ("so\n\\[\na=b\n\\]", "<p>so</p>\n" + block("a=b")),
            (r"> \[ a=b \]", f"<blockquote>\n{block('a=b')}</blockquote>"),
        ],
    )
    def test_are_set(self, text, page):
        assert markdown.render(text).strip() == page

    def test_within_a_sentence_are_set_large_in_their_place(self):
        page = markdown.render(r"so \[y=1\] holds")

        assert page == (
            f'<p>so <span class="math">{mathml.from_latex("y=1", block=True)}</span> holds</p>\n'
        )

    @pytest.mark.parametrize(
        ("text", "page"),
        [
            (r"\[sic\] and \(sin\)", "<p>[sic] and (sin)</p>"),
            (r"\(x", "<p>(x</p>"),
            (r"\(\)", "<p>()</p>"),
            (r"\\(x=1\\)", r"<p>\(x=1\)</p>"),
            (r"`\(x=1\)`", r"<p><code>\(x=1\)</code></p>"),
            ("    \\[x=1\\]", "<pre><code>\\[x=1\\]\n</code></pre>"),
            ("\\[ a\n\nb=1 \\]x", "<p>[ a</p>\n<p>b=1 ]x</p>"),
        ],
    )
    def test_of_a_text_stay_brackets(self, text, page):
        assert markdown.render(text).strip() == page

    def test_show_the_source_of_a_formula_that_cannot_be_read(self):
        page = markdown.render(r"\(\frac{\)")

        assert page == '<p><span class="math"><code>\\(\\frac{\\)</code></span></p>\n'

    def test_are_no_formula_when_it_is_too_long(self):
        text = r"\(" + "x+" * mathml.MAX_FORMULA + r"1\)"

        assert "math" not in markdown.render(text)
