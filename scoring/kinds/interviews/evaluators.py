"""Several evaluators of the same dialogues as the page and files show them: names in the place of keys."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotation.common import texts as sheets
from annotation.systems.models import SystemRelease
from evalsite.templatetags import ui
from scoring.engine.queries import Reading
from scoring.kinds.interviews.results import ASPECT_NAMES, NAMES, VOTES, Options, Value, value_of
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.wording import why

COLUMNS = (
    "evaluator",
    "run",
    "system",
    "aspect",
    "score",
    "low",
    "high",
    "n",
    "n_held",
    "reason",
    "profile",
    "note",
)
PANEL = "panel"
Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of two evaluators with its interval, or why there is none."""

    value: float | None
    low: float | None
    high: float | None
    why: str
    p: float | None = None
    n: int = 0

    @property
    def text(self) -> str:
        return ui.score(self.value, 2)

    @property
    def interval(self) -> str:
        if self.low is None or self.high is None:
            return ""
        return ui.interval(self.low, self.high, 2)

    @property
    def p_text(self) -> str:
        if self.p is None:
            return ""
        return "p < 0.001" if self.p < 0.001 else f"p {self.p:.3f}"


@dataclass(frozen=True, slots=True)
class Pair:
    """The second of two evaluators beside the first."""

    left: str
    right: str
    offset: Figure
    same: Figure
    kappa: Figure
    kappa_quadratic: Figure
    together: list[Figure]
    n: int


@dataclass(frozen=True)
class Board:
    """Every voice under a profile."""

    data: Data
    options: Options
    reading: Reading

    @cached_property
    def names(self) -> list[str]:
        rows = SystemRelease.objects.select_related("system").in_bulk(self.data["candidates"])
        return [self.reading.name_of(rows.get(pk)) for pk in self.data["candidates"]]

    @property
    def voices(self) -> list[Data]:
        found: list[Data] = self.data["voices"]
        return found

    @property
    def is_alone(self) -> bool:
        return len(self.voices) < 2

    @property
    def is_empty(self) -> bool:
        return not any(one["n_exchanges"] for one in self.voices)

    @property
    def aspect_name(self) -> str:
        return str(ASPECT_NAMES[self.options.aspect])

    @property
    def profile_name(self) -> str:
        return str(NAMES[self.options.profile.name])

    @property
    def vote_name(self) -> str:
        return str(VOTES[self.data["vote"]])

    @property
    def by_voice(self) -> list[tuple[str, list[Value]]]:
        """Return each voice's scores of the candidates on the chosen aspect, the panel's last."""
        rows = [(one["name"], self._of(one["scores"])) for one in self.voices]
        return rows if self.is_alone else [*rows, (self.vote_name, self._of(self.data["panel"]))]

    @property
    def pairs(self) -> list[Pair]:
        names = {f"{one['run']}:{one['rater']}": one["name"] for one in self.voices}
        return [
            Pair(
                names[one["left"]],
                names[one["right"]],
                figure_of(one["offsets"][self.options.aspect]["shift"]),
                figure_of(one["same"]),
                figure_of(one["kappa"]),
                figure_of(one["kappa_quadratic"]),
                [figure_of(each) for each in one["together"]],
                one["n"],
            )
            for one in self.data["pairs"]
        ]

    @property
    def coefficients(self) -> list[str]:
        return [each["name"] for one in self.data["pairs"][:1] for each in one["together"]]

    def _of(self, standings: list[Any]) -> list[Value]:
        place = list(ASPECT_NAMES).index(self.options.aspect)
        return [value_of(one["overall"]) for one in standings[place]]

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield one plain row for every evaluator (and the panel) × system × aspect."""
        axes = "; ".join(f"{name}={value}" for name, value in self.options.params.items())
        note = banner.of_run(self.reading.run)
        voices = [(one["name"], one["run"], one["scores"]) for one in self.voices]
        for name, run, scores in [*voices, (f"{PANEL}, {self.data['vote']}", "", self.data[PANEL])]:
            for aspect, found in zip(ASPECT_NAMES, scores, strict=True):
                for system, one in zip(self.names, found, strict=True):
                    value = value_of(one["overall"])
                    numbers = (value.value, value.low, value.high, value.n, value.n_held)
                    row = (name, run, system, aspect, *numbers, value.why, axes, note)
                    yield dict(zip(COLUMNS, row, strict=True))

    def csv_lines(self) -> Iterator[str]:
        yield shown_sheet.as_csv([COLUMNS])
        for one in self.records():
            cells = [sheets.neutral(c) if isinstance(c, str) else c for c in one.values()]
            yield shown_sheet.as_csv([["" if cell is None else cell for cell in cells]])


def figure_of(found: Data) -> Figure:
    reason = found["reason"] or found["interval_reason"]
    return Figure(
        found["value"],
        found["low"],
        found["high"],
        why(reason),
        found.get("p"),
        found.get("n", 0),
    )
