r"""Formulas between `\( \)` and `\[ \]`, as language models write them, beside those between dollars."""

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from evalsite import mathml

CLOSING = {"\\(": "\\)", "\\[": "\\]"}
#: Words alone are no formula: somebody escaped the brackets of a text.
_WORDS = re.compile(r"[\w\s.,;:!?'’\"/-]*[^\W\d_]{2}[\w\s.,;:!?'’\"/-]*")


def brackets_plugin(parser: MarkdownIt) -> None:
    """Read bracketed formulas as `math_inline`, `math_inline_double` and `math_block` tokens."""
    parser.inline.ruler.before("escape", "math_brackets", _inline)
    parser.block.ruler.before("fence", "math_brackets_block", _block, {"alt": ["paragraph"]})


def _inside(source: str, start: int, end: int) -> str | None:
    """Return what stands between the brackets that open at a place, if it is a formula."""
    closing = CLOSING.get(source[start : start + 2])
    if closing is None:
        return None
    # No further than a formula may be long, so that many opened brackets cost no more than the text.
    found = source.find(closing, start + 2, min(end, start + 4 + mathml.MAX_FORMULA))
    content = source[start + 2 : found]
    if found < 0 or not content.strip() or _WORDS.fullmatch(content):
        return None
    return content


def _inline(state: StateInline, silent: bool) -> bool:
    content = _inside(state.src, state.pos, state.posMax)
    if content is None:
        return False
    opening = state.src[state.pos : state.pos + 2]
    if not silent:
        kind = "math_inline" if opening == "\\(" else "math_inline_double"
        token = state.push(kind, "math", 0)
        token.content, token.markup = content, opening
    state.pos += len(content) + 4
    return True


def _block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    start = state.bMarks[start_line] + state.tShift[start_line]
    if state.is_code_block(start_line) or not state.src.startswith("\\[", start):
        return False
    content = _inside(state.src, start, state.eMarks[end_line - 1])
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
