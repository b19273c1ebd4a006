"""How the list of the bank is shown: which columns, in which order; what is unknown is left out."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Column(StrEnum):
    """A column of the list; the question itself always stands."""

    ID = "id"
    AREA = "area"
    PRIORITY = "priority"
    CAPABILITY = "capability"
    DIFFICULTY = "difficulty"
    TYPE = "type"
    STATE = "state"
    VERSION = "version"
    AGE = "age"
    SOURCES = "sources"
    ROUNDS = "rounds"
    AUTHOR = "author"
    TAGS = "tags"
    LANGUAGE = "language"
    AS_OF = "as_of"
    VALID_UNTIL = "valid_until"


class Order(StrEnum):
    """What stands first."""

    NEWEST = ""
    OLDEST = "oldest"
    ID = "id"


#: What somebody sees who has chosen nothing: few enough to read the questions.
USUAL = (
    Column.ID,
    Column.AREA,
    Column.CAPABILITY,
    Column.DIFFICULTY,
    Column.STATE,
    Column.AGE,
    Column.SOURCES,
    Column.ROUNDS,
)
FIGURES = frozenset({Column.AGE, Column.ROUNDS})


@dataclass(frozen=True)
class Chosen:
    """Columns that are known, in the list's order, and the names that are not."""

    columns: tuple[Column, ...]
    unknown: tuple[str, ...] = ()


def chosen(names: Iterable[str]) -> Chosen:
    """Read the names of columns, as they come from a form, a store or an address."""
    wanted = list(dict.fromkeys(names))
    known = {str(one) for one in Column}
    return Chosen(
        tuple(one for one in Column if one in wanted),
        tuple(one for one in wanted if one not in known),
    )


def order(name: str) -> Order | None:
    """Return the order of this name, or None if there is none."""
    return next((one for one in Order if one == name), None)
