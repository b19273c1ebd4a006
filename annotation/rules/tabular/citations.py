"""What a row of a file says of the sources that its answer rests on."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from annotation.rules.tabular import cells
from annotation.rules.tabular.cells import Unfit

MAX_TITLE, MAX_ADDRESS, MAX_LOCATOR, MAX_NAME = 300, 1000, 300, 200
KINDS = ("WEB", "DOCUMENT", "DATA", "EXPERT")
BEGINNINGS = ("https://", "http://")

_NAMES = {
    "title": "title name 标题 名称",
    "address": "address url link href 链接 网址",
    "locator": "locator place page pages section 页码 位置",
    "kind": "kind type",
    "publisher": "publisher",
    "licence": "licence license",
    "retrieved_on": "retrieved_on",
    "valid_from": "valid_from",
    "valid_until": "valid_until",
    "version": "version",
    "start": "start",
    "end": "end",
    "quote": "quote",
}
_FIELDS = {word: name for name, words in _NAMES.items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class Cited:
    """A place in a source, and what the file says of the source in case it is new.

    `version` is the number of the source's version, None where the file names none. A passage stands
    from `start` up to `end` in its text, in characters, and says `quote`.
    """

    title: str = ""
    address: str = ""
    locator: str = ""
    kind: str = ""
    publisher: str = ""
    licence: str = ""
    retrieved_on: date | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    version: int | None = None
    start: int | None = None
    end: int | None = None
    quote: str = ""

    @property
    def named(self) -> "Cited":
        """The same, called by its address where it has no title."""
        return self if self.title else replace(self, title=self.address[:MAX_TITLE])

    def as_record(self) -> dict[str, Any]:
        """Return what a file says of it: what is there, dates as text."""
        return {
            name: value.isoformat() if isinstance(value, date) else value
            for name, value in asdict(self).items()
            if value not in {None, ""}
        }


def title(value: object) -> str:
    return cells.name(value, MAX_TITLE)


def address(value: object) -> str:
    return cells.name(value, MAX_ADDRESS)


def locator(value: object) -> str:
    return cells.name(value, MAX_LOCATOR)


def listed(value: object) -> object:
    """Return a list or an object from its JSON text; anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}:
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return found if isinstance(found, list | dict) else value
    return value


def read(value: object) -> list[Cited]:
    """Return the sources of a cell: a list of titles or objects, or a text with one on each line.

    On a line the title, the address and the place stand between " | "; what begins like an
    address is one.

    Raises:
        Unfit: it is neither, or something in it cannot be used.
    """
    given = listed(value)
    if isinstance(given, Mapping):
        given = [given]
    if not isinstance(given, list):
        given = cells.text(given).splitlines()
    found = [_of_object(one) if isinstance(one, Mapping) else _of_line(one) for one in given]
    return [one for one in found if one is not None]


def _of_line(value: object) -> Cited | None:
    parts = [part.strip() for part in cells.text(value).split(" | ")]
    if not any(parts):
        return None
    links = [part for part in parts if part.startswith(BEGINNINGS)]
    others = [part for part in parts if part and part not in links]
    if len(links) > 1 or len(others) > 2:
        raise Unfit("no_source", value)
    name, place = [*others, "", ""][:2]
    return Cited(title(name), address(links[0] if links else ""), locator(place)).named


def _of_object(value: Mapping[str, Any]) -> Cited:
    said = {_FIELDS.get(str(key).strip().lower(), ""): one for key, one in value.items()}
    if not (said.get("title") or said.get("address")):
        raise Unfit("no_source", value)
    start, end = (_sign(said.get(name), value) for name in ("start", "end"))
    if (start is None) != (end is None) or (start is not None and end is not None and start >= end):
        raise Unfit("no_passage", value)
    return Cited(
        title=title(said.get("title")),
        address=address(said.get("address")),
        locator=locator(said.get("locator")),
        kind=_kind(said.get("kind")),
        publisher=cells.name(said.get("publisher"), MAX_NAME),
        licence=cells.name(said.get("licence"), MAX_NAME),
        retrieved_on=cells.calendar_day(said.get("retrieved_on")),
        valid_from=cells.calendar_day(said.get("valid_from")),
        valid_until=cells.calendar_day(said.get("valid_until")),
        version=cells.whole_number(said["version"]) if said.get("version") else None,
        start=start,
        end=end,
        quote=cells.text(said.get("quote")),
    ).named


def _sign(value: object, whole: object) -> int | None:
    """Return the place of a character, from 0 on; None where none is named."""
    if value is None or value == "":
        return None
    written = str(value).removesuffix(".0")
    if not written.isascii() or not written.isdigit() or len(written) > 9:
        raise Unfit("no_passage", whole)
    return int(written)


def _kind(value: object) -> str:
    word = cells.name(value).upper()
    if word and word not in KINDS:
        raise Unfit("unknown_source_kind", value)
    return word
