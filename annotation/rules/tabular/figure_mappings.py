"""What a person decided of a file of figures of other benchmarks: its columns, and what holds for all rows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.rules.tabular import mappings, targets
from annotation.rules.tabular.mappings import Place
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.targets import Target


@dataclass(frozen=True, slots=True)
class FigureMapping:
    """A long table: one figure of one system a row.

    `figure` and `release` hold where no column says so.
    """

    places: tuple[Place, ...]
    figure: str = ""
    release: str = ""

    def column(self, target: Target) -> str:
        """Return the column that holds this; empty where none does."""
        return mappings.column_of(self.places, target)

    def as_dict(self) -> dict[str, Any]:
        return mappings.as_plain(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "FigureMapping":
        return cls(**{**stored, "places": mappings.places_of(stored["places"])})

    def faults(self, columns: Iterable[str]) -> list[Problem]:
        """Return why this mapping cannot be used on these columns."""
        used = {place.target for place in self.places}
        return mappings.common_faults(self.places, columns, targets.FIGURES) + [
            Problem(code)
            for code, wrong in (
                ("no_figure_system", Target.SYSTEM not in used),
                ("no_figure_column", Target.FIGURE not in used and not self.figure.strip()),
                ("no_figure_value_column", Target.VALUE not in used),
            )
            if wrong
        ]
