"""The one table of ratings: its columns, how it is built, and its one default filter.

* Ratings that are measured and those that are labels: a label has no mean.
* Several ratings frames as one, with the types of each column kept.
* A ratings frame as bytes and back: a zip of plain arrays, nothing that executes.
* Ratings as reviewers settled them: adjudicated grades in the place of those that were given.
* Grades sorted by what was graded: a place is one response on one criterion of one question.
"""

import io
import json
import math
import zipfile
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.stats.resampled.exact import Label
from scoring.stats.resampled.linear import FloatArray, IntArray

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
    "against": CODE,
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
    "mark": CODE,
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
    "mark": "LEVELS",
    "occasion": 1,
    "repeat": 0,
    "late": False,
    "valid": True,
}
COUNTED_ROUNDS = ("PRODUCTION", "IMPORTED")
#: Marks whose values can be added up; of the others there are shares alone.
MEASURED = ("LEVELS", "YES_NO", "NUMBER")
LABELLED = ("LABEL", "LABELS")
#: Of which there are rates of pairs alone: `release` stood at A, `against` at B.
CHOSEN = ("CHOICE",)
#: Kinds of mark that stand on no scale.
WORDED = (*LABELLED, "TEXT")


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


def measured(ratings: pd.DataFrame, marks: Collection[str] = MEASURED) -> pd.DataFrame:
    """Return the rows of criteria that ask for such marks; the others would be invented numbers."""
    known = ratings["mark"].cat.categories
    return ratings if known.isin(marks).all() else _kept(ratings, ratings["mark"].isin(marks))


def default_filter(
    ratings: pd.DataFrame,
    *,
    purposes: Collection[str] | None = None,
    marks: Collection[str] = MEASURED,
) -> pd.DataFrame:
    """Return the rows that count in every figure unless its page says otherwise.

    Args:
        ratings: the ratings frame.
        purposes: of round items, where a page wants others than the usual ones and says so;
            with REPEAT among them later occasions count, too.
        marks: that the criteria ask for; labels and texts count only where they are asked for.
    """
    known = measured(ratings, marks)
    keep = _in_scope(known, purposes) & known["valid"] & ~known["late"]
    return _kept(known, keep & (known["repeat"] == 0))


def in_scope(ratings: pd.DataFrame, *, purposes: Collection[str] | None = None) -> pd.DataFrame:
    """Return the rows of the default filter before validity: what coverage is counted over."""
    known = measured(ratings)
    return _kept(known, _in_scope(known, purposes) & (known["repeat"] == 0))


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


def joined(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of all frames, one after the other.

    Raises:
        ValueError: there is no frame, or a column has labels of different types in two of them.
    """
    if not frames:
        raise ValueError("There is no ratings frame to join.")
    if len(frames) == 1:
        return frames[0]
    made = {
        name: _joined_column([one[name] for one in frames], kind) for name, kind in COLUMNS.items()
    }
    return pd.DataFrame(made, copy=False)


def _joined_column(parts: "list[pd.Series[Any]]", kind: str) -> Any:
    if kind == CODE:
        return _codes(parts)
    if kind in {TIME, TEXT}:
        return pd.concat(parts, ignore_index=True)
    return np.concatenate([part.to_numpy() for part in parts])


def _codes(parts: "list[pd.Series[Any]]") -> "pd.Categorical[Any]":
    """Return codes over the labels of all parts, sorted as in every ratings frame."""
    labels = [part.cat.categories.tolist() for part in parts]
    try:
        known = sorted({one for some in labels for one in some})
    except TypeError as error:
        raise ValueError(f"Labels of {parts[0].name} differ in type: {error}") from error
    place = {one: number for number, one in enumerate(known)}
    codes = []
    for part, some in zip(parts, labels, strict=True):
        to = np.array([*(place[one] for one in some), -1], dtype=np.int64)
        codes.append(to[part.cat.codes.to_numpy()])  # −1 looks up the last place
    index = pd.Index(known, dtype=None if known else "str")
    return pd.Categorical.from_codes(np.concatenate(codes), categories=index)


#: Raised whenever the columns or their form change: older bytes are then made anew.
FORM = 5
#: Values of a column up to which they are written once each.
FEW = 1 << 16


class OtherForm(ValueError):
    """The bytes were packed by another version."""


def packed(ratings: pd.DataFrame) -> bytes:
    """Return the frame as bytes; only codes, numbers, flags and times can be packed.

    Raises:
        ValueError: a column of free text holds any, or a label is no text and no number.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        labels: dict[str, list[Any]] = {}
        for name, kind in COLUMNS.items():
            column = ratings[name]
            if kind == TEXT:
                if column.notna().any():
                    raise ValueError(f"The column {name} holds text, which is not packed.")
                continue
            if kind == CODE:
                labels[name] = [_label(one) for one in column.cat.categories.tolist()]
                _write(archive, name, column.cat.codes.to_numpy())
            elif kind == TIME:
                times = column.to_numpy(dtype="datetime64[us]").astype(np.int64)
                _write_values(archive, name, times)
            elif kind == NUMBER:
                _write_values(archive, name, column.to_numpy(np.float64))
            else:
                _write(archive, name, column.to_numpy())
        head = {"form": FORM, "n": len(ratings), "labels": labels}
        archive.writestr("head.json", json.dumps(head))
    return out.getvalue()


def unpacked(data: bytes) -> pd.DataFrame:
    """Return the frame that was packed.

    Raises:
        OtherForm: the bytes are of another version.
        ValueError: the bytes are damaged.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            head = json.loads(archive.read("head.json"))
            if head["form"] != FORM:
                raise OtherForm(f"Form {head['form']}, not {FORM}.")
            made = {name: _column(archive, name, kind, head) for name, kind in COLUMNS.items()}
    except (zipfile.BadZipFile, KeyError, EOFError) as problem:
        raise ValueError(f"These are no packed ratings: {problem}") from problem
    return pd.DataFrame(made, copy=False)


def _label(one: object) -> object:
    if isinstance(one, str | int | float):
        return one
    raise ValueError(f"A label of type {type(one).__name__} is not packed.")


def _write(archive: zipfile.ZipFile, name: str, values: npt.NDArray[Any]) -> None:
    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
        np.lib.format.write_array(file, np.ascontiguousarray(values), allow_pickle=False)


def _write_values(archive: zipfile.ZipFile, name: str, values: npt.NDArray[Any]) -> None:
    bits = np.ascontiguousarray(values).view(np.int64)  # so that NaN is a value like others
    which, few = pd.factorize(bits)
    if not 0 < len(few) <= FEW:
        _write(archive, name, values)
        return
    _write(archive, f"{name}.few", few.view(values.dtype))
    if len(few) > 1:
        _write(archive, name, which.astype(np.min_scalar_type(len(few) - 1)))


def _read(archive: zipfile.ZipFile, name: str) -> npt.NDArray[Any]:
    with archive.open(f"{name}.npy") as file:
        values: npt.NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return values


def _read_values(archive: zipfile.ZipFile, name: str, n: int) -> npt.NDArray[Any]:
    names = archive.NameToInfo
    if f"{name}.few.npy" not in names:
        return _read(archive, name)
    few = _read(archive, f"{name}.few")
    if f"{name}.npy" not in names:
        return np.broadcast_to(few, (n,))  # the one value, held once
    values: npt.NDArray[Any] = few[_read(archive, name)]
    return values


def _column(archive: zipfile.ZipFile, name: str, kind: str, head: dict[str, Any]) -> Any:
    if kind == TEXT:
        return np.full(head["n"], None, dtype=object)
    values = _read_values(archive, name, head["n"])
    if kind == CODE:
        labels = head["labels"][name]
        texts = all(isinstance(one, str) for one in labels)
        index = pd.Index(labels, dtype="str" if texts else None)
        return pd.Categorical.from_codes(values, categories=index)
    if kind == TIME:
        times = pd.Series(values.view("datetime64[us]"))
        return times.dt.tz_localize("UTC").astype(TIME)  # type: ignore[call-overload]
    return values


PLACE = ("round", "response", "criterion")


def settled(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the ratings with valid adjudicated grades in the place of given ones.

    Every grade that was given of the same response on the same criterion takes the adjudicated
    value, so that the place keeps its weight among the others; where none stands that was given,
    the adjudicated grade counts once, as if it had been. The ratings themselves stay as they are.

    Args:
        ratings: the ratings frame (`stats.frame`), at most one valid adjudicated grade a place.

    Raises:
        ValueError: a place has two valid adjudicated grades.
    """
    decided = ratings[
        (ratings["grade_kind"] == "ADJUDICATED") & ratings["valid"] & ratings["value"].notna()
    ]
    if decided.empty:
        return ratings
    values = pd.Series(decided["value"].to_numpy(), index=_keys(decided))
    if values.index.has_duplicates:
        raise ValueError("A response was adjudicated twice on one criterion.")
    keys = _keys(ratings)
    given = (ratings["grade_kind"] == "GIVEN").to_numpy()
    replaced = given & keys.isin(values.index)
    made = ratings.copy()
    made.loc[replaced, "value"] = values.reindex(keys[replaced]).to_numpy()
    made["outcome"] = _with(made["outcome"], replaced, "VALUE")
    counted = replaced & ratings["valid"].to_numpy() & ~ratings["late"].to_numpy()
    alone = np.zeros(len(ratings), dtype=np.bool_)
    alone[ratings.index.get_indexer(decided.index)] = ~_keys(decided).isin(keys[counted])
    made["grade_kind"] = _with(made["grade_kind"], alone, "GIVEN")
    return made


def with_struck(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the ratings as if no grade that was given had been declared invalid."""
    struck = (ratings["grade_kind"] == "GIVEN") & ~ratings["valid"]
    return ratings.assign(valid=ratings["valid"] | struck) if struck.any() else ratings


def _keys(ratings: pd.DataFrame) -> pd.MultiIndex:
    """Return the place of each row; labels, not codes: those of two frames need not agree."""
    return pd.MultiIndex.from_frame(
        pd.DataFrame({name: ratings[name].astype(object) for name in PLACE})
    )


def _with(column: "pd.Series[str]", where: "np.typing.NDArray[np.bool_]", label: str) -> pd.Series:
    known = column.cat.categories
    widened = column if label in known else column.cat.add_categories([label])
    made: pd.Series = widened.copy()
    made[where] = label
    return made


BoolArray = npt.NDArray[np.bool_]
AT_PLACE = ("group", "release", "response", "criterion")
PLACE_COLUMNS = (*AT_PLACE, "capability", "rater")


@dataclass(frozen=True)
class GradePlaces:
    """Grades in order of their places; `start` and `size` are of each place's run.

    Attributes:
        code: per column, the number of each grade's label, −1 where it has none.
        labels: per column, what the numbers stand for.
        value: of each grade.
        passes: 1 where a grade passes, 0 where not, −1 where its criterion has no pass mark.
    """

    code: dict[str, IntArray]
    labels: dict[str, list[Label]]
    value: FloatArray
    passes: IntArray
    start: IntArray
    size: IntArray

    @property
    def n(self) -> int:
        return len(self.start)

    def label(self, column: str, row: int) -> Label:
        """Return the label of one grade."""
        code = int(self.code[column][row])
        return None if code < 0 else self.labels[column][code]

    def of_places(self, column: str) -> IntArray:
        """Return the number of a column's label for each place."""
        return self.code[column][self.start]

    @cached_property
    def place(self) -> IntArray:
        """Return the place of each grade."""
        return np.repeat(np.arange(self.n), self.size)

    def highest(self, values: FloatArray) -> FloatArray:
        found: FloatArray = np.maximum.reduceat(values, self.start)
        return found

    def lowest(self, values: FloatArray) -> FloatArray:
        found: FloatArray = np.minimum.reduceat(values, self.start)
        return found

    def total(self, values: IntArray) -> IntArray:
        found: IntArray = np.add.reduceat(values, self.start)
        return found


def places(ratings: pd.DataFrame) -> GradePlaces:
    """Return the grades of a ratings frame that have a value, sorted by place."""
    narrow = ratings[[*PLACE_COLUMNS, "value", "pass_at", "scale_min"]]
    there = narrow["value"].notna()
    marked = narrow if there.all() else narrow[there]
    code: dict[str, IntArray] = {
        name: np.asarray(marked[name].cat.codes, dtype=np.int64) for name in PLACE_COLUMNS
    }
    labels = {name: marked[name].cat.categories.tolist() for name in PLACE_COLUMNS}
    order, new = _in_order(code, {name: len(some) + 1 for name, some in labels.items()})
    code = {name: codes[order] for name, codes in code.items()}
    start = np.flatnonzero(new)
    value = marked["value"].to_numpy(np.float64)[order]
    mark, low = (marked[name].to_numpy(np.float64)[order] for name in ("pass_at", "scale_min"))
    return GradePlaces(
        code,
        labels,
        value,
        _passes(value, mark, low),
        start,
        np.diff(np.append(start, len(order))),
    )


def _in_order(
    code: Mapping[str, IntArray], widths: Mapping[str, int]
) -> tuple[IntArray, BoolArray]:
    """Return the order of grades by place and rater, and where in it a place begins."""
    new = np.ones(len(code["rater"]), dtype=np.bool_)
    if math.prod(widths[name] for name in (*AT_PLACE, "rater")) < 1 << 62:
        place = np.zeros(len(new), dtype=np.int64)  # one number sorts faster than five
        for name in AT_PLACE:
            place = place * widths[name] + code[name] + 1
        order = np.argsort(place * widths["rater"] + code["rater"] + 1, kind="stable")
        there = place[order]
        new[1:] = there[1:] != there[:-1]
        return order, new
    order = np.lexsort([code[name] for name in ("rater", *reversed(AT_PLACE))])
    parts = [code[name][order] for name in AT_PLACE]
    new[1:] = np.logical_or.reduce([part[1:] != part[:-1] for part in parts])
    return order, new


def _passes(value: FloatArray, mark: FloatArray, low: FloatArray) -> IntArray:
    from_zero = np.isnan(mark) & (low == 0)
    passed = np.where(from_zero, value > 0, value >= mark).astype(np.int64)
    passed[np.isnan(mark) & ~from_zero] = -1
    return passed
