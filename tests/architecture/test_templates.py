"""Templates say nothing untranslated and carry neither styles nor scripts of their own."""

import re
from html.parser import HTMLParser

from tests.architecture import sources

TRANSLATED = re.compile(
    r"{%-?\s*(?:blocktranslate|blocktrans)\b.*?{%-?\s*end(?:blocktranslate|blocktrans)\s*-?%}",
    re.DOTALL,
)
COMMENT = re.compile(r"{#.*?#}|{%\s*comment.*?{%\s*endcomment\s*%}|<!--.*?-->", re.DOTALL)
TAG = re.compile(r"{%.*?%}|{{.*?}}", re.DOTALL)
# Attributes that a person reads or hears.
READ_ALOUD = {"alt", "title", "placeholder", "aria-label", "aria-description", "label"}
# Names and signs that are the same in every language.
NAMES = {
    "evalsite",
    "CSV",
    "HTML",
    "JSONL",
    "JSON",
    "Markdown",
    "PNG",
    "SVG",
    "API",
    "ID",
    "UTC",
    "ZIP",
}
# Blocks that hold an identifier, not words.
IDENTIFIER = re.compile(
    r"{%\s*block (?:skip_to|\w*_class|\w*_id)\s*%}.*?{%\s*endblock\b[^%]*%}", re.DOTALL
)
# These show what evalsite.text.markdown has sanitised. Think before you add one: text from systems is hostile.
SHOW_SANITISED = {
    "templates/annotation/grading/parts/desk_main.html",
    "templates/annotation/grading/grade_sheet.html",
    "templates/annotation/rounds/parts/seen.html",
    "templates/annotation/imports/parts/import_card.html",
    "templates/annotation/training/round_references.html",
    "templates/annotation/training/training_example.html",
    "templates/annotation/training/training_trial.html",
}
UNESCAPED = re.compile(r"{%\s*autoescape\s+off|\|\s*safe(?:seq)?\b")
# Why a figure is undefined is a sentence: it takes lines of its own, and a narrow column's width.
UNWRAPPED = re.compile(r"<small>{{ [\w.]*why }}</small>")
# A text of people or systems runs from right to left where its language does.
PROSE = re.compile(r'<(?:div|p) (?:[^<>"]|"[^"]*")*?class="(?:[^"]* )?prose(?: [^"]*)?"[^<>]*>')
WORD = re.compile(r"[^\W\d_]{2,}")


#: A tag of a template is one line, however long; all that can be wrapped is.
WIDTH, MOST_WIDE = 120, 418


class Page(HTMLParser):
    """Collects the words of a template that are in no translation, and its styles and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.bare: list[str] = []
        self.inline: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag not in {"br", "img", "input", "meta", "link", "hr", "path", "use", "circle"}:
            self.open.append(tag)
        self.bare += [
            given[name] for name in READ_ALOUD & given.keys() if is_bare(given[name] or "")
        ]
        if tag == "style" or (
            tag == "script" and "src" not in given and given.get("type") != "application/json"
        ):
            self.inline.append(f"<{tag}>")
        self.inline += [name for name in given if name == "style" or name.startswith("on")]

    def handle_endtag(self, tag):
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data):
        if not {"script", "style", "code", "math"} & set(self.open) and is_bare(data):
            self.bare.append(data.strip())


def is_bare(text):
    """Say whether a text holds words that no translation has touched."""
    return any(word not in NAMES for word in WORD.findall(text))


def read(path):
    source = path.read_text()
    page = Page()
    page.feed(TAG.sub(" ", IDENTIFIER.sub(" ", TRANSLATED.sub(" ", COMMENT.sub(" ", source)))))
    page.close()
    return page


def found(look, besides=()):
    """Return by template what a look at it finds, without those where it finds nothing."""
    names = {sources.name_of(path): path for path in sources.templates()}
    return {name: it for name, path in names.items() if name not in besides and (it := look(path))}


class TestTemplates:
    def test_mark_every_string_for_translation(self):
        assert found(lambda path: read(path).bare) == {}

    def test_carry_no_style_and_no_script_of_their_own(self):
        assert found(lambda path: read(path).inline) == {}

    def test_never_switch_escaping_off(self):
        assert found(lambda path: UNESCAPED.findall(path.read_text()), SHOW_SANITISED) == {}

    def test_let_every_text_run_in_its_own_direction(self):
        def undirected(path):
            return [tag for tag in PROSE.findall(path.read_text()) if 'dir="' not in tag]

        assert found(undirected) == {}

    def test_are_read_without_scrolling_sideways(self):
        wide = [
            line
            for path in sources.templates()
            for line in path.read_text().splitlines()
            if len(line) > WIDTH
        ]

        assert len(wide) <= MOST_WIDE

    def test_let_a_reason_take_some_lines(self):
        assert found(lambda path: UNWRAPPED.findall(path.read_text())) == {}


class TestTheReader:
    def test_finds_a_bare_word(self, tmp_path):
        page = tmp_path / "page.html"
        page.write_text(
            '<p title="Note">{% translate "Good" %} bad {{ name }}</p><p style="x" onclick="y"></p>'
        )

        assert read(page).bare == ["Note", "bad"]
        assert read(page).inline == ["style", "onclick"]
