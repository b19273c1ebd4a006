"""What a suite's run came to, as lines for a terminal. Loads scipy: workers and commands only."""

from collections.abc import Iterator
from typing import Any, Final, cast

from annotation.models import SystemRelease
from scoring.models import Run
from scoring.queries import suite_figures, suite_gates
from scoring.queries.suite_frame import Frame
from scoring.queries.suite_gates import Verdict

WIDTH: Final = 46
HEADS: Final = ("n", "mean", "95 % interval", "median", "p98")
WIDTHS: Final = (6, 9, 19, 9, 9)


def lines(run: Run, baseline: Run | None = None) -> Iterator[str]:
    """Yield a table: a line for each metric, level and release, and the difference to the baseline."""
    data = cast("dict[str, Any]", suite_figures.compute(run, baseline))
    rows = SystemRelease.objects.filter(
        pk__in={each["release"] for one in data["series"] for each in one["releases"]}
    )
    names = {one.pk: str(one) for one in rows.select_related("system")}
    heads = [head.rjust(width) for head, width in zip(HEADS, WIDTHS, strict=True)]
    yield "".join(["Metric".ljust(WIDTH), *heads, "  without"])
    for one in data["series"]:
        differences = {each["release"]: each["less"] for each in one["before"]}
        for each in one["releases"]:
            name = f"{one['metric']} · {one['level']} · {names[each['release']]}"
            yield _line(name, each)
            less = differences.get(each["release"])
            if less and less["value"] is not None:
                yield f"  less the baseline: {less['value']:+.4g} {_ends(less)}"


def gates(run: Run, baseline: Run | None = None) -> list[Verdict]:
    """Return what became of the suite's gates."""
    return suite_gates.verdicts(Frame(run), baseline)


def _line(name: str, each: dict[str, Any]) -> str:
    found = each["distribution"]
    if found is None:
        why = "".join(f"{one['reason']} ({one['n']} ×)" for one in each["reasons"][:1])
        return f"{_cut(name)}  no value: {why}"
    cells = (
        str(found["n"]),
        f"{found['mean']:.4g}",
        _ends(found),
        f"{found['percentiles'][2]:.4g}",
        f"{found['percentiles'][5]:.4g}",
    )
    made = [cell.rjust(width) for cell, width in zip(cells, WIDTHS, strict=True)]
    return "".join([_cut(name), *made, str(each["n_without"]).rjust(9)])


def _cut(name: str) -> str:
    return (name if len(name) < WIDTH else f"{name[: WIDTH - 2]}…").ljust(WIDTH)


def _ends(found: dict[str, Any]) -> str:
    if found["low"] is None:
        return "–"
    return f"{found['low']:.4g} … {found['high']:.4g}"
