"""Formulas: LaTeX in, MathML out, or nothing when a formula is not sound.

What the converter makes is a tree; only elements and attributes on the lists below are written
out, every text escaped. Colours, links, classes and styles are left behind.
"""

import html
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from latex2mathml import converter, exceptions

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
