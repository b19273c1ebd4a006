import itertools
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalsite.text import markdown

HOSTILE = json.loads(
    Path(__file__).parents[2].joinpath("fixtures/examples/hostile_texts.json").read_text("utf-8")
)
SHORT = [payload for payload in HOSTILE if "text" in payload]
VOID = {"br", "hr"}


def text_of(payload):
    return payload["text"] if "text" in payload else payload["unit"] * payload["times"]


class Judge(HTMLParser):
    """Lists whatever is not on the allow-lists, and tags that do not close."""

    def __init__(self):
        super().__init__()
        self.faults = []
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in markdown.TAGS | markdown.ELEMENTS:
            self.faults.append(tag)
        self.faults += [(tag, *attr) for attr in attrs if not self.allowed(tag, *attr)]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}>")

    def handle_comment(self, data):
        self.faults.append(f"<!--{data}")

    handle_decl = handle_pi = unknown_decl = handle_comment

    def allowed(self, tag, name, value):
        if tag in markdown.ELEMENTS:
            return name in markdown.ATTRIBUTES and markdown.ATTRIBUTES[name].fullmatch(value)
        if name == "class":
            return value in markdown.CLASSES.get(tag, ())
        if (tag, name) == ("pre", "data-lang"):
            return value.isascii() and len(value) <= 20
        if (tag, name) == ("div", "tabindex"):
            return value == "0"
        return (tag, name) == ("ol", "start") and value.isdigit()


def faults(page):
    judge = Judge()
    judge.feed(page)
    judge.close()
    return judge.faults + judge.open


class TestRenderOfHostileText:
    def test_has_enough_to_chew(self):
        assert len(HOSTILE) >= 200
        assert len({payload["name"] for payload in HOSTILE}) == len(HOSTILE)

    @pytest.mark.parametrize("payload", HOSTILE, ids=lambda payload: payload["name"])
    def test_lets_nothing_through(self, payload):
        assert faults(markdown.render(text_of(payload))) == []

    @pytest.mark.parametrize("payload", SHORT, ids=lambda payload: payload["name"])
    def test_lets_nothing_through_amid_other_text(self, payload):
        text = f"**a** $x$ | {text_of(payload)} `b` $y$\n\n> {text_of(payload)}"

        assert faults(markdown.render(text)) == []

    @given(st.lists(st.sampled_from([text_of(payload) for payload in SHORT]), max_size=4))
    def test_lets_no_mixture_through(self, parts):
        assert faults(markdown.render("".join(parts))) == []

    @given(st.text(st.characters()) | st.text(st.sampled_from("<>[]()!*_`$|#-\\&;\"'=ab \n{}^")))
    def test_lets_no_text_through(self, text):
        page = markdown.render(text)

        assert faults(page) == []
        assert page == markdown.render(text)
        assert page.encode().decode() == page


class TestRender:
    @pytest.mark.parametrize(
        ("text", "page"),
        [
            ("**b** *i* ~~s~~ `c`", "<p><strong>b</strong> <em>i</em> <s>s</s> <code>c</code></p>"),
            ("a\nb", "<p>a<br>\nb</p>"),
            ("# a", "<h4>a</h4>"),
            ("## a", "<h5>a</h5>"),
            ("### a", "<h6>a</h6>"),
            ("###### a", "<h6>a</h6>"),
            ("3. a", '<ol start="3">\n<li>a</li>\n</ol>'),
            ("```python\n<a>\n```", '<pre data-lang="python"><code>&lt;a&gt;\n</code></pre>'),
            ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"),
            ("$5 and $6", "<p>$5 and $6</p>"),
            ("[a](https://b.c)", '<p>a <span class="url">(https://b.c)</span></p>'),
            ("[a]()", "<p>a</p>"),
            ("<https://b.c>", "<p>https://b.c</p>"),
            (
                "![a](https://b.c/d.png)",
                '<p><span class="picture">a <span class="url">(https://b.c/d.png)</span></span></p>',
            ),
            ("![]( )", "<p></p>"),
            ("", ""),
        ],
    )
    def test_shows(self, text, page):
        assert markdown.render(text).strip() == page

    def test_aligns_cells_by_class(self):
        page = markdown.render("|a|b|\n|:-:|-|\n|1|2|")

        assert '<th class="align-center">a</th>' in page
        assert "<td>2</td>" in page

    def test_frames_a_table_so_that_it_scrolls_inside_itself(self):
        page = markdown.render("|a|\n|-|\n|1|")

        assert page.startswith('<div class="wide" tabindex="0">\n<table>')
        assert page.endswith("</table>\n</div>\n")
        assert markdown.render('<div class="wide">').startswith("<p>&lt;div")

    def test_sets_formulas(self):
        page = markdown.render("so $x<y$ and $$z$$\n\n$$\n\\frac{a}{b}\n$$")

        assert '<span class="math"><math display="inline">' in page
        assert "<mo>&lt;</mo>" in page
        assert '<span class="math"><math display="block">' in page
        assert '<div class="math"><math display="block"><mrow><mfrac>' in page

    def test_shows_the_source_of_a_formula_it_cannot_read(self):
        page = markdown.render(r"$\frac{<b>$")

        assert page == '<p><span class="math"><code>$\\frac{&lt;b&gt;$</code></span></p>\n'

    def test_stops_setting_formulas_after_many(self):
        page = markdown.render("$x$ " * (markdown.MAX_FORMULAS + 5))

        assert page.count("<math") == markdown.MAX_FORMULAS
        assert page.count("<code>$x$</code>") == 5

    def test_shows_a_text_that_is_too_long_as_it_is(self):
        page = markdown.render("**a**\nb\n\nc" + "x" * markdown.MAX_LENGTH)

        assert page.startswith("<p>**a**<br>\nb</p>\n<p>cx")
        assert faults(page) == []

    def test_shows_tables_that_would_fill_up_as_they_are(self):
        page = markdown.render("|a" * 300 + "\n" + "|-" * 300 + "\n" + "|\n" * 300)

        assert "<table>" not in page

    def test_shows_a_text_as_it_is_when_its_parser_gives_up(self):
        def give_up(text, env):
            raise RecursionError

        assert markdown.render("**a**", parse=give_up) == "<p>**a**</p>\n"

    def test_uses_another_mark_when_the_text_holds_the_first(self):
        assert markdown.first_apart("x a y", iter("ab")) == "b"
        assert len({*itertools.islice(markdown.marks("$x$"), 5)}) == 5

    def test_cannot_be_told_to_put_a_formula_elsewhere(self):
        mark = next(markdown.marks("$x$"))

        assert f"{mark}0x" in markdown.render(f"$x$ {mark}0x")


@pytest.fixture
def hasty():
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class TestThreads:
    def test_that_render_the_first_text_at_once_find_all_rules(self, hasty):
        with ThreadPoolExecutor(4) as threads:
            for _ in range(60):
                parser, start = markdown._parser(), threading.Barrier(4)

                def first(_n, parser=parser, start=start):
                    start.wait()
                    return parser.render("- *a* | `b`\n\n> c", {"mark": "m", "formulas": []})

                assert len(set(threads.map(first, range(4)))) == 1


class TestPlain:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("# a\n\n**b** & <c>", "a\n\nb & <c>"),
            ("- a\n- b", "a\nb"),
            ("|a|b|\n|-|-|\n|1|2|", "a\tb\n\n1\t2"),
            ("a\nb\n\nc", "a\nb\n\nc"),
            ("```\na\n  b\n```\nc", "a\n  b\n\nc"),
            ("", ""),
        ],
    )
    def test_gives_what_a_reader_sees(self, text, shown):
        assert markdown.plain(text) == shown


def inline(latex):
    return f'<span class="math">{markdown.from_latex(latex)}</span>'


def block(latex):
    return f'<div class="math">{markdown.from_latex(latex, block=True)}</div>'


class TestBrackets:
    r"""Formulas between `\( \)` and `\[ \]`."""

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
            f'<p>so <span class="math">{markdown.from_latex("y=1", block=True)}</span> holds</p>\n'
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
        text = r"\(" + "x+" * markdown.MAX_FORMULA + r"1\)"

        assert "math" not in markdown.render(text)
