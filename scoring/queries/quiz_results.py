"""The accuracy of a run as pages and files show it: names in the place of keys."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _

from annotation.models import SystemRelease
from annotation.permissions import Scope
from annotation.rules import sheets
from scoring.charts import forest
from scoring.charts.forest import Axis, Row
from scoring.charts.svg import Drawing
from scoring.models import Run
from scoring.queries import banner, exports, run_reading
from scoring.queries.interview_results import Pair, Value, value_of
from scoring.queries.pictures import NothingToDraw
from scoring.queries.quiz_options import RULES, UNREAD, Options
from scoring.queries.run_reading import Reading

FIGURE = "accuracy"
COLUMNS = (
    "system",
    "dataset",
    "order",
    "accuracy",
    "low",
    "high",
    "n",
    "n_asked",
    "reason",
    "rule",
    "unread",
    "note",
)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
Data = Mapping[str, Any]


def allowed(scope: Scope, number: int) -> Reading:
    """Return the reading of a run of accuracy.

    Raises:
        Http404: there is no such run.
        errors.Refusal: it may not be read now.
    """
    found = run_reading.allowed(scope, number)
    if found.run.kind != Run.Kind.QUIZ:
        raise Http404(_("This run measures no accuracy."))
    return found


@dataclass(frozen=True)
class Board:
    """The accuracy of every system under a rule."""

    data: Data
    options: Options
    reading: Reading

    @cached_property
    def _releases(self) -> Mapping[int, SystemRelease]:
        rows = SystemRelease.objects.select_related("system")
        return rows.in_bulk(self.data["candidates"])

    @cached_property
    def names(self) -> list[str]:
        return [self.reading.name_of(self._releases.get(pk)) for pk in self.data["candidates"]]

    @cached_property
    def marks(self) -> list[int]:
        found = [self._releases.get(pk) for pk in self.data["candidates"]]
        return [one.system.colour if one else 0 for one in found]

    @property
    def is_empty(self) -> bool:
        return not any(one["n"] for one in self.data["facts"])

    @property
    def rule_name(self) -> str:
        return str(RULES[self.options.rule])

    @property
    def unread_name(self) -> str:
        return str(UNREAD[self.options.unread])

    @property
    def n_unread(self) -> int:
        return sum(one["n_unread"] for one in self.data["facts"])

    @property
    def overall(self) -> list[Value]:
        return [value_of(one["overall"]) for one in self.data["accuracy"]]

    @property
    def by_dataset(self) -> list[tuple[str, list[Value]]]:
        """Return each data set, and the mean over them, with the accuracy of every system."""
        sets = [
            (
                name or _("No set or capability"),
                [value_of(one["datasets"][place]) for one in self.data["accuracy"]],
            )
            for place, name in enumerate(self.data["datasets"])
        ]
        return [*sets, (_("Mean over data sets"), self.overall)] if len(sets) > 1 else sets

    @property
    def by_order(self) -> list[tuple[str, list[Value]]]:
        """Return each order of the options with the accuracy of every system; nothing with one."""
        return [
            (_("own order") if not place else str(place + 1), [value_of(one) for one in values])
            for place, values in enumerate(self.data["orders"])
        ]

    @property
    def pairs(self) -> list[Pair]:
        return [
            Pair(
                self.names[one["left"]],
                self.names[one["right"]],
                value_of(one),
                one["p"],
                one["p_holm"],
            )
            for one in self.data["pairs"]
        ]

    @property
    def facts(self) -> list[dict[str, Any]]:
        return [
            {
                **one,
                "name": name,
                "letters": [(LETTERS[place], n) for place, n in enumerate(one["places"])],
            }
            for name, one in zip(self.names, self.data["facts"], strict=True)
        ]

    def draw(self, narrow: bool) -> Drawing:
        """Draw the accuracy over all data sets, then in each."""
        if self.is_empty:
            raise NothingToDraw
        parts = self.by_dataset[:-1] if len(self.data["datasets"]) > 1 else []
        rows = [
            row for head, values in [("", self.overall), *parts] for row in self._rows(head, values)
        ]
        axis = Axis(0, 100, _("Accuracy in percent, 95 % intervals"))
        return forest.forest(rows, axis, label=_("Accuracy"), narrow=narrow)

    def _rows(self, head: str, values: list[Value]) -> Iterator[Row]:
        for place, one in enumerate(values):
            yield Row(
                self.names[place],
                one.value,
                one.low,
                one.high,
                note=one.why if one.value is None else f"n {one.n}",
                ordinal=self.marks[place],
                head="" if place else head,
            )

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield one plain row for every system × data set, over all data sets, and for every order."""
        named = zip(self.names, self.data["accuracy"], strict=True)
        for name, one in named:
            sets = zip(self.data["datasets"], one["datasets"], strict=True)
            for dataset, found in [("", one["overall"]), *sets]:
                yield self._record(name, dataset, "", value_of(found))
        for place, values in enumerate(self.data["orders"]):
            for name, found in zip(self.names, values, strict=True):
                yield self._record(name, "", str(place + 1), value_of(found))

    def _record(self, name: str, dataset: str, order: str, value: Value) -> dict[str, Any]:
        numbers = (value.value, value.low, value.high, value.n, value.n_held)
        said = (value.why, self.options.rule, self.options.unread)
        note = banner.of_run(self.reading.run)
        return dict(zip(COLUMNS, (name, dataset, order, *numbers, *said, note), strict=True))

    def csv_lines(self) -> Iterator[str]:
        yield exports.as_csv([COLUMNS])
        for one in self.records():
            cells = [sheets.neutral(c) if isinstance(c, str) else c for c in one.values()]
            yield exports.as_csv([["" if cell is None else cell for cell in cells]])
