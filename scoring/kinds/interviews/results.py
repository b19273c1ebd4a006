"""How verdicts become scores, as an address says it: the axes of a profile, and an aspect.

* Who judged the dialogues of a run: its own evaluator, and those that judged them again later.
* The results of a run of interviews as pages and files show them: names in the place of keys.
* Tables of the results of interviews as lines of CSV: pairs, profiles, ablation, and how dialogues went.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal
from urllib.parse import urlencode

from django.http import Http404
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from annotation.common import texts as sheets
from annotation.people.models import Rater
from annotation.people.permissions import Scope
from annotation.systems.models import SystemRelease
from evalsite import errors
from evalsite.templatetags import ui
from scoring.charts import forest
from scoring.charts.forest import Axis
from scoring.charts.forest import Row as InterviewResultsRow
from scoring.charts.svg import Drawing
from scoring.engine import queries as run_reading
from scoring.engine.models import Run, Step
from scoring.engine.queries import Reading
from scoring.kinds.interviews.models import Dialogue
from scoring.kinds.interviews.verdicts_v1 import OVERALL
from scoring.kinds.interviews.verdicts_v1 import SCORED as ASPECTS
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import NothingToDraw
from scoring.shown.wording import why
from scoring.stats.machines.interviews import (
    LINEAR,
    PROFILES,
    AfterStop,
    Decay,
    Profile,
    Scale,
    Unscored,
)

Words = str | Promise
SCALES: Final[Mapping[str, Words]] = {
    Scale.THIRDS: _("(s − 1) / 3"),
    Scale.QUARTERS: _("s / 4"),
    Scale.RELEASED: _("as released: 10, 30, 70, 100"),
}
DECAYS: Final[Mapping[str, Words]] = {
    Decay.BY_PLANNED: _("falling by exchanges planned"),
    Decay.BY_HELD: _("falling by exchanges held"),
    Decay.FIFTH: _("falling by a fifth, as released"),
    Decay.NONE: _("equal weights"),
}
AFTER: Final[Mapping[str, Words]] = {
    AfterStop.DROPPED: _("what a stop left out is dropped"),
    AfterStop.LOWEST: _("what a stop left out counts as 1"),
    AfterStop.LAST: _("what a stop left out repeats the last score"),
}
UNSCORED: Final[Mapping[str, Words]] = {
    Unscored.KEEPS_SLOT: _("without a verdict: keeps its place"),
    Unscored.SHIFTS_UP: _("without a verdict: later ones move up"),
    Unscored.FAILS: _("without a verdict: the dialogue has no score"),
}
STOPPING: Final[Mapping[str, Words]] = {
    "on": _("early stops count"),
    "off": _("early stops do not count"),
}
ASPECT_NAMES: Final[Mapping[str, Words]] = {
    "accuracy": _("Accuracy"),
    "logic": _("Logic"),
    "relevance": _("Relevance"),
    "coherence": _("Coherence"),
    "conciseness": _("Conciseness"),
    OVERALL: _("Overall"),
}
REASONS: Final[Mapping[str, Words]] = {
    "off_topic": _("off the topic"),
    "empty_response": _("nothing said"),
    "rule_violation": _("a rule broken"),
    "repetition": _("repetition"),
    "unpermitted_role_shift": _("spoke for another"),
    "hallucination": _("made up"),
    "none": _("no reason given"),
}
NAMES: Final[Mapping[str, Words]] = {
    "linear": _("linear"),
    "quarters": _("quarters"),
    "released": _("as released"),
    "chosen": _("as chosen"),
}
#: What stands in an address, with its usual value first among its choices.
AXES: Final[Mapping[str, Mapping[str, Words]]] = {
    "aspect": {OVERALL: ASPECT_NAMES[OVERALL], **ASPECT_NAMES},
    "scale": SCALES,
    "decay": DECAYS,
    "after_stop": AFTER,
    "unscored": UNSCORED,
    "stopping": STOPPING,
}


@dataclass(frozen=True)
class Options:
    """A profile and the aspect that is looked at."""

    aspect: str
    profile: Profile

    @property
    def params(self) -> dict[str, str]:
        """Return the axes as an address says them."""
        one = self.profile
        return {
            "aspect": self.aspect,
            "scale": str(one.scale),
            "decay": str(one.decay),
            "after_stop": str(one.after_stop),
            "unscored": str(one.unscored),
            "stopping": "on" if one.early_stopping else "off",
        }

    def is_like(self, other: Profile) -> bool:
        return replace(other, name=self.profile.name) == self.profile


def of_params(params: Mapping[str, Any]) -> Options:
    """Return what an address or a figure asks for; a value that is none of ours is the usual one."""
    chosen = {
        axis: params[axis] if params.get(axis) in choices else next(iter(choices))
        for axis, choices in AXES.items()
    }
    made = replace(
        LINEAR,
        name="chosen",
        scale=Scale(chosen["scale"]),
        decay=Decay(chosen["decay"]),
        after_stop=AfterStop(chosen["after_stop"]),
        unscored=Unscored(chosen["unscored"]),
        early_stopping=chosen["stopping"] == "on",
    )
    known = next((one for one in PROFILES if replace(one, name="chosen") == made), made)
    assert chosen["aspect"] in ASPECTS
    return Options(chosen["aspect"], known)


def named(options: Options) -> list[tuple[str, str, bool]]:
    """Return each profile that has a name: what it is called, its query, whether it is chosen."""
    return [
        (
            str(NAMES[one.name]),
            urlencode(replace(options, profile=one).params),
            options.is_like(one),
        )
        for one in PROFILES
    ]


#: The figure of several evaluators side by side (scoring.kinds.interviews.figure).
PANEL: Final = "interview_panel"
#: How a panel votes; the first is the usual one.
VOTES: Final[Mapping[str, Any]] = {
    "mean": gettext_lazy("mean of the evaluators"),
    "median": gettext_lazy("median of the evaluators"),
}


def vote_of(params: Mapping[str, Any]) -> Literal["mean", "median"]:
    """Return how a panel votes; what is none of ours is the usual way."""
    return "median" if params.get("vote") == "median" else "mean"


@dataclass(frozen=True, slots=True)
class Voice:
    """One evaluator's verdicts on the dialogues of a run. The same one in another run is another voice."""

    rater: int
    run: Run
    name: str
    is_first: bool = False

    @property
    def key(self) -> str:
        return f"{self.run.number}:{self.rater}"


def rater_of(run: Run) -> int:
    """Return the rater whose verdicts a run of interviews has; of dialogues from a file, that of the file.

    Raises:
        ValueError: it has none.
    """
    rater = run.judge.rater_id if run.judge else run.config.get("rater")
    if rater is None:
        raise ValueError("This run of interviews has no evaluator.")
    return int(rater)


def again(run: Run) -> list[Run]:
    """Return the runs in which the dialogues of a run were judged again, in their order."""
    rows = Run.objects.filter(project=run.project_id, kind=Run.Kind.REJUDGE, config__of=run.pk)
    return list(rows.order_by("number"))


def of(run: Run) -> list[Voice]:
    """Return every voice on the dialogues of a run, its own evaluator first."""
    found = [(rater_of(run), run), *((pk, one) for one in again(run) for pk in raters_of(one))]
    names = dict(Rater.objects.filter(pk__in=[pk for pk, _run in found]).values_list("pk", "ref"))
    often = Counter(pk for pk, _run in found)
    return [
        Voice(pk, one, _named(names.get(pk, ""), one, often[pk] > 1), is_first=one.pk == run.pk)
        for pk, one in found
    ]


def version(run: Run) -> str:
    """Return what changes whenever a dialogue of the run is judged again."""
    runs = [one.pk for one in again(run)]
    n_done = Step.objects.filter(run__in=runs, state=Step.State.DONE).count() if runs else 0
    return f", {n_done} judged again in {runs}"


def raters_of(run: Run) -> list[int]:
    """Return the raters of a run that judged dialogues again."""
    chosen: Sequence[Mapping[str, Any]] = run.config["evaluators"]
    return [one["rater"] for one in chosen]


def judge_of(step: Step) -> int:
    """Return the key of the evaluator that a step of such a run asks."""
    return int(step.spec["judge"])


def stops(run: Run) -> dict[tuple[int, int], int | None]:
    """Return where the evaluators of a run that judged again would have stopped, by rater and response."""
    by_judge = {one["judge"]: one["rater"] for one in run.config["evaluators"]}
    done = Step.objects.filter(run=run, state=Step.State.DONE, response__isnull=False)
    rows = done.values_list("spec__judge", "response_id", "result__stopped_at")
    return {(by_judge[judge], response): stopped for judge, response, stopped in rows}


@dataclass(frozen=True, slots=True)
class Second:
    """What another voice says of an exchange."""

    name: str
    scores: Mapping[str, int]
    comments: Mapping[str, str]
    unscored: str
    stop_reason: str


def beside(dialogue: Dialogue, voices: Sequence[Voice]) -> dict[int, list[Second]]:
    """Return what the other voices say of each exchange of a dialogue, by its number."""
    others = {(one.run.pk, one.rater): one for one in voices if not one.is_first}
    runs = {one.run.pk: one.run for one in others.values()}
    steps = Step.objects.filter(run__in=runs, response=dialogue.response_id, state=Step.State.DONE)
    made: dict[int, list[Second]] = {}
    for step in steps.order_by("run", "ordinal"):
        chosen = runs[step.run_id].config["evaluators"]
        rater = next(one["rater"] for one in chosen if one["judge"] == judge_of(step))
        for one in (step.result or {}).get("exchanges", []):
            made.setdefault(one["exchange"], []).append(
                _second(others[step.run_id, rater].name, one)
            )
    return made


def _second(name: str, said: Mapping[str, Any]) -> Second:
    verdict = said["verdict"] or {}
    stops_here = bool(verdict.get("stop"))
    return Second(
        name,
        verdict.get("scores", {}),
        verdict.get("comments", {}),
        "" if verdict else said["unscored"],
        verdict.get("stop_reason", "") if stops_here else "",
    )


def _named(name: str, run: Run, tell_apart: bool) -> str:
    return (
        gettext("%(name)s, run %(run)d") % {"name": name, "run": run.number} if tell_apart else name
    )


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
        raise Http404(gettext("This run holds no interviews."))
    if found.hides_judges:
        raise StillHidden(gettext("Interviews can be read once the round is final."))
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
                name or gettext("No set or capability"),
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
                gettext("falling") if one["decaying"] else gettext("equal"),
                gettext("with") if one["stopping"] else gettext("without"),
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
        axis = Axis(0, 100, gettext("Score, 95 % intervals"))
        return forest.forest(rows, axis, label=self.aspect_name, narrow=narrow)

    def _rows(self, head: str, values: list[Value]) -> Iterator[InterviewResultsRow]:
        for place, one in enumerate(values):
            yield InterviewResultsRow(
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
        yield shown_sheet.as_csv([COLUMNS])
        for one in self.records():
            cells = [sheets.neutral(c) if isinstance(c, str) else c for c in one.values()]
            yield shown_sheet.as_csv([["" if cell is None else cell for cell in cells]])


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


Row = Sequence[Any]


def pairs(board: Board) -> Iterator[Row]:
    """Yield the differences of pairs of systems on the chosen aspect."""
    yield "left", "right", "difference", "low", "high", "p", "p_holm", "n", "reason"
    for one in board.pairs:
        value = one.value
        numbers = (value.value, value.low, value.high, one.p, one.p_holm, value.n)
        yield one.left, one.right, *numbers, value.why


def profiles(board: Board) -> Iterator[Row]:
    """Yield every system's score and rank under each profile; places won against the first one."""
    axes = ("scale", "decay", "after_stop", "unscored", "early_stopping")
    yield "profile", *axes, "system", "score", "rank", "places_lost"
    for one in board.data["profiles"]:
        profile = one["profile"]
        told = (profile["name"], *(profile[axis] for axis in axes))
        for row in zip(board.names, one["values"], one["ranks"], one["moves"], strict=True):
            yield *told, *row


def ablation(board: Board) -> Iterator[Row]:
    """Yield every system's score with and without falling weights × early stopping (Table 8)."""
    yield "decaying_weights", "early_stopping", "system", "score"
    for one in board.data["ablation"]:
        for name, value in zip(board.names, one["values"], strict=True):
            yield one["decaying"], one["stopping"], name, value


def dialogues(board: Board) -> Iterator[Row]:
    """Yield how the dialogues of every system went, a column for each reason to stop."""
    counts = (
        "n",
        "n_without",
        "rounds",
        "n_right",
        "n_decided",
        "n_exchanges",
        "n_unscored",
        "n_flagged",
        "n_failed",
        "n_stopped",
    )
    reasons = sorted({reason for one in board.data["facts"] for reason in one["reasons"]})
    yield "system", *counts, *(f"stopped_{reason}" for reason in reasons)
    for name, one in zip(board.names, board.data["facts"], strict=True):
        whys = (one["reasons"].get(reason, 0) for reason in reasons)
        yield name, *(one[count] for count in counts), *whys


SHEETS: Mapping[str, Callable[[Board], Iterator[Row]]] = {
    "pairs": pairs,
    "profiles": profiles,
    "ablation": ablation,
    "dialogues": dialogues,
}


def csv_lines(board: Board, table: str) -> Iterator[str]:
    """Yield a table; each line says under which choices it was made, and whether by a script."""
    axes = "; ".join(f"{name}={value}" for name, value in board.options.params.items())
    end: Row = ("choices", "note")
    for row in SHEETS[table](board):
        yield shown_sheet.as_csv([[_cell(cell) for cell in (*row, *end)]])
        end = (axes, banner.of_run(board.reading.run))


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return sheets.neutral(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value
