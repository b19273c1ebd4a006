"""The one table of ratings: its columns, how it is built, and its one default filter."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

Column: TypeAlias = "Sequence[Any] | npt.NDArray[Any] | pd.Series[Any] | pd.Categorical[Any]"

CODE = "category"
NUMBER = "float64"
COUNT = "int16"
FLAG = "bool"
TIME = "datetime64[us, UTC]"
TEXT = "object"

COLUMNS: dict[str, str] = {
    "project": CODE,
    "round": CODE,
    "run": CODE,
    "round_kind": CODE,
    "item": CODE,
    "group": CODE,
    "question": CODE,
    "question_version": CODE,
    "capability": CODE,
    "difficulty": CODE,
    "domain": CODE,
    "priority": CODE,
    "system": CODE,
    "release": CODE,
    "response": CODE,
    "criterion": CODE,
    "rubric_version": CODE,
    "rater": CODE,
    "rater_kind": CODE,
    "grade_kind": CODE,
    "purpose": CODE,
    "occasion": COUNT,
    "target_level": CODE,
    "target_index": NUMBER,
    "role": CODE,
    "repeat": COUNT,
    "position": CODE,
    "value": NUMBER,
    "scale_min": NUMBER,
    "scale_max": NUMBER,
    "pass_at": NUMBER,
    "text": TEXT,
    "label": CODE,
    "outcome": CODE,
    "inclusion_p": NUMBER,
    "at": TIME,
    "active_ms": NUMBER,
    "late": FLAG,
    "valid": FLAG,
}
REQUIRED = ("group", "release", "criterion", "rater", "value", "scale_min", "scale_max")
DEFAULTS: dict[str, Any] = {
    "round_kind": "PRODUCTION",
    "grade_kind": "GIVEN",
    "purpose": "NORMAL",
    "outcome": "VALUE",
    "occasion": 1,
    "repeat": 0,
    "late": False,
    "valid": True,
}
COUNTED_ROUNDS = ("PRODUCTION", "IMPORTED")


def frame(columns: Mapping[str, Column]) -> pd.DataFrame:
    """Build the typed ratings frame from plain columns of one length.

    Codes become categoricals with sorted categories; numbers may come as floats, Decimals or
    text, None is missing. A column left out holds its default (`DEFAULTS`), else nothing.

    Raises:
        ValueError: a column is unknown, required but absent, uneven, or cannot be read.
    """
    _check_names(columns)
    n = _common_length(columns)
    made = {
        name: _made(name, kind, columns[name]) if name in columns else _default(name, kind, n)
        for name, kind in COLUMNS.items()
    }
    return pd.DataFrame(made, copy=False)


def spread(labels: Column, place: npt.NDArray[np.integer]) -> "pd.Categorical[Any]":
    """Return a code column from the labels of a few things and which of them each row is of.

    Args:
        labels: of each thing; None where it has none.
        place: of each row, the number of its thing.
    """
    few = _code(labels)
    codes = few.codes.astype(np.int64)[place]
    return pd.Categorical.from_codes(codes, categories=few.categories)


def default_filter(
    ratings: pd.DataFrame, *, purposes: Collection[str] | None = None
) -> pd.DataFrame:
    """Return the rows that count in every figure unless its page says otherwise.

    Args:
        ratings: the ratings frame.
        purposes: of round items, where a page wants others than the usual ones and says so;
            with REPEAT among them later occasions count, too.
    """
    keep = _in_scope(ratings, purposes) & ratings["valid"] & ~ratings["late"]
    return _kept(ratings, keep & (ratings["repeat"] == 0))


def in_scope(ratings: pd.DataFrame, *, purposes: Collection[str] | None = None) -> pd.DataFrame:
    """Return the rows of the default filter before validity: what coverage is counted over."""
    return _kept(ratings, _in_scope(ratings, purposes) & (ratings["repeat"] == 0))


def _kept(ratings: pd.DataFrame, keep: "pd.Series[bool]") -> pd.DataFrame:
    """Return the rows to keep; the frame itself where those are all, for it may be large."""
    return ratings if keep.all() else ratings[keep]


def _in_scope(ratings: pd.DataFrame, purposes: Collection[str] | None) -> "pd.Series[bool]":
    given = (ratings["grade_kind"] == "GIVEN") & ratings["round_kind"].isin(COUNTED_ROUNDS)
    if purposes is None:
        return given & (ratings["occasion"] == 1) & (ratings["purpose"] != "GOLD")
    first = (ratings["occasion"] == 1) | (ratings["purpose"] == "REPEAT")
    return given & first & ratings["purpose"].isin(list(purposes))


def _check_names(columns: Mapping[str, Column]) -> None:
    if unknown := sorted(set(columns) - set(COLUMNS)):
        raise ValueError(f"Unknown columns of the ratings frame: {', '.join(unknown)}.")
    if absent := [name for name in REQUIRED if name not in columns]:
        raise ValueError(f"The ratings frame needs the columns {', '.join(absent)}.")


def _common_length(columns: Mapping[str, Column]) -> int:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"The columns of the ratings frame differ in length: {lengths}.")
    return next(iter(lengths.values()))


def _made(name: str, kind: str, column: Column) -> Any:
    try:
        return _BUILDERS[kind](column)
    except (TypeError, ValueError) as error:
        raise ValueError(f"Column {name} of the ratings frame cannot be read: {error}") from error


def _default(name: str, kind: str, n: int) -> Any:
    default = DEFAULTS.get(name)
    if kind == CODE:
        known = default is not None
        codes = np.full(n, 0 if known else -1, dtype=np.int8)
        labels = pd.Index([default] if known else [], dtype="str")
        return pd.Categorical.from_codes(codes, categories=labels)
    if kind == TIME:
        return pd.Series(pd.NaT, index=range(n), dtype=TIME)
    return np.full(n, np.nan if kind == NUMBER else default, dtype=kind)


def _code(column: Column) -> Any:
    if isinstance(getattr(column, "dtype", None), pd.CategoricalDtype):
        return pd.Categorical(column)
    codes, labels = pd.factorize(np.asarray(column, dtype=object))
    order = np.argsort(labels, kind="stable")
    rank = np.empty(len(labels) + 1, dtype=np.intp)
    rank[order] = np.arange(len(labels))
    rank[-1] = -1  # a missing code is -1 and so looks up the last place
    names = pd.Index(labels[order].tolist(), dtype=None if len(labels) else "str")
    return pd.Categorical.from_codes(rank[codes], categories=names)


def _number(column: Column) -> npt.NDArray[np.float64]:
    return np.asarray(column, dtype=np.float64)


def _count(column: Column) -> npt.NDArray[np.int16]:
    return np.asarray(column, dtype=np.int16)


def _flag(column: Column) -> npt.NDArray[np.bool_]:
    flags = np.asarray(column)
    if flags.dtype != np.bool_ and len(flags):
        raise TypeError("flags must be true or false")
    return flags.astype(np.bool_, copy=False)


def _time(column: Column) -> "pd.Series[pd.Timestamp]":
    if isinstance(getattr(column, "dtype", None), pd.DatetimeTZDtype):
        return pd.Series(column).astype(TIME)  # type: ignore[call-overload, no-any-return]
    times = pd.to_datetime(pd.Series(column, dtype="object"), utc=True)
    return times.astype(TIME)  # type: ignore[call-overload, no-any-return]


def _text(column: Column) -> "pd.Series[Any]":
    """Return texts as they are; a bare array of them would become another type, and None nan."""
    return pd.Series(np.asarray(column, dtype=object), dtype="object")


_BUILDERS: dict[str, Callable[[Column], Any]] = {
    CODE: _code,
    NUMBER: _number,
    COUNT: _count,
    FLAG: _flag,
    TIME: _time,
    TEXT: _text,
}
