"""The results of a run of interviews as pages and files show them: names in the place of keys."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _

from annotation.models import SystemRelease
from annotation.permissions import Scope
from annotation.rules import sheets
from evalsite import errors
from evalsite.templatetags import ui
from scoring.charts import forest
from scoring.charts.forest import Axis, Row
from scoring.charts.svg import Drawing
from scoring.models import Run
from scoring.queries import banner, exports, run_reading
from scoring.queries.interview_profiles import ASPECT_NAMES, NAMES, REASONS, Options
from scoring.queries.pictures import NothingToDraw
from scoring.queries.run_reading import Reading
from scoring.queries.wording import why

FIGURE = "interviews"
COLUMNS = (
    "system",
    "aspect",
    "dataset",
    "capability",
    "score",
    "low",
    "high",
    "n",
    "n_held",
    "reason",
    "profile",
    "note",
)
Data = Mapping[str, Any]


class StillHidden(errors.Conflict):
    """The round of the run is not final yet."""

    code = "still_hidden"


def allowed(scope: Scope, number: int) -> Reading:
    """Return the reading of a run of interviews whose verdicts this person may read now.

    Raises:
        Http404: there is no such run of interviews.
        errors.Refusal: they may not be read now.
    """
    found = run_reading.allowed(scope, number)
    if found.run.kind != Run.Kind.KIEVAL:
        raise Http404(_("This run holds no interviews."))
    if found.hides_judges:
        raise StillHidden(_("Interviews can be read once the round is final."))
    return found


@dataclass(frozen=True, slots=True)
class Value:
    """A score with its interval, or why there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    n_held: int = 0
    why: str = ""

    @property
    def text(self) -> str:
        return ui.score(self.value)

    @property
    def interval(self) -> str:
        if self.low is None or self.high is None:
            return ""
        return ui.interval(self.low, self.high)


@dataclass(frozen=True, slots=True)
class Pair:
    left: str
    right: str
    value: Value
    p: float | None
    p_holm: float | None

    @property
    def p_text(self) -> str:
        return _p(self.p)

    @property
    def holm_text(self) -> str:
        return _p(self.p_holm)


@dataclass(frozen=True)
class Board:
    """The results under a profile."""

    data: Data
    options: Options
    reading: Reading

    @cached_property
    def names(self) -> list[str]:
        rows = SystemRelease.objects.select_related("system").in_bulk(self.data["candidates"])
        return [self.reading.name_of(rows.get(pk)) for pk in self.data["candidates"]]

    @cached_property
    def marks(self) -> list[int]:
        rows = SystemRelease.objects.filter(pk__in=self.data["candidates"])
        colours = dict(rows.values_list("pk", "system__colour"))
        return [colours.get(pk, 0) for pk in self.data["candidates"]]

    @property
    def is_empty(self) -> bool:
        return not any(one["n"] for one in self.data["facts"])

    @property
    def aspect_name(self) -> str:
        return str(ASPECT_NAMES[self.options.aspect])

    @property
    def profile_name(self) -> str:
        return str(NAMES[self.options.profile.name])

    @property
    def by_aspect(self) -> list[tuple[str, list[Value]]]:
        """Return each aspect with the score of every candidate."""
        return [
            (str(name), [value_of(one["overall"]) for one in self._of(key)])
            for key, name in ASPECT_NAMES.items()
        ]

    @property
    def by_dataset(self) -> list[tuple[str, list[Value]]]:
        """Return each data set with the score of every candidate on the chosen aspect."""
        rows = self._of(self.options.aspect)
        return [
            (
                name or _("No set or capability"),
                [value_of(one["datasets"][place]) for one in rows],
            )
            for place, name in enumerate(self.data["datasets"])
        ]

    @property
    def by_capability(self) -> list[tuple[str, list[Value]]]:
        """Return each capability with the score of every candidate on the chosen aspect."""
        rows = self._capabilities(self.options.aspect)
        return [
            (name, [value_of(one[place]) for one in rows])
            for place, name in enumerate(self.data["capabilities"])
        ]

    def _capabilities(self, aspect: str) -> list[list[Data]]:
        """Return each candidate's scores by capability."""
        found: list[list[Data]] = self.data["aspects"][aspect]["capabilities"]
        return found

    def _of(self, aspect: str) -> list[Data]:
        found: list[Data] = self.data["aspects"][aspect]["candidates"]
        return found

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
                "why": [
                    (key, str(REASONS.get(key, key)), n)
                    for key, n in sorted(one["reasons"].items(), key=lambda pair: -pair[1])
                ],
            }
            for name, one in zip(self.names, self.data["facts"], strict=True)
        ]

    @property
    def profiles(self) -> list[tuple[str, list[tuple[str, str, float | None]]]]:
        """Return each profile with value, rank and places won against the first, by candidate."""
        return [
            (
                str(NAMES[one["profile"]["name"]]),
                [
                    (Value(value).text, "–" if rank is None else f"{rank:g}", moved)
                    for value, rank, moved in zip(
                        one["values"], one["ranks"], one["moves"], strict=True
                    )
                ],
            )
            for one in self.data["profiles"]
        ]

    @property
    def ablation(self) -> list[tuple[str, str, list[str]]]:
        return [
            (
                _("falling") if one["decaying"] else _("equal"),
                _("with") if one["stopping"] else _("without"),
                [Value(value).text for value in one["values"]],
            )
            for one in self.data["ablation"]
        ]

    def draw(self, narrow: bool) -> Drawing:
        """Draw the chosen aspect over all data sets, then in each."""
        if self.is_empty:
            raise NothingToDraw
        overall = [value_of(one["overall"]) for one in self._of(self.options.aspect)]
        parts = self.by_dataset if len(self.data["datasets"]) > 1 else []
        rows = [row for head, values in [("", overall), *parts] for row in self._rows(head, values)]
        axis = Axis(0, 100, _("Score, 95 % intervals"))
        return forest.forest(rows, axis, label=self.aspect_name, narrow=narrow)

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
        """Yield a plain row for every system × aspect: over all data sets, in each, by capability."""
        axes = "; ".join(f"{name}={value}" for name, value in self.options.params.items())
        note = banner.of_run(self.reading.run)
        for aspect in ASPECT_NAMES:
            rows = zip(self.names, self._of(aspect), self._capabilities(aspect), strict=True)
            for name, one, parts in rows:
                for dataset, capability, found in self._places(one, parts):
                    value = value_of(found)
                    numbers = (value.value, value.low, value.high, value.n, value.n_held)
                    row = (name, aspect, dataset, capability, *numbers, value.why, axes, note)
                    yield dict(zip(COLUMNS, row, strict=True))

    def _places(self, one: Data, parts: Sequence[Data]) -> Iterator[tuple[str, str, Data]]:
        """Yield a candidate's scores with the data set or the capability that each is of."""
        yield "", "", one["overall"]
        for name, found in zip(self.data["datasets"], one["datasets"], strict=True):
            yield name, "", found
        for name, found in zip(self.data["capabilities"], parts, strict=True):
            yield "", name, found

    def csv_lines(self) -> Iterator[str]:
        yield exports.as_csv([COLUMNS])
        for one in self.records():
            cells = [sheets.neutral(c) if isinstance(c, str) else c for c in one.values()]
            yield exports.as_csv([["" if cell is None else cell for cell in cells]])


def value_of(found: Data) -> Value:
    return Value(
        found["value"],
        found["low"],
        found["high"],
        found["n"],
        found.get("n_held", 0),
        why(found["reason"]),
    )


def _p(value: float | None) -> str:
    if value is None:
        return "–"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
