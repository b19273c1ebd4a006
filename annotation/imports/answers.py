"""Rows of questions and answers against what the project has: what is new, known or in conflict."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db.models import Q

from annotation.domains.models import Capability, Domain
from annotation.files import values
from annotation.files.answers import AnsweredItem, AnswersRow, FileAnswer
from annotation.files.asks import FileAsk, Told
from annotation.files.cells import FileProblem, excerpt
from annotation.files.choices import ChoiceMapping
from annotation.files.columns import Target
from annotation.files.mappings import AnswerMapping
from annotation.files.models import SEEN, ImportBatch
from annotation.imports import places as waiting
from annotation.people.models import Project
from annotation.systems.models import Item, Response, System, SystemRelease

#: Fingerprint, labels and line of an item where the file has it first.
Noted = tuple[str, tuple[str, ...], int]
Key = tuple[str, str]  # external id and content fingerprint of an item

#: So many questions whose texts differ are asked about one by one as well.
ONE_BY_ONE: Final = 10
#: The question to a person whose answer decides of texts that differ.
DIFFERING: Final = "differing_questions"

_LABEL_NAMES = ("capability", "domain", "difficulty", "question_type", "as_of", "group")


@dataclass(slots=True)
class KnownItem:
    pk: int
    prompt_sha: str
    labels: tuple[object, ...]


@dataclass(slots=True)
class AnswersResolved:
    """A row that was looked up; `key` names its item, in the project or among the new ones."""

    row: AnswersRow
    key: Key | None
    item: KnownItem | None = None
    is_new: bool = False
    is_first: bool = False  # the first row of the file about its question
    new_answers: list[FileAnswer] = field(default_factory=list)
    n_known: int = 0
    problems: list[FileProblem] = field(default_factory=list)


@dataclass(slots=True)
class ItemStock:
    """What the project has of the items of one batch of rows."""

    items: dict[str, dict[str, KnownItem]]
    responses: dict[tuple[int, int, int], set[str]]
    #: Problems of ids that the bank has and no item.
    waiting: dict[str, str]


class Tree:
    """Names of capabilities or domains: alone where that is clear, with their parents where not.

    A path is written "Parent / Name", or "Parent › Name" as pages and files of the bank have it.
    """

    def __init__(self, nodes: Iterable[Capability | Domain]) -> None:
        by_pk = {node.pk: node for node in nodes}
        self._found: dict[str, set[int]] = defaultdict(set)
        self._whole: dict[str, int] = {}
        for node in by_pk.values():
            paths, above = [node.name, node.name], node
            self._found[_fold(node.name)].add(node.pk)
            while above.parent_id in by_pk:
                above = by_pk[above.parent_id]
                paths = [f"{above.name} / {paths[0]}", f"{above.name} › {paths[1]}"]
                for path in paths:
                    self._found[_fold(path)].add(node.pk)
            self._whole |= {_fold(path): node.pk for path in paths}

    def find(self, name: str) -> set[int]:
        return self._found.get(_fold(name), set())

    def at(self, path: str) -> set[int]:
        """Return the node of which this is the whole path; without one, what is called so."""
        node = self._whole.get(_fold(path))
        return self.find(path) if node is None else {node}


class AnswersResolver:
    """Looks rows up in the project, in the order of the file, a batch at a time.

    A row with something wrong in it is left out whole: nothing that it says counts for later rows.
    """

    def __init__(
        self,
        project: Project,
        mapping: AnswerMapping | ChoiceMapping,
        batch: ImportBatch | None = None,
        told: Told | None = None,
    ) -> None:
        self._project = project
        self._told = told or {}
        #: What systems of the file are called here, and which may be those that another name means.
        self._called: dict[str, str] = {}
        self._near: dict[str, str] = {}
        self._asks: dict[str, FileAsk] = {}
        #: Questions whose text is another one here under the same id.
        self.differing: dict[str, None] = {}
        self._mapping = mapping
        self.mine = SEEN | Q(batch=batch) if batch else SEEN
        self._first: dict[str, Noted] = {}
        self._met: dict[str, None] = {}
        #: What the row at hand has noted, until it is known that nothing is wrong with it.
        self._noted: list[tuple[dict[Any, Any], Any]] = []
        self._said: dict[bytes, tuple[str, int]] = {}
        self.releases: dict[Key, int] = {}
        self.capabilities = Tree(())
        self.domains = Tree(())
        self.missing: dict[str, dict[str, None]] = {"capability": {}, "domain": {}}
        self.look_again()

    def look_again(self) -> None:
        """Read the systems, capabilities and domains of the project afresh."""
        rows = SystemRelease.objects.filter(system__project=self._project).filter(self.mine)
        self.releases = {
            (name, label): pk for pk, name, label in rows.values_list("pk", "system__name", "label")
        }
        here = {values.likeness(name) or name: name for name in self.systems()}
        self._near = here | self._near
        self.capabilities = Tree(Capability.objects.filter(project=self._project))
        self.domains = Tree(Domain.objects.filter(project=self._project))

    def systems(self) -> dict[str, int]:
        rows = System.objects.filter(project=self._project).filter(self.mine)
        return dict(rows.values_list("name", "pk"))

    def asks(self) -> list[FileAsk]:
        """Return whether names are of one system, and texts that differ of one question."""
        if not self.differing:
            return list(self._asks.values())
        facts = {"n": str(len(self.differing))}
        found = next(iter(self.differing))
        options = ("new", "ours")
        asks = [FileAsk(DIFFERING, DIFFERING, options, "new", found=found, facts=facts)]
        if 1 < len(self.differing) <= ONE_BY_ONE:
            one = "differing_question"
            of_all = asks[0].answer(self._told)
            asks += [
                FileAsk(f"{DIFFERING}:{name}", one, options, of_all, found=name)
                for name in self.differing
            ]
        return [*self._asks.values(), *asks]

    def remember(self, rows: Iterable[AnswersRow]) -> None:
        """Take note of rows that were brought in already, before an import goes on."""
        rows = list(rows)
        self._adopt(rows)
        for row in rows:
            if row.question is not None and row.question.messages:
                self._note(row.question, row)
            if row.question is not None:
                self._met.setdefault(row.question.external_id)
        self._noted.clear()

    def resolve(self, rows: Sequence[AnswersRow]) -> list[AnswersResolved]:
        self._adopt(rows)
        stock = self._stock(rows)
        return [self._resolve(row, stock) for row in rows]

    def _adopt(self, rows: Sequence[AnswersRow]) -> None:
        """Take systems and questions for those of the project: these by text, by id or by both.

        A file that tells nothing but the text of a question means any version that asks the same.
        """
        for row in rows:
            for answer in row.answers:
                answer.system = self._system(answer.system)
        asked = [row.question for row in rows if row.question and row.question.messages]
        if not asked:
            return
        here = Item.objects.filter(self.mine, project=self._project)
        by_text = Q(prompt_sha__in={one.prompt_sha for one in asked if not one.is_named})
        by_name = Q(external_id__in={one.external_id for one in asked if one.is_named})
        names: dict[str, str] = {}
        versions: dict[str, list[tuple[str, str]]] = defaultdict(list)
        rows_here = here.filter(by_text | by_name).order_by("pk")
        for name, prompt, content in rows_here.values_list(
            "external_id", "prompt_sha", "content_sha"
        ):
            names[prompt] = name
            versions[name].append((prompt, content))
        for one in asked:
            if not one.is_named and one.prompt_sha in names:
                one.group = names[one.prompt_sha] if one.group == one.external_id else one.group
                one.external_id = names[one.prompt_sha]
            self._take_version(one, versions[one.external_id])

    def _system(self, name: str) -> str:
        """Return what a system is called: as one that is nearly called so, where that is one system."""
        if name not in self._called:
            near = self._near.setdefault(values.likeness(name) or name, name)
            if near != name and name not in self.systems():
                same = "same" if values.fold(near) == values.fold(name) else ""
                key, found = f"system:{name}", f"“{near}” · “{name}”"
                ask = FileAsk(key, "same_system", ("same", "apart"), same, found=found)
                self._asks[key] = ask
                self._called[name] = near if ask.answer(self._told) == "same" else name
            else:
                self._called[name] = name
        return self._called[name]

    def _take_version(self, one: AnsweredItem, versions: Sequence[tuple[str, str]]) -> None:
        contents = [content for _prompt, content in versions]
        if not versions or one.content_sha in contents:
            return
        same = [content for prompt, content in versions if prompt == one.prompt_sha]
        if same and one.is_bare:
            one.content_sha = same[-1]
        elif not same:
            self.differing.setdefault(one.external_id)
            said = self._told.get(f"{DIFFERING}:{one.external_id}") or self._told.get(DIFFERING)
            if said == "ours":
                one.prompt_sha, one.content_sha = versions[-1]

    def _stock(self, rows: Sequence[AnswersRow]) -> ItemStock:
        names = {row.question.external_id for row in rows if row.question}
        found = Item.objects.filter(project=self._project, external_id__in=names)
        items: dict[str, dict[str, KnownItem]] = defaultdict(dict)
        pks = []
        for pk, external_id, content, prompt, *labels in found.filter(self.mine).values_list(
            "pk",
            "external_id",
            "content_sha",
            "prompt_sha",
            "capability_id",
            "domain_id",
            "difficulty",
            "question_type",
            "as_of",
            "group",
        ):
            items[external_id][content] = KnownItem(pk, prompt, tuple(labels))
            pks.append(pk)
        responses: dict[tuple[int, int, int], set[str]] = defaultdict(set)
        if pks:
            said = Response.objects.filter(self.mine, item__in=pks)
            for item, release, sample_no, sha in said.values_list(
                "item_id", "release_id", "sample_no", "content_sha"
            ):
                responses[item, release, sample_no].add(sha)
        unknown = {row.question.external_id for row in rows if row.question and _is_named(row)}
        return ItemStock(
            items,
            responses,
            waiting.codes(self._project, unknown - items.keys() - self._first.keys()),
        )

    def _resolve(self, row: AnswersRow, stock: ItemStock) -> AnswersResolved:
        resolved = self._looked_up(row, stock)
        if any(not problem.warning for problem in resolved.problems):
            for found, key in self._noted:
                del found[key]
        self._noted.clear()
        return resolved

    def _put(self, found: dict[Any, Any], key: Any, value: Any = None) -> None:
        """Note what a row says, unless an earlier one said it."""
        if key not in found:
            found[key] = value
            self._noted.append((found, key))

    def _looked_up(self, row: AnswersRow, stock: ItemStock) -> AnswersResolved:
        resolved = AnswersResolved(row, None, problems=list(row.problems))
        question = row.question
        if question is None:
            return resolved
        known = stock.items.get(question.external_id, {})
        if question.messages:
            self._full(resolved, question, known)
        else:
            self._named(resolved, question, known, stock.waiting)
        if resolved.key is not None:
            resolved.is_first = question.external_id not in self._met
            self._put(self._met, question.external_id)
            resolved.item = known.get(resolved.key[1])
            for answer in row.answers:
                self._answer(resolved, answer, stock)
        return resolved

    def _full(
        self, resolved: AnswersResolved, question: AnsweredItem, known: dict[str, KnownItem]
    ) -> None:
        row = resolved.row
        first = self._note(question, row)
        resolved.key = (question.external_id, question.content_sha)
        if first is not None:
            self._again(resolved, question, first)
            return
        labels_of = self._labels(resolved, question)
        item = known.get(question.content_sha)
        resolved.is_new = item is None
        if item is not None:
            differ = item.labels[:-1] != (*labels_of, *question.labels[2:-1])
            if differ and any(question.labels[:-1]):
                self._warn(resolved, "known_item_keeps_labels", question)
        elif known and all(one.prompt_sha != question.prompt_sha for one in known.values()):
            self._warn(resolved, "another_question_under_this_id", question)
        elif known:
            self._warn(resolved, "another_version_of_this_question", question)

    def _again(self, resolved: AnswersResolved, question: AnsweredItem, first: Noted) -> None:
        row, (sha, labels, first_line) = resolved.row, first
        facts = {"first": str(first_line)}
        if (sha, labels) != (question.content_sha, question.labels):
            column = _differing(labels, question.labels) if sha == question.content_sha else ""
            found = question.external_id
            resolved.problems.append(FileProblem("two_versions", row.line, column, found, facts))
        elif not row.answers and not row.n_empty:
            found = question.external_id
            resolved.problems.append(FileProblem("row_twice", row.line, "", found, facts))

    def _named(
        self,
        resolved: AnswersResolved,
        question: AnsweredItem,
        known: dict[str, KnownItem],
        in_bank: dict[str, str],
    ) -> None:
        first = self._first.get(question.external_id)
        wording = question.fingerprint.removeprefix("p")
        asked = {sha: one for sha, one in known.items() if one.prompt_sha.startswith(wording)}
        if first is not None:
            resolved.key = (question.external_id, first[0])
        elif question.fingerprint and asked:  # answers belong to the wording: any of them will do
            newest = max(asked, key=lambda sha: asked[sha].pk)
            resolved.key = (question.external_id, newest)
        elif question.fingerprint and known:
            column = self._mapping.column(Target.FINGERPRINT)
            found = question.external_id
            resolved.problems.append(
                FileProblem("question_changed", resolved.row.line, column, found)
            )
        elif len(known) == 1:
            resolved.key = (question.external_id, next(iter(known)))
        else:
            found = question.external_id
            code = "ambiguous_item" if known else in_bank.get(found, "unknown_item")
            column = self._mapping.column(Target.EXTERNAL_ID)
            resolved.problems.append(FileProblem(code, resolved.row.line, column, found))

    def _note(self, question: AnsweredItem, row: AnswersRow) -> Noted | None:
        """Remember an item of the file; return what was remembered of it before."""
        first = self._first.get(question.external_id)
        noted = (question.content_sha, question.labels, row.line)
        self._put(self._first, question.external_id, noted)
        return first

    def _labels(
        self, resolved: AnswersResolved, question: AnsweredItem
    ) -> tuple[int | None, int | None]:
        return (
            self._node(resolved, Target.CAPABILITY, question.capability, self.capabilities),
            self._node(resolved, Target.DOMAIN, question.domain, self.domains),
        )

    def _node(self, resolved: AnswersResolved, kind: Target, name: str, tree: Tree) -> int | None:
        if not name:
            return None
        found = tree.find(name)
        if len(found) == 1:
            return next(iter(found))
        if not found and self._mapping.create_missing:
            self._put(self.missing[kind], name)
            return None
        code = f"ambiguous_{kind}" if found else f"unknown_{kind}"
        column = self._mapping.column(kind)
        resolved.problems.append(FileProblem(code, resolved.row.line, column, excerpt(name)))
        return None

    def labels(self, question: AnsweredItem) -> tuple[int | None, int | None]:
        """Return the capability and the domain of a question that has no problems."""
        return (
            next(iter(self.capabilities.find(question.capability)), None),
            next(iter(self.domains.find(question.domain)), None),
        )

    def _answer(self, resolved: AnswersResolved, answer: FileAnswer, stock: ItemStock) -> None:
        if self._repeated(resolved, answer):
            return
        release = self.releases.get((answer.system, answer.release))
        pk = resolved.item.pk if resolved.item else None
        said = stock.responses.get((pk, release, answer.sample_no)) if pk and release else None
        if not said:
            resolved.new_answers.append(answer)
        elif answer.content_sha in said:
            resolved.n_known += 1
        else:
            resolved.problems.append(
                FileProblem(
                    "answer_conflict",
                    resolved.row.line,
                    answer.column,
                    facts={"system": answer.system, "release": answer.release},
                )
            )

    def _repeated(self, resolved: AnswersResolved, answer: FileAnswer) -> bool:
        """Note what the file says here; return whether it said something here before."""
        name, line = resolved.key[0] if resolved.key else "", resolved.row.line
        key = said_key(name, answer.system, answer.release, answer.sample_no)
        before = self._said.get(key)
        if before is None:
            self._put(self._said, key, (answer.content_sha[:16], line))
            return False
        code = "said_twice" if before[0] == answer.content_sha[:16] else "said_differently"
        facts = {"first": str(before[1]), "system": answer.system}
        resolved.problems.append(FileProblem(code, line, answer.column, name, facts))
        return True

    def _warn(self, resolved: AnswersResolved, code: str, question: AnsweredItem) -> None:
        resolved.problems.append(
            FileProblem(code, resolved.row.line, found=question.external_id, warning=True)
        )


def said_key(name: str, system: str, release: str, sample_no: int) -> bytes:
    """Return what tells an answer of a file from its others."""
    where = f"{name}\x1e{system}\x1f{release}\x1f{sample_no}"
    return hashlib.blake2b(where.encode(), digest_size=12).digest()


def _is_named(row: AnswersRow) -> bool:
    """Return whether a row names its question and does not tell it."""
    return row.question is not None and not row.question.messages


def _differing(first: tuple[str, ...], second: tuple[str, ...]) -> str:
    return next(
        (
            name
            for name, one, other in zip(_LABEL_NAMES, first, second, strict=True)
            if one != other
        ),
        "",
    )


def _fold(name: str) -> str:
    return " ".join(name.split()).casefold()
