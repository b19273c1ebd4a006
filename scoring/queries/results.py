"""The result of a round as its page shows it: plain data of the figure, with names put in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Capability, Criterion, Round, RoundItem
from scoring.queries import branches, cells
from scoring.queries import weights as weighing
from scoring.queries.cells import Cell, Count, Gap, Line, Notes, Part, Row, Standing, Widest
from scoring.queries.names import Name
from scoring.queries.weights import Weights
from scoring.queries.wording import why
from scoring.stats.rounding import percent

FIGURE = "scores"
OVERALL = "overall"


def params(
    round_: Round, weights: Weights | None = None, selection: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return what the figure of a round depends on besides its grades.

    Args:
        round_: whose figure.
        weights: others than the stored ones.
        selection: which grades, as `selection.Selection.params` says it; nothing for the usual.
    """
    used = weights or weighing.of(round_)
    made = {
        **used.params,
        "groups": {kind: list(pks) for kind, pks in used.tree.kinds.items()},
    }
    return {**made, "selection": dict(selection)} if selection else made


def capabilities(round_: Round) -> list[Capability]:
    """Return what the items of a round are about, in the order of the tree."""
    tree = branches.capabilities(round_)
    return [tree.by_key[pk] for pk in tree.order]


def criteria_names(round_: Round) -> dict[str, str]:
    versions = RoundItem.objects.filter(round=round_).order_by().values("rubric_version_id")
    rows = Criterion.objects.filter(rubric_version__in=versions.distinct())
    return dict(rows.values_list("key", "name"))


@dataclass(frozen=True, slots=True)
class Table:
    """Lines with a column for each release, and the reasons under them."""

    lines: tuple[Part, ...]
    notes: Notes


class Result:
    """Reads the figure of a round for its page; `names` decides what the releases are called."""

    def __init__(
        self,
        data: Mapping[str, Any],
        names: Mapping[int, Name],
        parts: Sequence[Capability],
        criteria: Mapping[str, str],
        weights: Mapping[str, Fraction] | None = None,
        *,
        places: Sequence[int] | None = None,
    ) -> None:
        self._data = data
        self.names = [names[pk] for pk in data["releases"] if pk in names]
        self.names += [name for pk, name in names.items() if pk not in data["releases"]]
        self._titles = {str(one.pk): one.name for one in parts}
        stored = {str(one.pk): Fraction(one.weight) for one in parts}
        self._weights = stored if weights is None else weights
        self.places = {pk: n for n, pk in enumerate(places or names, start=1)}
        self.headline_notes, self.gap_notes = Notes(), Notes()
        self._order = {one.pk: place for place, one in enumerate(parts)}
        self._kinds = {one.pk: one.kind for one in parts}
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
        return [_("Accuracy"), *(branches.kind_title(group) for group in self.groups)]

    @cached_property
    def headline(self) -> list[Line]:
        return [self._line(name) for name in self.names]

    def _line(self, name: Name) -> Line:
        notes = self.headline_notes
        made = [self._cell("accuracy", "overall", name.release, OVERALL, notes=notes)]
        made += [
            self._cell("score", "group", name.release, group, notes=notes) for group in self.groups
        ]
        overall = self._cell("score", "overall", name.release, OVERALL, notes=notes)
        return Line(name, tuple(made), overall, self.better_than(name), self._standing(name))

    def better_than(self, name: Name) -> tuple[Name, ...]:
        """Return the releases that one is above beyond doubt."""
        above = [gap for gap in self.gaps if gap.is_clear]
        better = [gap.right for gap in above if gap.left == name and (gap.value or 0) > 0]
        return (*better, *(gap.left for gap in above if gap.right == name and (gap.value or 0) < 0))

    def _standing(self, name: Name) -> Standing:
        for row in self._data["ranks"]["ranks"]:
            if row["release"] == name.release:
                return Standing(row["low"], row["high"], cells.hundredfold(row["best"]))
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

    def table(self, figure: str, *, criteria: bool) -> Table:
        """Return `parts` as a table with footnotes."""
        notes = Notes()
        return Table(tuple(self.parts(figure, criteria=criteria, notes=notes)), notes)

    def parts(self, figure: str, *, criteria: bool, notes: Notes | None = None) -> list[Part]:
        """Return a line for each capability and, if asked for, its criteria; overall comes first."""
        notes = notes or Notes()
        lines = [self._part(figure, "overall", OVERALL, _("Overall"), "", notes)]
        for capability in self.capabilities:
            title = self.title(capability)
            lines.append(self._part(figure, "capability", capability, title, "", notes))
            if criteria:
                lines += self._criteria_of(figure, capability, title, notes)
        return lines

    def _criteria_of(
        self, figure: str, capability: int | None, title: str, notes: Notes
    ) -> list[Part]:
        keys = {
            key[4]: None
            for key in self._rows
            if key[:2] == (figure, "criterion") and key[3] == capability
        }
        if len(keys) < 2:
            return []
        return [
            self._part(
                figure, "criterion", capability, self._criteria.get(key, key), title, notes, key
            )
            for key in keys
        ]

    def _part(
        self,
        figure: str,
        level: str,
        of: object,
        title: str,
        below: str,
        notes: Notes,
        criterion: object = None,
    ) -> Part:
        made = [
            self._cell(figure, level, name.release, of, criterion, notes=notes)
            for name in self.names
        ]
        return Part(title, below, tuple(made))

    def _cell(
        self,
        figure: str,
        level: str,
        release: int,
        of: object,
        criterion: object = None,
        *,
        notes: Notes,
    ) -> Cell:
        row = self._rows.get((figure, level, release, of, criterion))
        at: dict[str, object] = {"release": self.places[release], "node": _node(level, of)}
        if criterion is not None:
            at["criterion"] = criterion
        elif row is not None:
            row = {**row, **self.covered(level, release, of)}
        missing = tuple(self.missing(row)) if row else ()
        return cells.cell(row, notes=notes, at=at, missing=missing)

    def covered(self, level: str, release: int, of: object) -> dict[str, Any]:
        """Return how many grades a cell wanted, and how many there are."""
        mine = [row for row in self._data["coverage"]["rows"] if row["release"] == release]
        if level == "group":
            mine = [row for row in mine if self._kinds.get(row["capability"]) == of]
        elif level == "capability":
            mine = [row for row in mine if row["capability"] == of]
        planned = bool(mine) and mine[0]["wanted"] is not None
        return {
            "wanted": sum(row["wanted"] for row in mine) if planned else None,
            "came": sum(row["given"] + row["cannot_grade"] for row in mine),
        }

    def missing(self, row: Row) -> list[str]:
        """Return what a partial figure leaves out, by name."""
        return self.named(row["missing"]) if row["partial"] else []

    def named(self, missing: Sequence[str]) -> list[str]:
        """Return the parts that something leaves out, by name."""
        found = []
        for name in missing:
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
        reason = why(row["reason"] or row["interval_reason"])
        return Gap(
            left,
            right,
            percent(cells.fraction(row["value"])) if row["value"] else None,
            cells.hundredfold(row["low"]),
            cells.hundredfold(row["high"]),
            row["n_questions"],
            row["n_either"],
            reason,
            row["p_holm"],
            row["clear"],
            self.gap_notes.number(reason),
            row["p"],
            row["n_pairs"],
            row["n_left_out"],
            tuple(self.named(row["missing"])),
        )

    @property
    def few_shared(self) -> list[Gap]:
        """Return the pairs that fewer than half of their questions are common to."""
        return [gap for gap in self.gaps if gap.shares_few]

    @property
    def is_uneven(self) -> bool:
        """Whether some systems were graded on what others were not, so that differences leave it out."""
        return any(row["n_left_out"] for row in self._data["differences"])

    @property
    def widest(self) -> Widest | None:
        """Return the largest difference in a capability, on what both were graded on."""
        row, by_key = self._data["widest"], {name.release: name for name in self.names}
        if row is None or row["left"] not in by_key or row["right"] not in by_key:
            return None
        points = percent(cells.fraction(row["value"]))
        return Widest(
            self.title(row["capability"]), by_key[row["left"]], by_key[row["right"]], points
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
        """Return the weights that were used, those of groups in them, by capability."""
        return [
            (self.title(pk), weighing.written(Fraction(self._weights.get(_key(pk), Decimal(1)))))
            for pk in self.capabilities
        ]


def of(
    round_: Round,
    data: Mapping[str, Any],
    names: Mapping[int, Name],
    weights: Mapping[str, Fraction] | None = None,
) -> Result:
    """Return the result of a round from its figure; `weights` are those it was computed with."""
    return Result(data, names, capabilities(round_), criteria_names(round_), weights)


def _key(capability: int | None) -> str:
    return branches.NONE if capability is None else str(capability)


def _node(level: str, of: object) -> str:
    """Return how an address names the part of a cell."""
    if level == "overall":
        return branches.ALL
    return f"g-{of}" if level == "group" else f"c-{branches.NONE if of is None else of}"


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
