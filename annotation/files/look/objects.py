"""JSON to its objects: one a line, in one list, one after the other, or inside of one object.

They come as they are written, with what is nested in them; `flatten` makes columns of it.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from annotation.files import synonyms
from annotation.files.cells import BadFile, FileRecord, broken
from annotation.files.columns import Target
from annotation.files.look.encodings import MAX_LINE, DecodedLines

#: One object that is a whole file is held in memory, up to so many signs.
MOST_OBJECT: Final = 64 * 1024 * 1024
DEPTH: Final = 4
#: The step of a path at which lists with the same names are joined, and the columns of what leads to a row.
EVERY: Final = "*"
KEY, KEY_2 = "key 1", "key 2"
#: Lists that say more of one row, though objects with telling names stand in them.
_OF_ONE_ROW: Final = frozenset(
    ("choices", "options", "sources", "citations", "references", "contexts", "tool_calls", "tools")
)
_SYSTEMS: Final = frozenset(synonyms.NAMES[Target.SYSTEM].split())
#: Names by which objects are marks or answers.
_TELLING: Final = frozenset(
    name
    for target in (Target.RATER, Target.VALUE, Target.SYSTEM, Target.RESPONSE)
    for name in synonyms.GRADE_NAMES.get(target, synonyms.NAMES.get(target, "")).split()
)
#: Names of lists of plain values that are several answers, or several marks.
_TEXTS: Final = frozenset(
    ("responses", "outputs", "completions", "generations", "predictions", "answers", "samples")
)
_OBJECTS: Final = frozenset(
    [
        "scores",
        "ratings",
        "grades",
        "marks",
        "labels",
        "metrics",
        "annotations",
        "judgments",
        "evaluation",
    ]
)
_MARKS: Final = frozenset(("ratings", "scores", "grades", "votes"))

#: Signs that no database stores.
UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_GAP = re.compile(r"[\s,]*")
_READ_AHEAD = 1024 * 1024


class _Refused(ValueError):
    """JSON that reads but cannot be used; the message is the code of the problem."""


def read_lines(lines: DecodedLines) -> Iterator[FileRecord]:
    """Yield the objects of a file with one on each line."""
    number = 0
    for number, line in enumerate(lines, start=1):
        if flaw := lines.flaw(number, number):
            yield broken(flaw, number)
        elif line.strip():
            yield _object_record(line.rstrip().removesuffix(","), number)
    if number == 0:
        raise BadFile("no_rows")


def read_list(lines: DecodedLines) -> Iterator[FileRecord]:
    """Yield the objects of a file that is one list.

    Raises:
        BadFile: the list is broken; what follows the break cannot be found.
    """
    for line, value in values_of_list(lines):
        yield of_value(value, line)


def values_of_list(lines: DecodedLines) -> Iterator[tuple[int, Any]]:
    """Yield what stands in a file that is one list, with the line in which each begins.

    Raises:
        BadFile: the list is broken; what follows the break cannot be found.
    """
    window = _Window(lines)
    window.open()
    while not window.at_end():
        yield window.line(), window.value()


def read_stream(lines: DecodedLines) -> Iterator[FileRecord]:
    """Yield objects that follow one another over any number of lines.

    Raises:
        BadFile: one is broken; what follows the break cannot be found.
    """
    window = _Window(lines)
    while not window.is_empty():
        line = window.line()
        yield of_value(window.value(), line)


def whole_object(lines: DecodedLines, path: str = "") -> tuple[Any, dict[str, Any]]:
    """Return what lies at a path in the one object of a file, and all that lies around it.

    Raises:
        BadFile: it is broken, or too large to be held at once.
    """
    parts, size = [], 0
    for line in lines:
        parts.append(line)
        size += len(line)
        if size > MOST_OBJECT:
            raise BadFile("object_too_large", most=str(MOST_OBJECT // 1024**2))
    text = "".join(parts).strip()
    try:
        value = _decoder.decode(text)
    except _Refused as problem:
        raise BadFile(str(problem), 1) from problem
    except RecursionError as problem:
        raise BadFile("too_deep", 1) from problem
    except json.JSONDecodeError as problem:
        found = text[problem.pos : problem.pos + 80]
        raise BadFile("broken_json", problem.lineno, found, place=str(problem.colno)) from problem
    except ValueError as problem:
        raise BadFile("broken_json", 1, text[:80], place="1") from problem
    return inside(value, path)


def inside(value: Any, path: str) -> tuple[Any, dict[str, Any]]:
    """Return what lies at a path in an object, and what lies around it; "*" joins lists that are alike."""
    outer = dict(value) if isinstance(value, dict) else {}
    for name in path.split(".") if path else ():
        if name == EVERY and isinstance(value, dict):
            return [{KEY: key, **one} for key, rows in value.items() for one in rows], outer
        value = value.get(name) if isinstance(value, dict) else None
    if path:
        outer.pop(path.split(".")[0], None)
    return value, outer


def places_inside(value: Mapping[str, Any], depth: int = DEPTH) -> list[tuple[str, int]]:
    """Return where lists of objects lie in an object, with how many there are, the longest first."""
    found: list[tuple[str, int]] = []
    if _are_alike(list(value.values())):
        found.append((EVERY, sum(map(len, value.values()))))
    for name, inner in value.items():
        if isinstance(inner, list) and inner and all(isinstance(one, dict) for one in inner):
            if not _is_conversation(inner):
                found.append((name, len(inner)))
        elif isinstance(inner, dict) and depth > 1:
            found += [(f"{name}.{path}", n) for path, n in places_inside(inner, depth - 1)]
    return sorted(found, key=lambda one: (one[0].startswith("schema."), -one[1]))


def _are_alike(lists: Sequence[Any]) -> bool:
    """Say whether these are several lists of objects with the same names, as of several systems."""
    if len(lists) < 2 or not all(isinstance(one, list) and one for one in lists):
        return False
    names = [set(one) if isinstance(one, dict) else set() for rows in lists for one in rows]
    return bool(names[0]) and all(one == names[0] for one in names)


def columns_of_objects(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the columns of a table that are called after marks and hold objects of them as JSON."""
    names = [name for name in (records[0] if records else {}) if name.lower() in _OBJECTS]
    return [name for name in names if all(_object_in(one.get(name)) for one in records)]


def _object_in(cell: object) -> dict[str, Any]:
    if not (isinstance(cell, str) and cell.lstrip().startswith("{")):
        return {}
    try:
        found = _decoder.decode(cell.strip())
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def with_opened(record: FileRecord, names: Sequence[str]) -> FileRecord:
    """Return a record of a table with what the objects in some cells hold in the place of their texts."""
    found = {name: inner for name in names if (inner := _object_in(record.cells.get(name)))}
    return FileRecord(record.line, {**record.cells, **found}, record.problems) if found else record


def inner_lists(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the columns whose cells are lists of marks or answers, each of which is a row of its own."""
    found: dict[str, bool] = {}
    for record in records:
        for name, value in record.items():
            if isinstance(value, list) and value and name.lower() not in _OF_ONE_ROW:
                given = name.lower() != "answers" or bool({*map(str.lower, record)} & _SYSTEMS)
                found[name] = found.get(name, True) and given and _are_rows(name, value)
    return [name for name, is_one in found.items() if is_one]


def _are_rows(name: str, value: Sequence[Any]) -> bool:
    if all(isinstance(one, dict) for one in value):
        keys = {key.lower() for one in value for key in one}
        return bool(keys & _TELLING) and not _is_conversation(value)
    of = str if name.lower() in _TEXTS else int | float if name.lower() in _MARKS else ()
    return len(value) > 1 and all(one is None or isinstance(one, of) for one in value)


def unrolled(record: FileRecord, name: str) -> Iterator[FileRecord]:
    """Yield a record for each object, or each value, of the list that stands under a name."""
    inner = record.cells.get(name) if name else None
    if not isinstance(inner, list) or not inner:
        yield record
        return
    outer = {key: value for key, value in record.cells.items() if key != name}
    for number, one in enumerate(inner, start=1):
        if isinstance(one, dict):
            cells = {(f"{name}.{key}" if key in outer else key): said for key, said in one.items()}
        else:
            place = "sample" if name.lower() in _TEXTS else f"place in {name}"
            cells = {"response" if place == "sample" else "value": one, place: number}
        yield FileRecord(record.line, {**outer, **cells}, record.problems)


def _is_conversation(value: Sequence[Mapping[str, Any]]) -> bool:
    return all(
        one.keys() & {"role", "from", "parts"} or one.get("type") in _SPEAKERS for one in value
    )


_SPEAKERS: Final = ("human", "ai", "system", "message")


def turn_of(value: Mapping[str, Any]) -> str:
    """Return how an object without records holds its rows: by column, by names, or not at all."""
    columns = list(value.values())
    if _is_split(value):
        return "split"
    if _leads_to_texts(value):
        return "texts"
    if len(columns) < 2 or not all(isinstance(one, dict | list) and one for one in columns):
        return ""
    if all(isinstance(one, list) for one in columns):
        flat = all(not isinstance(cell, dict | list) for one in columns for cell in one)
        return "columns" if flat and len({len(one) for one in columns}) == 1 else ""
    return _turn_of_objects(columns) if all(isinstance(one, dict) for one in columns) else ""


def _turn_of_objects(columns: Sequence[Mapping[str, Any]]) -> str:
    """Return how objects hold rows: by the number of each, by names that lead to numbers, or as one each."""
    numbered = [str(place) for place in range(len(columns[0]))]
    if all(list(one) == numbered for one in columns):
        return "columns"
    if all(_leads_to_numbers(one) for one in columns):
        return "pivot"
    if _leads_to_records(columns):
        return "keyed twice"
    return "keyed" if all(one.keys() == columns[0].keys() for one in columns) else ""


def _is_split(value: Mapping[str, Any]) -> bool:
    """Say whether an object names its columns and has a list of cells for each row."""
    names, rows = value.get("columns"), value.get("data")
    if not (isinstance(names, list) and names and isinstance(rows, list) and rows):
        return False
    named = all(isinstance(one, str) for one in names) and len(set(names)) == len(names)
    return named and all(isinstance(one, list) and len(one) == len(names) for one in rows)


def _leads_to_numbers(value: Mapping[str, Any], depth: int = DEPTH) -> bool:
    return bool(value) and all(
        _leads_to_numbers(one, depth - 1)
        if isinstance(one, dict) and depth > 1
        else one is None or isinstance(one, int | float)
        for one in value.values()
    )


def _leads_to_records(columns: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether names of systems or questions lead to further ones, and these to objects that are alike."""
    inner = [one for column in columns for one in column.values()]
    if not all(isinstance(one, dict) and one for one in inner):
        return False
    alike = all(one.keys() == inner[0].keys() for one in inner)
    return alike and not any(_names_column(name) for column in columns for name in column)


def _leads_to_texts(value: Mapping[str, Any]) -> bool:
    """Say whether names of questions or systems lead to answers, and are not names of columns."""
    inner = list(value.values())
    if all(isinstance(one, dict) and one for one in inner):
        names, leaves = [*value, *inner[0]], [leaf for one in inner for leaf in one.values()]
        numbered = all(list(one) == [str(n) for n in range(len(one))] for one in inner)
        if numbered or any(_names_column(name) for one in inner for name in one):
            return False
    else:
        names, leaves = list(value), inner
        if all(isinstance(one, list) and one for one in inner) and all(map(_asks, value)):
            leaves = [leaf for one in inner for leaf in one]
    said = sum(isinstance(leaf, str) for leaf in leaves)
    texts = said > 1 and all(leaf is None or isinstance(leaf, str) for leaf in leaves)
    return texts and not any(map(_names_column, names))


def _names_column(name: str) -> bool:
    plain = " ".join(name.lower().replace("_", " ").split())
    return plain in synonyms.HEADS | synonyms.CRITERIA


def _asks(name: str) -> bool:
    return name.rstrip().endswith(("?", "？")) or len(name.split()) > 3


def turned(value: Mapping[str, Any], turn: str) -> list[dict[str, Any]]:
    """Return the rows of an object: one for each place of its columns, each number, or each name in it.

    The names that lead to a row are the columns "key 1", "key 2" and so on; a number is "value", a text "response".
    """
    if turn == "split":
        return [dict(zip(value["columns"], cells, strict=False)) for cells in value["data"]]
    if turn == "keyed":
        return [{KEY: name, **one} for name, one in value.items()]
    if turn == "keyed twice":
        return [
            {KEY: name, KEY_2: second, **one}
            for name, inner in value.items()
            for second, one in inner.items()
        ]
    if turn == "pivot":
        return list(_pivoted(value, (), "value"))
    if turn == "texts":
        return list(_pivoted(value, (), "response"))
    columns = {
        name: list(one.values()) if isinstance(one, dict) else list(one)
        for name, one in value.items()
    }
    return [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]


def _pivoted(
    value: Mapping[str, Any], path: tuple[str, ...], leaf: str
) -> Iterator[dict[str, Any]]:
    for name, inner in value.items():
        keys = {f"key {n}": key for n, key in enumerate((*path, name), start=1)}
        if isinstance(inner, dict):
            yield from _pivoted(inner, (*path, name), leaf)
        elif isinstance(inner, list):
            yield from ({**keys, leaf: one, "sample": n} for n, one in enumerate(inner, start=1))
        else:
            yield {**keys, leaf: inner}


class _Window:
    """A moving part of a long JSON list."""

    def __init__(self, lines: DecodedLines) -> None:
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
            raise BadFile("broken_list", 1)
        self._place += 1

    def at_end(self) -> bool:
        self._skip()
        if self._place >= len(self._buffer) and self._ended:
            raise BadFile("broken_list", self.line())
        if not self._buffer.startswith("]", self._place):
            return False
        self._more()
        if rest := self._buffer[self._place + 1 :].strip():
            raise BadFile("broken_list", self.line(), rest)
        return True

    def is_empty(self) -> bool:
        """Say whether nothing follows; what stands between objects is passed over."""
        self._skip()
        return self._place >= len(self._buffer) and self._ended

    def value(self) -> Any:
        while True:
            try:
                value, self._place = _decoder.raw_decode(self._buffer, self._place)
            except _Refused as problem:
                raise BadFile(str(problem), self.line()) from problem
            except RecursionError as problem:
                raise BadFile("too_deep", self.line()) from problem
            except ValueError as problem:
                if self._ended or len(self._buffer) - self._place > MAX_LINE:
                    raise BadFile("broken_list", self.line()) from problem
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
            raise BadFile(flaw, self._lines.number)


def flattened(record: FileRecord) -> FileRecord:
    """Return an object as columns: {"a": {"b": 1}} has the column "a.b". Lists stay as they are."""
    if record.problems:
        return record
    flat: dict[str, Any] = {}
    try:
        _flatten(record.cells, "", DEPTH, flat)
    except _Refused as problem:
        return broken(str(problem), record.line)
    return FileRecord(record.line, flat)


def _flatten(value: Mapping[str, Any], prefix: str, depth: int, flat: dict[str, Any]) -> None:
    for key, inner in value.items():
        name = prefix + key.strip()
        if not name.isprintable() and UNSTORABLE.search(name):
            raise _Refused("half_character")
        if isinstance(inner, dict) and inner and depth > 1:
            _flatten(inner, f"{name}.", depth - 1, flat)
        elif name in flat:
            raise _Refused("duplicate_column")
        else:
            flat[name] = inner


def _object_record(text: str, line: int) -> FileRecord:
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
    return of_value(value, line)


def of_value(value: object, line: int) -> FileRecord:
    """Return a value as a record; what is no object is no record."""
    if not isinstance(value, dict):
        return broken("not_an_object", line, value)
    return FileRecord(line, value)


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
