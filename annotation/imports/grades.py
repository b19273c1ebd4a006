"""Rows of grades against what the project has: which response and criterion each one means."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from annotation.common.scales import Scale
from annotation.files.cells import Problem
from annotation.files.columns import Target
from annotation.files.grades import Cell, Labels, Reader, Row
from annotation.files.mappings import GradeMapping
from annotation.files.values import Values, fold
from annotation.grading.models import Grade
from annotation.imports.places import Place, Places
from annotation.people.models import Project, Rater, RaterKind
from annotation.rubrics.models import Criterion, Level, RubricVersion

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

    @property
    def is_sound(self) -> bool:
        return all(problem.warning for problem in self.problems)


def version_of(project: Project, name: str) -> RubricVersion | None:
    """Return the version that a mapping names, such as "factuality@2"; without number the newest."""
    key, _, number = name.partition("@")
    versions = RubricVersion.objects.filter(
        rubric__project=project, rubric__key=key, kind=RubricVersion.Kind.HUMAN
    )
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


def labels_of(project: Project, mapping: GradeMapping) -> Labels:
    """Return the numbers of the levels of a rubric by their labels, criterion by criterion."""
    version = None if mapping.new_rubric else version_of(project, mapping.rubric)
    found: dict[str, dict[str, Decimal]] = defaultdict(dict)
    rows = Level.objects.filter(criterion__rubric_version=version).exclude(label="")
    for key, label, value in rows.values_list("criterion__key", "label", "value"):
        found[key][label.casefold()] = value
    return found


def keys_of(project: Project, mapping: GradeMapping) -> dict[str, str]:
    """Return the keys of a rubric's criteria by their keys and names, folded, where these are clear."""
    version = None if mapping.new_rubric else version_of(project, mapping.rubric)
    found: dict[str, set[str]] = defaultdict(set)
    keys: dict[str, str] = {}
    rows = Criterion.objects.filter(rubric_version=version) if version else Criterion.objects.none()
    for key, name in rows.values_list("key", "name"):
        found[fold(key)].add(key)
        found[fold(name)].add(key)
        keys[key] = key
    return keys | {name: min(of) for name, of in found.items() if len(of) == 1}


def raters_of(project: Project) -> list[str]:
    """Return the names of raters of earlier imports."""
    rows = Rater.objects.filter(project=project, kind=RaterKind.IMPORTED)
    return list(rows.values_list("ref", flat=True))


def reader_of(project: Project, mapping: GradeMapping, values: Values) -> Reader:
    """Return what reads the rows of a file, for the check and for the import alike."""
    labels, keys = labels_of(project, mapping), keys_of(project, mapping)
    return Reader(mapping, labels, values, keys)


class Resolver:
    """Looks rows up in the project, in the order of the file, a batch at a time.

    A row with something wrong in it is left out whole: none of its grades count for later rows.
    """

    def __init__(self, project: Project, mapping: GradeMapping) -> None:
        self._scales = scales_of(project, mapping)
        self._new_scale = mapping.new_rubric.scale() if mapping.new_rubric else None
        #: Whether no column names the raters: then grades of one answer are by as many of them.
        self.numbers_raters = bool(mapping.column(Target.VALUE)) and not mapping.column(
            Target.RATER
        )
        self._numbered = False
        self._given: dict[bytes, int] = {}
        self._pointed_at: set[str] = set()
        self._places = Places(project, mapping.column)
        self.criteria: dict[str, None] = {}

    def holds(self, part: tuple[str, ...], number: Decimal) -> bool:
        """Say whether the scale of a criterion has room for a number."""
        scale = self._new_scale if self._scales is None else self._scales.get(part[-1])
        return scale is not None and scale.minimum <= number <= scale.maximum

    @property
    def matched(self) -> Mapping[str, Mapping[str, str]]:
        """What names of the file mean here, where they are written in another way."""
        return self._places.matched

    def resolve(self, rows: Sequence[Row]) -> list[Marked]:
        places = self._places.find(rows)
        marked = [self._mark(row, place) for row, place in zip(rows, places, strict=True)]
        self._warn_of_older(marked)
        return marked

    def _mark(self, row: Row, place: Place) -> Marked:
        marked = Marked(row, place.item, place.release, place.response)
        marked.problems = [*row.problems, *place.problems]
        fitting = [cell for cell in row.cells if self._fits(marked, cell)]
        keys = {cell.number: self._key(marked, cell) for cell in fitting}
        if not self.numbers_raters:
            self._refuse_again(marked, fitting, keys)
        if marked.is_sound:
            marked.cells = fitting
            for cell in fitting:
                self.criteria.setdefault(cell.criterion)
                self._note(marked, cell, keys[cell.number])
        return marked

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
        here = self.criteria.keys() | {one.criterion for one in marked.row.cells}
        if len(here) > MAX_CRITERIA and cell.criterion not in self.criteria:
            self._refuse(marked, "too_many_criteria", cell.column, most=str(MAX_CRITERIA))
            return None
        return self._scales[cell.criterion] if self._scales is not None else self._new_scale

    def _key(self, marked: Marked, cell: Cell) -> bytes:
        row = marked.row
        said = marked.response or f"{row.item}\x1f{row.system}\x1f{row.release}\x1f{row.sample_no}"
        written = f"{said}\x1e{cell.criterion}\x1e{cell.rater}"
        return hashlib.blake2b(written.encode(), digest_size=12).digest()

    def _refuse_again(
        self, marked: Marked, cells: Sequence[Cell], keys: Mapping[int, bytes]
    ) -> None:
        """Refuse what was graded in an earlier row, or earlier in this one."""
        here: set[bytes] = set()
        for cell in cells:
            key = keys[cell.number]
            first = marked.row.line if key in here else self._given.get(key)
            if first is not None:
                self._refuse(
                    marked, "graded_twice", cell.column, found=cell.rater, first=str(first)
                )
            here.add(key)

    def _note(self, marked: Marked, cell: Cell, key: bytes) -> None:
        if not self.numbers_raters:
            self._given[key] = marked.row.line
            return
        self._given[key] = self._given.get(key, 0) + 1
        self._number(marked, cell, self._given[key])

    def _number(self, marked: Marked, cell: Cell, number: int) -> None:
        """Take the second grade of one answer for that of a second rater, and say so once."""
        if number == 1:
            return
        if not self._numbered:
            line, found = marked.row.line, cell.rater
            problem = Problem("raters_numbered", line, cell.column, found, warning=True)
            marked.problems.append(problem)
        self._numbered = True
        cell.rater = f"{cell.rater} {number}"

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
