"""Tables of the plan: questions by number of annotators, and the learning curve."""

from collections.abc import Iterator
from typing import Any

from scoring.queries.sheet import Sheet, percent
from scoring.queries.sources import Source
from scoring.queries.wording import why

Row = tuple[object, ...]


def plan(source: Source) -> Sheet:
    """How many questions each number of annotators needs."""
    data = source.data
    found: dict[str, Any] = data["components"] or {}
    n = (found.get("n_questions"), found.get("n_raters"))
    rows = (
        (
            one["n_raters"],
            one["n_questions"],
            one["n_questions"] and one["n_questions"] * one["n_raters"],
            why(one["reason"]),
            *n,
        )
        for one in data["needs"]
    )
    columns = ("annotators", "questions", "grades_of_each_system", "why")
    said = (
        f"two systems that lie {percent(data['delta']):g} points apart, power {data['power']:g}, "
        f"two-sided level {data['level']:g}; everybody grades everything"
    )
    return Sheet("plan", (*columns, "pilot_questions", "pilot_annotators"), rows, said)


def curve(source: Source) -> Sheet:
    """Widths of the intervals of overall scores against the number of questions."""

    def rows() -> Iterator[Row]:
        for one in source.data["curves"]:
            if one["release"] not in source.names:
                continue
            name = source.names[one["release"]].text
            now = one["n_questions"]
            if one["reason"]:
                yield name, now, None, True, None, None, why(one["reason"])
            for point in one["points"]:
                n, width = point["n_questions"], percent(point["width"])
                yield name, n, width, n == now, point["enough"], one["n_enough"], ""

    columns = ("system", "questions", "width", "now", "enough", "questions_for_enough", "why")
    said = (
        "width of the 95% interval of the overall score in points; Student's t on the standard "
        "error of today, which falls with the root of the number of questions"
    )
    return Sheet("curve", columns, rows(), said)
