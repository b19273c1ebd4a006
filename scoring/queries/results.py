"""The result of a round as its page shows it: plain data of the figure, with names put in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Capability, Criterion, Round, RoundItem
from scoring.queries.names import Name
from scoring.queries.wording import why
from scoring.stats.rounding import percent

FIGURE = "scores"
#: Raised whenever the figure holds other things than before, so that it is computed anew.
SHAPE = 2
OVERALL = "overall"
Row = Mapping[str, Any]


def params(round_: Round) -> dict[str, Any]:
    """Return what the figure of a round depends on besides its grades."""
    parts = capabilities(round_)
    groups = {
        kind: [one.pk for one in parts if one.kind == kind] for kind in Capability.Kind.values
    }
    return {
        "shape": SHAPE,
        "weights": {str(one.pk): str(one.weight) for one in parts},
        "groups": groups if all(groups.values()) else {},
    }


def capabilities(round_: Round) -> list[Capability]:
    """Return what the items of a round are about, in the order of the project."""
    drawn = RoundItem.objects.filter(round=round_).order_by().values("item__capability_id")
    return list(Capability.objects.filter(pk__in=drawn.distinct()))


def criteria_names(round_: Round) -> dict[str, str]:
    versions = RoundItem.objects.filter(round=round_).order_by().values("rubric_version_id")
    rows = Criterion.objects.filter(rubric_version__in=versions.distinct())
    return dict(rows.values_list("key", "name"))


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure as it is read: percent, interval, what it rests on, or why there is none."""

    value: Decimal | None
    low: float | None
    high: float | None
    n_grades: int
    n_questions: int
    n_raters: int
    why: str
    why_no_interval: str
    missing: tuple[str, ...]
    exact: str


@dataclass(frozen=True, slots=True)
class Standing:
    """Between which ranks a release lies, and in what share of resamples it is first, in percent."""

    low: int | None
    high: int | None
    best: float | None

    @property
    def ranks(self) -> str:
        if self.low is None:
            return ""
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the headline: a release, its cells, and whom it is above beyond doubt."""

    name: Name
    cells: tuple[Cell, ...]
    overall: Cell
    better: tuple[Name, ...]
    standing: Standing


@dataclass(frozen=True, slots=True)
class Part:
    """A line of a table with a column a release: a capability, or one of its criteria."""

    title: str
    below: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """A paired difference between two releases, in points of percent."""

    left: Name
    right: Name
    value: Decimal | None
    low: float | None
    high: float | None
    n_questions: int
    why: str
    p: float | None = None
    #: Whether the two differ beyond doubt, all pairs compared at once (Holm's correction).
    is_clear: bool = False


@dataclass(frozen=True, slots=True)
class Count:
    """What was wanted and what came, of one capability or of all."""

    title: str
    wanted: int | None
    given: int
    cannot_grade: int
    late: int
    invalid: int
    missing: int | None


NOTHING = Cell(None, None, None, 0, 0, 0, "", "", (), "")


class Result:
    """Reads the figure of a round for its page; `names` decides what the releases are called."""

    def __init__(
        self,
        data: Mapping[str, Any],
        names: Mapping[int, Name],
        parts: Sequence[Capability],
        criteria: Mapping[str, str],
    ) -> None:
        self._data = data
        self.names = [names[pk] for pk in data["releases"] if pk in names]
        self.names += [name for pk, name in names.items() if pk not in data["releases"]]
        self._titles = {str(one.pk): one.name for one in parts}
        self._weights = {one.pk: one.weight for one in parts}
        self._order = {one.pk: place for place, one in enumerate(parts)}
        self._criteria = criteria
        self.counts: Mapping[str, int] = data["counts"]
        self.plot: Mapping[str, Any] | None = data["plot"]
        self.level: float = data["level"]
        self.methods: Mapping[str, str] = data["methods"]
        self._rows = {
            (
                row["figure"],
                row["level"],
                row["release"],
                row["group"] or row["capability"],
                row["criterion"],
            ): row
            for row in data["scores"]
        }

    @property
    def is_empty(self) -> bool:
        return not self.counts["grades"]

    def title(self, capability: object) -> str:
        """Return the name of a capability by its key; those that have gone, by what is left."""
        if capability is None or capability == "None":
            return _("Without a capability")
        return self._titles.get(str(capability), _("A capability that was removed"))

    @cached_property
    def capabilities(self) -> list[int | None]:
        """Return the keys of the capabilities that were graded, in the order of the project."""
        known: list[int | None] = self._data["capabilities"]
        return sorted(known, key=lambda pk: (pk is None, self._order.get(pk or 0, 0)))

    @cached_property
    def groups(self) -> list[str]:
        found = {row["group"]: None for row in self._data["scores"] if row["level"] == "group"}
        return list(found)

    @property
    def heads(self) -> list[str]:
        """Return the heads of the headline's columns, before the overall score."""
        kinds = {
            Capability.Kind.GENERAL: _("General"),
            Capability.Kind.DOMAIN: _("Domain"),
        }
        return [_("Accuracy"), *(str(kinds[Capability.Kind(group)]) for group in self.groups)]

    @cached_property
    def headline(self) -> list[Line]:
        return [self._line(name) for name in self.names]

    def _line(self, name: Name) -> Line:
        cells = [self._cell("accuracy", "overall", name.release, OVERALL)]
        cells += [self._cell("score", "group", name.release, group) for group in self.groups]
        above = [gap for gap in self.gaps if gap.is_clear]
        better = [gap.right for gap in above if gap.left == name and (gap.value or 0) > 0]
        better += [gap.left for gap in above if gap.right == name and (gap.value or 0) < 0]
        overall = self._cell("score", "overall", name.release, OVERALL)
        return Line(name, tuple(cells), overall, tuple(better), self._standing(name))

    def _standing(self, name: Name) -> Standing:
        for row in self._data["ranks"]["ranks"]:
            if row["release"] == name.release:
                return Standing(row["low"], row["high"], _hundredfold(row["best"]))
        return Standing(None, None, None)

    @property
    def not_separable(self) -> list[list[Name]]:
        """Return the groups of two or more releases of which no two differ beyond doubt."""
        by_key = {name.release: name for name in self.names}
        groups = [
            [by_key[key] for key in group if key in by_key]
            for group in self._data["ranks"]["groups"]
        ]
        return [group for group in groups if len(group) > 1]

    @cached_property
    def _tests(self) -> dict[frozenset[int], Row]:
        return {
            frozenset((row["difference"]["left"], row["difference"]["right"])): row
            for row in self._data["ranks"]["comparisons"]
        }

    @cached_property
    def axis(self) -> tuple[int, int]:
        """Return the ends of the axis that overall scores are drawn on, in tens of percent."""
        ends = [
            end
            for line in self.headline
            for end in (line.overall.value, line.overall.low, line.overall.high)
            if end is not None
        ]
        if not ends:
            return 0, 100
        low, high = float(min(ends)), float(max(ends))
        start = min(int(low // 10) * 10, 90)
        return start, max(-int(-high // 10) * 10, start + 10)

    def parts(self, figure: str, *, criteria: bool) -> list[Part]:
        """Return a line for each capability and, if asked for, its criteria; overall comes first."""
        lines = [self._part(figure, "overall", OVERALL, _("Overall"), "")]
        for capability in self.capabilities:
            title = self.title(capability)
            lines.append(self._part(figure, "capability", capability, title, ""))
            if criteria:
                lines += self._criteria_of(figure, capability, title)
        return lines

    def _criteria_of(self, figure: str, capability: int | None, title: str) -> list[Part]:
        keys = {
            key[4]: None
            for key in self._rows
            if key[:2] == (figure, "criterion") and key[3] == capability
        }
        if len(keys) < 2:
            return []
        return [
            self._part(figure, "criterion", capability, self._criteria.get(key, key), title, key)
            for key in keys
        ]

    def _part(
        self, figure: str, level: str, of: object, title: str, below: str, criterion: object = None
    ) -> Part:
        cells = [self._cell(figure, level, name.release, of, criterion) for name in self.names]
        return Part(title, below, tuple(cells))

    def _cell(
        self, figure: str, level: str, release: int, of: object, criterion: object = None
    ) -> Cell:
        row = self._rows.get((figure, level, release, of, criterion))
        if row is None:
            return Cell(None, None, None, 0, 0, 0, why("no_grades"), "", (), "")
        value = row["value"]
        return Cell(
            value=percent(fraction(value)) if value else None,
            low=_hundredfold(row["low"]),
            high=_hundredfold(row["high"]),
            n_grades=row["n_grades"],
            n_questions=row["n_questions"],
            n_raters=row["n_raters"],
            why=why(row["reason"]),
            why_no_interval="" if row["reason"] else why(row["interval_reason"]),
            missing=tuple(self.missing(row)),
            exact=f"{value['num']}/{value['den']}" if value else "",
        )

    def missing(self, row: Row) -> list[str]:
        """Return what a partial figure leaves out, by name."""
        found = []
        for name in row["missing"] if row["partial"] else ():
            capability, _slash, criterion = name.partition(" / ")
            title = self.title(capability)
            known = self._criteria.get(criterion, criterion)
            found.append(f"{title}, {known}" if criterion else title)
        return found

    @cached_property
    def gaps(self) -> list[Gap]:
        by_key = {name.release: name for name in self.names}
        return [
            self._gap(row, by_key[row["left"]], by_key[row["right"]])
            for row in self._data["differences"]
            if row["left"] in by_key and row["right"] in by_key
        ]

    def _gap(self, row: Row, left: Name, right: Name) -> Gap:
        test = self._tests.get(frozenset((row["left"], row["right"])), {})
        return Gap(
            left,
            right,
            percent(fraction(row["value"])) if row["value"] else None,
            _hundredfold(row["low"]),
            _hundredfold(row["high"]),
            row["n_questions"],
            why(row["reason"] or row["interval_reason"]),
            test.get("p_holm"),
            bool(test.get("clear")),
        )

    @cached_property
    def coverage(self) -> list[Count]:
        """Return a line for each capability, summed over its releases; all of them come last."""
        by_part: dict[object, list[Row]] = {}
        for row in self._data["coverage"]["rows"]:
            by_part.setdefault(row["capability"], []).append(row)
        place = {pk: n for n, pk in enumerate(self.capabilities)}
        lines = [
            _count(self.title(part), rows)
            for part, rows in sorted(by_part.items(), key=lambda pair: place.get(pair[0], -1))  # type: ignore[call-overload]
        ]
        return [*lines, _count(_("All"), [self._data["coverage"]["total"]])]

    @property
    def method_of_scores(self) -> str:
        return self.methods.get("score.overall", "")

    @property
    def method_of_accuracy(self) -> str:
        return self.methods.get("accuracy.overall", "")

    @property
    def weights(self) -> list[tuple[str, str]]:
        return [
            (self.title(pk), f"{self._weights.get(pk or 0, Decimal(1)).normalize():f}")
            for pk in self.capabilities
        ]


def of(round_: Round, data: Mapping[str, Any], names: Mapping[int, Name]) -> Result:
    """Return the result of a round from its figure."""
    return Result(data, names, capabilities(round_), criteria_names(round_))


def fraction(value: Mapping[str, int]) -> Fraction:
    return Fraction(value["num"], value["den"])


def _hundredfold(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _count(title: str, rows: Sequence[Row]) -> Count:
    def added(name: str) -> int:
        return sum(row[name] or 0 for row in rows)

    planned = rows[0]["wanted"] is not None
    return Count(
        title,
        added("wanted") if planned else None,
        added("given"),
        added("cannot_grade"),
        added("late"),
        added("invalid"),
        added("missing") if planned else None,
    )
