"""Interview scores against accuracy: who lies below the line of the others, and what other benchmarks say."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.people import permissions
from scoring.charts import chart
from scoring.charts.chart import Chart
from scoring.charts.plot import Axis, Dot, Segment
from scoring.engine.kinds import Action
from scoring.engine.models import Run
from scoring.kinds.contamination import queries as contamination
from scoring.kinds.interviews import results
from scoring.kinds.interviews.outcome import links
from scoring.outcomes.kinds import OutcomeChoice, OutcomeKind, systems
from scoring.outcomes.values import (
    Cell,
    Column,
    Contender,
    Data,
    Estimate,
    OutcomeDrawing,
    RunOutcome,
    Table,
    Words,
)
from scoring.shown.wording import why, why_of_two

SYSTEM: Final = Column("system", gettext_lazy("System"))
DATASET: Final = Column("dataset", gettext_lazy("Data set"))
COEFFICIENTS: Final = {
    "pearson": gettext_lazy("Pearson r"),
    "spearman": gettext_lazy("Spearman ρ"),
    "kendall_b": gettext_lazy("Kendall τ-b"),
}
AXIS: Final = OutcomeChoice(
    "axis",
    gettext_lazy("Set against"),
    {},
    "What scores are set against; `offered` has what there is.",
)
Known = Mapping[int, Contender]


class ContaminationOutcome(OutcomeKind):
    name = "contamination"
    of = Run.Kind.KIEVAL
    title = gettext_lazy("Interviews against accuracy")
    summary = "Return distances from the line, correlations and losses; `offered` says what can be chosen."
    documented = (AXIS, *results.PROFILE)
    empty = (
        gettext_lazy("Nothing to set the interviews against"),
        gettext_lazy(
            "Interview about multiple-choice questions, measure accuracy on the same data "
            "sets, or import benchmark figures."
        ),
    )
    figure = "contamination"
    computed_by = "scoring.kinds.contamination.figure.compute"

    @cached_property
    def axes(self) -> Mapping[str, str]:
        return dict(contamination.axes(self.run.project))

    @cached_property
    def choices(self) -> Sequence[OutcomeChoice]:
        usual = contamination.usual_axis(self.run)
        return (replace(AXIS, values=self.axes, usual=usual), *results.PROFILE)

    @property
    def about(self) -> Words:
        return gettext_lazy(
            "Far below the line of the others: right answers, weak interviews. A reason to "
            "look, never a proof."
        )

    @property
    def actions(self) -> Sequence[Action]:
        made = [links(self.run)["run_interviews"]]
        if self.reading.scope.may(permissions.CURATORS):
            over = self.run.config.get("over")
            quiz = reverse("quiz_new", args=[self.run.project.slug])
            quiz += f"?{urlencode({'over': over})}" if over else ""
            brought = f"{reverse('import_new', args=[self.run.project.slug])}?kind=FIGURES"
            made.append(Action(gettext_lazy("Measure accuracy"), quiz))
            made.append(Action(gettext_lazy("Import figures"), brought))
        return made

    @property
    def version(self) -> str:
        return contamination.version(self.run, self.chosen["axis"])

    def outcome(self, data: Mapping[str, Data]) -> RunOutcome | None:
        found = data[self.figure]
        parts = [part for part in found["parts"] if part["n"]]
        if not parts and not found["figures"]:
            return None
        keys = found["candidates"]
        of = dict(zip(keys, systems(self.reading, keys), strict=True))
        axis = self.chosen["axis"]
        named = self.axes[axis]
        below = [
            f"{of[part['releases'][place]].name} ({_set(part['dataset'])})"
            for part in parts
            for place in part["flagged"]
        ]
        told = [_distances(parts, of, named), _coefficients(parts)] if parts else []
        return RunOutcome(
            pictures=list(_pictures(parts, of, axis, named)),
            tables=[*told, *_brought(found, of)],
            said=_("Possible contamination: %(names)s.") % {"names": ", ".join(below)}
            if below
            else "",
            is_warning=bool(below),
            hints=[] if parts else [": ".join(map(str, self.empty))],
            method=gettext_lazy(
                "Line: all systems; dashed: without the lowest. Distances: from the others’ "
                "line, in standard errors; p for one so low, corrected (Holm). Correlations: 95 "
                "%, Fisher."
            ),
        )


def _set(name: str) -> str:
    return name or _("all data sets")


def _distances(parts: Sequence[Data], of: Known, axis: str) -> Table:
    return Table(
        name="systems",
        title=gettext_lazy("Distance from the line of the others"),
        columns=[
            SYSTEM,
            DATASET,
            Column("x", axis.capitalize(), 2),
            Column("interview_score", gettext_lazy("Interview score")),
            Column("residual", gettext_lazy("Distance"), 1, ("reason",)),
            Column("studentised", gettext_lazy("In standard errors"), 2),
            Column("p_holm", gettext_lazy("p, Holm"), is_p=True),
            Column("r_without", gettext_lazy("r without it"), 3),
            Column("flagged", gettext_lazy("Possible contamination")),
            Column("n", "n"),
        ],
        rows=[row for part in parts for row in _of_part(part, of)],
    )


def _of_part(part: Data, of: Known) -> Iterator[Sequence[Cell]]:
    rows = zip(part["releases"], part["x"], part["y"], part["distances"], strict=True)
    for place, (release, x, y, one) in enumerate(rows):
        yield (
            of[release],
            _set(part["dataset"]),
            x,
            y,
            Estimate(one["residual"], why=why(one["reason"])),
            one["studentised"],
            one["p_holm"],
            (one["without"] or {}).get("r"),
            place in part["flagged"],
            part["n"],
        )


def _correlated(rows: Sequence[Data]) -> list[Cell]:
    return [
        Estimate(one["value"], one["low"], one["high"], one["n"], why=_why_not(one)) for one in rows
    ]


def _why_not(one: Data) -> str:
    """Return why there is no coefficient, or only no interval of it."""
    said = why_of_two(one["reason"])
    return said if one["value"] is None or not said else _("No interval. %(why)s") % {"why": said}


def _columns() -> list[Column]:
    parts = ("low", "high", "n", "reason")
    return [Column(key, title, 3, parts) for key, title in COEFFICIENTS.items()]


def _coefficients(parts: Sequence[Data]) -> Table:
    return Table(
        name="coefficients",
        title=gettext_lazy("How far the two go together"),
        columns=[DATASET, *_columns()],
        rows=[(_set(part["dataset"]), *_correlated(part["coefficients"])) for part in parts],
    )


def _brought(found: Data, of: Known) -> Iterator[Table]:
    """Yield what figures that were brought in say of the same systems."""
    if found["benchmarks"]:
        yield Table(
            name="benchmarks",
            title=gettext_lazy("Other benchmarks"),
            about=gettext_lazy("Interview scores against imported figures."),
            columns=[
                Column("figure", gettext_lazy("Figure")),
                Column("against", gettext_lazy("Interviews about")),
                *_columns(),
            ],
            rows=[
                (_head(one), _set(one["against"]), *_correlated(one["coefficients"]))
                for one in found["benchmarks"]
            ],
        )
    if found["figures"]:
        yield Table(
            name="figures",
            title=gettext_lazy("Figures that were brought in"),
            folded=True,
            columns=[
                SYSTEM,
                Column("figure", gettext_lazy("Figure")),
                Column("value", gettext_lazy("Value"), 2),
            ],
            rows=[(of[one["release"]], _head(one), one["value"]) for one in found["figures"]],
        )
    if found["losses"]:
        yield _losses(found["losses"], of)


def _losses(rows: Sequence[Data], of: Known) -> Table:
    return Table(
        name="losses",
        title=gettext_lazy("Loss on train and test texts"),
        about=gettext_lazy(
            "Nats a token, as imported. A learnt test has clearly less loss than train texts."
        ),
        columns=[
            SYSTEM,
            DATASET,
            Column("train", gettext_lazy("Train"), 3),
            Column("test", gettext_lazy("Test"), 3),
            Column("difference", gettext_lazy("Test minus train"), 3),
        ],
        rows=[
            (of[one["release"]], one["dataset"], one["train"], one["test"], one["difference"])
            for one in rows
        ],
    )


def _head(one: Data) -> str:
    return ", ".join(filter(None, (one["name"], one["dataset"])))


def _pictures(parts: Sequence[Data], of: Known, axis: str, named: str) -> Iterator[OutcomeDrawing]:
    for place, part in enumerate(parts):
        yield OutcomeDrawing(f"set{place + 1}", _set(part["dataset"]), _draw(part, of, axis, named))


def _draw(part: Data, of: Known, axis: str, named: str) -> Chart:
    is_percent = not axis.startswith(contamination.FIGURE)
    across = chart.scale(*((0, 100) if is_percent else _ends(part["x"])))
    up = chart.scale(0, 100)
    dots = [
        Dot(x, y, of[release].colour or 0)
        for release, x, y in zip(part["releases"], part["x"], part["y"], strict=True)
    ]
    said = {"axis": named, "set": _set(part["dataset"])}
    label = _("Interview scores against %(axis)s, %(set)s") % said
    titles = (_("Across: %(axis)s") % {"axis": named[:60]}, _("Upwards: interview score"))
    segments = list(_segments(part, across, up))
    return chart.cloud(dots, across, up, label=label, titles=titles, segments=segments)


def _ends(values: list[float]) -> tuple[float, float]:
    """Return the ends of an axis that holds some values with room around them."""
    low, high = min(values), max(values)
    room = 0.08 * (high - low) or abs(high) * 0.1 or 1.0
    return low - room, high + room


def _segments(part: Data, across: Axis, up: Axis) -> Iterator[Segment]:
    """Yield the line of all systems, and, dashed, that of the others without the lowest one."""
    if part["line"]:
        yield _segment(part["line"], across, up, is_dashed=False)
    known = [one for one in part["distances"] if one["studentised"] is not None]
    if known:
        lowest = min(known, key=lambda one: one["studentised"])
        yield _segment(lowest["without"], across, up, is_dashed=True)


def _segment(line: Data, across: Axis, up: Axis, *, is_dashed: bool) -> Segment:
    """Return the part of a line that lies within both axes."""
    (left, right), (low, high) = (across.start, across.end), (up.start, up.end)
    slope, start = line["slope"], line["intercept"]
    if slope:
        crossings = sorted(((low - start) / slope, (high - start) / slope))
        left, right = max(left, crossings[0]), min(right, crossings[1])
    right = max(left, right)

    def at(x: float) -> float:
        return float(min(max(start + slope * x, low), high))

    return Segment(left, at(left), right, at(right), is_dashed)


OUTCOMES = (ContaminationOutcome,)
