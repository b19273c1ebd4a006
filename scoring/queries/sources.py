"""Figures that are ready, with what their keys are called: what tables and drawings are made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Round
from scoring.queries import agreement, asked, cut, disputes, plans, raters, results
from scoring.queries.asked import Asked
from scoring.queries.cut import Query
from scoring.queries.labels import Labels
from scoring.queries.names import Name
from scoring.queries.reading import Reading

#: The tab on which a figure stands.
TABS: Mapping[str, str] = {
    results.FIGURE: "results",
    agreement.FIGURE: "results_agreement",
    disputes.FIGURE: "results_disputes",
    raters.FIGURE: "results_annotators",
    plans.FIGURE: "results_plan",
}


@dataclass(frozen=True)
class Source:
    """The data of a figure of a round; `names` decides what its releases are called."""

    round: Round
    data: Mapping[str, Any]
    labels: Labels
    names: Mapping[int, Name]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was graded."""
        return not any(
            self.data.get(key) for key in ("parts", "raters", "drift", "scores", "curves")
        )


def wish(figure: str, mine: Reading, query: Query) -> Asked:
    """Return what an address asks of a figure.

    Raises:
        BadSetting: a setting cannot be used; BadCut: a weight or a filter.
        KeyError: there is no such figure.
    """
    last = {name: texts[-1] for name, texts in query.items() if texts}
    if figure == disputes.FIGURE:
        return asked.of_disputes(last, mine.round.project)
    if figure == plans.FIGURE:
        return asked.of_plan(last, mine.round)
    if figure == results.FIGURE:
        return Asked(cut.read(mine, query).params)
    return Asked({agreement.FIGURE: agreement.PARAMS, raters.FIGURE: raters.PARAMS}[figure])
