"""JSON: one object a line, or one list of objects, flattened into columns with dotted names."""

import json
import re
from collections.abc import Iterator
from typing import Any

from annotation.rules.tabular.encodings import MAX_LINE, Lines
from annotation.rules.tabular.problems import Unreadable
from annotation.rules.tabular.records import Record, broken

DEPTH = 4

_GAP = re.compile(r"[\s,]*")
_READ_AHEAD = 1024 * 1024


class _Refused(ValueError):
    """JSON that reads but cannot be used; the message is the code of the problem."""


def read_lines(lines: Lines) -> Iterator[Record]:
    """Yield the objects of a file with one on each line."""
    number = 0
    for number, line in enumerate(lines, start=1):
        if flaw := lines.flaw(number, number):
            yield broken(flaw, number)
        elif line.strip():
            yield _record(line, number)
    if number == 0:
        raise Unreadable("no_rows")


def read_list(lines: Lines) -> Iterator[Record]:
    """Yield the objects of a file that is one list.

    Raises:
        Unreadable: the list is broken; what follows the break cannot be found.
    """
    window = _Window(lines)
    window.open()
    while not window.at_end():
        line = window.line()
        yield _of(window.value(), line)


class _Window:
    """A moving part of a long JSON list."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._source = iter(lines)
        self._buffer = ""
        self._place = 0
        self._counted = 0  # how far into the buffer lines were counted,
        self._number = 1  # and the line that is there
        self._ended = False
        self._more()

    def line(self) -> int:
        self._number += self._buffer.count("\n", self._counted, self._place)
        self._counted = self._place
        return self._number

    def open(self) -> None:
        self._skip()
        if not self._buffer.startswith("[", self._place):
            raise Unreadable("broken_list", 1)
        self._place += 1

    def at_end(self) -> bool:
        self._skip()
        if self._place >= len(self._buffer) and self._ended:
            raise Unreadable("broken_list", self.line())
        if not self._buffer.startswith("]", self._place):
            return False
        self._more()
        if rest := self._buffer[self._place + 1 :].strip():
            raise Unreadable("broken_list", self.line(), rest)
        return True

    def value(self) -> Any:
        while True:
            try:
                value, self._place = _decoder.raw_decode(self._buffer, self._place)
            except _Refused as problem:
                raise Unreadable(str(problem), self.line()) from problem
            except RecursionError as problem:
                raise Unreadable("too_deep", self.line()) from problem
            except ValueError as problem:
                if self._ended or len(self._buffer) - self._place > MAX_LINE:
                    raise Unreadable("broken_list", self.line()) from problem
                self._more()
            else:
                return value

    def _skip(self) -> None:
        while True:
            gap = _GAP.match(self._buffer, self._place)
            self._place = gap.end() if gap else self._place
            if self._place < len(self._buffer) or self._ended:
                return
            self._more()

    def _more(self) -> None:
        self.line()
        rest = self._buffer[self._place :]
        parts, size, wanted = [rest], 0, max(_READ_AHEAD, len(rest))
        self._ended = True
        for line in self._source:
            parts.append(line)
            size += len(line)
            if size >= wanted:
                self._ended = False
                break
        self._buffer, self._place = "".join(parts), 0
        self._counted = 0
        if flaw := self._lines.flaw(1, self._lines.number):
            raise Unreadable(flaw, self._lines.number)


def flatten(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object as columns: {"a": {"b": 1}} has the column "a.b". Lists stay as they are.

    Raises:
        ValueError: two values come to stand in one column.
    """
    flat: dict[str, Any] = {}
    _flatten(value, "", DEPTH, flat)
    return flat


def _flatten(value: dict[str, Any], prefix: str, depth: int, flat: dict[str, Any]) -> None:
    for key, inner in value.items():
        name = prefix + key.strip()
        if isinstance(inner, dict) and inner and depth > 1:
            _flatten(inner, f"{name}.", depth - 1, flat)
        elif name in flat:
            raise _Refused("duplicate_column")
        else:
            flat[name] = inner


def _record(text: str, line: int) -> Record:
    try:
        value = _decoder.decode(text)
    except _Refused as problem:
        return broken(str(problem), line)
    except RecursionError:
        return broken("too_deep", line)
    except json.JSONDecodeError as problem:
        return broken("broken_json", line, text[problem.pos :], place=str(problem.pos + 1))
    except ValueError:  # a number with thousands of digits
        return broken("broken_json", line, text, place="1")
    return _of(value, line)


def _of(value: object, line: int) -> Record:
    if not isinstance(value, dict):
        return broken("not_an_object", line, value)
    try:
        return Record(line, flatten(value))
    except _Refused as problem:
        return broken(str(problem), line)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Refused("duplicate_key")
    return value


def _constant(name: str) -> None:
    """Read NaN as no value, which programs mean by it; there is no reading of Infinity."""
    if name != "NaN":
        raise _Refused("not_finite")


_decoder = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)
