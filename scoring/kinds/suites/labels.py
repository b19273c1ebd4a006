"""Labels that people gave parts of conversations, beside what a suite's run said of the same parts."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.people import permissions
from scoring.engine.kinds import Action
from scoring.engine.models import Run
from scoring.figures.models import Figure
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.protocol import conversations as talks
from scoring.kinds.suites.queries import Frame, MetricSeries
from scoring.outcomes import kinds, values
from scoring.outcomes.values import (
    Column,
    Contender,
    Data,
    Estimate,
    Grid,
    OutcomeWords,
    RunOutcome,
    Table,
    Words,
)

EMPTY: Final = (
    gettext_lazy("Nothing found yet"),
    gettext_lazy("They come in while the run works."),
)
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
class LabelledValue:
    """A value of a metric that may be held against labels; `key` stands in the address."""

    key: str
    series: MetricSeries
    name: str


def choices(run: Run) -> list[LabelledValue]:
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
        series = MetricSeries(rater, name, suite_frame.LEVELS[target])
        key = f"{rater}:{target}:{name}"
        shown = f"{frame.named(series)} ({series.level})"
        made.append(
            ((rater, name, target) not in labelled, shown, LabelledValue(key, series, shown))
        )
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
        one = suite_frame.stored_conversation(row)
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
        why = _("%(n)d values: no classes") % {"n": n_values}
    elif n_values > n / 2 and n > 2:
        why = _("nearly all differ")
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


class LabelsOutcome(kinds.OutcomeKind):
    name = "labels"
    of = Run.Kind.SUITE
    title = gettext_lazy("Against people’s labels")
    summary = "Return how far a metric of a suite's run agrees with labels that people gave the same parts."
    documented = (
        kinds.OutcomeChoice("metric", gettext_lazy("Metric"), {}, "A value of a metric, by key."),
        kinds.OutcomeChoice(
            "label", gettext_lazy("Label"), {}, "A name under which parts carry labels."
        ),
    )
    figure = "suite_labels"
    computed_by = "scoring.kinds.suites.figure.labels_of_figure"

    @cached_property
    def metrics(self) -> Sequence[LabelledValue]:
        return choices(self.run)

    @cached_property
    def names(self) -> Sequence[Label]:
        return labels(self.run)

    @cached_property
    def choices(self) -> Sequence[kinds.OutcomeChoice]:
        metric, label = self.documented
        named = {one.name: one.shown for one in self.names if not one.why}
        if not self.metrics or not named:
            return ()
        return (
            replace(metric, values={one.key: one.name for one in self.metrics}),
            replace(label, values=named),
        )

    @property
    def about(self) -> Words:
        return gettext_lazy(
            "Agreement of a metric with people’s labels, and of their most frequent label alone."
        )

    @property
    def empty(self) -> tuple[Words, Words]:
        if not self.metrics:
            return EMPTY
        if self.choices:
            return gettext_lazy("No part has both"), gettext_lazy(
                "Choose another metric or label: these may be of different parts."
            )
        others = "; ".join(f"{one.name}: {one.why}" for one in self._others)
        text = _(
            "Import messages with a label beside role and content, such as “label”: “on task”."
        )
        no_labels = _("No labels: %(names)s.") % {"names": others} if others else ""
        return gettext_lazy("No labels by people yet"), f"{text} {no_labels}".strip()

    @property
    def _others(self) -> Sequence[Label]:
        return [one for one in self.names if one.why][:MOST_TOLD]

    @property
    def actions(self) -> Sequence[Action]:
        slug = self.run.project.slug
        made = [Action(gettext_lazy("Results"), reverse("run_suite", args=[slug, self.run.number]))]
        if self.reading.scope.may(permissions.CURATORS):
            there = reverse("conversations_new", args=[slug])
            made.append(Action(gettext_lazy("Import conversations"), there))
        return made

    @property
    def version(self) -> str:
        return suite_frame.version(self.run)

    def wanted(self, now: datetime) -> Mapping[str, Figure]:
        return super().wanted(now) if self.choices else {}

    def outcome(self, data: Mapping[str, Data]) -> RunOutcome | None:
        found = data.get(self.figure)
        if found is None or not found["n"]:
            return None
        accuracy, constant = found["accuracy"]["value"], found["constant_accuracy"]
        said = {
            "same": 100 * (accuracy or 0),
            "label": found["constant"],
            "constant": 100 * (constant or 0),
        }
        return RunOutcome(
            said=_(
                "The metric equals people’s label in %(same).1f %%; always “%(label)s”: "
                "%(constant).1f %%."
            )
            % said,
            tables=list(self._tables(found)),
            hints=list(_both(found)),
            method=gettext_lazy("95 % intervals: resampled conversations."),
        )

    def _tables(self, found: Data) -> Iterator[Table]:
        yield _overall(found)
        yield _classes(found)
        classes = [Contender(one["label"]) for one in found["classes"]]
        yield Grid(
            name="crossed",
            title=gettext_lazy("Confusion"),
            about=gettext_lazy("Down: people; across: metric."),
            columns=[Column("people", gettext_lazy("By people"))],
            rows=[
                (of.name, *(Estimate(n) for n in row))
                for of, row in zip(classes, found["table"], strict=True)
            ],
            systems=classes,
            digits=0,
            across="said",
            parts=(),
        )
        chosen = next(one for one in self.names if one.name == self.chosen["label"])
        yield Table(
            name="values",
            title=_("People’s labels “%(name)s”") % {"name": chosen.name},
            about=gettext_lazy("A turn takes its first message’s."),
            folded=True,
            columns=[
                Column("label", gettext_lazy("Label")),
                Column("n", gettext_lazy("Parts")),
            ],
            rows=chosen.values,
        )
        if self._others:
            yield Table(
                name="others",
                title=gettext_lazy("No labels"),
                about=gettext_lazy("A label has two to twelve values, each at least twice."),
                folded=True,
                columns=[
                    Column("name", gettext_lazy("Name")),
                    Column("reason", gettext_lazy("Why")),
                ],
                rows=[(one.name, one.why) for one in self._others],
            )


def _both(found: Data) -> Iterator[Words]:
    both = {"n": found["n"], "c": found["n_clusters"]}
    said = [_("Both: %(n)d parts, %(c)d conversations.") % both]
    if found["n_unlabelled"]:
        said.append(_("%(n)d without a label.") % {"n": found["n_unlabelled"]})
    if found["n_silent"]:
        said.append(_("%(n)d without the metric.") % {"n": found["n_silent"]})
    yield " ".join(said)


def _overall(found: Data) -> Table:
    """Return what speaks of all classes, with what the constant reaches."""
    constants: Mapping[str, tuple[Words, Any]] = {
        "accuracy": (gettext_lazy("Accuracy"), found["constant_accuracy"]),
        "macro_f1": (gettext_lazy("Macro F1"), found["constant_macro_f1"]),
        "kappa": (gettext_lazy("Cohen’s κ"), 0.0),
    }
    return Table(
        name="overall",
        title=gettext_lazy("Overall"),
        columns=[
            Column("figure", gettext_lazy("Figure")),
            Column("value", gettext_lazy("Metric"), 3, ("low", "high", "reason")),
            Column("constant", _("Always “%(label)s”") % {"label": found["constant"]}, 3),
        ],
        rows=[
            (
                OutcomeWords(str(words), value=key),
                values.estimate({**found[key], "n": None}),
                constant,
            )
            for key, (words, constant) in constants.items()
        ],
    )


def _classes(found: Data) -> Table:
    rates: Mapping[str, Words] = {
        "precision": gettext_lazy("Precision"),
        "recall": gettext_lazy("Recall"),
        "f1": "F1",
    }
    return Table(
        name="classes",
        title=gettext_lazy("By label"),
        columns=[
            Column("label", gettext_lazy("Label")),
            Column("n_true", gettext_lazy("By people")),
            Column("n_said", gettext_lazy("By the metric")),
            *(Column(key, words, 3, ("low", "high", "reason")) for key, words in rates.items()),
        ],
        rows=[
            (
                one["label"],
                one["n_true"],
                one["n_said"],
                *(values.estimate({**one[key], "n": None}) for key in rates),
            )
            for one in found["classes"]
        ],
    )
