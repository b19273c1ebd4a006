"""p values of many comparisons made at once; those that are None stay so and do not count.

References:
    Holm (1979), A simple sequentially rejective multiple test procedure. Benjamini and Hochberg
    (1995), Controlling the false discovery rate. Benjamini and Yekutieli (2001), The control of the
    false discovery rate in multiple testing under dependency.
"""

import gc
from collections.abc import Sequence
from typing import Literal

from statsmodels.stats import multitest


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Return p values such that the chance of any false alarm among them is held."""
    return _corrected(ps, "holm")


def false_discoveries(
    ps: Sequence[float | None], *, under: Literal["independence", "dependence"]
) -> list[float | None]:
    """Return p values such that the share of false alarms among the alarms is held.

    Args:
        ps: the p values.
        under: Benjamini and Hochberg's, for independent tests, or Benjamini and Yekutieli's for any.
    """
    return _corrected(ps, "fdr_bh" if under == "independence" else "fdr_by")


def _corrected(ps: Sequence[float | None], method: str) -> list[float | None]:
    known = [p for p in ps if p is not None]
    if not known:
        return list(ps)
    gc.freeze()  # statsmodels collects garbage in Holm's method, a tenth of a second in a worker
    try:
        found = iter(multitest.multipletests(known, method=method)[1].tolist())
    finally:
        gc.unfreeze()
    return [None if p is None else next(found) for p in ps]
