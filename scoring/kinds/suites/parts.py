"""The parts of conversations behind a figure of a suite's run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import F, QuerySet
from django.http import Http404

from annotation.common.sentences import gettext as _
from annotation.systems.models import SystemRelease
from evalsite.web import keyset
from scoring.engine.models import Judgment, Run
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.models import Conversation
from scoring.kinds.suites.protocol import catalogue
from scoring.kinds.suites.protocol import conversations as talks
from scoring.kinds.suites.protocol.definition import RUBRIC
from scoring.kinds.suites.queries import Frame, PartPlace

PART_SIZE: Final = 50
#: So many judgments are looked at for a page where the role or the turn decides: both stand in texts.
LOOKED_AT: Final = 2_000
WITHOUT: Final = "without"


@dataclass(frozen=True, slots=True)
class WantedParts:
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
class FiguredPart:
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
        parts = list(catalogue.parts(suite_frame.stored_conversation(self.conversation), level))
        at = self.judgment.target_index or 0
        part = parts[at] if at < len(parts) else None
        if part is None:
            return ""
        return part.words if isinstance(part, talks.ToolCall) else talks.text_of(part)

    @property
    def shown(self) -> str:
        if self.judgment.value is None:
            return self.judgment.reason
        return f"{self.judgment.value:.6g}"


@dataclass(frozen=True)
class PartsPage:
    """A page of parts; `looked_at` says that not all there are were looked at for it."""

    rows: list[FiguredPart]
    after: str | None
    first: bool
    looked_at: int = 0


@dataclass
class _PartReader:
    """Reads conversations for their parts, each once."""

    run: Run
    rows: dict[int, Conversation] = field(default_factory=dict)
    places: dict[int, Mapping[str, Sequence[PartPlace]]] = field(default_factory=dict)

    def read(self, found: Sequence[Judgment]) -> None:
        new = {one.response_id for one in found} - self.places.keys()
        rows = suite_frame.conversations_of(self.run).filter(response__in=new)
        for row in rows.select_related("response__release__system").defer("text"):
            self.rows[row.response_id] = row
            self.places[row.response_id] = suite_frame.places_of(
                suite_frame.stored_conversation(row)
            )

    def place(self, one: Judgment) -> PartPlace:
        at = one.target_index or 0
        return suite_frame.place_in(self.places, one.response_id, one.target_level, at)

    def part(self, one: Judgment) -> FiguredPart:
        row = self.rows.get(one.response_id)
        role, turn, _counts = self.place(one)
        return FiguredPart(
            one, row, str(row.response.release) if row is not None else "", role, turn
        )


def page(
    run: Run, wanted: WantedParts, *, after: str, down: bool, most: int = LOOKED_AT
) -> PartsPage:
    """Return a page of parts by value; of those without one by their order.

    Where the role or the turn decides, the next `most` judgments are looked at for it.
    """
    rows = judgments(run, wanted)
    reader = _PartReader(run)
    if not wanted.role and wanted.turn is None and not _has_starts(run):
        found = _keyed(rows, wanted, after=after, down=down, size=PART_SIZE)
        reader.read(found.rows)
        return PartsPage([reader.part(one) for one in found.rows], found.after, found.first)
    return _looked_through(rows, wanted, reader, after, down=down, most=most)


def _has_starts(run: Run) -> bool:
    """Return whether an older run kept findings of what was recorded before systems completed it."""
    if run.config.get(suite_frame.SINCE_START):
        return False
    return bool(suite_frame.conversations_of(run).filter(n_before__gt=0).exists())


def judgments(run: Run, wanted: WantedParts) -> "QuerySet[Judgment]":
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


def said_by_judges(run: Run) -> list[tuple[str, FiguredPart]]:
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
    reader = _PartReader(run)
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


def words(wanted: WantedParts) -> list[str]:
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
    wanted: WantedParts,
    reader: _PartReader,
    after: str,
    *,
    down: bool,
    most: int,
) -> PartsPage:
    """Return those of the next judgments that have the role and the turn."""
    found = _keyed(rows, wanted, after=after, down=down, size=most)
    reader.read(found.rows)
    kept: list[FiguredPart] = []
    for at, one in enumerate(found.rows):
        role, turn, counts = reader.place(one)
        if not counts or wanted.role not in {"", role} or wanted.turn not in {None, turn}:
            continue
        kept.append(reader.part(one))
        if len(kept) == PART_SIZE and at + 1 < len(found.rows):
            return PartsPage(kept, _key(one), found.first)
    return PartsPage(kept, found.after, found.first, most if found.after else 0)


def _keyed(
    rows: "QuerySet[Judgment]", wanted: WantedParts, *, after: str, down: bool, size: int
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
    last = keyset.read_key(after, 2)
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
