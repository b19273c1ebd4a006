"""The figure of cells by capability, difficulty and area as its page, files and programs read it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.domains.models import Difficulty
from scoring.figures import cells
from scoring.figures.cells import CellRow, Notes, ScoreCell
from scoring.figures.labels import ALL, NONE, AreaLabel
from scoring.results.asked import Cut
from scoring.shown.names import Name

FIGURE = "breakdown"
#: A longer table leaves out areas on the page; the files hold them.
MOST_LINES = 500
Key = tuple[str, int, str, str, str, str]


@dataclass(frozen=True, slots=True)
class NestedLine:
    """A line of the nested table; `key` and `below` are paths, for collapsing."""

    key: str
    below: str
    depth: int
    title: str
    #: What it is called by itself, outside the tree.
    path: str
    kind: str
    cells: tuple[ScoreCell, ...]
    has_parts: bool = False


@dataclass(frozen=True, slots=True)
class CrossLine:
    """A line of difficulty × area: the cells of one system, for all difficulties first."""

    title: str
    depth: int
    cells: tuple[ScoreCell, ...]


def params(cut: Cut) -> dict[str, Any]:
    """Return what the figure depends on besides the grades."""
    tree, areas = cut.weights.tree, cut.selection.ground.domains
    made = {
        **cut.weights.params,
        "groups": {key: list(pks) for key, pks in tree.groups.items()},
        "domains": {str(pk): list(line) for pk, line in areas.lines.items()},
    }
    if cut.way:
        made["way"] = cut.way
    chosen = cut.selection.params
    return {**made, "selection": chosen} if chosen else made


class Breakdown:
    """Reads the figure."""

    def __init__(self, data: Mapping[str, Any], cut: Cut) -> None:
        self._cut = cut
        self.names: list[Name] = list(cut.names.values())
        places = enumerate(cut.selection.ground.names, start=1)
        self._places = {pk: n for n, pk in places}
        self.rows = [CellRow.read(row) for row in data["rows"]]
        self._at: dict[Key, CellRow] = {_key(row): row for row in self.rows}
        self.notes, self.cross_notes = Notes(), Notes()

    @property
    def is_empty(self) -> bool:
        return not any(row.n_grades for row in self.rows)

    @cached_property
    def difficulties(self) -> list[tuple[str, str]]:
        """Return the difficulties there are, with their names."""
        used = {row.difficulty for row in self.rows}
        titles = [*((one.value, str(one.label)) for one in Difficulty), (NONE, _("not said"))]
        return [(key, title) for key, title in titles if key in used]

    @cached_property
    def areas(self) -> list[AreaLabel]:
        """Return the areas there are, in tree order."""
        used = {row.domain for row in self.rows}
        branches = self._cut.selection.ground.domains.branches
        return [one for one in branches if one.key in used]

    @cached_property
    def _spots(self) -> set[tuple[str, str, str]]:
        return {(row.node, row.difficulty, row.domain) for row in self.rows}

    def lines(self, figure: str, *, with_areas: bool = True) -> list[NestedLine]:
        """Return the nested table: groups, capabilities, in them criteria, difficulties, areas."""
        made = list(self._lines(figure, with_areas=with_areas))
        if with_areas and len(made) > MOST_LINES:
            made = list(self._lines(figure, with_areas=False))
        held = {line.below for line in made}
        return [replace(line, has_parts=line.key in held) for line in made]

    @property
    def leaves_out_areas(self) -> bool:
        return sum(1 for _line in self._lines("score", with_areas=True)) > MOST_LINES

    def _lines(self, figure: str, *, with_areas: bool) -> Iterator[NestedLine]:
        for branch in self._cut.weights.tree.branches:
            if (branch.key, "", "") not in self._spots:
                continue
            kind = "capability" if branch.key.startswith("c-") else "group"
            below = branch.below if branch.below != ALL else ""
            yield self._line(
                figure, branch.key, below, branch.depth, branch.title, branch.title, kind
            )
            if kind == "capability":
                yield from self._criteria(figure, branch)
                yield from self._difficulties(figure, branch, with_areas=with_areas)

    def _criteria(self, figure: str, branch: AreaLabel) -> Iterator[NestedLine]:
        found = {
            row.criterion: None for row in self.rows if row.node == branch.key and row.criterion
        }
        for key in found if len(found) > 1 else ():
            title = self._cut.labels.criterion(key)
            yield self._line(
                figure,
                f"{branch.key}/{key}",
                branch.key,
                branch.depth + 1,
                title,
                f"{branch.title}: {title}",
                "criterion",
                node=branch.key,
                criterion=key,
            )

    def _difficulties(
        self, figure: str, branch: AreaLabel, *, with_areas: bool
    ) -> Iterator[NestedLine]:
        for key, title in self.difficulties:
            if (branch.key, key, "") not in self._spots or self.difficulties == [(NONE, title)]:
                continue
            path = f"{branch.title}: {title}"
            here = f"{branch.key}/{key}"
            yield self._line(
                figure,
                here,
                branch.key,
                branch.depth + 1,
                title,
                path,
                "difficulty",
                node=branch.key,
                difficulty=key,
            )
            for area in self.areas if with_areas else ():
                if (branch.key, key, area.key) in self._spots:
                    yield self._line(
                        figure,
                        f"{here}/{area.key}",
                        here,
                        branch.depth + 1 + area.depth,
                        area.title,
                        f"{path}, {area.title}",
                        "area",
                        node=branch.key,
                        difficulty=key,
                        domain=area.key,
                    )

    def _line(
        self,
        figure: str,
        key: str,
        below: str,
        depth: int,
        title: str,
        path: str,
        kind: str,
        **at: str,
    ) -> NestedLine:
        spot: dict[str, str] = {"node": key, **at}
        made = tuple(self.cell(figure, name.release, spot, self.notes) for name in self.names)
        return NestedLine(key, below, depth, title, path, kind, made)

    def cell(self, figure: str, release: int, at: Mapping[str, str], notes: Notes) -> ScoreCell:
        """Return a cell; `at` says node, criterion, difficulty and domain, "" or nothing for all."""
        row = self._at.get(
            (
                figure,
                release,
                at["node"],
                at.get("criterion", ""),
                at.get("difficulty", ""),
                at.get("domain", ""),
            )
        )
        if row is None:
            return cells.NOWHERE
        where = {"release": self._places[release], **{k: v for k, v in at.items() if v}}
        missing: tuple[str, ...] = ()
        if n := row.n_parts_missing:
            said = ngettext("%(n)d part has no grades", "%(n)d parts have no grades", n)
            missing = (said % {"n": n},)
        return cells.cell(
            row,
            row,
            notes=notes,
            at=where,
            missing=missing,
            came=row.came,
            wanted=row.wanted,
        )

    def cross(self, figure: str, release: int) -> list[CrossLine]:
        """Return difficulty × area of one system: all areas first, then the tree."""
        columns = ["", *(key for key, _title in self.difficulties)]
        lines = [("", 0, _("All areas")), *((one.key, one.depth, one.title) for one in self.areas)]
        return [
            CrossLine(
                title,
                depth,
                tuple(
                    self.cell(
                        figure,
                        release,
                        {"node": ALL, "difficulty": column, "domain": area},
                        self.cross_notes,
                    )
                    for column in columns
                ),
            )
            for area, depth, title in lines
        ]

    @property
    def has_cross(self) -> bool:
        return len(self.areas) > 0 and len(self.names) > 0

    def titles(self, row: CellRow) -> dict[str, str]:
        """Return what the keys of a row are called; "" where it spans all of them."""
        tree = {one.key: one.title for one in self._cut.weights.tree.branches}
        areas = {one.key: one.title for one in self.areas}
        return {
            "part": str(tree.get(row.node, row.node)),
            "criterion": row.criterion and self._cut.labels.criterion(row.criterion),
            "difficulty": dict(self.difficulties).get(row.difficulty, ""),
            "area": areas.get(row.domain, ""),
        }


def _key(row: CellRow) -> Key:
    return (row.figure, row.release, row.node, row.criterion, row.difficulty, row.domain)


def chosen_release(wanted: str, names: Sequence[Name], places: Mapping[str, int]) -> Name | None:
    """Return the system of the cross table: the one asked for by its place, else the first."""
    for name in names:
        if name.release == places.get(wanted):
            return name
    return names[0] if names else None
