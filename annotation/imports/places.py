"""The sources that rows of a file cite against those of the project.

* Ids of questions that are in the bank and not accepted: nothing can be graded or answered by them yet.
* Which response a row of grades or scores means: by the question, the system and the sample, never by its place.
* A first look at a file of scores, before it is checked: which judges and metrics it holds.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Protocol, TypeVar

from annotation.bank.models import Citation, Question, QuestionVersion
from annotation.common import scales
from annotation.common import texts as passages
from annotation.files import choices, scores, values
from annotation.files import stored as files
from annotation.files.answers import CitedPlace
from annotation.files.cells import BadFile, FileProblem, FileRecord
from annotation.files.choices import ChoiceMapping
from annotation.files.columns import Target
from annotation.files.mappings import ColumnTarget, FileMapping, GradeMapping
from annotation.files.models import SEEN, Upload
from annotation.files.pairs import PairMapping
from annotation.files.scores import Ends, KnownScales, ScoreMapping, Seen
from annotation.people.models import Project
from annotation.rubrics.models import Criterion, RubricVersion
from annotation.sources.models import SourceVersion
from annotation.systems.models import Item, Response, System, SystemRelease
from evalsite import panels

#: What a name means.
Found = TypeVar("Found", str, int)
#: So many names that are written in another way are told.
MOST_MATCHED = 100
#: So many texts of sources are kept at hand while a file is read.
MOST_TEXTS = 20


@dataclass(slots=True)
class Placed:
    """A citation with the version of the source it goes to; None while that is to be made.

    `start` and `end` are of the passage in that version's text, None where it holds none.
    """

    source_version: int | None
    cited: CitedPlace
    start: int | None = None
    end: int | None = None

    @classmethod
    def of(cls, one: Citation) -> "Placed":
        """Return a citation as the bank has it."""
        return cls(one.source_version_id, CitedPlace(locator=one.locator), one.start, one.end)


class Corpus:
    """The sources of a project by title and by address; those that a file adds come to them."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._by_title: dict[str, str] = {}
        self._by_address: dict[str, str] = {}
        self._versions: dict[str, dict[int, int]] = {}
        self.missing: dict[str, CitedPlace] = {}
        self._texts: dict[int, str] = {}
        self.look_again()

    def look_again(self) -> None:
        """Read the sources of the project afresh."""
        rows = SourceVersion.objects.filter(source__project=self._project).order_by("number")
        for pk, number, title, address in rows.values_list(
            "pk", "number", "source__title", "source__address"
        ):
            self._by_title[fold(title)] = title
            self._by_address.setdefault(address, title)
            self._versions.setdefault(title, {})[number] = pk
        self._by_address.pop("", None)

    def title_of(self, cited: CitedPlace) -> str:
        """Return what the project calls a source; empty where it has none like it."""
        if found := self._by_title.get(fold(cited.title)):
            return found
        named_by_address = cited.address and cited.title == cited.address
        return self._by_address.get(cited.address, "") if named_by_address else ""

    def titles(self, placed: Sequence["Placed"]) -> list[str]:
        """Return what each source is called here, or in the file if it is new."""
        return [self.title_of(one.cited) or one.cited.title for one in placed]

    def version_of(self, cited: CitedPlace) -> int | None:
        """Return the version that is named, or the newest one; None where there is none."""
        versions = self._versions.get(self.title_of(cited), {})
        newest = max(versions) if versions else 0
        return versions.get(cited.version or newest, versions.get(newest))

    def placed(self, cited: CitedPlace, version: int | None) -> Placed:
        """Return a citation with its passage, where the text of that version holds it.

        Where other words stand at its characters, the passage is where its words stand, if they
        stand there once. A source that came by a file has no text yet: its citations have a place.
        """
        if version is None or cited.start is None or cited.end is None:
            return Placed(version, cited)
        text = self._text_of(version)
        start, end, said = cited.start, cited.end, cited.quote
        if said and text[start:end] != said:
            start = text.find(said)
            end = start + len(said)
            if start < 0 or said in text[start + 1 :]:
                return Placed(version, cited)
        try:
            return Placed(version, cited, *passages.trimmed(text, start, end))
        except passages.UnheldPassage:
            return Placed(version, cited)

    def _text_of(self, version: int) -> str:
        if version not in self._texts:
            if len(self._texts) >= MOST_TEXTS:
                self._texts.clear()
            rows = SourceVersion.objects.filter(pk=version)
            self._texts[version] = rows.values_list("text", flat=True)[0]
        return self._texts[version]


def cites_the_same(
    placed: Sequence[Placed], titles: Sequence[str], cited: Sequence[Citation]
) -> bool:
    """Compare places by title; the version counts where the file names one that there is."""
    there = {(_title_of(one), " ".join(one.locator.split())): one for one in cited}
    here = {(title, one.cited.locator): one for title, one in zip(titles, placed, strict=True)}
    return here.keys() == there.keys() and all(_fits(one, there[key]) for key, one in here.items())


def _fits(placed: Placed, cited: Citation) -> bool:
    """Compare version and passage, as far as the file names them and this project has them."""
    if placed.cited.version and placed.source_version != cited.source_version_id:
        return False
    return placed.start is None or (placed.start, placed.end) == (cited.start, cited.end)


def keep_versions(
    placed: Sequence[Placed], titles: Sequence[str], cited: Sequence[Citation]
) -> None:
    """Go on citing the version of a source and the passage that are cited, where the file names none."""
    there = {_title_of(one): one.source_version_id for one in cited}
    places = {
        (one.source_version_id, " ".join(one.locator.split())): (one.start, one.end)
        for one in cited
    }
    for title, one in zip(titles, placed, strict=True):
        if one.cited.version is None and one.start is None:
            one.source_version = there.get(title, one.source_version)
        if one.cited.start is None:
            key = one.source_version or 0, one.cited.locator
            one.start, one.end = places.get(key, (None, None))


def _title_of(one: Citation) -> str:
    return one.source_version.source.title


def fold(name: str) -> str:
    """Return a title as it is compared: capitals and spaces do not count."""
    return " ".join(name.split()).casefold()


State = QuestionVersion.State
#: The problem of a row that names such a question, by the state of its newest version.
CODES = {
    State.DRAFT: "question_is_draft",
    State.SUBMITTED: "question_in_inspection",
    State.RETURNED: "question_returned",
}


def codes(project: Project, names: Iterable[str]) -> dict[str, str]:
    """Return which of these ids wait in the bank, each with the problem that says so."""
    wanted = sorted(set(names))
    if not wanted:
        return {}
    rows = QuestionVersion.objects.filter(
        question__project=project,
        question__state=Question.State.LIVE,
        question__external_id__in=wanted,
    )
    newest = dict(rows.order_by("number").values_list("question__external_id", "state"))
    return {name: CODES[State(state)] for name, state in newest.items() if state in CODES}


class ReleaseRow(Protocol):
    """What a row says of the release it is about."""

    line: int
    system: str
    release: str


class ResponseRow(ReleaseRow, Protocol):
    """What a row says of the response it is about."""

    item: str
    sample_no: int | None


@dataclass(slots=True)
class ResponsePlace:
    """The response that a row means; 0 and problems where it is not clear.

    `reading` is the number of one of several marks of the same response, 0 where there is one.
    """

    item: int = 0
    release: int = 0
    response: int = 0
    reading: int = 0
    problems: list[FileProblem] = field(default_factory=list)

    def refuse(self, line: int, code: str, column: str = "", found: str = "", **facts: str) -> None:
        self.problems.append(FileProblem(code, line, column, found, facts))


@dataclass(frozen=True, slots=True)
class _NamedResponse:
    item: int
    release: int
    response: int
    sample_no: int


class ResponsePlaces:
    """Finds the responses of a project, some rows at a time.

    A name means what is called exactly so, else what is the only one that differs in case and spaces.
    """

    def __init__(
        self, project: Project, column: Callable[[Target], str], *, readings: bool = False
    ) -> None:
        """Look at the systems of a project.

        Args:
            project: whose they are.
            column: says which column holds what.
            readings: the number of a sample counts marks of a response, where there is only one.
        """
        self._project = project
        self._column = column
        self._readings = readings
        self._systems = _systems(project)
        self._folded_systems = _clear(self._systems)
        self._releases: dict[int, dict[str, int]] = defaultdict(dict)
        rows = SystemRelease.objects.seen().filter(system__project=project)
        for pk, system, label in rows.values_list("pk", "system_id", "label"):
            self._releases[system][label] = pk
        self._folded_items: dict[str, str] | None = None
        #: What names of the file mean, where they are written in another way, by the kind of name.
        self.matched: dict[str, dict[str, str]] = {"item": {}, "system": {}, "release": {}}

    def find(self, rows: Sequence[ResponseRow]) -> list[ResponsePlace]:
        """Return the response of each row."""
        said = self._responses({row.item for row in rows if row.item})
        unknown = {row.item for row in rows if row.item} - said.keys()
        meant = self._meant(unknown)
        if meant:
            said = {**said, **self._responses(set(meant.values()))}
            for written, name in meant.items():
                self._match("item", written, name)
        in_bank = codes(self._project, unknown)
        return [self._find(row, meant.get(row.item, row.item), said, in_bank) for row in rows]

    def release_of(self, row: ReleaseRow) -> ResponsePlace:
        """Return the release that a row names, without looking for a response."""
        place = ResponsePlace()
        if row.system:
            place.release = self._release(row, place) or 0
        return place

    def _meant(self, unknown: Iterable[str]) -> dict[str, str]:
        """Return the ids that are clear but for case and spaces, or by the text of the question."""
        wanted = set(unknown)
        if wanted and self._folded_items is None:
            items = Item.objects.seen().filter(project=self._project)
            names = items.values_list("external_id", flat=True).distinct()
            self._folded_items = _clear({name: name for name in names.iterator()})
        here = self._folded_items or {}
        found = {name: here[folded] for name in wanted if (folded := values.fold(name)) in here}
        return found | self._asked(name for name in wanted - found.keys() if " " in name)

    def _asked(self, texts: Iterable[str]) -> dict[str, str]:
        """Return the ids of questions that a file names by their texts, where one question asks so."""
        by_sha = {passages.prompt_sha(passages.as_messages(text)): text for text in texts}
        if not by_sha:
            return {}
        items = Item.objects.seen().filter(project=self._project, prompt_sha__in=by_sha)
        named: dict[str, set[str]] = defaultdict(set)
        for sha, name in items.values_list("prompt_sha", "external_id"):
            named[by_sha[sha]].add(name)
        return {text: next(iter(names)) for text, names in named.items() if len(names) == 1}

    def _match(self, kind: str, written: str, name: str) -> None:
        found = self.matched[kind]
        if written != name and len(found) < MOST_MATCHED:
            found.setdefault(written, name)

    def _responses(self, names: Collection[str]) -> Mapping[str, list[_NamedResponse]]:
        pks = dict(
            Item.objects.seen()
            .filter(project=self._project, external_id__in=names)
            .values_list("pk", "external_id")
        )
        found: dict[str, list[_NamedResponse]] = {name: [] for name in pks.values()}
        said = Response.objects.filter(SEEN, item__in=pks)
        for response, item, release, sample_no in said.values_list(
            "pk", "item_id", "release_id", "sample_no"
        ):
            found[pks[item]].append(_NamedResponse(item, release, response, sample_no))
        return found

    def _find(
        self,
        row: ResponseRow,
        item: str,
        said: Mapping[str, list[_NamedResponse]],
        in_bank: Mapping[str, str],
    ) -> ResponsePlace:
        place = ResponsePlace()
        if not row.item or not row.system:
            return place
        release = self._release(row, place)
        if item not in said:
            code = in_bank.get(row.item, "unknown_item")
            place.refuse(row.line, code, self._column(Target.ITEM), row.item)
        elif release is not None:
            answers = [one for one in said[item] if one.release == release]
            if row.sample_no is not None and self._readings and len(answers) == 1:
                place.reading = row.sample_no
            elif row.sample_no is not None:
                answers = [one for one in answers if one.sample_no == row.sample_no]
            if len(answers) == 1:
                only = answers[0]
                place.item, place.release, place.response = only.item, release, only.response
            else:
                code = "several_responses" if answers else "no_response"
                place.refuse(row.line, code, found=row.item, system=row.system)
        return place

    def _release(self, row: ReleaseRow, place: ResponsePlace) -> int | None:
        system = self._system(row.system)
        if system is None:
            place.refuse(row.line, "unknown_system", self._column(Target.SYSTEM), row.system)
            return None
        releases = self._releases[system]
        if row.release:
            label = row.release
            if label not in releases:
                label = _clear({name: name for name in releases}).get(values.fold(label), "")
            if not label:
                column = self._column(Target.RELEASE)
                place.refuse(row.line, "unknown_release", column, row.release, system=row.system)
                return None
            self._match("release", row.release, label)
            return releases[label]
        if len(releases) != 1:
            place.refuse(row.line, "which_release", found=row.system)
            return None
        return next(iter(releases.values()))

    def _system(self, written: str) -> int | None:
        if written in self._systems:
            return self._systems[written]
        system = self._folded_systems.get(values.fold(written))
        if system is not None:
            name = next(name for name, pk in self._systems.items() if pk == system)
            self._match("system", written, name)
        return system


def _clear(named: Mapping[str, Found]) -> dict[str, Found]:
    """Return what folded names mean, where that is one thing."""
    found: dict[str, set[Found]] = defaultdict(set)
    for name, one in named.items():
        found[values.fold(name)].add(one)
    return {name: next(iter(ones)) for name, ones in found.items() if len(ones) == 1}


def _systems(project: Project) -> dict[str, int]:
    """Return systems by name, and by their other names where these are clear."""
    rows = list(System.objects.seen().filter(project=project).values_list("pk", "name", "aliases"))
    aliases: dict[str, set[int]] = defaultdict(set)
    for pk, _, others in rows:
        for alias in others:
            aliases[alias].add(pk)
    clear = {alias: next(iter(pks)) for alias, pks in aliases.items() if len(pks) == 1}
    names = {name: pk for pk, name, _ in rows}
    return names | {alias: pk for alias, pk in clear.items() if alias not in names}


#: Rows that a page looks at before the check, which reads all; programs have all read at once.
ROWS = 10_000


def machines(upload: Upload, mapping: ScoreMapping, *, whole: bool = False) -> list[Seen]:
    """Return the judges and metrics of a file: as the last check found them, or in its first rows."""
    if not whole and (stored := (upload.report or {}).get("seen")):
        # Those of columns come first, in the order of the file.
        found = scores.survey((), mapping)
        return list((found | {one["name"]: Seen.from_dict(one) for one in stored}).values())
    most = None if whole else ROWS
    return list(
        scores.survey(_first(upload, most), mapping, _values(upload, mapping, most)).values()
    )


def _values(upload: Upload, mapping: ScoreMapping, most: int | None) -> values.ValueReader:
    """Return what reads the scores of a file by what was said of it, and by what its first rows show."""
    read_by = files.values_of(upload, upload.told)
    seen, reader = read_by.survey(), scores.ScoresReader(mapping, read_by)
    for record in _first(upload, most):
        reader.look(record, seen)
    known = machines_of(upload.project)
    asks = seen.asks(known, lambda part, number: holds(mapping, part, number))
    return read_by.told_by(seen.taken(known, asks))


def only_system(project: Project) -> str:
    """Return the system of a project that has no other; empty where it has none, or several."""
    names = System.objects.seen().filter(project=project).values_list("name", flat=True)[:2]
    return names[0] if len(names) == 1 else ""


def only_criterion(project: Project) -> str:
    """Return the criterion by which people grade in a project; empty where there is none, or several."""
    rows = Criterion.objects.filter(
        rubric_version__rubric__project=project, rubric_version__kind=RubricVersion.Kind.HUMAN
    )
    keys = rows.values_list("key", flat=True).order_by("key").distinct()[:2]
    return keys[0] if len(keys) == 1 else ""


def whole_of(
    upload: Upload, chosen: Sequence[ColumnTarget], system: str, criterion: str
) -> tuple[str, str]:
    """Return the system and the criterion of a whole file: as said, else the only ones of its project.

    They are empty where a column says so.
    """
    targets = {one.target for one in chosen}
    named = any(one.criterion for one in chosen)
    if not system and Target.SYSTEM not in targets and not any(one.system for one in chosen):
        system = only_system(upload.project)
    if not criterion and Target.CRITERION not in targets and not named:
        criterion = only_criterion(upload.project)
    return system, criterion


def filled(upload: Upload, mapping: FileMapping, *, whole: bool = True) -> FileMapping:
    """Return a mapping with what nobody says because the file, its layout or the project says it.

    Args:
        whole: read a file of scores to its end for it.
    """
    if isinstance(mapping, GradeMapping):
        said = whole_of(upload, mapping.places, mapping.system, mapping.criterion)
        return replace(mapping, system=said[0], criterion=said[1])
    if isinstance(mapping, ScoreMapping):
        system, _criterion = whole_of(upload, mapping.places, mapping.system, "")
        return declared(upload, replace(mapping, system=system), whole=whole)
    if isinstance(mapping, PairMapping):
        named = "" if mapping.rubric else mapping.new_rubric or mapping.round_name
        return replace(mapping, new_rubric=named)
    layout = choices.published(files.layout_of(upload))
    if isinstance(mapping, ChoiceMapping) and layout is not None:
        dataset = mapping.dataset or choices.KNOWN_NAMES[layout]
        return replace(mapping, places=(), layout=str(layout), dataset=dataset)
    return mapping


def machines_of(project: Project) -> dict[str, list[str]]:
    """Return the names of the judges and metrics that a project knows, as those who mark."""
    return {values.RATER: sorted({name for name, _criterion in _known(project)})}


def _known(project: Project) -> dict[tuple[str, str], Ends]:
    """Return the ranges of the judges and metrics that a project knows, by name and criterion."""
    known: dict[tuple[str, str], Ends] = {}
    for others in panels.supplied("machines_known").values():
        known |= others(project)
    return known


def holds(mapping: ScoreMapping, part: Sequence[str], number: Decimal) -> bool:
    """Say whether a range that a person declared has room for a number."""
    declared = mapping.machine(part[0], part[1])
    if declared is None or declared.guessed:
        return False
    low, high = declared.ends()
    return low is not None and low <= number and (high is None or number <= high)


def declared(upload: Upload, mapping: ScoreMapping, *, whole: bool = True) -> ScoreMapping:
    """Return a mapping whose judges and metrics are all declared: the rest as the file suggests.

    Args:
        whole: read the file to its end; else only its beginning, and the check tells of the others.
    """
    seen = machines(upload, mapping, whole=whole)
    found = scores.completed(mapping.machines, seen, standing(upload.project, mapping))
    return replace(mapping, machines=tuple(found))


def standing(project: Project, mapping: ScoreMapping) -> KnownScales:
    """Return what the project says already of criteria, judges and metrics."""
    newest: dict[int, int] = {}
    versions = RubricVersion.objects.filter(
        rubric__project=project, kind=RubricVersion.Kind.HUMAN
    ).order_by("rubric", "-number")
    for pk, rubric in versions.values_list("pk", "rubric"):
        newest.setdefault(rubric, pk)
    rows = Criterion.objects.filter(rubric_version__in=newest.values())
    found: dict[str, dict[Ends, None]] = defaultdict(dict)
    for name, key, low, high in rows.values_list("name", "key", "minimum", "maximum"):
        for one in {scores.plain_name(name), scores.plain_name(key)}:
            found[one].setdefault((low, high))
    known = _known(project)
    words = [number for one in mapping.words.values() if (number := _number(one)) is not None]
    return KnownScales({name: tuple(ends) for name, ends in found.items()}, known, words)


def _number(written: str) -> Decimal | None:
    try:
        return scales.parse(written)
    except ValueError:
        return None  # the mapping says so


def _first(upload: Upload, most: int | None) -> Iterator[FileRecord]:
    try:
        if most is None:
            yield from files.records(upload)
        else:
            yield from itertools.islice(files.beginning(upload), most)
    except BadFile:
        return  # the check tells where reading stopped, with its row
