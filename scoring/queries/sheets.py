"""The tables of a round that can be downloaded, by name, and all of them as one."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from scoring.queries import (
    agreement,
    disputes,
    plans,
    raters,
    results,
    sheets_of_agreement,
    sheets_of_plans,
    sheets_of_raters,
    sheets_of_scores,
)
from scoring.queries.sheet import Sheet
from scoring.queries.sources import Source


@dataclass(frozen=True, slots=True)
class Kind:
    """A table: the figure it is made of, and how."""

    figure: str
    make: Callable[[Source], Sheet]


SHEETS: Mapping[str, Kind] = {
    "ranks": Kind(results.FIGURE, sheets_of_scores.ranks),
    "differences": Kind(results.FIGURE, sheets_of_scores.differences),
    "agreement": Kind(agreement.FIGURE, sheets_of_agreement.agreement),
    "marginals": Kind(agreement.FIGURE, sheets_of_agreement.marginals),
    "pairs": Kind(agreement.FIGURE, sheets_of_agreement.pairs),
    "without": Kind(agreement.FIGURE, sheets_of_agreement.without),
    "disagreement": Kind(agreement.FIGURE, sheets_of_agreement.disagreement),
    "disputes": Kind(disputes.FIGURE, sheets_of_agreement.disputes),
    "questions": Kind(disputes.FIGURE, sheets_of_agreement.questions),
    "places": Kind(disputes.FIGURE, sheets_of_agreement.places),
    "severity": Kind(raters.FIGURE, sheets_of_raters.severity),
    "fair": Kind(raters.FIGURE, sheets_of_raters.fair),
    "steady": Kind(raters.FIGURE, sheets_of_raters.steady),
    "position": Kind(raters.FIGURE, sheets_of_raters.position),
    "tempo": Kind(raters.FIGURE, sheets_of_raters.tempo),
    "pace": Kind(raters.FIGURE, sheets_of_raters.pace),
    "plan": Kind(plans.FIGURE, sheets_of_plans.plan),
    "curve": Kind(plans.FIGURE, sheets_of_plans.curve),
}


def melted(sheets: Iterable[Sheet]) -> Sheet:
    """Return several tables as one: a line for each of their places."""
    held = list(sheets)

    def rows() -> Iterator[tuple[object, ...]]:
        for sheet in held:
            for n, row in enumerate(sheet.rows, start=1):
                for column, value in zip(sheet.columns, row, strict=True):
                    yield sheet.name, n, column, value, sheet.convention

    return Sheet("report", ("table", "line", "column", "value", "follows"), rows(), "see follows")
