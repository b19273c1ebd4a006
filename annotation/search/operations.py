"""Keep the words that things are found by: written in the transaction that writes the thing."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from django.db import connection, models, transaction

from annotation.bank.models import Question, QuestionVersion
from annotation.files.models import ImportBatch
from annotation.people.models import Project
from annotation.search import queries as text_search
from annotation.search import rules
from annotation.search.models import QuestionText, SearchText
from annotation.sources.models import SourceVersion
from annotation.systems.models import Item, Response
from evalsite.db.rows import insert

Kind = SearchText.Kind
Thing = TypeVar("Thing", bound=models.Model)
#: So many things are read in one transaction when all are read anew.
BATCH = 200


@dataclass(frozen=True, slots=True)
class _IndexedWords:
    """The project of a thing, and its indexed words part by part."""

    project: int
    parts: Sequence[str]


def keep_words(*, versions: Iterable[QuestionVersion]) -> None:
    """Have questions be found by the words of these versions (with `question` at hand)."""
    rows = list(versions)
    QuestionText.objects.bulk_create(
        (
            QuestionText(
                question_id=one.question_id,
                said=rules.words_of(
                    one.question.external_id,
                    (str(turn.get("content") or "") for turn in one.turns),
                    one.answer,
                ),
            )
            for one in rows
        ),
        update_conflicts=True,
        unique_fields=["question"],
        update_fields=["said"],
    )
    keep_questions(versions=rows)


def keep_questions(*, versions: Iterable[QuestionVersion], new: bool = False) -> None:
    """Have questions be found from the index by these versions (with `question` at hand).

    Args:
        new: no words were ever kept for any of them.
    """
    _keep(Kind.QUESTION, {one.question_id: _of_question(one) for one in versions}, new=new)


def keep_items(*, items: Iterable[Item], new: bool = False) -> None:
    """Have imported items be found; what the bank or a run put before raters is found there."""
    own = (one for one in items if one.question_version_id is None and one.published_at is None)
    _keep(Kind.ITEM, {one.pk: _of_item(one) for one in own}, new=new)


def keep_sources(*, versions: Iterable[SourceVersion]) -> None:
    """Have sources be found by these versions (with `source` at hand), their newest ones."""
    _keep(Kind.SOURCE, {one.source_id: _of_source(one) for one in versions})


def keep_responses(*, responses: Iterable[Response], new: bool = True) -> None:
    """Have responses be found; as they never change, once is enough."""
    rows = list(responses)
    items = {one.item_id for one in rows}
    homes = dict(Item.objects.filter(pk__in=items).values_list("pk", "project_id"))
    _keep(
        Kind.RESPONSE,
        {
            one.pk: _IndexedWords(homes[one.item_id], rules.parts(rules.said(one.messages)))
            for one in rows
        },
        new=new,
    )


def keep_imported(*, project: Project, is_over: Callable[[], bool] = lambda: False) -> bool:
    """Have what imports brought be found, a few things at a time; return whether all is read.

    Starting this twice is harmless.

    Args:
        project: of the imports.
        is_over: says whether others have their turn; the rest is read later.
    """
    for batch in ImportBatch.objects.filter(
        project=project, state=ImportBatch.State.APPLIED, words_kept=False
    ).order_by("pk"):
        items = Item.objects.filter(batch=batch)
        responses = Response.objects.filter(batch=batch)
        for some in _unread(items, "item"):
            keep_items(items=some)
            if is_over():
                return False
        for said in _unread(responses, "response"):
            keep_responses(responses=said, new=False)
            if is_over():
                return False
        ImportBatch.objects.filter(pk=batch.pk).update(words_kept=True)
    return True


def _unread(rows: "models.QuerySet[Thing]", name: str) -> Iterator[list[Thing]]:
    """Yield those of an import of which no words are kept, a few at a time."""
    words = SearchText.objects.filter(**{name: models.OuterRef("pk")})
    after = 0
    while some := list(rows.filter(~models.Exists(words), pk__gt=after).order_by("pk")[:BATCH]):
        yield some
        after = some[-1].pk


def follow(*, questions: "models.QuerySet[Question]") -> None:
    """Give the words of questions that stand for others to those others, in place of their own.

    In the transaction that gives them their versions.
    """
    rows = SearchText.objects.filter(kind=Kind.QUESTION)
    rows.filter(question__in=questions.values("stands_for")).delete()
    target = Question.everything.filter(pk=models.OuterRef("question_id")).values("stands_for_id")
    rows.filter(question__in=questions.values("pk")).update(question_id=models.Subquery(target))


def forget(*, questions: Sequence[int]) -> None:
    """Find these questions no more, until they are read anew (annotation.search.similarity)."""
    SearchText.objects.filter(question__in=questions).delete()


def _of_question(one: QuestionVersion) -> _IndexedWords:
    texts = rules.of_question(one.question.external_id, one.turns, one.answer, one.key_points)
    return _IndexedWords(one.question.project_id, rules.parts(texts))


def _of_item(one: Item) -> _IndexedWords:
    texts = rules.of_question(one.external_id, one.messages, one.reference, one.key_points)
    return _IndexedWords(one.project_id, rules.parts(texts))


def _of_source(one: SourceVersion) -> _IndexedWords:
    of = one.source
    texts = rules.of_source(of.title, of.publisher, of.address, one.note, one.text)
    return _IndexedWords(of.project_id, rules.parts(texts))


def _of_response(one: Response) -> _IndexedWords:
    return _IndexedWords(one.item.project_id, rules.parts(rules.said(one.messages)))


@transaction.atomic
def _keep(kind: str, wanted: Mapping[int, _IndexedWords], *, new: bool = False) -> "_IndexCheck":
    """Write the words of things, as little as there is to write; return what was wrong before."""
    name = text_search.FIELDS[kind]
    there: dict[tuple[int, int], SearchText] = {}
    if not new:
        rows = SearchText.objects.filter(**{f"{name}__in": list(wanted)})
        there = {(one.of or 0, one.part): one for one in rows}
    missing: list[tuple[int, int, int, str, str]] = []
    changed: list[SearchText] = []
    for pk, said in wanted.items():
        for part, words in enumerate(said.parts):
            old = there.pop((pk, part), None)
            if old is None:
                missing.append((pk, part, said.project, str(kind), words))
            elif (old.words, old.project_id) != (words, said.project):
                old.words, old.project_id = words, said.project
                changed.append(old)
    if there:
        SearchText.objects.filter(pk__in=[one.pk for one in there.values()]).delete()
    insert(SearchText, (f"{name}_id", "part", "project_id", "kind", "words"), missing)
    SearchText.objects.bulk_update(changed, ["words", "project"], batch_size=100)
    return _IndexCheck(len(wanted), len({pk for pk, *_rest in missing}), len(changed), len(there))


@dataclass(slots=True)
class _IndexCheck:
    """How many things were read, and what their words were: not there, others, too many."""

    n: int = 0
    missing: int = 0
    changed: int = 0
    stray: int = 0

    def add(self, other: "_IndexCheck") -> None:
        self.n += other.n
        self.missing += other.missing
        self.changed += other.changed
        self.stray += other.stray


@dataclass
class Repair:
    """What was found, kind by kind, and whether the index beside the words was sound."""

    kinds: dict[str, _IndexCheck] = field(default_factory=dict)
    index_was_sound: bool = True

    @property
    def n_mended(self) -> int:
        return sum(one.missing + one.changed + one.stray for one in self.kinds.values())


def reindex() -> Repair:
    """Read all that can be found anew, a few at a time, and mend what was wrong.

    Starting this twice, or while others write, is harmless.
    """
    found = Repair()
    readers: tuple[tuple[str, models.QuerySet[models.Model], Callable[..., _IndexedWords]], ...] = (
        (Kind.QUESTION, _questions(), _of_question),
        (Kind.ITEM, Item.objects.filter(question_version=None, published_at=None), _of_item),
        (Kind.SOURCE, _sources(), _of_source),
        (Kind.RESPONSE, Response.objects.select_related("item"), _of_response),
    )
    for kind, rows, words in readers:
        of_kind = _IndexCheck(stray=_drop_strays(kind))
        for batch in _batches(kind, rows):
            of_kind.add(_keep(kind, {_key(kind, one): words(one) for one in batch}))
        found.kinds[kind] = of_kind
    found.index_was_sound = text_search.INDEX.is_sound(connection)
    if not found.index_was_sound:
        with transaction.atomic():
            text_search.INDEX.install(connection)
    return found


def _questions() -> "models.QuerySet[QuestionVersion]":
    later = QuestionVersion.objects.filter(
        question=models.OuterRef("question"), number__gt=models.OuterRef("number")
    )
    return QuestionVersion.objects.exclude(models.Exists(later)).select_related("question")


def _sources() -> "models.QuerySet[SourceVersion]":
    later = SourceVersion.objects.filter(
        source=models.OuterRef("source"), number__gt=models.OuterRef("number")
    )
    return SourceVersion.objects.exclude(models.Exists(later)).select_related("source")


def _key_field(kind: str) -> str:
    return {str(Kind.QUESTION): "question_id", str(Kind.SOURCE): "source_id"}.get(kind, "pk")


def _key(kind: str, row: models.Model) -> int:
    key: int = getattr(row, _key_field(kind))
    return key


def _batches(kind: str, rows: "models.QuerySet[models.Model]") -> Iterator[list[models.Model]]:
    name = _key_field(kind)
    after = 0
    while batch := list(rows.filter(**{f"{name}__gt": after}).order_by(name)[:BATCH]):
        yield batch
        after = _key(kind, batch[-1])


def _drop_strays(kind: str) -> int:
    """Drop the words of what is no more to be found by itself; return how many things that were."""
    rows = SearchText.objects.filter(kind=kind)
    if kind == Kind.ITEM:
        gone = rows.exclude(item__question_version=None, item__published_at=None)
    elif kind == Kind.QUESTION:
        gone = rows.filter(question__versions=None)
    elif kind == Kind.SOURCE:
        gone = rows.filter(source__versions=None)
    else:
        return 0
    pks = list(gone.values_list("pk", flat=True))
    SearchText.objects.filter(pk__in=pks).delete()
    return len(pks)
