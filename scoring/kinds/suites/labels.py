"""Labels that people gave parts of conversations, beside what a suite's run said of the same parts.

* A suite's results as drawings: how values lie system by system, and how they go from turn to turn.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from django.utils.translation import gettext as _

from scoring.charts import bars
from scoring.charts import lines as course
from scoring.charts.bars import Panel, Words
from scoring.charts.lines import Course, Point
from scoring.charts.svg import Drawing
from scoring.engine.models import Run
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.protocol import conversations as talks
from scoring.kinds.suites.queries import Frame, Series
from scoring.kinds.suites.results import Series as SuitePicturesSeries
from scoring.shown.sheet import NothingToDraw
from scoring.shown.wording import WHY

FIGURE: Final = "suite_labels"
#: So many conversations are looked at for the names of labels.
LOOKED_AT: Final = 200
LONGEST: Final = 60
#: What other tools keep beside every message, and nobody means by a label.
NEVER: Final = frozenset(
    {
        "id", "name", "tool_call_id", "timestamp", "created_at", "model", "model_name", "llm", "type",
        "langgraph_type", "latency", "latency_s", "seconds", "finish_reason", "reference", "error",
        "prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "language", "lang",
        "reasoning", "images",
    }
)  # fmt: skip
#: More different values than this are texts or numbers, and no classes.
MOST_CLASSES: Final = 12
#: So many names that are no labels are told, with the reason.
MOST_TOLD: Final = 12


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of a metric that may be held against labels; `key` stands in the address."""

    key: str
    series: Series
    name: str


def choices(run: Run) -> list[Choice]:
    """Return the values of metrics in a run, those that give labels of their own first."""
    frame = Frame(run)
    rows = suite_frame.judgments_of(run).filter(value__isnull=False).order_by()
    found = rows.values_list("rater", "criterion__name", "target_level").distinct()
    labelled = set(
        rows.exclude(label="").values_list("rater", "criterion__name", "target_level").distinct()
    )
    made = []
    for rater, name, target in found:
        if rater not in frame.entries:
            continue
        series = Series(rater, name, suite_frame.LEVELS[target])
        key = f"{rater}:{target}:{name}"
        shown = f"{frame.named(series)} ({series.level})"
        made.append(((rater, name, target) not in labelled, shown, Choice(key, series, shown)))
    return [one for _rest, _shown, one in sorted(made, key=lambda each: each[:2])]


@dataclass(frozen=True, slots=True)
class Label:
    """A name under which parts carry something short: its values, frequent ones first, and how many parts.

    `why` says why it is no label of people; nothing where it can be one.
    """

    name: str
    values: tuple[tuple[str, int], ...]
    n: int
    n_values: int
    why: str = ""

    @property
    def shown(self) -> str:
        """Return the name with its values: "label (on task, off task)"."""
        said = ", ".join(value for value, _n in self.values[:3])
        return f"{self.name} ({said}{', …' if self.n_values > 3 else ''})"


def labels(run: Run) -> list[Label]:
    """Return what messages and conversations carry that is short, those that can be labels first.

    A label of people takes few values, and each more than now and then: a number, a time or a key of
    its own for every part is none.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    rows = suite_frame.conversations_of(run).select_related("response").defer("text")
    for row in islice(rows, LOOKED_AT):
        one = suite_frame.read(row)
        for details in (one.details, *(message.details for message in one.messages)):
            for name in details:
                if name not in NEVER and (said := label_of(details, name)):
                    found[name][said] += 1
    made = [_label(name, values) for name, values in found.items()]
    return sorted(made, key=lambda one: (bool(one.why), -one.n, one.name))


def _label(name: str, values: Counter[str]) -> Label:
    n, n_values = values.total(), len(values)
    why = ""
    if n_values == 1:
        why = _("it always says “%(value)s”") % {"value": next(iter(values))}
    elif n_values > MOST_CLASSES:
        why = _("%(n)d different values are no classes") % {"n": n_values}
    elif n_values > n / 2 and n > 2:
        why = _("nearly every part says something else")
    return Label(name, tuple(values.most_common(MOST_CLASSES)), n, n_values, why)


def label_of(details: Mapping[str, Any], name: str) -> str:
    """Return a label as it is compared: without case and room around; nothing if there is none."""
    value = details.get(name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{value:g}"
    if not isinstance(value, str) or len(value) > LONGEST:
        return ""
    return value.strip().casefold()


def of_part(part: talks.Part, whole: talks.Conversation, name: str) -> str:
    """Return the label people gave a part: a turn has that of its first message with one."""
    if isinstance(part, talks.Conversation):
        return label_of(part.details, name)
    if isinstance(part, talks.ToolCall):
        return label_of(whole.messages[part.message].details, name)
    messages = (part,) if isinstance(part, talks.Message) else part.messages
    return next((said for one in messages if (said := label_of(one.details, name))), "")


def said_by(label: str, value: float | None) -> str:
    """Return what a machine said of a part, as it is compared; nothing if it gave no value."""
    if value is None:
        return ""
    return label.strip().casefold() if label else f"{value:g}"


@dataclass(frozen=True)
class Board:
    """The figure in words."""

    data: Mapping[str, Any]

    @property
    def overall(self) -> list[tuple[str, Mapping[str, Any], float | None]]:
        """Return name and figure of what speaks of all classes, with what the constant reaches."""
        return [
            (_("Accuracy"), self.worded("accuracy"), self.data["constant_accuracy"]),
            (_("Macro F1"), self.worded("macro_f1"), self.data["constant_macro_f1"]),
            (_("Cohen’s κ"), self.worded("kappa"), 0.0 if self.data["n"] else None),
        ]

    def worded(self, name: str) -> Mapping[str, Any]:
        return _worded(self.data[name])

    @property
    def classes(self) -> list[Mapping[str, Any]]:
        return [
            {**one, **{name: _worded(one[name]) for name in ("precision", "recall", "f1")}}
            for one in self.data["classes"]
        ]

    @property
    def table(self) -> list[tuple[str, list[int]]]:
        labels = [one["label"] for one in self.data["classes"]]
        return list(zip(labels, self.data["table"], strict=True))


def _worded(rate: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**rate, "why": WHY.get(rate["reason"] or "", "")}


BARS: Final = "bars"
TURNS: Final = "turns"
MOST_TURNS: Final = 40


def distribution(one: SuitePicturesSeries, narrow: bool) -> Drawing:
    """Draw the shares of a metric's choices or values, a panel for each release."""
    panels = [
        Panel(
            each["name"],
            each["mark"],
            each["counts"],
            [one.bar_url(at, each["release"]) for at in range(len(each["counts"]))],
        )
        for each in one.releases
        if sum(each["counts"])
    ]
    if not panels:
        raise NothingToDraw
    label = _("%(metric)s of each %(level)s: how the values lie")
    said = {"metric": one.data["metric"], "level": one.data["level"]}
    words = Words(label % said, _("Share of a system’s parts (%)"), one.bar_names)
    if one.has_choices:
        return bars.choices(panels, one.bar_names, words, narrow=narrow)
    return bars.ranges(panels, _edges(one), words, narrow=narrow)


def turns(one: SuitePicturesSeries, narrow: bool) -> Drawing:
    """Draw the mean by turn number, a line for each release."""
    courses = []
    for each in one.releases:
        points = [
            Point(int(group.of), group.mean, group.low, group.high)
            for group in one.turns
            if group.release == each["release"]
        ]
        if points:
            courses.append(Course(each["name"], each["mark"], points))
    if len({group.of for group in one.turns}) < 2:
        raise NothingToDraw
    label = _("%(metric)s by turn number") % {"metric": one.data["metric"]}
    axis = _("Number of the turn; means with 95 % intervals")
    return course.course(courses, label=label, axis=axis, most=MOST_TURNS, narrow=narrow)


PICTURES: Final = {BARS: distribution, TURNS: turns}


def _edges(one: SuitePicturesSeries) -> list[str]:
    found = one.data["bars"]
    if found[0]["low"] == found[0]["high"]:
        return [f"{bar['low']:.6g}" for bar in found]
    last = found[-1]["high"]
    return [f"{bar['low']:.6g}" for bar in found] + ["" if last is None else f"{last:.6g}"]
