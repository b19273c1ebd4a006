"""Formulas: LaTeX in, MathML out, or nothing when a formula is not sound.

* Text from systems becomes HTML here and nowhere else; it is hostile until shown otherwise.
"""

import hashlib
import hmac
import html
import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from latex2mathml import converter, exceptions
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from mdit_py_plugins.dollarmath import dollarmath_plugin

MAX_FORMULA = 2000
MAX_BRACES = 300
MAX_DEPTH = 60

ELEMENTS = frozenset(
    [
        "math",
        "mrow",
        "mi",
        "mn",
        "mo",
        "mtext",
        "mspace",
        "mfrac",
        "msqrt",
        "mroot",
        "msub",
        "msup",
        "msubsup",
        "munder",
        "mover",
        "munderover",
        "mtable",
        "mtr",
        "mtd",
        "mstyle",
        "mpadded",
        "mphantom",
        "menclose",
        "mmultiscripts",
        "mprescripts",
        "none",
    ]
)
_WORD = re.compile(r"[a-z-]{1,24}(?: [a-z]{1,12}){0,12}")
_LENGTH = re.compile(r"-?[0-9]{0,2}(?:\.[0-9]{1,4})?(?:em|ex|pt|px|mu)?")
ATTRIBUTES = {
    **dict.fromkeys(
        [
            "display",
            "form",
            "stretchy",
            "fence",
            "separator",
            "symmetric",
            "largeop",
            "movablelimits",
            "accent",
            "accentunder",
            "displaystyle",
            "mathvariant",
            "columnalign",
            "rowalign",
            "notation",
        ],
        _WORD,
    ),
    **dict.fromkeys(
        [
            "lspace",
            "rspace",
            "width",
            "height",
            "depth",
            "voffset",
            "minsize",
            "maxsize",
            "linethickness",
            "columnspacing",
            "rowspacing",
            "scriptlevel",
        ],
        _LENGTH,
    ),
}

# How many parts an element has; the converter leaves some out where LaTeX lacks them.
_PARTS = {
    **dict.fromkeys(("mfrac", "mroot", "msub", "msup", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}

# What the converter raises when a formula is not one; it has no common class for its refusals.
_REFUSALS: tuple[type[Exception], ...] = (
    *(
        refusal
        for refusal in vars(exceptions).values()
        if isinstance(refusal, type) and issubclass(refusal, Exception)
    ),
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    StopIteration,
    RecursionError,
    AssertionError,
    OverflowError,
)


class NotSound(ValueError):
    """The formula is too large, or no LaTeX."""


def from_latex(latex: str, *, block: bool = False) -> str:
    """Return a formula as a `<math>` element that is safe to put into a page.

    Raises:
        NotSound: show the source instead.
    """
    if len(latex) > MAX_FORMULA or latex.count("{") > MAX_BRACES:
        raise NotSound("The formula is too large.")
    try:
        tree = converter.convert_to_element(latex, display="block" if block else "inline")
    except _REFUSALS as refusal:
        raise NotSound("The formula cannot be read.") from refusal
    return "".join(_written(tree, 0))


def _written(element: ET.Element, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise NotSound("The formula is too deep.")
    if len(element) != _PARTS.get(element.tag, len(element)):
        raise NotSound("The formula lacks a part.")
    # An element that is not on the list is left out, what it holds stays.
    tag = element.tag if element.tag in ELEMENTS else "mrow"
    attributes = "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in ATTRIBUTES and ATTRIBUTES[name].fullmatch(value)
    )
    # The converter writes some signs as entities and others as they are.
    yield f"<{tag}{attributes}>{html.escape(html.unescape(element.text or ''))}"
    for child in element:
        yield from _written(child, depth + 1)
    yield f"</{tag}>"


MAX_LENGTH = 200_000
MAX_NESTING = 20
MAX_FORMULAS = 300
MAX_CELLS = 20_000  # of tables: Markdown fills short rows, so few signs can make many cells

TAGS = frozenset(
    [
        "p",
        "br",
        "hr",
        "h4",
        "h5",
        "h6",
        "strong",
        "em",
        "s",
        "code",
        "pre",
        "blockquote",
        "ul",
        "ol",
        "li",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "span",
        "div",
    ]
)
CLASSES = {
    "th": {"align-left", "align-center", "align-right"},
    "td": {"align-left", "align-center", "align-right"},
    "span": {"url", "math", "picture"},
    "div": {"math", "wide"},
}
_CLEANER = nh3.Cleaner(
    tags=set(TAGS),
    attributes={"ol": {"start"}, "pre": {"data-lang"}},
    allowed_classes={tag: set(classes) for tag, classes in CLASSES.items()},
    url_schemes=set(),
    link_rel=None,
)
#: The language that a fenced block of code says it is in.
_LANGUAGE = re.compile(r"\s*([A-Za-z][A-Za-z0-9+#._-]{0,19})(?=\s|$)")
_HEADINGS = {"h1": "h4", "h2": "h5"}  # below the page's own h1 to h3
# A wide table scrolls inside itself, by keyboard too, and never widens the page.
_SCROLLING = '<div class="wide" tabindex="0">'
_MATH = {"math_inline": False, "math_inline_double": True, "math_block": True}


class _Renderer(RendererHTML):
    """Writes the tags of the allow-list, and marks in place of formulas."""

    def heading_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return f"<{_HEADINGS.get(tokens[idx].tag, 'h6')}>"

    def heading_close(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return f"</{_HEADINGS.get(tokens[idx].tag, 'h6')}>\n"

    def fence(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        named = _LANGUAGE.match(tokens[idx].info)
        frame = f'<pre data-lang="{named[1]}">' if named else "<pre>"
        return f"{frame}<code>{html.escape(tokens[idx].content)}</code></pre>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return _cell(tokens[idx])

    td_open = th_open

    def table_open(self, *_: Any) -> str:
        return '<div class="wide">\n<table>\n'

    def table_close(self, *_: Any) -> str:
        return "</table>\n</div>\n"

    def link_open(self, tokens: Sequence[Token], idx: int, *_: Any) -> str:
        return ""

    def link_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]
    ) -> str:
        opener = next(at for at in range(idx, -1, -1) if tokens[at].type == "link_open")
        return "" if tokens[opener].info == "auto" else _url(tokens[opener].attrGet("href"))

    def image(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]
    ) -> str:
        inside = self.renderInline(tokens[idx].children or [], options, env)
        inside += _url(tokens[idx].attrGet("src"))
        return f'<span class="picture">{inside}</span>' if inside else ""

    def math(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: MutableMapping[str, Any]
    ) -> str:
        token = tokens[idx]
        formulas: list[str] = env["formulas"]
        formulas.append(_formula(token, too_many=len(formulas) >= MAX_FORMULAS))
        return f"{env['mark']}{len(formulas) - 1}x"


_CLOSING = {"\\(": "\\)", "\\[": "\\]"}
#: Words alone are no formula: somebody escaped the brackets of a text.
_WORDS_ALONE = re.compile(r"[\w\s.,;:!?'’\"/-]*[^\W\d_]{2}[\w\s.,;:!?'’\"/-]*")


def _brackets(parser: MarkdownIt) -> None:
    r"""Read formulas between `\( \)` and `\[ \]`, as language models write them, like those between dollars."""
    parser.inline.ruler.before("escape", "math_brackets", _bracketed)
    parser.block.ruler.before(
        "fence", "math_brackets_block", _bracketed_block, {"alt": ["paragraph"]}
    )


def _in_brackets(source: str, start: int, end: int) -> str | None:
    """Return what stands between the brackets that open at a place, if it is a formula."""
    closing = _CLOSING.get(source[start : start + 2])
    if closing is None:
        return None
    # No further than a formula may be long, so that many opened brackets cost no more than the text.
    found = source.find(closing, start + 2, min(end, start + 4 + MAX_FORMULA))
    content = source[start + 2 : found]
    if found < 0 or not content.strip() or _WORDS_ALONE.fullmatch(content):
        return None
    return content


def _bracketed(state: StateInline, silent: bool) -> bool:
    content = _in_brackets(state.src, state.pos, state.posMax)
    if content is None:
        return False
    opening = state.src[state.pos : state.pos + 2]
    if not silent:
        kind = "math_inline" if opening == "\\(" else "math_inline_double"
        token = state.push(kind, "math", 0)
        token.content, token.markup = content, opening
    state.pos += len(content) + 4
    return True


def _bracketed_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.is_code_block(start_line) or not state.src.startswith("\\[", start):
        return False
    content = _in_brackets(state.src, start, state.eMarks[end_line - 1])
    if content is None:
        return False
    end = start + len(content) + 4
    last = next(line for line in range(start_line, end_line) if end <= state.eMarks[line])
    if state.src[end : state.eMarks[last]].strip():
        return False  # text goes on behind it: a formula within a paragraph
    if silent:
        return True
    token = state.push("math_block", "math", 0)
    token.block, token.content, token.markup = True, content, "\\["
    token.map = [start_line, last + 1]
    state.line = last + 1
    return True


def _parser() -> MarkdownIt:
    options = {"html": False, "breaks": True, "maxNesting": MAX_NESTING}
    parser = MarkdownIt("commonmark", options, renderer_cls=_Renderer)
    parser.enable(["table", "strikethrough"])
    parser.disable(["html_block", "html_inline", "reference"])
    parser.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        double_inline=True,
    )
    parser.use(_brackets)
    for kind in _MATH:
        parser.renderer.rules[kind] = parser.renderer.math  # type: ignore[attr-defined]
    # The library gathers its rules at the first text, and shows them half gathered to a second thread.
    inline = parser.inline
    for ruler in (parser.core.ruler, parser.block.ruler, inline.ruler, inline.ruler2):
        ruler.getRules("")
    return parser


# Built once and whole. A parse keeps its state in objects of its own, so threads may share the parser.
_PARSER = _parser()


def render(text: str, *, parse: Callable[[str, dict[str, Any]], str] = _PARSER.render) -> str:
    """Return safe HTML for a text, whatever the text is.

    The same text gives the same HTML. A text that is too large for Markdown is shown as it is.
    """
    text = _carried(text)
    if len(text) > MAX_LENGTH or _n_cells(text) > MAX_CELLS:
        return _as_it_is(text)
    env: dict[str, Any] = {"mark": first_apart(text, marks(text)), "formulas": []}
    try:
        unsafe = parse(text, env)
    except (RecursionError, ValueError, LookupError):
        return _as_it_is(text)
    clean = _CLEANER.clean(unsafe).replace('<div class="wide">', _SCROLLING)
    return _with_formulas(clean, env["mark"], env["formulas"])


def plain(text: str) -> str:
    """Return what a reader sees of a text, for comparison and export."""
    reader = _TextReader()
    reader.feed(render(text))
    reader.close()
    text = re.sub(r"\t+\n", "\n", "".join(reader.parts))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


class _TextReader(HTMLParser):
    """Collects text, with a line end where a block ends."""

    _BLOCKS = frozenset(["p", "h4", "h5", "h6", "pre", "blockquote", "ul", "ol", "table", "div"])

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._between_cells = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {"td", "th"}:
            self._between_cells = False

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"}:
            self.parts.append("\t")
        elif tag in self._BLOCKS:
            self.parts.append("\n")
        self._between_cells = tag in {"td", "th"}

    def handle_data(self, data: str) -> None:
        if not self._between_cells:
            self.parts.append(data)


def _carried(text: str) -> str:
    """Return the text without signs that no HTML page can carry."""
    text = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]", "", text)
    return text.encode("utf-8", "replace").decode()


def marks(text: str) -> Iterator[str]:
    """Give marks that nobody can put into the text beforehand, the same ones for the same text."""
    keys = (f"evalsite formula mark {turn}".encode() for turn in itertools.count())
    data = text.encode()
    return (f"m{hmac.new(key, data, hashlib.sha256).hexdigest()}n" for key in keys)


def first_apart(text: str, candidates: Iterable[str]) -> str:
    """Return the first that is not in the text."""
    return next(mark for mark in candidates if mark not in text)


def _n_cells(text: str) -> int:
    """Return an upper bound of the cells of all tables in a text."""
    widest = max((line.count("|") for line in text.split("\n") if "-" in line), default=0)
    return widest and (widest + 1) * sum("|" in line for line in text.split("\n"))


def _with_formulas(clean: str, mark: str, formulas: list[str]) -> str:
    if not formulas:
        return clean
    return re.sub(f"{mark}([0-9]+)x", lambda found: formulas[int(found[1])], clean)


def _formula(token: Token, *, too_many: bool) -> str:
    block = _MATH[token.type]
    tag = "div" if token.type == "math_block" else "span"
    try:
        if too_many:
            raise NotSound("The text has too many formulas.")
        inside = from_latex(token.content.strip(), block=block)
    except NotSound:
        closing = _CLOSING.get(token.markup, token.markup)
        inside = f"<code>{html.escape(token.markup + token.content + closing)}</code>"
    return f'<{tag} class="math">{inside}</{tag}>'


def _cell(token: Token) -> str:
    align = re.fullmatch("text-align:(left|center|right)", str(token.attrGet("style")))
    return f'<{token.tag} class="align-{align[1]}">' if align else f"<{token.tag}>"


def _url(address: str | float | None) -> str:
    return f' <span class="url">({html.escape(str(address))})</span>' if address else ""


def _as_it_is(text: str) -> str:
    paragraphs = re.split(r"\n{2,}", text.strip("\n"))
    return "".join(
        f"<p>{html.escape(paragraph)}</p>\n".replace("\n", "<br>\n", paragraph.count("\n"))
        for paragraph in paragraphs
    )


@dataclass(frozen=True)
class DocumentPart:
    """What stands below a heading of a document: its words, for a search."""

    title: str
    anchor: str
    text: str
    depth: int


@dataclass(frozen=True)
class GuideDocument:
    """A document of the product's own as HTML, and its parts."""

    html: SafeString
    parts: tuple[DocumentPart, ...]


def document(text: str, leads_to: Callable[[str], str]) -> GuideDocument:
    """Return a document of ours, which unlike a text of people has links and anchors.

    Args:
        text: in Markdown; HTML in it is shown as it is written.
        leads_to: where a link leads, by what is written; "" where it is to be none.
    """
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_NESTING})
    parser.enable(["table", "strikethrough"])
    tokens = parser.parse(text)
    parts: list[DocumentPart] = []
    said: list[str] = []
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            _end_part(parts, said)
            title = _words(tokens[at + 1])
            anchor = _free_anchor(title, [one.anchor for one in parts])
            token.attrSet("id", anchor)
            parts.append(DocumentPart(title, anchor, "", int(token.tag[1:])))
        elif token.type == "inline":
            _lead(token, leads_to)
            if tokens[at - 1].type != "heading_open":
                said.append(_words(token))
        elif token.type == "fence":
            said.append(token.content)
    _end_part(parts, said)
    shown = [one for at, one in enumerate(tokens) if not _is_title(tokens, at)]
    drawn = str(parser.renderer.render(shown, parser.options, {}))
    drawn = drawn.replace("<table>", f"{_SCROLLING}<table>").replace("</table>", "</table></div>")
    return GuideDocument(mark_safe(drawn), tuple(parts))  # noqa: S308 - ours, rendered without its HTML


def _is_title(tokens: Sequence[Token], at: int) -> bool:
    """Say whether a token belongs to the heading of the whole, which the page around it shows."""
    near = tokens[max(0, at - 1) : at + 2] if tokens[at].type == "inline" else [tokens[at]]
    return any(one.tag == "h1" for one in near)


def _end_part(parts: list[DocumentPart], said: list[str]) -> None:
    if parts:
        parts[-1] = replace(parts[-1], text=" ".join(" ".join(said).split()))
    said.clear()


def _words(inline: Token) -> str:
    kinds = {"text", "code_inline"}
    return "".join(
        one.content if one.type in kinds else " " if "break" in one.type else ""
        for one in inline.children or ()
    )


def _lead(inline: Token, leads_to: Callable[[str], str]) -> None:
    """Set where the links of a line lead; those that lead nowhere become their words."""
    kept: list[Token] = []
    is_none = False
    for one in inline.children or ():
        if one.type == "link_open":
            there = leads_to(str(one.attrGet("href") or ""))
            is_none = not there
            one.attrSet("href", there)
        if not (is_none and one.type in {"link_open", "link_close"}) and one.type != "image":
            kept.append(one)
    inline.children = kept


def _free_anchor(title: str, taken: Sequence[str]) -> str:
    """Return the anchor of a heading as it is usually made: small letters, digits, hyphens."""
    stem = re.sub(r"[^\w\- ]", "", title.casefold()).replace(" ", "-")
    names = (stem, *(f"{stem}-{n}" for n in range(1, len(taken) + 2)))
    return next(one for one in names if one not in taken)
