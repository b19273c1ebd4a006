"""The one border between results and JSON: no numpy scalar, no NaN, no lost fraction."""

import dataclasses
import datetime
import math
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import TypeAlias
from uuid import UUID

import numpy as np

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"


def plain(value: object) -> Plain:
    """Return what `json.dumps(allow_nan=False)` takes; a missing or infinite number is None.

    A Fraction becomes `{"num", "den", "value"}`, a Decimal its text, a dataclass a dict of
    its public fields.

    Raises:
        TypeError: something has no plain form.
    """
    if value is None or isinstance(value, str | bool | int | float | np.generic | Enum):
        return _scalar(value)
    if isinstance(value, Fraction):
        return {"num": value.numerator, "den": value.denominator, "value": float(value)}
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    return _text(value)


def _scalar(value: object) -> Plain:
    if isinstance(value, Enum):
        return _scalar(value.value)
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, bool) or value is None:
        return value
    return int(value) if isinstance(value, int) else str(value)


def _fields(value: object) -> dict[str, Plain]:
    names = [field.name for field in dataclasses.fields(value)]  # type: ignore[arg-type]
    return {name: plain(getattr(value, name)) for name in names if not name.startswith("_")}


def _key(key: object) -> str:
    if isinstance(key, str | int | UUID) and not isinstance(key, bool):
        return str(key.value if isinstance(key, Enum) else key)
    raise TypeError(f"A key of type {type(key).__name__} has no plain form.")


def _text(value: object) -> str:
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat()
    if isinstance(value, Decimal | UUID):
        return str(value)
    raise TypeError(f"A value of type {type(value).__name__} has no plain form.")
