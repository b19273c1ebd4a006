"""Which rows of a file ask what the bank, or an earlier row, asks already.

* Rows of questions against the bank: what is new, there already, or says something else.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from annotation.bank.models import Citation, Question, QuestionVersion
from annotation.common import similarity
from annotation.common.similarity import FeatureCounts, TextFeatures
from annotation.domains.models import Capability, Difficulty, Domain
from annotation.files.cells import FileProblem, excerpt
from annotation.files.columns import Target
from annotation.files.mappings import QuestionMapping
from annotation.files.questions import FileQuestion, QuestionsRow
from annotation.imports import places as corpora
from annotation.imports.answers import Tree
from annotation.imports.places import Corpus, Placed
from annotation.people import queries as settings
from annotation.people import rules as people_rules
from annotation.people.models import Membership, Project, User
from annotation.search.models import TextKey
from annotation.search.similarity import reading_of

#: Keys are followed from the rarest on, until so many texts have come up.
MOST_ROWS = 6000
#: So many of those that share most are compared.
MOST_CANDIDATES = 16
#: Below this share of the weight of keys no text is compared, and without one from PROMISING on none.
RELATED, PROMISING = 0.1, 0.2


@dataclass(frozen=True, slots=True)
class Like:
    """What asks the same: a line of the file, or a question of the bank by its id."""

    external_id: str
    line: int | None
    percent: int


@dataclass(slots=True)
class _Text:
    """A text that others are compared with; of the bank's the reading is made when it is needed."""

    external_id: str
    line: int | None
    answer: str
    reading: TextFeatures | None
    question: int | None = None


class Finder:
    """Finds near-duplicates of rows in the order of the file; each row is known to the next ones."""

    def __init__(self, project: Project) -> None:
        self._at = settings.bank_of(project).alike / 100
        self._texts: list[_Text] = []
        #: By key, the places of the texts that have it.
        self._found: defaultdict[int, array[int]] = defaultdict(lambda: array("i"))
        self._read(project)

    def _read(self, project: Project) -> None:
        places: dict[int, int] = {}
        keys = TextKey.objects.filter(project=project, text__question__isnull=False)
        for key, text, question in keys.values_list("key", "text_id", "text__question_id"):
            if text not in places:
                places[text] = len(self._texts)
                self._texts.append(_Text("", None, "", None, question))
            self._found[key].append(places[text])

    def like(
        self, line: int, external_id: str, turns: Sequence[Mapping[str, Any]], answer: str
    ) -> Like | None:
        """Return what asks most nearly the same as a row, and remember the row."""
        asked = reading_of(turns)
        keys = similarity.keys(asked)
        found = self._nearest(asked, keys, answer) if asked.order else None
        for key in keys:
            self._found[key].append(len(self._texts))
        self._texts.append(_Text(external_id, line, answer, asked))
        return found

    def _nearest(self, asked: TextFeatures, keys: Mapping[int, str], answer: str) -> Like | None:
        bank = FeatureCounts(
            len(self._texts),
            {name: len(self._found[key]) for key, name in keys.items() if key in self._found},
        )
        texts = self._candidates(keys, bank)
        if not texts:
            return None
        self._load(texts)
        others = [one for text in texts if (one := self._texts[text]).reading is not None]
        read = [one.reading for one in others if one.reading is not None]
        bank = FeatureCounts(bank.size, {**bank.counts, **self._counted(asked, read)})
        verdicts = similarity.judge(asked, read, bank, at=self._at)
        answers = [
            similarity.alike(answer, one.answer)
            if verdict.value >= similarity.LEAST and answer.strip() and one.answer.strip()
            else None
            for one, verdict in zip(others, verdicts, strict=True)
        ]
        if any(one is not None for one in answers):
            verdicts = similarity.judge(asked, read, bank, answers, at=self._at)
        alike = [
            (verdict.value, one)
            for one, verdict in zip(others, verdicts, strict=True)
            if verdict.alike
        ]
        if not alike:
            return None
        value, one = max(alike, key=lambda pair: pair[0])
        return Like(one.external_id, one.line, int(100 * value))

    def _candidates(self, keys: Mapping[int, str], bank: FeatureCounts) -> list[int]:
        """Return the places of the texts that share most with a row, if any promises something."""
        whole = sum(bank.rarity(name) for name in keys.values() if not name.startswith("="))
        followed: list[array[int]] = []
        weights: list[float] = []
        n_rows = 0
        for n, key in sorted((len(self._found[key]), key) for key in keys if key in self._found):
            if followed and n_rows + n > MOST_ROWS:
                break
            followed.append(self._found[key][:MOST_ROWS])
            weights.append(bank.rarity(keys[key]))
            n_rows += n
        if not followed:
            return []
        places = np.concatenate([np.frombuffer(one, dtype=np.int32) for one in followed])
        each = np.repeat(weights, [len(one) for one in followed])
        shared = np.bincount(places, weights=each)
        n = min(MOST_CANDIDATES, len(shared))
        best = np.sort(np.argpartition(-shared, n - 1)[:n])  # a whole sort would take most time
        best = best[np.argsort(-shared[best], kind="stable")]
        if shared[best[0]] < PROMISING * whole:
            return []
        return [int(one) for one in best if shared[one] >= max(RELATED * whole, 1e-9)]

    def _load(self, texts: Sequence[int]) -> None:
        """Read those of the bank's questions that were not compared with anything yet."""
        unread = {
            one.question: one
            for text in texts
            if (one := self._texts[text]).reading is None and one.question is not None
        }
        if not unread:
            return
        rows = QuestionVersion.objects.newest().filter(question__in=list(unread))
        for version in rows.select_related("question"):
            text = unread[version.question_id]
            text.external_id = version.question.external_id
            text.answer, text.reading = version.answer, reading_of(version.turns)

    def _counted(self, asked: TextFeatures, others: Sequence[TextFeatures]) -> dict[str, int]:
        """Return how often the other words of the candidates stand in bank and file."""
        names = {name for other in others for name in other.features if name not in asked.features}
        numbered = similarity.numbered(names)
        return {name: len(self._found[key]) for key, name in numbered.items() if key in self._found}


State = QuestionVersion.State
#: Which column a part of a question comes from, where not its own name says so.
_COLUMNS = {
    "turns": Target.QUESTION,
    "answer": Target.STANDARD_ANSWER,
    "question_type": Target.TYPE,
    "cited": Target.SOURCES,
}


class RowFate(StrEnum):
    """What becomes of a row."""

    NEW = "new"
    VERSION = "version"
    SAME = "same"
    REFUSED = "refused"


@dataclass(slots=True)
class QuestionsResolved:
    """A row that was looked up; `newest` is the bank's newest version under its id."""

    row: QuestionsRow
    fate: RowFate = RowFate.REFUSED
    newest: QuestionVersion | None = None
    capability: int | None = None
    domain: int | None = None
    placed: list[Placed] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    problems: list[FileProblem] = field(default_factory=list)
    #: Capabilities and domains that are to be made for it.
    missing: list[tuple[Target, str]] = field(default_factory=list)


@dataclass(slots=True)
class _VersionStock:
    """The newest versions under the ids of some rows, and what each cites."""

    newest: dict[str, QuestionVersion]
    cited: dict[int, list[Citation]]


class QuestionsResolver:
    """Looks rows up in the project, in the order of the file, a batch at a time.

    A row with something wrong in it is left out whole: nothing that it says counts for later rows.
    """

    def __init__(self, project: Project, mapping: QuestionMapping, said: Set[str]) -> None:
        self._project = project
        self._mapping = mapping
        self._said = said
        self._first: dict[str, tuple[str, int]] = {}
        self.corpus = Corpus(project)
        self.missing: dict[str, dict[str, None]] = {"capability": {}, "domain": {}}
        self.capabilities = Tree(Capability.objects.filter(project=project))
        self.domains = Tree(Domain.objects.filter(project=project))

    def remember(self, rows: Iterable[QuestionsRow]) -> None:
        """Take note of rows that were brought in already, before an import goes on."""
        for row in rows:
            if row.question is not None:
                self._first.setdefault(row.question.external_id, (row.question.sha, row.line))

    def resolve(self, rows: Sequence[QuestionsRow]) -> list[QuestionsResolved]:
        stock = self._stock(rows)
        return [self._resolve(row, stock) for row in rows]

    def _stock(self, rows: Sequence[QuestionsRow]) -> _VersionStock:
        ids = {row.question.external_id for row in rows if row.question}
        found = (
            QuestionVersion.objects.newest()
            .filter(question__project=self._project, question__external_id__in=ids)
            .select_related("question")
        )
        newest = {one.question.external_id: one for one in found}
        cited: defaultdict[int, list[Citation]] = defaultdict(list)
        places = Citation.objects.filter(version__in=list(newest.values()))
        for one in places.select_related("source_version__source").order_by("position", "pk"):
            cited[one.version_id].append(one)
        return _VersionStock(newest, cited)

    def _resolve(self, row: QuestionsRow, stock: _VersionStock) -> QuestionsResolved:
        found = QuestionsResolved(row, problems=list(row.problems))
        question = row.question
        if question is None:
            return found
        found.newest = stock.newest.get(question.external_id)
        self._refuse_twice(found, question)
        found.capability = self._node(
            found, Target.CAPABILITY, question.capability, self.capabilities
        )
        found.domain = self._node(found, Target.DOMAIN, question.domain, self.domains)
        self._place(found, question)
        if found.newest is None:
            found.fate = RowFate.NEW
        else:
            self._compare(found, question, stock.cited.get(found.newest.pk, []))
        if any(not problem.warning for problem in found.problems):
            found.fate = RowFate.REFUSED
        else:
            self._note(found, question)
        return found

    def _note(self, found: QuestionsResolved, question: FileQuestion) -> None:
        """Take note of what a row says and what has to be made for it."""
        self._first[question.external_id] = (question.sha, found.row.line)
        for kind, name in found.missing:
            self.missing[kind].setdefault(name)
        for one in found.placed:
            if one.source_version is None:
                self.corpus.missing.setdefault(corpora.fold(one.cited.title), one.cited)

    def _refuse_twice(self, found: QuestionsResolved, question: FileQuestion) -> None:
        before = self._first.get(question.external_id)
        if before is not None:
            code = "row_twice" if before[0] == question.sha else "two_versions"
            column = self._mapping.column(Target.EXTERNAL_ID)
            self._refuse(found, code, column, question.external_id, first=str(before[1]))

    def _node(self, found: QuestionsResolved, kind: Target, name: str, tree: Tree) -> int | None:
        if not name:
            return None
        nodes = tree.at(name)
        if len(nodes) == 1:
            return next(iter(nodes))
        if not nodes and self._mapping.create_missing:
            self._note_missing(found, kind, name)
            return None
        code = f"ambiguous_{kind}" if nodes else f"unknown_{kind}"
        self._refuse(found, code, self._mapping.column(kind), name)
        return None

    def _note_missing(self, found: QuestionsResolved, kind: Target, name: str) -> None:
        if any(len(part) > 200 for part in name.split(" › ")):
            code = "name_too_long"
            self._refuse(found, code, self._mapping.column(kind), name, most="200")
            return
        found.missing.append((kind, name))

    def _place(self, found: QuestionsResolved, question: FileQuestion) -> None:
        for cited in question.cited:
            version = self.corpus.version_of(cited)
            found.placed.append(self.corpus.placed(cited, version))
            if version is not None:
                continue
            if not self._mapping.make_sources:
                self._refuse(found, "unknown_source", self._source_column(), cited.title)
            if cited.valid_from and cited.valid_until and cited.valid_from > cited.valid_until:
                self._refuse(found, "source_ends_first", self._source_column(), cited.title)

    def _source_column(self) -> str:
        named = (Target.SOURCES, Target.SOURCE_TITLE, Target.SOURCE_ADDRESS)
        return next((column for one in named if (column := self._mapping.column(one))), "")

    def _compare(
        self, found: QuestionsResolved, question: FileQuestion, cited: Sequence[Citation]
    ) -> None:
        newest = found.newest
        assert newest is not None
        here = self._values(found, question)
        titles = self.corpus.titles(found.placed)
        there = _values_of(newest)
        found.differing = [
            name for name in here if name in self._said and here[name] != there[name]
        ]
        if "cited" not in self._said:
            found.placed = [Placed.of(one) for one in cited]
        elif not corpora.cites_the_same(found.placed, titles, cited):
            found.differing.append("cited")
        if not found.differing:
            found.fate = RowFate.SAME
            _drop_emptiness(found, question)
            return
        found.fate = RowFate.VERSION
        if "cited" in self._said:
            corpora.keep_versions(found.placed, titles, cited)
        self._refuse_version(found, question, newest)

    def _refuse_version(
        self, found: QuestionsResolved, question: FileQuestion, newest: QuestionVersion
    ) -> None:
        column, name = self._column_of(found.differing[0]), question.external_id
        if not self._mapping.new_versions:
            parts = ", ".join(self._column_of(one) for one in found.differing)
            self._refuse(found, "question_differs", column, name, parts=parts)
        elif newest.question.state != Question.State.LIVE:
            self._refuse(found, "question_out_of_use", column, name)
        elif newest.state in {State.DRAFT, State.SUBMITTED}:
            self._refuse(found, "question_under_way", column, name)
        elif question.note:
            column = self._mapping.column(Target.NOTE)
            found.problems.append(
                FileProblem("note_left_out", found.row.line, column, warning=True)
            )

    def _column_of(self, part: str) -> str:
        if part == "cited":
            return self._source_column()
        target = Target(_COLUMNS.get(part, part))
        if part == "turns" and not self._mapping.column(target):
            target = Target.MESSAGES
        return self._mapping.column(target) or str(target)

    def _values(self, found: QuestionsResolved, question: FileQuestion) -> dict[str, Any]:
        new = {"capability": question.capability, "domain": question.domain}
        return {
            **{name: getattr(question, name) for name in _PLAIN},
            "turns": [(one["role"], one["content"]) for one in question.turns],
            "capability": found.capability or new["capability"] or None,
            "domain": found.domain or new["domain"] or None,
        }

    def _refuse(
        self, found: QuestionsResolved, code: str, column: str, name: str, **facts: str
    ) -> None:
        found.problems.append(FileProblem(code, found.row.line, column, excerpt(name), facts))


_PLAIN = (
    "answer",
    "key_points",
    "difficulty",
    "question_type",
    "principle",
    "valid_until",
    "tags",
    "language",
    "as_of",
)


def _values_of(version: QuestionVersion) -> dict[str, Any]:
    return {
        **{name: getattr(version, name) for name in _PLAIN},
        "answer": _lines(version.answer),
        "key_points": [_lines(one) for one in version.key_points],
        "principle": _lines(version.principle),
        "turns": _turns_of(version),
        "as_of": _short(version.as_of),
        "language": _short(version.language),
        "tags": [_short(str(one)) for one in version.tags],
        "capability": version.capability_id,
        "domain": version.domain_id,
    }


def _turns_of(version: QuestionVersion) -> list[tuple[str, str]]:
    turns = [(str(one["role"]), _lines(str(one["content"]))) for one in version.turns]
    return turns if any(content.strip() for _role, content in turns) else []


def _drop_emptiness(found: QuestionsResolved, question: FileQuestion) -> None:
    """An empty draft that the bank has as empty as the file is no problem."""
    if not question.turns:
        found.problems = [one for one in found.problems if one.code != "empty_cell"]


def faults_of(project: Project, mapping: QuestionMapping) -> list[FileProblem]:
    """Return what a mapping names for the whole file and the project does not have."""
    found = []
    for name, nodes in (
        (mapping.capability, Capability.objects.filter(project=project)),
        (mapping.domain, Domain.objects.filter(project=project)),
    ):
        if name and len(Tree(nodes).at(name)) != 1:
            found.append(FileProblem("label_is_gone", found=name))
    if mapping.difficulty not in {"", *Difficulty}:
        found.append(FileProblem("label_is_gone", found=mapping.difficulty))
    if mapping.author and mapping.author not in writers(project):
        found.append(FileProblem("unknown_author", found=mapping.author))
    return found


def writers(project: Project) -> dict[str, User]:
    """Return who may be named as author of what is brought in, by user name."""
    rows = Membership.objects.active().filter(project=project, role__in=people_rules.DESIGNERS)
    users = User.objects.filter(pk__in=rows.values("user"), is_active=True)
    named = users.select_related("person").order_by("person__name", "username")
    return {one.username: one for one in named}


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")


def _short(text: str) -> str:
    return " ".join(text.split())
