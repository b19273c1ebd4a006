"""Several ratings frames as one, with the types of each column kept."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from scoring.stats.frame import CODE, COLUMNS, TEXT, TIME


def joined(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of all frames, one after the other.

    Raises:
        ValueError: there is no frame, or a column has labels of different types in two of them.
    """
    if not frames:
        raise ValueError("There is no ratings frame to join.")
    if len(frames) == 1:
        return frames[0]
    made = {name: _column([one[name] for one in frames], kind) for name, kind in COLUMNS.items()}
    return pd.DataFrame(made, copy=False)


def _column(parts: "list[pd.Series[Any]]", kind: str) -> Any:
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
