"""Known shapes of files: by what a maker's file is told from others, and how its records become rows.

Each maker has a module in `annotation/files/makers/` with a tuple `SHAPES`; adding a module adds its shapes.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

#: A row as the rest of the product knows it: its cells by column.
Row = dict[str, Any]

#: What a file may hold beside the kinds that can be brought in: it is told by name.
CONVERSATIONS: Final = "CONVERSATIONS"
PREFERENCES: Final = "PREFERENCES"
#: A file of a maker that holds nothing which can be brought in, such as questions without answers.
NOTHING: Final = "NOTHING"


#: Where the columns of grades go as makers' records are unrolled to them.
PLACES_OF_GRADES: Final = {
    "item": "item",
    "system": "system",
    "rater": "rater",
    "criterion": "criterion",
    "value": "value",
    "at": "at",
    "comment": "comment",
}


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


Rows = Callable[[Mapping[str, Any], Mapping[str, Any]], Iterable[Row]]


def as_it_is(record: Mapping[str, Any], outer: Mapping[str, Any]) -> Iterable[Row]:
    """Return a record as one row."""
    del outer
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
    """

    key: str
    name: str
    kind: str
    fits: Callable[[Sample], bool]
    rows: Rows = as_it_is
    places: Mapping[str, str] = field(default_factory=dict)
    header: tuple[str, ...] = ()
    skipped: int = 0
    path: str = ""
    begin: Callable[[], Rows] | None = None

    def reading(self) -> Rows:
        """Return what turns the records of one file into rows, in their order."""
        return self.begin() if self.begin else self.rows
