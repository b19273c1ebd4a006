"""Ratings as reviewers settled them: adjudicated grades in the place of those that were given."""

import numpy as np
import pandas as pd

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
