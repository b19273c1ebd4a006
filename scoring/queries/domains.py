"""Scores by subject area, of all releases of a round together. Loads pandas: workers only."""

from collections.abc import Mapping
from typing import Any

from annotation.models import Domain, Item, Round
from annotation.queries import stock
from scoring.queries import ratings
from scoring.stats import frame
from scoring.stats.plain import Plain


def scores_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return score (0 to 100) and number of grades of every area that has any, with all below it.

    The score is Σ(mark − minimum) / Σ(top − minimum) over the grades that count, as everywhere.
    """
    counted = frame.default_filter(ratings.table([round_])).dropna(subset=["value"])
    lines = stock.lineages(Domain.objects.filter(project_id=round_.project_id))
    domain_of = dict(
        Item.objects.filter(project_id=round_.project_id, domain__isnull=False).values_list(
            "pk", "domain_id"
        )
    )
    sums: dict[int, list[float]] = {}
    columns = (counted[name] for name in ("item", "value", "scale_min", "scale_max"))
    for item, value, low, top in zip(*columns, strict=True):
        for domain in lines.get(domain_of.get(int(item)) or 0, ()):
            mine = sums.setdefault(domain, [0.0, 0.0, 0.0])
            mine[0] += float(value) - float(low)
            mine[1] += float(top) - float(low)
            mine[2] += 1
    return {
        str(domain): {"score": 100 * marks / span, "n": int(n)}
        for domain, (marks, span, n) in sorted(sums.items())
        if span > 0
    }
