"""Cut a text into words, numbers (1,200.50 is one), signs of scripts without spaces, and the spaces between.

* Contents and their fingerprints: the same content is the same thing, whatever its id.
* The digest by which a page knows that its grades arrived: the browser computes the same.
* Texts in spreadsheets: none is taken for a formula, and each comes back as it was.
* The display copy of a text: what a reader sees stays, what marks a sender unseen goes.
* What is shown of a conversation: one text, the same for equal content.
* Passages of a text: its paragraphs and pages, and what stands from one character up to another.
* Addresses that tell nothing: tokens of seats and letters of slots.
* The life of a question: states of its versions and of itself, and who may do what on the way.
"""

import hashlib
import hmac
import itertools
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from annotation.common import reasoning, scales

# Scripts Han, Hiragana and Katakana, each sign of which is a piece of its own.
SIGNS = (
    "\u2e80-\u2e99\u2e9b-\u2ef3\u2f00-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b"
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff\u32d0-\u32fe\u3300-\u3357"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufa6d\ufa70-\ufad9\uff66-\uff6f\uff71-\uff9d"
    "\U0001b000-\U0001b122\U00020000-\U0002a6df\U0002a700-\U0002ebe0\U0002f800-\U0002fa1d"
    "\U00030000-\U000323af"
)
# What a browser takes for a space; Python's own \s knows a few more and one less.
SPACES = "\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

_PIECE = re.compile(rf"[{SIGNS}]|[{SPACES}]+|\d+(?:[.,]\d+)+|(?:(?![{SIGNS}])[^\W_])+|.", re.DOTALL)
_SIGN = re.compile(rf"[{SIGNS}]")


def cut(text: str) -> list[str]:
    """Return the pieces of a text, in order."""
    return _PIECE.findall(text)


def is_sign(piece: str) -> bool:
    """Say whether a piece is a sign of a script without spaces."""
    return _SIGN.match(piece) is not None


Message = Mapping[str, Any]


def canonical(value: object) -> bytes:
    """Return JSON that is equal for equal values: sorted keys, no spaces, UTF-8, text as it is.

    Raises:
        ValueError: a number that JSON cannot write.
        TypeError: a value that JSON does not know.
    """
    text = json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )
    # Files hold half surrogate pairs now and then; they must not stop an import here.
    return text.encode("utf-8", "surrogatepass")


def prompt_sha(messages: Sequence[Message]) -> str:
    """Return the fingerprint of what a system saw."""
    return _sha("prompt 1", list(messages))


def content_sha(messages: Sequence[Message], reference: object = None, extra: object = None) -> str:
    """Return the fingerprint of what is put before a rater, reference answer and all."""
    return _sha("content 1", list(messages), reference, extra)


def response_sha(messages: Sequence[Message]) -> str:
    """Return the fingerprint of what a system answered."""
    return _sha("response 1", list(messages))


def as_messages(text: str, role: str = "user") -> list[dict[str, str]]:
    """Return a single text as a conversation of one message."""
    return [{"role": role, "content": text}]


def _sha(*parts: object) -> str:
    return hashlib.sha256(canonical(parts)).hexdigest()


def canonical_grades(rows: Iterable[tuple[str, str, Decimal | str]]) -> str:
    """Return the JSON text of sorted [letter, criterion, value] rows that is hashed.

    Rows are sorted as JavaScript sorts strings, by UTF-16 units.
    """
    written = [
        [letter, criterion, value if isinstance(value, str) else scales.text(value)]
        for letter, criterion, value in rows
    ]
    written.sort(key=lambda row: [cell.encode("utf-16-be") for cell in row])
    return json.dumps(written, ensure_ascii=False, separators=(",", ":"))


def grades_digest(rows: Iterable[tuple[str, str, Decimal | str]]) -> str:
    """Return the SHA-256 of the canonical form, in hex."""
    return hashlib.sha256(canonical_grades(rows).encode()).hexdigest()


#: What a spreadsheet may take for the beginning of a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
SHIELD = "'"


def neutral(text: str) -> str:
    """Return a text with a shield before what would be a formula, or what is shielded already."""
    return SHIELD + text if text.lstrip(SHIELD).startswith(FORMULA) else text


def restored(text: str) -> str:
    """Return a text as it was before `neutral`."""
    shielded = text.startswith(SHIELD) and text.lstrip(SHIELD).startswith(FORMULA)
    return text[1:] if shielded else text


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
    return _clean(text).strip()


def _clean(text: str) -> str:
    text = unicodedata.normalize("NFC", text)
    text = _HIDDEN.sub(_seen, _LINE_ENDS.sub("\n", text))
    text = _ODD.sub(lambda odd: _PLAIN.get(odd[0], " "), _INDENT.sub("", text))
    return _TRAILING.sub("", unicodedata.normalize("NFC", text))


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


#: Who may think aloud.
OF_SYSTEMS = frozenset({"assistant", "ai", "gpt", "model", "bot"})
ROLES = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}


def spoken(message: Mapping[str, Any]) -> str:
    """Return the words of a message; parts that are not text, and what a system thought aloud, are left out."""
    content = message.get("content")
    if str(message.get("role")) in OF_SYSTEMS:
        return reasoning.of_content(content).answer
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n\n".join(part for part in parts if isinstance(part, str))
    return ""


@dataclass(frozen=True, slots=True)
class ToolCallText:
    """A call of a tool, as a message holds it; arguments that are no object stand under an empty name."""

    name: str
    arguments: Mapping[str, Any]
    id: str = ""


def tool_calls(message: Mapping[str, Any]) -> list[ToolCallText]:
    """Return the calls of tools that a message makes, in either of the usual layouts."""
    given = message.get("tool_calls")
    return (
        [tool_call(one) for one in given if isinstance(one, Mapping)]
        if isinstance(given, list)
        else []
    )


def tool_call(said: Mapping[str, Any]) -> ToolCallText:
    """Read a call; its name is empty where it has none."""
    inner = said.get("function")
    of = inner if isinstance(inner, Mapping) else said
    name, own = of.get("name"), said.get("id")
    return ToolCallText(
        name if isinstance(name, str) else "",
        arguments_of(of.get("arguments", of.get("args"))),
        own if isinstance(own, str) else "",
    )


def arguments_of(given: object) -> Mapping[str, Any]:
    """Return the arguments of a call, which are written as an object or as its JSON."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            given = {"": given}
    if isinstance(given, Mapping):
        return given
    return {} if given is None else {"": given}  # a list or a bare value is kept as it is


#: A list or an object of an argument that is longer has a line for each of its parts.
LONGEST_DATA = 60


def failed(result: Mapping[str, Any]) -> bool:
    """Say whether a tool gave an error, in the words of any maker."""
    said = bool(result.get("error")) or result.get("is_error") is True
    return said or str(result.get("status") or "").casefold() == "error"


def literal(value: object) -> str:
    """Return a value of an argument with its type in sight; a text of several lines stands as it is."""
    if isinstance(value, str) and "\n" in value:
        return value
    try:
        line = json.dumps(value, ensure_ascii=False)
        is_long = isinstance(value, list | Mapping) and len(line) > LONGEST_DATA
        return json.dumps(value, ensure_ascii=False, indent=2) if is_long else line
    except RecursionError:
        return "[nested too deeply to be shown]"


class PieceKind(StrEnum):
    """What a piece of a conversation's text is."""

    CONTENT = "content"
    TOOL = "tool"
    KEY = "key"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class SpokenPiece:
    """Where something that was said stands in the text of a conversation.

    `message` and `call` (of that message) count from 0; `call` is None for what the message says itself.
    """

    kind: PieceKind
    message: int
    call: int | None
    start: int
    end: int


#: The kind of a piece, its message, and its call.
Whose = tuple[PieceKind, int, int | None]


def conversation(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return what is shown of a response: its text, or who said what if it has several messages."""
    return laid_out(messages)[0]


def told(message: Mapping[str, Any]) -> str:
    """Return the words of a message and the tools that it calls."""
    if not tool_calls(message):
        return spoken(message)
    return "".join(words for words, _place in _of_message(0, message)).strip()


def laid_out(messages: Sequence[Mapping[str, Any]]) -> tuple[str, list[SpokenPiece]]:
    """Return the text of a conversation, and where in it everything stands that was said.

    Each part ends with its line, so that made clean one by one they are what the whole made clean is.
    """
    parts = [(_clean(words), whose) for words, whose in _parts(messages)]
    whole = "".join(words for words, _whose in parts)
    text = whole.strip()
    at = whole.find(text)
    pieces: list[SpokenPiece] = []
    begun = 0
    for words, whose in parts:
        start = min(max(begun - at, 0), len(text))
        end = min(max(begun + len(words.rstrip()) - at, start), len(text))
        begun += len(words)
        if whose is not None:
            pieces.append(SpokenPiece(*whose, start, end))
    return text, pieces


def _parts(messages: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Whose | None]]:
    for number, message in enumerate(messages):
        if len(messages) > 1:
            yield f"**{ROLES.get(str(message.get('role')), 'Assistant')}**\n\n", None
        yield from _of_message(number, message)


def _of_message(number: int, message: Mapping[str, Any]) -> Iterator[tuple[str, Whose | None]]:
    yield f"{spoken(message)}\n\n", (PieceKind.CONTENT, number, None)
    for n, call in enumerate(tool_calls(message)):
        yield "**Tool call**\n\n", None
        yield f"{call.name}\n\n", (PieceKind.TOOL, number, n)
        for key, value in call.arguments.items():
            if key:
                yield f"{key}:\n", (PieceKind.KEY, number, n)
            yield f"{literal(value)}\n\n", (PieceKind.VALUE, number, n)


#: A longer passage is no place any more, but a source.
MAX_PASSAGE = 4_000
PAGE = "\f"

_PARAGRAPH = re.compile(r"[^\s\f](?:[^\n\f]|\n(?![ \t]*(?:\n|\f|\Z)))*")


class UnheldPassage(ValueError):
    """These places do not hold a passage of the text; the message says why."""


@dataclass(frozen=True, slots=True)
class SourceParagraph:
    """A paragraph, counted from 1; `page` is 0 in a text without pages."""

    number: int
    start: int
    end: int
    text: str
    page: int = 0


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """Where a passage stands, as a person would say it."""

    page: int
    first: int
    last: int
    #: Whether it is nothing but whole paragraphs.
    whole: bool


def paragraphs(text: str) -> list[SourceParagraph]:
    """Return the paragraphs of a text, in order, without what is empty."""
    paged = PAGE in text
    found: list[SourceParagraph] = []
    page, seen = 1, 0
    for number, one in enumerate(_PARAGRAPH.finditer(text), start=1):
        page += text.count(PAGE, seen, one.start())
        seen = one.start()
        said = one.group().rstrip()
        found.append(
            SourceParagraph(
                number, one.start(), one.start() + len(said), said, page if paged else 0
            )
        )
    return found


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the places without the spaces at both ends.

    Raises:
        UnheldPassage: they lie outside the text, hold nothing, or hold too much.
    """
    if not 0 <= start < end <= len(text):
        raise UnheldPassage("outside")
    said = text[start:end]
    start += len(said) - len(said.lstrip())
    end -= len(said) - len(said.rstrip())
    if start >= end:
        raise UnheldPassage("empty")
    if end - start > MAX_PASSAGE:
        raise UnheldPassage("long")
    return start, end


def place(text: str, start: int, end: int) -> PassagePlace:
    """Return the page and the paragraphs in which a passage stands."""
    touched = [one for one in paragraphs(text) if one.start < end and start < one.end]
    if not touched:
        return PassagePlace(0, 0, 0, whole=False)
    first, last = touched[0], touched[-1]
    whole = start <= first.start and end >= last.end
    return PassagePlace(first.page, first.number, last.number, whole)


def pieces(
    paragraph: SourceParagraph, marks: Iterable[tuple[int, int]]
) -> tuple[tuple[str, bool], ...]:
    """Return a paragraph cut where marked passages begin and end: each piece, and if it is marked."""
    inside = [
        (max(start, paragraph.start), min(end, paragraph.end))
        for start, end in marks
        if start < paragraph.end and paragraph.start < end
    ]
    cuts = sorted({paragraph.start, paragraph.end, *(one for pair in inside for one in pair)})
    found = []
    for start, end in itertools.pairwise(cuts):
        marked = any(one <= start and end <= other for one, other in inside)
        said = paragraph.text[start - paragraph.start : end - paragraph.start]
        found.append((said, marked))
    return tuple(found)


def holds(text: str, passage: str) -> bool:
    """Return whether a text has the words of a passage, however its lines are broken."""
    return _in_line(passage) in _in_line(text)


def _in_line(text: str) -> str:
    return " ".join(text.split())


LETTERS = "ABCDEFGH"
SECRET_LENGTH = 16  # bytes, at least
TOKEN_LENGTH = 26  # × 5 bits = 130 bits

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: nobody misreads a token


def seat_token(secret: bytes, ordinal: int, claim: int) -> str:
    """Return the address of a seat for one claim of it; another claim gets another address.

    Raises:
        ValueError: the secret is too short to keep a secret.
    """
    if len(secret) < SECRET_LENGTH:
        raise ValueError(f"The secret of a round has at least {SECRET_LENGTH} bytes.")
    digest = hmac.digest(secret, f"seat 1 {ordinal} {claim}".encode(), hashlib.sha256)
    number = int.from_bytes(digest)
    return "".join(_ALPHABET[(number >> (5 * place)) & 31] for place in range(TOKEN_LENGTH))


def letter(position: int) -> str:
    """Return the letter of a display position, 0 being A.

    Raises:
        ValueError: there is no such position.
    """
    if not 0 <= position < len(LETTERS):
        raise ValueError(f"Positions run from 0 to {len(LETTERS) - 1}.")
    return LETTERS[position]


def position(letter: str) -> int:
    """Return the display position of a letter.

    Raises:
        ValueError: not one of the letters.
    """
    if len(letter) != 1 or letter not in LETTERS:
        raise ValueError(f"A response is called by one letter from {LETTERS[0]} to {LETTERS[-1]}.")
    return LETTERS.index(letter)


MAX_TURNS = 40
MAX_TEXT = 100_000
