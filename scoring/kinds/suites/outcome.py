"""What a suite's run came to: gates, every metric by system, and one of them from bar to bar and turn to turn."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Final
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.people import permissions
from scoring.engine.kinds import Action
from scoring.engine.models import Run
from scoring.figures import operations as figures
from scoring.figures.models import Figure
from scoring.kinds.suites import labels, parts
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.pictures import PICTURES, DrawnSeries, Of, why_of
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.queries import Frame
from scoring.outcomes import values
from scoring.outcomes.kinds import OutcomeChoice, OutcomeKind, systems
from scoring.outcomes.values import (
    Cell,
    Column,
    Contender,
    Data,
    Estimate,
    Grid,
    OutcomeDifference,
    OutcomeDrawing,
    OutcomeWords,
    Ranking,
    RunOutcome,
    Table,
    Words,
)
from scoring.shown.sheet import NothingDrawn

#: Runs that are offered as a baseline.
MOST_RUNS: Final = 100
PERCENTILES: Final = (5, 25, 50, 75, 95, 98)
METRIC: Final = Column("metric", gettext_lazy("Metric"))
LEVEL: Final = Column("level", gettext_lazy("Of each"))
SYSTEM: Final = Column("system", gettext_lazy("System"))
CHOSEN: Final = OutcomeChoice(
    "metric", gettext_lazy("Metric"), {}, "Which one is told of in detail, by key."
)
BASELINE: Final = OutcomeChoice(
    "baseline", gettext_lazy("Compare with"), {}, "Another finished run of a suite, by number."
)


def _in_order(run: Run) -> list[labels.LabelledValue]:
    """Return the values of metrics as they stand in the suite."""
    frame = Frame(run)
    place = {rater: frame.suite.entries.index(one) for rater, one in frame.entries.items()}

    def order(one: labels.LabelledValue) -> tuple[int, str, Level]:
        return place[one.series.rater], one.series.name, one.series.level

    return sorted(labels.choices(run), key=order)


def baselines(run: Run) -> "QuerySet[Run]":
    """Return the finished runs of suites that the run can be compared with, newest first."""
    rows = Run.objects.filter(project=run.project_id, kind=Run.Kind.SUITE, state=Run.State.DONE)
    return rows.exclude(pk=run.pk).order_by("-number")


class SuiteOutcome(OutcomeKind):
    name = "suite"
    of = Run.Kind.SUITE
    title = gettext_lazy("Suite results")
    summary = "Return what a run of a suite found: its gates, every metric by system, and one of them in detail."
    documented = (CHOSEN, BASELINE)
    empty = labels.EMPTY
    asks_again = True
    figure = "suite"
    computed_by = "scoring.kinds.suites.figure.of_figure"

    @cached_property
    def choices(self) -> Sequence[OutcomeChoice]:
        named = {one.key: one.name for one in _in_order(self.run)}
        asked = self.query.get(BASELINE.name, "")
        runs = {str(one.number): f"{one.number} · {one.name}" for one in self._runs(asked)}
        first = replace(CHOSEN, values=named or {"": "–"})
        return (first, replace(BASELINE, values={"": gettext_lazy("nothing"), **runs}))

    def _runs(self, asked: str) -> Iterator[Run]:
        """Yield the runs to compare with; an old one that is asked for is among them."""
        known = baselines(self.run)
        yield from known[:MOST_RUNS]
        if asked.isascii() and asked.isdigit() and len(asked) < 10:
            yield from known.filter(number=int(asked))

    @property
    def about(self) -> Words:
        return gettext_lazy("Parts without a value are left out. A number opens its parts.")

    @property
    def actions(self) -> Sequence[Action]:
        slug, number, suite = self.run.project.slug, self.run.number, self.run.config.get("suite")
        may = self.reading.scope.may(permissions.CURATORS)
        made = [Action(gettext_lazy("Against labels"), reverse("run_labels", args=[slug, number]))]
        if suite:
            there = f"{reverse('suite', args=[slug, suite])}?version={self.run.config['version']}"
            made.insert(0, Action(gettext_lazy("The suite"), there))
        if may and suite and self.run.config.get("only"):
            there = f"{reverse('suite_build', args=[slug])}?suite={suite}"
            made.append(Action(gettext_lazy("Change the suite"), there))
        if may:
            there = reverse("run_publish", args=[slug, number])
            made.append(Action(gettext_lazy("Publish for rating"), there))
        return made

    @property
    def files(self) -> Sequence[tuple[Words, str, str]]:
        at = [self.run.project.slug, self.run.number]
        every = gettext_lazy("Every value")
        return [
            (every, "CSV", reverse("run_suite_values_csv", args=at)),
            (every, "JSONL", reverse("run_suite_jsonl", args=at)),
            (
                gettext_lazy("Conversations and values"),
                "SQLite",
                reverse("run_suite_sqlite", args=at),
            ),
        ]

    def wanted(self, now: datetime) -> Mapping[str, Figure]:
        number = self.chosen[BASELINE.name]
        found = figures.of_run(
            name=self.figure,
            run=self.run,
            params={BASELINE.name: int(number)} if number else {},
            now=now,
            version=suite_frame.version(self.run),
        )
        return {self.figure: found}

    def outcome(self, data: Mapping[str, Data]) -> RunOutcome | None:
        found = data[self.figure]
        every = [DrawnSeries(one, self.run) for one in found["series"]]
        if not every:
            return None
        of = _systems(self, every)
        shown = next((one for one in every if one.key == self.chosen[CHOSEN.name]), every[0])
        said, is_warning = _verdict(found)
        return RunOutcome(
            ranking=None if shown.is_names else _ranking(shown, of),
            differences=_differences(shown, of),
            pictures=list(_pictures(shown, of)),
            tables=[*_gates(found), *_tables(self, found, every, of), *_detail(shown, of)],
            said=said,
            is_warning=is_warning,
            hints=list(_hints(self.run, found)),
            method=_("95 %% intervals: resampled conversations, seed %(seed)d.")
            % {"seed": self.run.seed},
        )


def _systems(kind: OutcomeKind, every: Sequence[DrawnSeries]) -> Of:
    """Return the releases that took part; of one system each has a colour of its own."""
    keys = sorted({each["release"] for one in every for each in one.data["releases"]})
    found: dict[int, Contender] = {}
    taken: set[int | None] = set()
    for key, system in zip(keys, systems(kind.reading, keys), strict=True):
        colour = system.colour or 0
        while colour in taken:
            colour += 1
        taken.add(colour)
        found[key] = replace(system, colour=colour)
    return found


def _verdict(found: Data) -> tuple[str, bool]:
    """Return what became of the gates and which judgments are missing, and whether that is a reason to look."""
    gates, lost = found["gates"], found["lost"]
    failed = [one for one in gates if not one["passed"]]
    said = []
    if failed:
        names = ", ".join(f"{one['gate']} ({one['release']})" for one in failed[:3])
        of = {"failed": len(failed), "n": len(gates), "names": names}
        said.append(_("Gates not kept, %(failed)d of %(n)d: %(names)s.") % of)
    elif gates:
        n = len(gates)
        said.append(ngettext("The gate is kept.", "All %(n)d gates are kept.", n) % {"n": n})
    if lost["n"]:
        missing = ngettext(
            "%(n)d of %(of)d steps unfinished: its judgments are missing.",
            "%(n)d of %(of)d steps unfinished: their judgments are missing.",
            lost["n"],
        )
        said.append(missing % {"n": lost["n"], "of": lost["of"]})
    if lost["n"] and lost["reason"]:
        most = {"n": lost["n_reason"], "reason": lost["reason"]}
        said.append(_("Mostly (%(n)d ×): %(reason)s") % most)
    return " ".join(said), bool(failed or lost["n"])


def _less(found: Data) -> Estimate:
    return Estimate(
        found["value"], found["low"], found["high"], found["n"], why=why_of(found["reason"])
    )


def _ranking(one: DrawnSeries, of: Of) -> Ranking:
    return Ranking(
        title=one.title,
        unit=gettext_lazy("Mean, 95 % intervals"),
        rows=[(of[each["release"]], one.mean(each)) for each in one.data["releases"]],
        bounds=None,
        digits=3,
        is_better=False,  # of a count or a length nobody knows
    )


def _differences(one: DrawnSeries, of: Of) -> values.DifferencesTable | None:
    if one.is_names or not one.data["pairs"]:
        return None
    pairs = [
        OutcomeDifference(of[pair["left"]], of[pair["right"]], _less(pair["less"]))
        for pair in one.data["pairs"]
    ]
    about = gettext_lazy("Common conversations only.")
    return values.differences(pairs, about=about, digits=3, folded=False)


def _pictures(one: DrawnSeries, of: Of) -> Iterator[OutcomeDrawing]:
    for name, (title, draw) in PICTURES.items():
        with suppress(NothingDrawn):
            yield OutcomeDrawing(name, f"{one.title}: {title}", draw(one, of))


def _gates(found: Data) -> list[Table]:
    kept, not_kept = _("kept"), _("not kept")
    table = Table(
        name="gates",
        title=gettext_lazy("Gates"),
        columns=[
            Column("gate", gettext_lazy("Gate")),
            SYSTEM,
            Column("value", gettext_lazy("Value"), 3),
            Column("passed", gettext_lazy("Outcome")),
            Column("said", gettext_lazy("Why")),
        ],
        rows=[
            (
                one["gate"],
                one["release"],
                one["value"],
                OutcomeWords(kept if one["passed"] else not_kept, value=bool(one["passed"])),
                one["said"],
            )
            for one in found["gates"]
        ],
    )
    return [table] if found["gates"] else []


def _tables(
    kind: OutcomeKind, found: Data, every: Sequence[DrawnSeries], of: Of
) -> Iterator[Table]:
    """Yield what there is of all metrics."""
    if kind.run.config.get("only"):
        yield from _tried(kind.run)
    yield Grid(
        name="metrics",
        title=gettext_lazy("All metrics"),
        columns=[METRIC, LEVEL],
        rows=[(*_named(kind, one), *one.cells(of, one.means())) for one in every],
        systems=list(of.values()),
        digits=3,
    )
    if found["baseline"] is not None:
        yield from _baseline(kind, found["baseline"], every, of)
    measured = [one for one in every if not one.is_names]
    if measured:
        yield _distributions(measured, of)
    yield from _pairs(measured, of)
    yield _counts(found)


def _named(kind: OutcomeKind, one: DrawnSeries) -> tuple[OutcomeWords, str]:
    query = {**kind.chosen, CHOSEN.name: one.key}
    there = f"?{urlencode({name: value for name, value in query.items() if value})}"
    judged = f" ({_('judged')})" if one.is_judged else ""
    metric = one.data["metric"]
    return OutcomeWords(f"{metric[:80]}{judged}", there, metric), one.data["level"]


def _baseline(
    kind: OutcomeKind, number: int, every: Sequence[DrawnSeries], of: Of
) -> Iterator[Table]:
    compared = [one for one in every if one.data["before"]]
    if compared:
        yield Grid(
            name="baseline",
            title=_("Less run %(n)d") % {"n": number},
            about=gettext_lazy("Common conversations only."),
            columns=[METRIC, LEVEL],
            rows=[
                (
                    *_named(kind, one),
                    *one.cells(
                        of, {each["release"]: _less(each["less"]) for each in one.data["before"]}
                    ),
                )
                for one in compared
            ],
            systems=list(of.values()),
            digits=3,
        )


def _distributions(every: Sequence[DrawnSeries], of: Of) -> Table:
    """Return the spread of every metric and release, with what has no value."""
    heads = {"minimum": gettext_lazy("Least"), "maximum": gettext_lazy("Most")}

    def row(one: DrawnSeries, each: Data) -> Sequence[Cell]:
        found = each["distribution"] or {}
        without = each["n_without"]
        there = one.url(release=each["release"], only=parts.WITHOUT) if without else ""
        return (
            one.data["metric"],
            one.data["level"],
            of[each["release"]],
            found.get("n", 0),
            found.get("sd"),
            found.get("minimum"),
            *(found["percentiles"] if found else [None] * len(PERCENTILES)),
            found.get("maximum"),
            OutcomeWords(str(without), there, without),
            "; ".join(f"{told['reason']} × {told['n']}" for told in each["reasons"][:2]),
        )

    return Table(
        name="distributions",
        title=gettext_lazy("Spread of every metric"),
        folded=True,
        columns=[
            METRIC,
            LEVEL,
            SYSTEM,
            Column("n", gettext_lazy("Parts")),
            Column("sd", gettext_lazy("SD"), 3),
            Column("minimum", heads["minimum"], 2),
            *(Column(f"p{n}", _("%(n)d %%") % {"n": n}, 2) for n in PERCENTILES),
            Column("maximum", heads["maximum"], 2),
            Column("without_value", gettext_lazy("Without a value")),
            Column("reasons", gettext_lazy("Why")),
        ],
        rows=[row(one, each) for one in every for each in one.data["releases"]],
    )


def _pairs(every: Sequence[DrawnSeries], of: Of) -> Iterator[Table]:
    rows = [
        (
            one.data["metric"],
            one.data["level"],
            of[pair["left"]],
            of[pair["right"]],
            _less(pair["less"]),
        )
        for one in every
        for pair in one.data["pairs"]
    ]
    if rows:
        yield Table(
            name="pairs",
            title=gettext_lazy("Every metric in pairs"),
            folded=True,
            columns=[
                METRIC,
                LEVEL,
                Column("left", gettext_lazy("System")),
                Column("right", gettext_lazy("minus")),
                Column("difference", gettext_lazy("Difference"), 3, ("low", "high", "n", "reason")),
            ],
            rows=rows,
        )


def _counts(found: Data) -> Table:
    counts = {
        "conversations": (gettext_lazy("Conversations"), found["n_conversations"]),
        "completed": (gettext_lazy("Completed by a system"), found["completed"]["n"]),
        "ended_at_a_tool": (gettext_lazy("Ended at a tool"), found["completed"]["n_ended"]),
        "steps": (gettext_lazy("Steps"), found["lost"]["of"]),
        "steps_lost": (gettext_lazy("Unfinished steps"), found["lost"]["n"]),
    }
    return Table(
        name="counts",
        title=gettext_lazy("Conversations and steps"),
        folded=True,
        columns=[Column("what", gettext_lazy("What")), Column("n", "n")],
        rows=[(OutcomeWords(str(words), value=key), n) for key, (words, n) in counts.items()],
    )


def _detail(one: DrawnSeries, of: Of) -> Iterator[Table]:
    """Yield what there is of the metric that is shown: its bars, roles and turns."""
    own = list(of.values())
    if one.data["bars"]:
        yield Grid(
            name="bars",
            title=f"{one.title}: {_('shares of its values')}",
            about=gettext_lazy("In percent of parts."),
            columns=[Column("of", _("Choice") if one.has_choices else _("Value"))],
            rows=[(name, *one.shares(of, at)) for at, name in enumerate(one.bar_names)],
            systems=own,
            parts=("n",),
        )
    if one.is_names:
        return
    groups = (("roles", "role", gettext_lazy("Role")), ("turns", "turn", gettext_lazy("Turn")))
    for name, key, head in groups:
        if found := one.groups(name, key):
            title = _("by role") if name == "roles" else _("by turn number")
            yield Grid(
                name=name,
                title=f"{one.title}: {title}",
                columns=[Column("of", head)],
                rows=[
                    (group if name == "roles" else group + 1, *one.cells(of, by))
                    for group, by in found.items()
                ],
                systems=own,
                digits=3,
                parts=("low", "high", "n"),
            )


def _tried(run: Run) -> Iterator[Table]:
    """Yield what judges said of each part, of a run over so few that all can be read."""
    rows = [
        (
            OutcomeWords(part.words[:300], _turn_of(run, part), part.words),
            part.role,
            metric,
            part.judgment.label or part.judgment.reason,
            part.judgment.value,
            part.judgment.text[:600],
        )
        for metric, part in parts.said_by_judges(run)
    ]
    if rows:
        yield Table(
            name="tried",
            title=gettext_lazy("Tried turns"),
            columns=[
                Column("part", gettext_lazy("Part")),
                Column("role", gettext_lazy("Role")),
                Column("rubric", gettext_lazy("Rubric")),
                Column("choice", gettext_lazy("Choice")),
                Column("value", gettext_lazy("Value"), 3),
                Column("reasons", gettext_lazy("Reasons")),
            ],
            rows=rows,
        )


def _turn_of(run: Run, part: parts.FiguredPart) -> str:
    if part.conversation is None:
        return ""
    there = reverse("conversation", args=[run.project.slug, part.conversation.pk])
    turn = "" if part.turn is None else f"#turn-{part.turn}"
    return f"{there}?run={run.number}{turn}"


def _hints(run: Run, found: Data) -> Iterator[Words]:
    completed, n_left_out = found["completed"], found["n_left_out"]
    if n_left_out:
        yield _("%(n)d rarer values: in the files.") % {"n": n_left_out}
    if completed["n"]:
        yield _("Recorded turns do not count.")
    if completed["n_ended"]:
        yield ngettext(
            "%(n)d conversation ended at a tool without a recorded result.",
            "%(n)d conversations ended at tools without a recorded result.",
            completed["n_ended"],
        ) % {"n": completed["n_ended"]}
    if names := _silent(run, found):
        told = _("No values: %(names)s.")
        yield told % {"names": ", ".join(names)}


def _silent(run: Run, found: Data) -> list[str]:
    """Return the metrics of a finished run that measured nothing anywhere, with their levels.

    They have no line of their own: a count of tokens, say, where no message came with its tokens.
    """
    if run.state != Run.State.DONE or found["n_left_out"]:
        return []
    heard = {(one["rater"], one["level"]) for one in found["series"]}
    return [
        f"{one.key} ({one.level.value})"
        for rater, one in Frame(run).entries.items()
        if (rater, one.level.value) not in heard
    ]


OUTCOMES = (SuiteOutcome, labels.LabelsOutcome)
