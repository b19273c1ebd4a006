"""Which runs of suites may be read, and what they are compared with.

* The parts of conversations behind a figure of a suite's run.
* What a suite's run came to, as its page, its files and the API show it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import F, QuerySet
from django.http import Http404

from annotation.common import texts as sheets
from annotation.common.sentences import gettext as _
from annotation.people.permissions import Scope
from annotation.systems.models import SystemRelease
from evalsite.web import keyset
from scoring.engine import queries as run_reading
from scoring.engine.models import Judgment, Run, Step
from scoring.engine.queries import Reading
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.models import Conversation
from scoring.kinds.suites.protocol import catalogue
from scoring.kinds.suites.protocol import conversations as talks
from scoring.kinds.suites.protocol.definition import FUNCTION, RUBRIC
from scoring.kinds.suites.queries import LEVELS, Frame, Place
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet

FIGURE: Final = "suite"
#: Changes with what a figure holds, so that one that was computed before is not shown as a new one.
SHAPE: Final = 4


def allowed(scope: Scope, number: int) -> Reading:
    """Return the reading of a run of a suite.

    Raises:
        Http404: there is no such run, or it is of another kind.
        errors.Refusal: this person may not read it now.
    """
    found = run_reading.allowed(scope, number)
    if found.run.kind != Run.Kind.SUITE:
        raise Http404(_("This run evaluates no suite."))
    return found


def version(run: Run) -> str:
    """Return what changes whenever the figures of the run do."""
    n_undone = Step.objects.filter(run=run).exclude(state=Step.State.DONE).count()
    n = suite_frame.judgments_of(run).count()
    return f", {n} judgments, {n_undone} steps not done, shape {SHAPE}"


def baselines(run: Run) -> "QuerySet[Run]":
    """Return the finished runs of suites that the run can be compared with, newest first."""
    rows = Run.objects.filter(project=run.project_id, kind=Run.Kind.SUITE, state=Run.State.DONE)
    return rows.exclude(pk=run.pk).order_by("-number")


def baseline(run: Run, given: str) -> Run | None:
    """Return the run whose number was given, if the run can be compared with it."""
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        return None
    return baselines(run).filter(number=int(given)).first()


PART_SIZE: Final = 50
#: So many judgments are looked at for a page where the role or the turn decides: both stand in texts.
LOOKED_AT: Final = 2_000
WITHOUT: Final = "without"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which parts: of a value of a metric, narrowed by what stands behind a bar or a line.

    Bounds are low ≤ value < high; both the same is that value. `only` is "without" for the parts that
    have none.
    """

    rater: int
    name: str
    level: str = ""
    release: int | None = None
    only: str = ""
    label: str | None = None
    low: float | None = None
    high: float | None = None
    role: str = ""
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a conversation behind a figure."""

    judgment: Judgment
    conversation: Conversation | None
    release: str
    role: str
    turn: int | None

    @property
    def words(self) -> str:
        """Return what is said in the part itself."""
        if self.conversation is None:
            return ""
        level = suite_frame.LEVELS[self.judgment.target_level]
        parts = list(catalogue.parts(suite_frame.read(self.conversation), level))
        at = self.judgment.target_index or 0
        part = parts[at] if at < len(parts) else None
        return "" if part is None or isinstance(part, talks.ToolCall) else talks.text_of(part)

    @property
    def shown(self) -> str:
        if self.judgment.value is None:
            return self.judgment.reason
        return f"{self.judgment.value:.6g}"


@dataclass(frozen=True)
class Page:
    """A page of parts; `looked_at` says that not all there are were looked at for it."""

    rows: list[Part]
    after: str | None
    first: bool
    looked_at: int = 0


@dataclass
class _Reader:
    """Reads conversations for their parts, each once."""

    run: Run
    rows: dict[int, Conversation] = field(default_factory=dict)
    places: dict[int, Mapping[str, Sequence[Place]]] = field(default_factory=dict)

    def read(self, found: Sequence[Judgment]) -> None:
        new = {one.response_id for one in found} - self.places.keys()
        rows = suite_frame.conversations_of(self.run).filter(response__in=new)
        for row in rows.select_related("response__release__system").defer("text"):
            self.rows[row.response_id] = row
            self.places[row.response_id] = suite_frame.places_of(suite_frame.read(row))

    def place(self, one: Judgment) -> Place:
        at = one.target_index or 0
        return suite_frame.place_in(self.places, one.response_id, one.target_level, at)

    def part(self, one: Judgment) -> Part:
        row = self.rows.get(one.response_id)
        role, turn, _counts = self.place(one)
        return Part(one, row, str(row.response.release) if row is not None else "", role, turn)


def page(run: Run, wanted: Wanted, *, after: str, down: bool, most: int = LOOKED_AT) -> Page:
    """Return a page of parts by value; of those without one by their order.

    Where the role or the turn decides, the next `most` judgments are looked at for it.
    """
    rows = judgments(run, wanted)
    reader = _Reader(run)
    if not wanted.role and wanted.turn is None and not _has_starts(run):
        found = _keyed(rows, wanted, after=after, down=down, size=PART_SIZE)
        reader.read(found.rows)
        return Page([reader.part(one) for one in found.rows], found.after, found.first)
    return _looked_through(rows, wanted, reader, after, down=down, most=most)


def _has_starts(run: Run) -> bool:
    """Return whether an older run kept findings of what was recorded before systems completed it."""
    if run.config.get(suite_frame.SINCE_START):
        return False
    return bool(suite_frame.conversations_of(run).filter(n_before__gt=0).exists())


def judgments(run: Run, wanted: Wanted) -> "QuerySet[Judgment]":
    """Return the judgments that are wanted, whatever their role and turn."""
    rows = suite_frame.judgments_of(run).filter(rater=wanted.rater, criterion__name=wanted.name)
    target = {level.value: key for key, level in suite_frame.LEVELS.items()}.get(wanted.level)
    if target is not None:
        rows = rows.filter(target_level=target)
    if wanted.release is not None:
        rows = rows.filter(response__release=wanted.release)
    if wanted.only == WITHOUT:
        return rows.filter(value__isnull=True)
    if wanted.label is not None:
        rows = rows.filter(value__isnull=False, label=wanted.label)
    if wanted.low is not None and wanted.low == wanted.high:
        return rows.filter(value=wanted.low)
    if wanted.low is not None:
        rows = rows.filter(value__gte=wanted.low)
    return rows if wanted.high is None else rows.filter(value__lt=wanted.high)


def said_by_judges(run: Run) -> list[tuple[str, Part]]:
    """Return what judges said of each part, with the rubric: of a run so small that all can be read."""
    frame = Frame(run)
    judges = [rater for rater, entry in frame.entries.items() if entry.kind == RUBRIC]
    rows = (
        suite_frame.judgments_of(run)
        .filter(rater__in=judges)
        .exclude(outcome=Judgment.Outcome.SKIPPED)
    )
    found = list(
        rows.select_related("criterion").order_by("response", "target_index", "pk")[:PART_SIZE]
    )
    reader = _Reader(run)
    reader.read(found)
    return [(named(run, one.rater_id, frame), reader.part(one)) for one in found]


def named(run: Run, rater: int, frame: Frame | None = None) -> str:
    """Return what a rater of the run is called.

    Raises:
        Http404: it is none of the run's.
    """
    frame = frame or Frame(run)
    if rater not in frame.entries:
        raise Http404(_("This run has no such metric."))
    judge = frame.judges.get(rater, "")
    return f"{frame.entries[rater].key} · {judge}" if judge else frame.entries[rater].key


def words(wanted: Wanted) -> list[str]:
    """Return what narrows the parts, in words."""
    found = [wanted.level] if wanted.level else []
    if wanted.release is not None:
        row = SystemRelease.objects.filter(pk=wanted.release).select_related("system").first()
        found += [str(row)] if row is not None else []
    found += [_("chosen: %(label)s") % {"label": wanted.label}] if wanted.label is not None else []
    if wanted.low is not None and wanted.low == wanted.high:
        found.append(_("value %(value)s") % {"value": f"{wanted.low:.6g}"})
    elif wanted.low is not None and wanted.high is not None:
        ends = {"low": f"{wanted.low:.6g}", "high": f"{wanted.high:.6g}"}
        found.append(_("value from %(low)s to below %(high)s") % ends)
    elif wanted.low is not None:
        found.append(_("value from %(low)s") % {"low": f"{wanted.low:.6g}"})
    found += [_("role %(role)s") % {"role": wanted.role}] if wanted.role else []
    found += [_("turn %(n)d") % {"n": wanted.turn + 1}] if wanted.turn is not None else []
    return found


def _looked_through(
    rows: "QuerySet[Judgment]",
    wanted: Wanted,
    reader: _Reader,
    after: str,
    *,
    down: bool,
    most: int,
) -> Page:
    """Return those of the next judgments that have the role and the turn."""
    found = _keyed(rows, wanted, after=after, down=down, size=most)
    reader.read(found.rows)
    kept: list[Part] = []
    for at, one in enumerate(found.rows):
        role, turn, counts = reader.place(one)
        if not counts or wanted.role not in {"", role} or wanted.turn not in {None, turn}:
            continue
        kept.append(reader.part(one))
        if len(kept) == PART_SIZE and at + 1 < len(found.rows):
            return Page(kept, _key(one), found.first)
    return Page(kept, found.after, found.first, most if found.after else 0)


def _keyed(
    rows: "QuerySet[Judgment]", wanted: Wanted, *, after: str, down: bool, size: int
) -> "keyset.Page[Judgment]":
    rows = rows.select_related("criterion")
    if wanted.only == WITHOUT:
        return keyset.page(rows, by=["pk"], after=after, size=size)
    if (
        wanted.low is None
        and wanted.label is None
        and not rows.filter(value__isnull=False).exists()
    ):
        return keyset.page(rows, by=["pk"], after=after, size=size)
    return _by_value(rows.filter(value__isnull=False), after=after, down=down, size=size)


def _by_value(
    rows: "QuerySet[Judgment]", *, after: str, down: bool, size: int
) -> "keyset.Page[Judgment]":
    """Return a page by value and key: values are binary numbers, which a key writes as text."""
    last = keyset.read(after, 2)
    step = "lt" if down else "gt"
    if last is not None:
        try:
            value, key = float(last[0]), int(last[1])
        except ValueError:
            last = None
        else:
            beyond = rows.filter(**{f"value__{step}": value})
            rows = beyond | rows.filter(value=value, **{f"pk__{step}": key})
    order = (F("value").desc(), "-pk") if down else (F("value").asc(), "pk")
    found = list(rows.order_by(*order)[: size + 1])
    shown = found[:size]
    return keyset.Page(shown, _key(shown[-1]) if len(found) > size else None, last is None)


def _key(one: Judgment) -> Any:
    values = [one.pk] if one.value is None else [repr(one.value), one.pk]
    return keyset.write(values)


#: Metrics on a page with all their plots.
SIZE: Final = 6
PERCENTILES: Final = (5, 25, 50, 75, 95, 98)
COLUMNS: Final = (
    "metric", "name", "level", "system", "part", "of", "n", "without_value", "mean", "low", "high",
    "sd", "least", *(f"p{one}" for one in PERCENTILES), "most", "note",
)  # fmt: skip
_TARGETS: Final = {level.value: target for target, level in LEVELS.items()}


@dataclass(frozen=True, slots=True)
class Group:
    """The mean of a role, or of a turn number, of one release."""

    of: str
    release: int
    n: int
    mean: float
    low: float | None
    high: float | None
    url: str


@dataclass(frozen=True)
class BarLine:
    """A bar in words, and for each release: how many parts, which share of its own, and where they are."""

    name: str
    cells: Sequence[tuple[int, float, str]]


@dataclass(frozen=True)
class Series:
    """A value of a metric at a level: its figures with the names of releases in the place of keys."""

    data: Mapping[str, Any]
    names: Mapping[int, str]
    marks: Mapping[int, int]

    @property
    def key(self) -> str:
        return f"{self.data['rater']}:{_TARGETS[self.data['level']]}:{self.data['name']}"

    @property
    def anchor(self) -> str:
        return f"metric-{self.data['rater']}-{self.data['level']}"

    @property
    def query(self) -> str:
        return urlencode({"metric": self.key})

    @property
    def ends(self) -> tuple[float, float]:
        """Return the ends of an axis on which all intervals of the means lie."""
        found = [
            n
            for each in self.data["releases"]
            if (one := each["distribution"])
            for n in (one["mean"], one["low"], one["high"])
            if n is not None
        ]
        low, high = min(found, default=0.0), max(found, default=1.0)
        room = 0.1 * (high - low) or 0.5
        return low - room, high + room

    @cached_property
    def releases(self) -> list[dict[str, Any]]:
        return [
            {
                **each,
                **self._who(each["release"]),
                "url": self.url(release=each["release"]),
                "without_url": self.url(release=each["release"], only=WITHOUT),
            }
            for each in self.data["releases"]
        ]

    @property
    def bars(self) -> list[BarLine]:
        found = []
        for at, name in enumerate(self.bar_names):
            cells = [
                (
                    each["counts"][at],
                    100 * each["counts"][at] / max(sum(each["counts"]), 1),
                    self.bar_url(at, each["release"]) if each["counts"][at] else "",
                )
                for each in self.releases
            ]
            found.append(BarLine(name, cells))
        return found

    @property
    def bar_names(self) -> list[str]:
        return [_bar_name(one) for one in self.data["bars"]]

    @property
    def has_choices(self) -> bool:
        return bool(self.data["bars"]) and self.data["bars"][0]["low"] is None

    @property
    def is_names(self) -> bool:
        """Return whether the values only say which name a part has, each of them 1: their mean says nothing."""
        found = [each["distribution"] for each in self.data["releases"] if each["distribution"]]
        plain = all(one["minimum"] == one["maximum"] == 1 for one in found)
        return self.has_choices and self.data["kind"] == FUNCTION and plain

    def bar_url(self, at: int, release: int) -> str:
        """Return where the parts of a bar are listed; nowhere for labels that were put together."""
        bar = self.data["bars"][at]
        if bar["low"] is None:
            return self.url(release=release, label=bar["label"]) if bar["label"] else ""
        ends = {name: repr(bar[name]) for name in ("low", "high") if bar[name] is not None}
        return self.url(release=release, **ends)

    def url(self, **given: Any) -> str:
        """Return the address of parts, seen from the results."""
        query = {"name": self.data["name"], "level": self.data["level"], **given}
        return f"parts/{self.data['rater']}/?{urlencode(query)}"

    @property
    def roles(self) -> list[Group]:
        return [self._group(one, role=one["of"]) for one in self.data["roles"]]

    @property
    def roles_named(self) -> list[tuple[Group, Mapping[str, Any]]]:
        return [(one, self._who(one.release)) for one in self.roles]

    @cached_property
    def turns(self) -> list[Group]:
        return [
            self._group({**one, "of": str(one["of"] + 1)}, turn=one["of"])
            for one in self.data["turns"]
        ]

    @property
    def turn_table(self) -> list[tuple[str, list[Group | None]]]:
        """Return a line for each turn number, a cell for each release."""
        cells = {(one.of, one.release): one for one in self.turns}
        numbers = sorted({one.of for one in self.turns}, key=int)
        return [(of, [cells.get((of, one)) for one in self._keys]) for of in numbers]

    @property
    def release_heads(self) -> list[dict[str, Any]]:
        return [self._who(one) for one in self._keys]

    @property
    def pairs(self) -> list[dict[str, Any]]:
        return [
            {
                **each,
                "left": self._who(each["left"]),
                "right": self._who(each["right"]),
                "left_url": self.url(release=each["left"]),
                "right_url": self.url(release=each["right"]),
            }
            for each in self.data["pairs"]
        ]

    @property
    def before(self) -> list[dict[str, Any]]:
        return [{**each, **self._who(each["release"])} for each in self.data["before"]]

    @property
    def reach(self) -> float:
        """Return how far an axis of differences goes to either side of nought."""
        less = [each["less"] for each in (*self.data["pairs"], *self.data["before"])]
        found = [abs(one[end]) for one in less for end in ("value", "low", "high") if one[end]]
        return max(found, default=1.0) or 1.0

    @property
    def least(self) -> float:
        return -self.reach

    @property
    def _keys(self) -> list[int]:
        return [each["release"] for each in self.data["releases"]]

    def _who(self, release: int) -> dict[str, Any]:
        return {"name": self.names.get(release, ""), "mark": self.marks.get(release, 0)}

    def _group(self, one: Mapping[str, Any], **narrowed: Any) -> Group:
        return Group(
            one["of"],
            one["release"],
            one["n"],
            one["mean"],
            one["low"],
            one["high"],
            self.url(release=one["release"], **narrowed),
        )


@dataclass(frozen=True)
class Board:
    """A run's figures with the names of its releases."""

    data: Mapping[str, Any]
    run: Run

    @cached_property
    def _rows(self) -> list[SystemRelease]:
        keys = {each["release"] for one in self.data["series"] for each in one["releases"]}
        return list(SystemRelease.objects.filter(pk__in=keys).select_related("system"))

    @cached_property
    def series(self) -> list[Series]:
        names = {one.pk: str(one) for one in self._rows}
        return [Series(one, names, self.marks) for one in self.data["series"]]

    @cached_property
    def marks(self) -> Mapping[int, int]:
        """Return colour and shape of each release: its system's, and further ones for its others."""
        taken: set[int] = set()
        found: dict[int, int] = {}
        for one in sorted(self._rows, key=lambda each: each.pk):
            mark = one.system.colour
            while mark in taken:
                mark += 1
            taken.add(mark)
            found[one.pk] = mark
        return found

    @property
    def gates(self) -> Sequence[Mapping[str, Any]]:
        found: Sequence[Mapping[str, Any]] = self.data["gates"]
        return found

    @property
    def lost(self) -> Mapping[str, Any]:
        """Return how many of all steps failed or were not done, with the most frequent reason."""
        found: Mapping[str, Any] = self.data["lost"]
        return found

    @property
    def percentiles(self) -> list[str]:
        """Return the heads of the columns of percentiles, in the order of scoring.stats.machines.distributions."""
        return [_("%(n)d %%") % {"n": one} for one in PERCENTILES]

    @property
    def silent(self) -> list[str]:
        """Return the metrics of a finished run that measured nothing anywhere, with their levels.

        They have no line of their own: a count of tokens, say, where no message came with its tokens.
        """
        if self.run.state != Run.State.DONE or self.data["n_left_out"]:
            return []
        heard = {(one["rater"], one["level"]) for one in self.data["series"]}
        return [
            f"{one.key} ({one.level.value})"
            for rater, one in Frame(self.run).entries.items()
            if (rater, one.level.value) not in heard
        ]

    @property
    def n_failed(self) -> int:
        return sum(not one["passed"] for one in self.gates)

    def find(self, key: str) -> Series | None:
        return next((one for one in self.series if one.key == key), None)

    def shown(self, key: str, number: int) -> list[Series]:
        """Return the metrics that are drawn: the chosen one, else those of a page, counted from 1."""
        chosen = self.find(key)
        return [chosen] if chosen else self.series[(number - 1) * SIZE : number * SIZE]

    @property
    def n_pages(self) -> int:
        return max(1, -(-len(self.series) // SIZE))


def records(board: Board) -> Iterator[dict[str, Any]]:
    """Yield a plain row for every metric, level and release."""
    for one in board.series:
        for each in one.releases:
            found = each["distribution"]
            yield {
                "metric": one.data["metric"],
                "name": one.data["name"],
                "level": one.data["level"],
                "release": each["name"],
                "n": found["n"] if found else 0,
                "without_value": each["n_without"],
                "mean": found["mean"] if found else None,
                "low": found["low"] if found else None,
                "high": found["high"] if found else None,
                "percentiles": found["percentiles"] if found else None,
            }


def as_plain(board: Board) -> dict[str, Any]:
    """Return what the API says of a run: `completed` are conversations of which only the end counts."""
    return {
        "note": banner.of_run(board.run),
        "conversations": board.data["n_conversations"],
        "completed": board.data["completed"]["n"],
        "ended_at_a_tool": board.data["completed"]["n_ended"],
        "results": list(records(board)),
        "gates": list(board.gates),
        "baseline": board.data["baseline"],
        "lost": {name: board.lost[name] for name in ("n", "of", "reason")},
    }


def csv_lines(board: Board) -> Iterator[str]:
    """Yield every figure: of all parts, of each bar, role and turn number, and the differences."""
    yield shown_sheet.as_csv([COLUMNS])
    note = banner.of_run(board.run)
    for one in board.series:
        for row in _figures(one):
            whole = {"metric": one.data["metric"], "name": one.data["name"], "note": note}
            made = {**whole, "level": one.data["level"], **row}
            cells = [made.get(column) for column in COLUMNS]
            cells = [sheets.neutral(cell) if isinstance(cell, str) else cell for cell in cells]
            yield shown_sheet.as_csv([["" if cell is None else cell for cell in cells]])


def _figures(one: Series) -> Iterator[dict[str, Any]]:
    for each in one.releases:
        yield _whole(each)
    for line in one.bars:
        for each, (n, _share, _url) in zip(one.releases, line.cells, strict=True):
            yield {"system": each["name"], "part": "bar", "of": line.name, "n": n}
    for part, groups in (("role", one.roles), ("turn", one.turns)):
        for group in groups:
            found = {name: getattr(group, name) for name in ("of", "n", "mean", "low", "high")}
            yield {"system": one.names.get(group.release, ""), "part": part, **found}
    for pair in one.pairs:
        names = {"system": pair["left"]["name"], "of": pair["right"]["name"]}
        yield {**names, "part": "less", **_less(pair["less"])}
    for each in one.before:
        yield {"system": each["name"], "part": "less the baseline", **_less(each["less"])}


def _whole(each: Mapping[str, Any]) -> dict[str, Any]:
    row = {"system": each["name"], "part": "all", "without_value": each["n_without"], "n": 0}
    if found := each["distribution"]:
        row |= {name: found[name] for name in ("n", "mean", "low", "high", "sd")}
        row |= {"least": found["minimum"], "most": found["maximum"]}
        row |= dict(zip((f"p{n}" for n in PERCENTILES), found["percentiles"], strict=True))
    return row


def _less(found: Mapping[str, Any]) -> dict[str, Any]:
    return {"n": found["n"], "mean": found["value"], "low": found["low"], "high": found["high"]}


def _bar_name(bar: Mapping[str, Any]) -> str:
    low, high = bar["low"], bar["high"]
    if low is None:
        return str(bar["label"] or _("all others"))
    if high is None:
        return _("from %(low)s") % {"low": f"{low:.6g}"}
    if low == high:
        return f"{low:.6g}"
    return _("%(low)s to %(high)s") % {"low": f"{low:.6g}", "high": f"{high:.6g}"}
