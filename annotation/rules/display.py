"""The display copy of a text: what a reader sees stays, what marks a sender unseen goes.

The original is stored and hashed beside it; docs/decisions/display-copies.md says what is kept.
"""

import re
import unicodedata

_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_TRAILING = re.compile(r"(?<![ \t])[ \t]+(?=\n|\Z)")
_EXOTIC = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2800"
# Indentation by exotic spaces is layout, but Markdown would take it for code.
_INDENT = re.compile(f"(?m)^[ \t]*[{_EXOTIC}][ \t{_EXOTIC}]*")

_PLAIN = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    **dict.fromkeys("\u2010\u2011", "-"),
}
_ODD = re.compile(f"[{_EXOTIC}{''.join(_PLAIN)}]")

_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf"
    "\u2934\u2935\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_INDIC = "\u0900-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17ff"
_JOINING = "\u0620-\u065f\u066e-\u06d3\u06ee-\u06ff\u0750-\u077f\u08a0-\u08e1" + _INDIC

# Signs without a shape of their own that change the shape of their neighbours.
_SHAPING = re.compile(
    f"(?<=[{_EMOJI}\ufe0f])\u200d(?=[{_EMOJI}])"  # an astronaut is a person, this, a rocket
    f"|(?<=[{_EMOJI}])[\ufe0e\ufe0f]"
    "|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    f"|(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])"
    f"|(?<=[{_INDIC}])\u200d"
    "|(?<=[\u1820-\u18aa])[\u180b-\u180d\u180f]"
)
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufffc\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)

_CODE = re.compile(
    r"(^ {0,3}(?P<fence>```|~~~).*?(?:^ {0,3}(?P=fence)[`~]*$|\Z)"
    r"|`+[^`\n]+`+|\$\$.*?\$\$|\$[^$\n]+\$)",
    re.MULTILINE | re.DOTALL,
)
_FLAT = (
    (re.compile(r"^ {0,3}#{1,6}[ \t]+", re.MULTILINE), ""),
    (re.compile(r"[ \t]#+$", re.MULTILINE), ""),
    (re.compile(r"(?<=\S)\n {0,3}(?:=+|-+)(?=\n|\Z)"), ""),
    (re.compile(r"^([ \t]*)[*+•][ \t]+", re.MULTILINE), r"\1- "),
    # Twice: what is bold may hold what is slanted.
    *[
        (re.compile(r"(\*{1,3})(?=[^\s*])([^*\n]+)(?<=[^\s*])\1"), r"\2"),
        (re.compile(r"(?<!\w)(_{1,3})(?=[^\s_])([^_\n]+)(?<=[^\s_])\1(?!\w)"), r"\2"),
    ]
    * 2,
    (re.compile("[✅☑✔]\ufe0f?"), "✓"),
    (re.compile("[❌✖❎]\ufe0f?"), "✗"),
    (
        re.compile(
            "[0-9#*]\ufe0f\u20e3 ?|"
            "[\u2600-\u2712\u2715\u2716\u2718-\u27bf\u2b50\u2b55\U0001f000-\U0001faff]"
            "[\ufe0e\ufe0f\u200d\U000e0020-\U000e007f\U0001f3fb-\U0001f3ff]* ?"
        ),
        "",
    ),
)


def normalise(text: str) -> str:
    """Return the text without anything that a reader does not see.

    One Unicode form, one kind of line end, space and quotation mark, no invisible signs but those
    that shape emoji or letters, no spaces at line ends or around the whole.
    """
    text = unicodedata.normalize("NFC", text)
    text = _HIDDEN.sub(_seen, _LINE_ENDS.sub("\n", text))
    text = _ODD.sub(lambda odd: _PLAIN.get(odd[0], " "), _INDENT.sub("", text))
    return _TRAILING.sub("", unicodedata.normalize("NFC", text)).strip()


def first_hidden(text: str) -> re.Match[str] | None:
    """Return the first sign of a text that no reader sees and that shapes nothing beside it."""
    return next(
        (one for one in _HIDDEN.finditer(text) if not _SHAPING.match(text, one.start())), None
    )


def without_hidden(text: str) -> str:
    """Return a text without such signs; everything else stays as it is."""
    return _HIDDEN.sub(_seen, text)


def uniform(text: str) -> str:
    """Return Markdown text with headings, bold, slanted, bullets and emoji made alike.

    Code and formulas stay as they are.
    """
    result = []
    start = 0
    for code in _CODE.finditer(text):
        result += [_flatten(text[start : code.start()]), code[0]]
        start = code.end()
    return "".join([*result, _flatten(text[start:])]).strip()


def is_empty(text: str) -> bool:
    """Return whether there is nothing to see."""
    return not normalise(text)


def _seen(hidden: re.Match[str]) -> str:
    if "\ud800" <= hidden[0] <= "\udfff":
        return "\ufffd"  # half a surrogate pair, which no page can carry
    return hidden[0] if _SHAPING.match(hidden.string, hidden.start()) else ""


def _flatten(text: str) -> str:
    for pattern, plain in _FLAT:
        text = pattern.sub(plain, text)
    return text
