"""A ratings frame as bytes and back: a zip of plain arrays, nothing that executes.

A column is an array. One of numbers or times that takes few values is written as those values and,
unless there is only one, which of them each row has: so less is unpacked.
"""

import io
import json
import zipfile
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.stats.frame import CODE, COLUMNS, NUMBER, TEXT, TIME

#: Raised whenever the columns or their form change: older bytes are then made anew.
FORM = 3
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
