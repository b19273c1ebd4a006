"""What is wrong with a file, as a code with facts; the words are found where a language is known.

* One row of a file: its line, its cells by column, and what is wrong with it as a row.
* One cell to a plain value, or to the reason why not.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any

from annotation.common import names

EXCERPT = 80


@dataclass(frozen=True, slots=True)
class FileProblem:
    """One thing that is wrong, and where: in which file of a ZIP or sheet, where several are read.

    A warning does not stop an import; anything else does.
    """

    code: str
    line: int | None = None
    column: str = ""
    found: str = ""
    facts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    warning: bool = False
    part: str = ""

    def as_dict(self) -> dict[str, Any]:
        part = {"part": self.part} if self.part else {}
        return {
            **part,
            "code": self.code,
            "line": self.line,
            "column": self.column,
            "found": self.found,
            "facts": dict(self.facts),
            "warning": self.warning,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "FileProblem":
        return cls(**stored)


class BadFile(Exception):
    """The file, or the rest of it, cannot be read; `problem` says why and from which line on."""

    def __init__(
        self, code: str, line: int | None = None, found: object = "", **facts: str
    ) -> None:
        super().__init__(code)
        self.problem = FileProblem(code, line, found=excerpt(found), facts=facts)


def excerpt(value: object) -> str:
    """Return the beginning of a value on one line, fit to be stored and shown."""
    text = value if isinstance(value, str) else repr(value)
    shown = "".join(_shown(sign) for sign in text[: EXCERPT + 1])
    return shown if len(text) <= EXCERPT else shown[:EXCERPT] + "…"


def _shown(sign: str) -> str:
    if sign.isprintable():
        return sign
    return " " if sign.isspace() else "�"


@dataclass(slots=True)
class FileRecord:
    line: int
    cells: Mapping[str, Any]
    problems: tuple[FileProblem, ...] = ()
    part: str = ""


def broken(code: str, line: int, found: object = "", **facts: str) -> FileRecord:
    """Return a row of which nothing can be used."""
    return FileRecord(line, {}, (FileProblem(code, line, found=excerpt(found), facts=facts),))


def is_blank(value: object) -> bool:
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


#: Between several texts in one cell of a table.
DIVIDED = "|||"
MAX_TEXT = 4 * 1024 * 1024

_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_DAY = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?")
_NUMBER = re.compile(r"[-+−]?\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?%?")
#: What counts as missing until a person says otherwise: the one table of it.
#: So long may the text of a question be by which it is named.
MOST_ASKED = 5_000
NO_VALUE = (
    *("NA", "N/A", "NaN", "null", "None", "nil", "<NA>", "#N/A", "-", "–", "—", "."),
    *("n.a.", "n. a.", "k.A.", "k. A.", "n/d", "s/o", "н/д", "不适用", "該当なし", "해당없음"),
)
_MISSING = frozenset(word.casefold() for word in NO_VALUE)

_WORDS = {
    "difficulty": {
        "SIMPLE": "simple easy basic low 1 简单 容易 易 初级",
        "INTERMEDIATE": "intermediate medium moderate middle 2 中等 中 一般 中级",
        "DIFFICULT": "difficult hard advanced high 3 困难 难 较难 高级",
    },
    "type": {
        "FACTUAL": "factual closed objective fact 事实 事实型 客观题 客观",
        "OPEN": "open open-ended subjective creative 开放 开放型 开放题 主观题 主观",
    },
}
DIFFICULTIES = tuple(_WORDS["difficulty"])
_CODES = {
    kind: {word: code for code, words in codes.items() for word in words.split()}
    for kind, codes in _WORDS.items()
}


class Unfit(Exception):
    """A cell cannot be used; `code` says why."""

    def __init__(self, code: str, found: object = "", **facts: str) -> None:
        super().__init__(code)
        self.code = code
        self.found = found
        self.facts = facts


def needed(record: Mapping[str, Any], name: str) -> Any:
    """Return what a record of a known shape has under a name.

    Raises:
        Unfit: it has nothing there.
    """
    if name not in record:
        raise Unfit("no_field", name)
    return record[name]


def storable(value: str) -> str:
    """Return the text with plain line ends.

    Raises:
        Unfit: it holds signs that no database stores, or is too long.
    """
    if "\x00" in value:
        raise Unfit("zero_byte", value)
    if len(value) > MAX_TEXT:
        raise Unfit("text_too_long", value, most=str(MAX_TEXT))
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as problem:
            raise Unfit("half_character", value) from problem
    return value.replace("\r\n", "\n") if "\r" in value else value


def text(value: object) -> str:
    """Return a cell as text, as long as it is one value.

    Raises:
        Unfit: it is a list or an object.
    """
    if isinstance(value, str):
        return storable(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    raise Unfit("not_one_value", value)


def name(value: object, most: int = 200) -> str:
    """Return a short text on one line.

    Raises:
        Unfit: it is longer than a name may be, or holds a sign that nobody sees.
    """
    short = " ".join(text(value).split())
    if sign := names.unseen_in(short):
        raise Unfit("unseen_sign", short, sign=names.called(sign))
    if len(short) > most:
        raise Unfit("name_too_long", short, most=str(most))
    return short


def item(value: object) -> str:
    """Return what names a question: its id, or its text.

    Raises:
        Unfit: as of `name`, but for its length.
    """
    return name(value, MOST_ASKED)


def joined(value: object) -> str:
    """Return a text, or several as paragraphs.

    Raises:
        Unfit: it is neither.
    """
    if isinstance(value, list):
        return "\n\n".join(text(one).strip() for one in value)
    return text(value)


def texts(value: object) -> list[str]:
    """Return several texts: a list, or a cell that holds one as JSON or divides them by "|||".

    Raises:
        Unfit: something in it is no text.
    """
    if isinstance(value, str):
        value = _listed(value)
    parts = value if isinstance(value, list) else [value]
    return [said for one in parts if (said := text(one).strip())]


def points(value: object) -> list[str]:
    """Return a list of points: a list as it is, a text by its lines and by " | ".

    Raises:
        Unfit: it is neither.
    """
    if isinstance(value, list):
        parts = [text(one) for one in value]
    else:
        parts = [part for line in text(value).splitlines() for part in line.split(" | ")]
    return [point for part in parts if (point := part.strip().lstrip("-•*· ").strip())]


def day(value: object) -> str:
    """Return as of when something holds, in words or as a date.

    Raises:
        Unfit: it looks like a date but there is no such day.
    """
    written = name(value, 40)
    if _DATE.fullmatch(written):
        try:
            date.fromisoformat(written)
        except ValueError as problem:
            raise Unfit("no_such_day", written) from problem
    return written


def calendar_day(value: object) -> date | None:
    """Return a date; 2026-03-31, 2026/3/31 and 2026年3月31日 are read. None for an empty cell.

    Raises:
        Unfit: it is none, or there is no such day.
    """
    written = name(value, 40)
    if not written:
        return None
    match = _DAY.fullmatch(written)
    if match is None:
        raise Unfit("no_date", written)
    try:
        return date(*map(int, match.groups()))
    except ValueError as problem:
        raise Unfit("no_such_day", written) from problem


def code(value: object, kind: str) -> str:
    """Return the code of a difficulty or a type from any of its words.

    Raises:
        Unfit: the word is not known.
    """
    word = text(value).strip().lower()
    if not word:
        return ""
    try:
        return _CODES[kind][word]
    except KeyError:
        raise Unfit(f"unknown_{kind}", value) from None


def is_code(word: str, kind: str) -> bool:
    """Say whether a word is that of a difficulty or a type."""
    return word.strip().lower() in _CODES[kind]


def whole_number(value: object) -> int:
    """Return a number from 1 on.

    Raises:
        Unfit: it is not one.
    """
    written = text(value).strip()
    written = written.removesuffix(".0")
    if (
        not written.isascii()
        or not written.isdigit()
        or not 0 < len(written) < 8
        or not int(written)
    ):
        raise Unfit("no_whole_number", value)
    return int(written)


def is_missing(word: str) -> bool:
    """Return whether a word says that there is no value, as programs write it: NA, nan, null."""
    return word.strip().casefold() in _MISSING


def is_number(said: str) -> bool:
    """Say whether a text is written as a number, a share or a percentage."""
    return _NUMBER.fullmatch(said) is not None


def detail(value: object) -> Any:
    """Return any JSON value, fit to be stored.

    Raises:
        Unfit: some text in it is not.
    """
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list | dict):
        storable(json.dumps(value, ensure_ascii=False))
        if "\\u0000" in json.dumps(value):
            raise Unfit("zero_byte", value)
    return value


def _listed(written: str) -> list[Any]:
    if written.lstrip().startswith("["):
        try:
            found = json.loads(written)
        except (ValueError, RecursionError):
            pass  # a text that begins with a bracket
        else:
            if isinstance(found, list):
                return found
    return written.split(DIVIDED)
