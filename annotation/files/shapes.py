"""Known shapes of files: by what a maker's file is told from others, and how its records become rows.

* Each maker has a module in `annotation/files/makers/` with a tuple `SHAPES`; adding a module adds its shapes.
* What stands within nested records: by name, under a name, and as a text that was said.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from annotation.files import synonyms
from annotation.files.columns import Target

#: A row as the rest of the product knows it: its cells by column.
Row = dict[str, Any]

#: What a file may hold beside the kinds that can be brought in: it is told by name. Preferences are of
#: no use of which nothing says whose answers they are about.
CONVERSATIONS: Final = "CONVERSATIONS"
PREFERENCES: Final = "PREFERENCES"
#: A file of a maker that holds nothing which can be brought in, such as questions without answers.
NOTHING: Final = "NOTHING"
#: Where the columns of grades, of answers and of choices go as makers' records are unrolled to them.
PLACES_OF_GRADES, PLACES_OF_ANSWERS, PLACES_OF_PAIRS = (
    {name: name for name in names.split()}
    for names in (
        "item system release rater criterion value at comment",
        "external_id question messages standard_answer system release response sample_no",
        "external_id group question messages system_a system_b release_a release_b sample_a sample_b "
        "answer_a answer_b choice rater criterion at comment",
    )
)


#: What a form asks of all rows of a grid, and its rows: criteria of an answer, or systems.
GRID, GRID_ROW = "question of the grid", "row of the grid"


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a file, as it is written: objects with what is nested in them, or rows of a table.

    `columns` are the names in the order in which they come up; of a table without known names its first
    line. `outer` is what an object holds beside the records inside it.
    """

    name: str
    form: str
    columns: tuple[str, ...]
    records: tuple[Mapping[str, Any], ...]
    outer: Mapping[str, Any] = field(default_factory=dict)

    def has(self, *names: str) -> bool:
        """Say whether the file has all of these columns."""
        return set(names) <= set(self.columns)

    @property
    def first(self) -> Mapping[str, Any]:
        return self.records[0] if self.records else {}

    @property
    def is_table(self) -> bool:
        return self.form in {"csv", "workbook"}


Fits = Callable[[Sample], bool]
Rows = Callable[[Mapping[str, Any], Mapping[str, Any]], Iterable[Row]]


def as_it_is(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterable[Row]:
    """Return a record as one row."""
    return (dict(record),)


@dataclass(frozen=True, slots=True)
class Shape:
    """One way in which a maker writes files.

    Args:
        key: names the shape, such as "label_studio_min".
        name: what people call it, such as "Label Studio, JSON_MIN".
        kind: what its rows are: a value of `ImportKind`, or one of the kinds above.
        fits: says by the beginning of a file whether it is one.
        rows: turns a record, and what stands around the records, into rows; it raises `Unfit` for one that
            cannot be used.
        places: where each column of the rows goes, as a program writes it: {"rater": "rater"}. A column
            that is not named is a detail, and kept aside or ignored.
        header: the names of the columns of a table that has none.
        skipped: so many records at the beginning tell of the columns and are no rows.
        path: where the records are within one object, such as "results.results".
        begin: makes `rows` anew for each reading of a file, where a record depends on those before it.
        by_machines: its raters are machines, whatever their names, unless a person says otherwise.
    """

    key: str
    name: str
    kind: str
    fits: Fits
    rows: Rows = as_it_is
    places: Mapping[str, str] = field(default_factory=dict)
    header: tuple[str, ...] = ()
    skipped: int = 0
    path: str = ""
    begin: Callable[[], Rows] | None = None
    by_machines: bool = False

    def reading(self) -> Rows:
        """Return what turns the records of one file into rows, in their order."""
        return self.begin() if self.begin else self.rows


def grades(key: str, name: str, fits: Fits, rows: Rows = as_it_is, **more: Any) -> Shape:
    """Return a shape whose rows are grades, in the usual columns."""
    return Shape(key, name, "GRADES", fits, rows, PLACES_OF_GRADES, **more)


def answers(key: str, name: str, fits: Fits, rows: Rows = as_it_is, **more: Any) -> Shape:
    """Return a shape whose rows are answers, in the usual columns."""
    return Shape(key, name, "ANSWERS", fits, rows, PLACES_OF_ANSWERS, **more)


def pairs(key: str, name: str, fits: Fits, rows: Rows = as_it_is, **more: Any) -> Shape:
    """Return a shape whose rows say which of two answers is better, in the usual columns."""
    return Shape(key, name, "PAIRS", fits, rows, PLACES_OF_PAIRS, **more)


#: Longer values are no names or ids.
SHORT: Final = 200

_ASKED: Final = (*synonyms.NAMES[Target.QUESTION].split(), "text", "q")
_ANSWERED: Final = (*synonyms.NAMES[Target.RESPONSE].split(), "answer", "generations", "messages")


def at(value: object, *path: str) -> Any:
    """Return what lies at a path of names in nested objects; None where there is nothing."""
    for name in path:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def objects_in(value: object) -> list[Mapping[str, Any]]:
    """Return the objects of a list; an empty list of anything else."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def parsed(value: object) -> Any:
    """Return what a cell of a table holds as JSON; a value that is no JSON text as it is."""
    if isinstance(value, str) and value.strip()[:1] in {"{", "["}:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def under(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what stands under a name: an object, its JSON text, or columns that begin with the name."""
    inner = parsed(record.get(name))
    found = dict(inner) if isinstance(inner, Mapping) else {}
    if inner not in (None, "") and not isinstance(inner, Mapping):
        found[name] = inner
    start = f"{name}."
    return found | {key.removeprefix(start): record[key] for key in record if key.startswith(start)}


def named(cells: Mapping[str, Any], target: Target, *more: str) -> str:
    """Return what a record calls its question, system or rater, by any of the usual names of that.

    Args:
        more: further names, which are looked for last.
    """
    by_name = {fold(key): value for key, value in cells.items()}
    for name in (*synonyms.GRADE_NAMES[target].split(), *more):
        value = by_name.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            written = str(value).strip()
            if written and len(written) <= SHORT:
                return written
    return ""


def fold(name: str) -> str:
    """Return a name of a column as the lists of synonyms have it."""
    return "_".join(name.replace("-", " ").lower().split())


def question_of(inputs: Mapping[str, Any]) -> Row:
    """Return the cell of the question among the inputs of a system; none where it is not clear."""
    value = _likely(inputs, (*_ASKED, "messages"))
    return {} if value is None else asked(value)


def response_of(outputs: Mapping[str, Any]) -> str | None:
    """Return the text of the answer among the outputs of a system; None where it is not clear."""
    value = _likely(outputs, _ANSWERED)
    return None if value is None else said(value)


def _likely(cells: Mapping[str, Any], names: Iterable[str]) -> Any:
    filled = {fold(key): value for key, value in cells.items() if value not in (None, "")}
    for name in names:
        if name in filled:
            return filled[name]
    return next(iter(filled.values())) if len(filled) == 1 else None


def asked(value: object) -> Row:
    """Return the cell of a question: its text, or messages where a system saw several."""
    value = parsed(value)
    messages = [one for one in objects_in(value) if one.keys() & {"role", "from"}]
    if not messages:
        return {"question": said(value)}
    if len(messages) == 1 and isinstance(messages[0].get("content"), str):
        return {"question": messages[0]["content"]}
    return {"messages": [dict(one) for one in messages]}


def said(value: object) -> str:
    """Return what was said as a text: a text, parts of one, the last of some messages, or JSON."""
    value = parsed(value) if isinstance(value, str) and value.startswith('[{"') else value
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, Sequence):
        return _of_parts(value)
    if isinstance(value, Mapping):
        for name in ("content", "text", "message", "output"):
            if value.get(name):
                return said(value[name])
    return json.dumps(value, ensure_ascii=False)


def _of_parts(parts: Sequence[Any]) -> str:
    spoken = [one for one in objects_in(list(parts)) if one.keys() & {"role", "from"}]
    if spoken:
        return said(spoken[-1].get("content", spoken[-1].get("value")))
    texts = [
        said(one)
        for one in parts
        if isinstance(one, str) or (isinstance(one, Mapping) and one.get("text"))
    ]
    return "\n".join(texts) if texts or not parts else json.dumps(parts, ensure_ascii=False)


def scores(found: Mapping[str, Any]) -> Row:
    """Return a column "score_NAME" for each score that is there; scores within scores have longer names."""
    row: Row = {}
    for name, value in found.items():
        if isinstance(value, Mapping):
            row |= {f"score_{name}_{key}": one for key, one in value.items() if _is_score(one)}
        elif _is_score(value):
            row[f"score_{name}"] = int(value) if isinstance(value, bool) else value
    return row


def _is_score(value: object) -> bool:
    return isinstance(value, str | int | float) and value != ""
