"""Judges beside each other, as their page shows them: correlations, and which agrees better with people."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scoring.queries.judge_cells import Figure
from scoring.queries.judge_options import SIGNS, Options
from scoring.queries.sheet import Sheet
from scoring.queries.wording import why, why_of_two


@dataclass(frozen=True, slots=True)
class Test:
    """Whether two judges agree with people equally well: both correlations and the p of two tests."""

    left_name: str
    right_name: str
    left: float | None
    right: float | None
    difference: float | None
    permutation: Mapping[str, Any]
    williams: Mapping[str, Any]
    n: int

    @property
    def why(self) -> str:
        return why(self.permutation["reason"])

    @property
    def williams_why(self) -> str:
        return why(self.williams["reason"])


class Matrix:
    """Every two judges at one level on one criterion."""

    def __init__(self, data: Mapping[str, Any], options: Options) -> None:
        self.data, self.options = data, options
        self.coefficient: str = data["coefficient"]
        self.judges: list[int] = data["judges"]

    @property
    def sign(self) -> str:
        return SIGNS[self.coefficient]

    @property
    def criterion(self) -> str:
        return self.options.criteria.get(self.data["criterion"], self.data["criterion"])

    @property
    def turned(self) -> list[str]:
        """Return the judges for which lower is better here: their scores are turned round."""
        return [self.options.name(one) for one in self.data.get("turned", [])]

    @property
    def names(self) -> list[str]:
        return [self.options.name(one) for one in self.judges]

    @cached_property
    def _between(self) -> Mapping[tuple[int, int], Figure]:
        made: dict[tuple[int, int], Figure] = {}
        for one in self.data["between"]:
            found = one["correlation"]
            if found["coefficient"] == self.coefficient:
                figure = Figure(
                    found["value"], why=why_of_two(found["reason"]), p=found["p"], n=found["n"]
                )
                made[one["left"], one["right"]] = made[one["right"], one["left"]] = figure
        return made

    @cached_property
    def rows(self) -> list[tuple[str, list[Figure | None]]]:
        """Return each judge with its correlation with every judge; None with itself."""
        return [
            (self.options.name(left), [self._between.get((left, right)) for right in self.judges])
            for left in self.judges
        ]

    @cached_property
    def tests(self) -> list[Test]:
        """Return every two judges tested, those that differ most surely first."""
        made = [
            Test(
                left_name=self.options.name(one["left"]),
                right_name=self.options.name(one["right"]),
                left=one["permutation"]["left"],
                right=one["permutation"]["right"],
                difference=one["permutation"]["difference"],
                permutation=one["permutation"],
                williams=one["williams"],
                n=one["permutation"]["n"],
            )
            for one in self.data["compared"]
        ]
        return sorted(made, key=_surely)

    @property
    def methods(self) -> list[str]:
        """Return how the tests are made."""
        found = next(iter(self.tests), None)
        return [] if found is None else [found.permutation["method"], found.williams["method"]]


def matrix(data: Mapping[str, Any], options: Options) -> Sheet:
    """Return how every two judges correlate, by coefficient."""

    def rows() -> Iterator[tuple[object, ...]]:
        for one in data["between"]:
            found = one["correlation"]
            who = (options.name(one["left"]), options.name(one["right"]), data["level"])
            more = (found["value"], why(found["reason"]), found["p"], found["n"])
            yield (*who, found["coefficient"], *more)

    columns = ("left", "right", "level", "coefficient", "value", "why", "p", "n")
    return Sheet("matrix", columns, rows(), "judges with each other, whatever people say")


def tests(data: Mapping[str, Any], options: Options) -> Sheet:
    """Return which of two judges agrees better with people, by two tests."""
    found = Matrix(data, options)
    rows = (
        (
            one.left_name,
            one.right_name,
            data["level"],
            data["coefficient"],
            one.left,
            one.right,
            one.difference,
            one.permutation["p"],
            one.permutation["p_holm"],
            one.williams["p"],
            one.williams["p_holm"],
            one.why or one.williams_why,
            one.n,
        )
        for one in found.tests
    )
    columns = ("left", "right", "level", "coefficient", "left_with_people", "right_with_people")
    more = ("difference", "p", "p_holm", "williams_p", "williams_p_holm", "why", "n")
    return Sheet("tests", (*columns, *more), rows, "; ".join(found.methods))


def _surely(one: Test) -> tuple[bool, float]:
    p = one.permutation["p_holm"]
    return p is None, 0 if p is None else p
