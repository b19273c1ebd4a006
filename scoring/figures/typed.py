"""Figures by their types: read back from the store, told by the API, laid out as tables.

A figure is a frozen dataclass. What is stored is its plain form; `read_figure` makes it of that again. Its fields
say everything that shows it: the schema and the answer of the API (`shape`, `told`) and the columns of a
table (`columns`, `cells`). It holds keys of the database where names will stand; `RaterKey` and its like mark
them, and no key is ever told.
"""

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter

from evalsite.contract import shapes
from evalsite.contract.shapes import AnyOf, NamedShape, answer, at, maybe, one_of, optional, said
from evalsite.records import once
from scoring.figures.labels import Labels
from scoring.shown.names import Name
from scoring.shown.sheet import Sheet
from scoring.shown.wording import why
from scoring.stats.told import Key, Told

T = TypeVar("T")
FRACTION = shapes.shape(
    "Fraction",
    _text="An exact fraction.",
    num=at("numerator", int),
    den=at("denominator", int),
    value=at(float, float),
)
NO_NUMBER = "Why there is no number: one word; null where there is one."


#: What programs call keys, and rows that stand for them.
CALLED: Mapping[str, str] = {
    "rater": "annotator",
    "raters": "annotators",
    "release": "system",
    "releases": "systems",
}


@dataclass(frozen=True)
class KeyNames:
    """What keys are called for whoever reads a figure; releases without a name are left out."""

    labels: Labels
    names: Mapping[int, Name]

    def name(self, key: Key, value: Any) -> str:
        """Return what a key is called.

        Raises:
            KeyError: of a release that has no name.
        """
        if key is Key.RELEASE:
            return self.names[value].text
        if key is Key.REASON:
            return why(value)
        make: Callable[[Any], str] = getattr(self.labels, key.value)
        return make(value)


@dataclass(frozen=True, slots=True)
class FigureField:
    """A field of a figure: its type without marks, and what these say."""

    name: str
    hint: Any
    key: Key | None
    told: Told
    #: Whether there may be none, as its default says.
    may_miss: bool = False

    @property
    def called(self) -> str:
        is_key = self.key is not None or _is_nested(self.hint)
        return CALLED.get(self.name, self.name) if is_key else self.name

    @property
    def column(self) -> str:
        """Return its name in a table; "" where it stands in none."""
        if self.told.column is not None:
            return self.told.column
        if self.key is Key.REASON:
            return "why"
        counted = self.name.removeprefix("n_")
        return "" if _is_nested(self.hint) else CALLED.get(counted, counted)


@once
def fields(kind: type[Any]) -> tuple[FigureField, ...]:
    """Return the fields of a figure, or of a part of one, in their order."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_field(one, hints[one.name]) for one in dataclasses.fields(kind))


def _field(of: dataclasses.Field[Any], hint: Any) -> FigureField:
    core, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    found = {type(one): one for one in marks}
    within = {type(one): one for one in _marks(core)}
    key = found.get(Key) or within.get(Key)
    return FigureField(of.name, core, key, found.get(Told, Told()), of.default is None)


def _marks(hint: Any) -> Iterator[Any]:
    """Yield what is said of the entries of a tuple."""
    if get_origin(hint) is tuple and get_origin(get_args(hint)[0]) is Annotated:
        yield from get_args(get_args(hint)[0])[1:]


def _is_nested(hint: Any) -> bool:
    """Whether a value would not fit into one cell of a table."""
    kinds = [get_origin(one) or one for one in (hint, *get_args(hint))]
    return Mapping in kinds or any(dataclasses.is_dataclass(one) for one in kinds)


# ------------------------------------------------------------------------------------------ stored
def read_figure(kind: type[T], data: object) -> T:
    """Return a stored figure as its type.

    Raises:
        pydantic.ValidationError: it is not of this type. A figure that another version of the
            program stored is never read: it is computed anew (scoring.figures.operations).
    """
    return _adapter(kind).validate_python(data)


@once
def _adapter(kind: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(kind)


# --------------------------------------------------------------------------------------------- API
@once
def shape(kind: type[Any], called: str = "", left_out: tuple[str, ...] = ()) -> NamedShape:
    """Return the shape of a figure as the API answers it.

    Args:
        kind: of the figure, or of a part of one.
        called: its name in the document, where it is not that of the type.
        left_out: what may be missing, by its names in the API.
    """
    made = {one.called: _shape_of(one) for one in fields(kind) if not one.told.hidden}
    made |= {name: optional(made[name]) for name in left_out}
    return NamedShape(called or kind.__name__, (), made, _text(kind))


def _text(kind: type[Any]) -> str:
    text = inspect.cleandoc(kind.__doc__ or "")
    return "" if text.startswith(f"{kind.__name__}(") else text  # made by the dataclass


def parts(kind: type[Any]) -> dict[str, Any]:
    """Return the fields of a figure by name, for an answer that holds more than it."""
    return dict(shape(kind).fields)


def _shape_of(one: FigureField) -> Any:
    if one.key in {Key.RATER, Key.RELEASE}:
        name = maybe(str) if one.may_miss else str
        made: Any = [str] if get_origin(one.hint) is tuple else name
    else:
        made = maybe(str) if one.key in {Key.CAPABILITY, Key.REASON} else _of_hint(one.hint)
    words = one.told.words or (NO_NUMBER if one.key is Key.REASON else "")
    return said(made, words) if words else made


def _of_hint(hint: Any) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _of_hint(inner[0])
    if origin in {Union, UnionType}:
        kinds = tuple(_of_hint(one) for one in inner if one is not NoneType)
        made = kinds[0] if len(kinds) == 1 else AnyOf(kinds)
        return maybe(made) if NoneType in inner else made
    if origin is tuple:
        return [_of_hint(inner[0])]
    if origin is Mapping:
        return {str: _of_hint(inner[1])}
    if hint is Fraction:
        return FRACTION
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return one_of(*map(str, hint))
    return shape(hint) if isinstance(hint, type) and dataclasses.is_dataclass(hint) else hint


def told(figure: Any, named: KeyNames) -> dict[str, Any]:
    """Return a figure as the API answers it: names in the place of keys."""
    return {
        one.called: _told(getattr(figure, one.name), one.key, named)
        for one in fields(type(figure))
        if not one.told.hidden
    }


def _told(value: Any, key: Key | None, named: KeyNames) -> Any:
    if isinstance(value, tuple):
        return [_told(one, key, named) for one in there(value, named)]
    if key in {Key.RATER, Key.RELEASE, Key.CAPABILITY} and value is not None:
        return named.name(key, value)
    if isinstance(value, Fraction):
        return answer(FRACTION, value)
    if isinstance(value, Mapping):
        return {name: _told(one, None, named) for name, one in value.items()}
    return told(value, named) if dataclasses.is_dataclass(value) else value


def there(rows: Iterable[T], named: KeyNames) -> Iterator[T]:
    """Yield the rows that may be shown: those of releases with a name, and those of none."""
    for row in rows:
        key = _release(type(row))
        if key is None or getattr(row, key) in named.names:
            yield row


@once
def _release(kind: type[Any]) -> str | None:
    if not dataclasses.is_dataclass(kind):
        return None
    return next((one.name for one in fields(kind) if one.key is Key.RELEASE), None)


# ------------------------------------------------------------------------------------------ tables
@once
def columns(kind: type[Any]) -> tuple[str, ...]:
    """Return the columns of a table of such rows; the reasons share one of them."""
    return tuple(dict.fromkeys(one.column for one in fields(kind) if one.column))


def cells(row: Any, named: KeyNames) -> tuple[object, ...]:
    """Return a row by its columns: names, shares as numbers, the first reason there is."""
    made: dict[str, object] = {}
    for one in fields(type(row)):
        if one.column and not made.get(one.column):
            made[one.column] = _cell(one, getattr(row, one.name), named)
    return tuple(made.values())


def _cell(one: FigureField, value: Any, named: KeyNames) -> object:
    if isinstance(value, tuple):
        return "; ".join(str(_cell(one, each, named)) for each in value)
    if one.key is Key.RELEASE and value is None:
        return None
    if one.key is not None:
        return named.name(one.key, value)
    if value is None:
        return None
    if one.told.percent:
        return 100 * value
    return float(value) if isinstance(value, Fraction) else value


@once
def row(kind: type[Any]) -> NamedShape:
    """Return the shape of a row of a table whose rows hold names already: its columns."""
    made: dict[str, Any] = {}
    for one in fields(kind):
        if one.column:
            made.setdefault(one.column, _shape_of(one))
    return NamedShape(kind.__name__, (), made, _text(kind))


def rows(name: str, kind: type[T], lines: Iterable[T], convention: str) -> Sheet:
    """Return rows that hold names already as a table that can be downloaded."""
    return table(name, kind, lines, cast("KeyNames", None), convention)


def table(name: str, kind: type[T], rows: Iterable[T], named: KeyNames, convention: str) -> Sheet:
    """Return rows as a table that can be downloaded; `convention` says how they were made."""
    lines = (cells(row, named) for row in there(rows, named))
    return Sheet(name, columns(kind), lines, convention)
