"""Rows of grades against what the project has: which response and criterion each one means."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from annotation.models import (
    Criterion,
    Grade,
    Item,
    Project,
    RaterKind,
    Response,
    RubricVersion,
    System,
    SystemRelease,
)
from annotation.models.imports import SEEN
from annotation.rules.scales import Scale
from annotation.rules.tabular.mappings import GradeMapping
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.ratings import Cell, Row
from annotation.rules.tabular.targets import Target

DECIMALS = Decimal("0.0001")
MAX_CRITERIA = 200


@dataclass(slots=True)
class Marked:
    """A row that was looked up: the response it grades, and its grades that can be used."""

    row: Row
    item: int = 0
    release: int = 0
    response: int = 0
    cells: list[Cell] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Said:
    item: int
    release: int
    response: int
    sample_no: int


def version_of(project: Project, name: str) -> RubricVersion | None:
    """Return the version that a mapping names, such as "factuality@2"; without number the newest."""
    key, _, number = name.partition("@")
    versions = RubricVersion.objects.filter(rubric__project=project, rubric__key=key)
    if number:
        versions = versions.filter(number=int(number) if number.isdecimal() else 0)
    return versions.order_by("-number").first()


def scales_of(project: Project, mapping: GradeMapping) -> dict[str, Scale] | None:
    """Return the scale of each criterion; None if the rubric is to be made from the file."""
    if mapping.new_rubric is not None:
        return None
    version = version_of(project, mapping.rubric)
    rows = Criterion.objects.filter(rubric_version=version) if version else ()
    return {row.key: row.scale for row in rows}


class Resolver:
    """Looks rows up in the project, in the order of the file, a batch at a time."""

    def __init__(self, project: Project, mapping: GradeMapping) -> None:
        self._project = project
        self._mapping = mapping
        self._scales = scales_of(project, mapping)
        self._new_scale = mapping.new_rubric.scale() if mapping.new_rubric else None
        self._given: dict[bytes, int] = {}
        self._pointed_at: set[str] = set()
        self._systems = _systems(project)
        self._releases: dict[int, dict[str, int]] = defaultdict(dict)
        rows = SystemRelease.objects.seen().filter(system__project=project)
        for pk, system, label in rows.values_list("pk", "system_id", "label"):
            self._releases[system][label] = pk
        self.criteria: dict[str, None] = {}

    def resolve(self, rows: Sequence[Row]) -> list[Marked]:
        said = self._responses(rows)
        marked = [self._mark(row, said) for row in rows]
        self._warn_of_older(marked)
        return marked

    def _responses(self, rows: Sequence[Row]) -> Mapping[str, list[_Said]]:
        names = {row.item for row in rows if row.item}
        pks = dict(
            Item.objects.seen()
            .filter(project=self._project, external_id__in=names)
            .values_list("pk", "external_id")
        )
        found: dict[str, list[_Said]] = {name: [] for name in pks.values()}
        said = Response.objects.filter(SEEN, item__in=pks)
        for response, item, release, sample_no in said.values_list(
            "pk", "item_id", "release_id", "sample_no"
        ):
            found[pks[item]].append(_Said(item, release, response, sample_no))
        return found

    def _mark(self, row: Row, said: Mapping[str, list[_Said]]) -> Marked:
        marked = Marked(row, problems=list(row.problems))
        self._place(marked, said)
        for cell in row.cells:
            if self._fits(marked, cell) and self._is_first(marked, cell):
                marked.cells.append(cell)
        return marked

    def _place(self, marked: Marked, said: Mapping[str, list[_Said]]) -> None:
        row = marked.row
        if not row.item or not row.system:
            return
        release = self._release(marked)
        if row.item not in said:
            self._refuse(marked, "unknown_item", self._mapping.column(Target.ITEM), row.item)
        elif release is not None:
            answers = [one for one in said[row.item] if one.release == release]
            if row.sample_no is not None:
                answers = [one for one in answers if one.sample_no == row.sample_no]
            if len(answers) == 1:
                only = answers[0]
                marked.item, marked.release, marked.response = only.item, release, only.response
            else:
                code = "several_responses" if answers else "no_response"
                self._refuse(marked, code, found=row.item, system=row.system)

    def _release(self, marked: Marked) -> int | None:
        row = marked.row
        system = self._systems.get(row.system)
        if system is None:
            column = self._mapping.column(Target.SYSTEM)
            self._refuse(marked, "unknown_system", column, row.system)
            return None
        releases = self._releases[system]
        if row.release:
            if row.release not in releases:
                column = self._mapping.column(Target.RELEASE)
                self._refuse(marked, "unknown_release", column, row.release, system=row.system)
            return releases.get(row.release)
        if len(releases) != 1:
            self._refuse(marked, "which_release", found=row.system)
            return None
        return next(iter(releases.values()))

    def _fits(self, marked: Marked, cell: Cell) -> bool:
        scale = self._scale(marked, cell)
        if scale is None:
            return False
        try:
            scale.check(cell.value)
        except ValueError as problem:
            self._refuse(
                marked, "off_scale", cell.column, found=str(cell.value), allowed=str(problem)
            )
            return False
        if cell.value != cell.value.quantize(DECIMALS):
            self._refuse(marked, "too_precise", cell.column, found=str(cell.value))
            return False
        return True

    def _scale(self, marked: Marked, cell: Cell) -> Scale | None:
        if self._scales is not None and cell.criterion not in self._scales:
            known = ", ".join(self._scales)
            self._refuse(
                marked, "unknown_criterion", cell.column, found=cell.criterion, known=known
            )
            return None
        self.criteria.setdefault(cell.criterion)
        if len(self.criteria) > MAX_CRITERIA:
            self._refuse(marked, "too_many_criteria", cell.column, most=str(MAX_CRITERIA))
            return None
        return self._scales[cell.criterion] if self._scales is not None else self._new_scale

    def _is_first(self, marked: Marked, cell: Cell) -> bool:
        row = marked.row
        said = marked.response or f"{row.item}\x1f{row.system}\x1f{row.release}\x1f{row.sample_no}"
        key = hashlib.blake2b(
            f"{said}\x1e{cell.criterion}\x1e{cell.rater}".encode(), digest_size=12
        ).digest()
        first = self._given.get(key)
        if first is None:
            self._given[key] = row.line
            return True
        self._refuse(marked, "graded_twice", cell.column, found=cell.rater, first=str(first))
        return False

    def _warn_of_older(self, marked: Sequence[Marked]) -> None:
        """Point, once a rater, at grades of the same responses in an earlier import."""
        responses = {one.response for one in marked if one.response}
        older = set(
            Grade.objects.seen()
            .filter(response__in=responses, batch__isnull=False, rater__kind=RaterKind.IMPORTED)
            .values_list("response_id", "criterion__key", "rater__ref")
        )
        for one in marked if older else ():
            for cell in one.cells:
                known = (one.response, cell.criterion, cell.rater) in older
                if known and cell.rater not in self._pointed_at:
                    self._pointed_at.add(cell.rater)
                    line, rater = one.row.line, cell.rater
                    one.problems.append(
                        Problem("graded_before", line, cell.column, rater, warning=True)
                    )

    def _refuse(
        self, marked: Marked, code: str, column: str = "", found: str = "", **facts: str
    ) -> None:
        marked.problems.append(Problem(code, marked.row.line, column, found, facts))


def _systems(project: Project) -> dict[str, int]:
    """Return systems by name, and by their other names where these are clear."""
    rows = list(System.objects.seen().filter(project=project).values_list("pk", "name", "aliases"))
    aliases: dict[str, set[int]] = defaultdict(set)
    for pk, _, others in rows:
        for alias in others:
            aliases[alias].add(pk)
    clear = {alias: next(iter(pks)) for alias, pks in aliases.items() if len(pks) == 1}
    return clear | {name: pk for pk, name, _ in rows}
