"""Which response a row of grades or scores means: by the question, the system and the sample, never by its place."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from annotation.models import Item, Project, Response, System, SystemRelease
from annotation.models.imports import SEEN
from annotation.queries.imports import waiting
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.targets import Target


class Named(Protocol):
    """What a row says of the release it is about."""

    line: int
    system: str
    release: str


class Row(Named, Protocol):
    """What a row says of the response it is about."""

    item: str
    sample_no: int | None


@dataclass(slots=True)
class Place:
    """The response that a row means; 0 and problems where it is not clear."""

    item: int = 0
    release: int = 0
    response: int = 0
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, line: int, code: str, column: str = "", found: str = "", **facts: str) -> None:
        self.problems.append(Problem(code, line, column, found, facts))


@dataclass(frozen=True, slots=True)
class _Said:
    item: int
    release: int
    response: int
    sample_no: int


class Places:
    """Finds the responses of a project, some rows at a time."""

    def __init__(self, project: Project, column: Callable[[Target], str]) -> None:
        self._project = project
        self._column = column
        self._systems = _systems(project)
        self._releases: dict[int, dict[str, int]] = defaultdict(dict)
        rows = SystemRelease.objects.seen().filter(system__project=project)
        for pk, system, label in rows.values_list("pk", "system_id", "label"):
            self._releases[system][label] = pk

    def find(self, rows: Sequence[Row]) -> list[Place]:
        """Return the response of each row."""
        said = self._responses(rows)
        unknown = {row.item for row in rows if row.item} - said.keys()
        in_bank = waiting.codes(self._project, unknown)
        return [self._find(row, said, in_bank) for row in rows]

    def release_of(self, row: Named) -> Place:
        """Return the release that a row names, without looking for a response."""
        place = Place()
        if row.system:
            place.release = self._release(row, place) or 0
        return place

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

    def _find(self, row: Row, said: Mapping[str, list[_Said]], in_bank: Mapping[str, str]) -> Place:
        place = Place()
        if not row.item or not row.system:
            return place
        release = self._release(row, place)
        if row.item not in said:
            code = in_bank.get(row.item, "unknown_item")
            place.refuse(row.line, code, self._column(Target.ITEM), row.item)
        elif release is not None:
            answers = [one for one in said[row.item] if one.release == release]
            if row.sample_no is not None:
                answers = [one for one in answers if one.sample_no == row.sample_no]
            if len(answers) == 1:
                only = answers[0]
                place.item, place.release, place.response = only.item, release, only.response
            else:
                code = "several_responses" if answers else "no_response"
                place.refuse(row.line, code, found=row.item, system=row.system)
        return place

    def _release(self, row: Named, place: Place) -> int | None:
        system = self._systems.get(row.system)
        if system is None:
            place.refuse(row.line, "unknown_system", self._column(Target.SYSTEM), row.system)
            return None
        releases = self._releases[system]
        if row.release:
            if row.release not in releases:
                column = self._column(Target.RELEASE)
                place.refuse(row.line, "unknown_release", column, row.release, system=row.system)
            return releases.get(row.release)
        if len(releases) != 1:
            place.refuse(row.line, "which_release", found=row.system)
            return None
        return next(iter(releases.values()))


def _systems(project: Project) -> dict[str, int]:
    """Return systems by name, and by their other names where these are clear."""
    rows = list(System.objects.seen().filter(project=project).values_list("pk", "name", "aliases"))
    aliases: dict[str, set[int]] = defaultdict(set)
    for pk, _, others in rows:
        for alias in others:
            aliases[alias].add(pk)
    clear = {alias: next(iter(pks)) for alias, pks in aliases.items() if len(pks) == 1}
    return clear | {name: pk for pk, name, _ in rows}
