"""Tables of a movement between two rounds: the causes, and what was decided about pairs."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.queries import sameness
from annotation.queries.sameness import Sameness
from scoring.queries.movement import CAUSES, METHODS, Chosen
from scoring.queries.sheet import Sheet, percent
from scoring.queries.wording import why

Row = tuple[object, ...]
ENDS = ("before", "after", "change", *CAUSES, "together", "drift")


def causes(chosen: Chosen, data: Mapping[str, Any], titles: Mapping[int, str]) -> Sheet:
    """Return the causes of the change by every method, for score and accuracy, in points.

    Args:
        chosen: the rounds and the system.
        data: of the figure.
        titles: of capabilities by key.
    """

    def rows() -> Iterator[Row]:
        who = (chosen.system.name, chosen.before.number, chosen.after.number)
        for figure in data["figures"]:
            part = titles.get(figure["capability"], "")
            if figure["problem"]:
                yield (*who, figure["figure"], part, *[""] * 5, 0, figure["problem"])
            for method in METHODS if not figure["problem"] else ():
                yield from _causes((*who, figure["figure"], part), figure, method)

    columns = ("system", "before", "after", "figure", "capability", "method", "cause", "points")
    said = (
        f"points of percent; {data['pairs']['common']} questions in both rounds, "
        f"{data['pairs']['same_responses']} unchanged with their response; intervals resample "
        "questions and belong to fixed effects"
    )
    return Sheet("movement", (*columns, "low", "high", "questions", "why"), rows(), said)


def _causes(who: Row, figure: Mapping[str, Any], method: str) -> Iterator[Row]:
    found = figure["methods"][method]
    for cause in ENDS:
        value = found[cause]
        if value is None:
            continue
        number = value["value"] if isinstance(value, dict) else value
        shown = figure["intervals"].get(cause, {}) if method == METHODS[0] else {}
        bounds = (percent(shown.get("low")), percent(shown.get("high")))
        n = shown.get("n_clusters")
        yield (*who, method, cause, percent(number), *bounds, n, why(shown.get("reason")))


def tags(chosen: Chosen) -> Sheet:
    """Return every pair of both rounds with what it counts as, and who said so."""
    moved = sameness.movement(chosen.before, chosen.after, chosen.system.pk)
    rows = (
        (pair.group, *_decided(pair.question), *_decided(pair.response)) for pair in moved.pairs
    )
    columns = ("question_same", "question_by", "question_open")
    answers = ("response_same", "response_by", "response_open")
    said = (
        "by: content is equal, tag of a person, word of the author; what is open counts as changed"
    )
    return Sheet("tags", ("question", *columns, *answers), rows, said)


def _decided(one: Sameness) -> Row:
    return one.same, one.by, one.is_open
