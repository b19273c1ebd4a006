"""Which questions and items of a project ask what somebody is writing.

* Keep what questions and near-duplicates are found by: written with every saving of a question.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, Q

from annotation.bank.models import Question, QuestionVersion
from annotation.common import diffs, similarity
from annotation.common.similarity import FeatureCounts, Likeness, TextFeatures
from annotation.files.models import SEEN
from annotation.people import queries as settings
from annotation.people.models import Project
from annotation.search import operations as searching
from annotation.search.models import IndexedText, TextKey
from annotation.systems.models import Item
from evalsite import queue

Turns = Sequence[Mapping[str, Any]]

MOST_HINTS = 5
#: So many texts that share the rarest keys are compared with what is written.
MOST_CANDIDATES = 40
#: Keys are followed from the rarest on, until so many texts have come up.
MOST_ROWS = 6000
#: Of so many features of candidates it is asked how rare they are.
MOST_COUNTED = 400


@dataclass(frozen=True)
class Hint:
    """A question or item that asks the same, in plain values.

    `runs` lead from its wording to the one that is written; `state` is that of the question or,
    while it is live, of its newest version, and empty for an imported item.
    """

    kind: str  # "question" or "item"
    pk: int
    external_id: str
    state: str
    text: str
    likeness: Likeness
    percent: int
    runs: tuple[diffs.DiffRun, ...]

    @property
    def differences(self) -> tuple[tuple[str, str], ...]:
        """Which words stand there and which here."""
        return () if self.likeness == Likeness.ORDER else diffs.replaced(self.runs)


@dataclass(frozen=True)
class _Candidate:
    kind: str
    pk: int
    external_id: str
    state: str
    turns: Turns
    answer: str


def near(project: Project, turns: Turns, answer: str = "", but: int | None = None) -> list[Hint]:
    """Return hints at near-duplicates, the nearest first.

    Args:
        but: the id of the question that is written: it is no duplicate of itself.
    """
    asked = reading_of(turns)
    if not asked.order:
        return []
    keys = similarity.keys(asked)
    counts = _counts(project, keys)
    size = IndexedText.objects.filter(project=project).count()
    bank = FeatureCounts(size, {name: counts.get(key, 0) for key, name in keys.items()})
    candidates = _load(project, _best(project, keys, counts, bank), but)
    others = [reading_of(one.turns) for one in candidates]
    bank = FeatureCounts(size, {**bank.counts, **_counted(project, asked, others)})
    answers = [
        similarity.alike(answer, one.answer) if answer.strip() and one.answer.strip() else None
        for one in candidates
    ]
    at = settings.bank_of(project).alike / 100
    verdicts = similarity.judge(asked, others, bank, answers, at=at)
    found = [
        (one, verdict) for one, verdict in zip(candidates, verdicts, strict=True) if verdict.alike
    ]
    found.sort(key=lambda pair: (-pair[1].value, pair[0].external_id))
    return [
        Hint(
            kind=one.kind,
            pk=one.pk,
            external_id=one.external_id,
            state=one.state,
            text=last(one.turns),
            likeness=verdict.kind,
            percent=int(100 * verdict.value),
            runs=diffs.between(last(one.turns), last(turns)),
        )
        for one, verdict in found[:MOST_HINTS]
    ]


def reading_of(turns: Turns) -> TextFeatures:
    """Return what counts of the messages of a question."""
    return similarity.read_turns(str(one.get("content") or "") for one in turns)


def last(turns: Turns) -> str:
    """Return what is asked last."""
    asked = [one for one in turns if one.get("role") == "user"] or list(turns)
    return str(asked[-1].get("content") or "") if asked else ""


def _counts(project: Project, keys: Mapping[int, str]) -> dict[int, int]:
    """Return in how many texts each key stands."""
    rows = TextKey.objects.filter(project=project, key__in=list(keys)).order_by()
    return dict(rows.values_list("key").annotate(n=Count("pk")))


def _best(
    project: Project, keys: Mapping[int, str], counts: Mapping[int, int], bank: FeatureCounts
) -> list[int]:
    """Return the ids of the texts that share most with what is written, by rarity."""
    followed: list[int] = []
    n_rows = 0
    for key in sorted(counts, key=lambda key: (counts[key], key)):
        if followed and n_rows + counts[key] > MOST_ROWS:
            break
        followed.append(key)
        n_rows += counts[key]
    rows = (
        TextKey.objects.filter(project=project, key__in=followed)
        .order_by("key", "text")
        .values_list("key", "text_id")
    )
    shared: defaultdict[int, float] = defaultdict(float)
    weights = {key: bank.rarity(keys[key]) for key in followed}
    for key, text in rows[:MOST_ROWS].iterator():
        shared[text] += weights[key]
    return sorted(shared, key=lambda text: (-shared[text], text))[:MOST_CANDIDATES]


def _load(project: Project, texts: Sequence[int], but: int | None) -> list[_Candidate]:
    indexed = IndexedText.objects.filter(project=project, pk__in=texts)
    questions = (
        QuestionVersion.objects.newest()
        .filter(~Q(question=but), question__indexed__in=indexed)
        .select_related("question")
    )
    # The imported item that a question was taken over from has its id.
    own = Question.objects.filter(pk__in=[but] if but else []).values("external_id")
    items = Item.objects.filter(SEEN, indexed__in=indexed).exclude(external_id__in=own)
    return [
        *(
            _Candidate(
                "question",
                one.question_id,
                one.question.external_id,
                _state(one),
                one.turns,
                one.answer,
            )
            for one in questions
        ),
        *(
            _Candidate("item", one.pk, one.external_id, "", one.messages, one.reference)
            for one in items
        ),
    ]


def _state(version: QuestionVersion) -> str:
    question = version.question
    live = question.state == question.State.LIVE
    return str(version.get_state_display() if live else question.get_state_display())


def _counted(
    project: Project, asked: TextFeatures, others: Sequence[TextFeatures]
) -> dict[str, int]:
    """Return how often the other words of the candidates stand in the bank."""
    names = {name for other in others for name in other.features if name not in asked.features}
    keys = dict(sorted(similarity.numbered(names).items())[:MOST_COUNTED])
    counts = _counts(project, keys)
    return {name: counts.get(key, 0) for key, name in keys.items()}


#: So many texts are read in one transaction.
BATCH = 100


@transaction.atomic
def index_version(*, version: QuestionVersion) -> None:
    """Have a question be found by this wording, if it is its newest one."""
    question = version.question
    newest = question.versions.order_by("-number").first()
    if newest is None or newest.pk != version.pk:
        return
    searching.keep_words(versions=[version])
    text, _ = IndexedText.objects.update_or_create(
        question=question,
        defaults={"project_id": question.project_id, "method": similarity.METHOD},
    )
    wanted = set(similarity.keys(reading_of(version.turns)))
    kept = set(text.keys.values_list("key", flat=True))
    if gone := kept - wanted:
        text.keys.filter(key__in=gone).delete()
    TextKey.objects.bulk_create(_rows(text, wanted - kept))


@transaction.atomic
def index_newest(*, question: Question) -> None:
    """Have a question be found by its newest wording, after a draft was thrown away."""
    newest = question.versions.order_by("-number").first()
    if newest is not None:
        index_version(version=newest)


def ring(project_id: int) -> None:
    """Ring for a worker that reads what is not found yet; projects take turns."""
    queue.enqueue(
        "annotation.jobs.index_similar",
        queue="bulk",
        key=f"similar-{project_id}",
        turn=f"project-{project_id}",
        project_id=project_id,
    )


def index_rest(
    *, project: Project, anew: bool = False, is_over: Callable[[], bool] = lambda: False
) -> int:
    """Read every question and imported item that was not, or by another method; return how many.

    Starting this twice is harmless. Each transaction reads a few, so that nobody waits long.

    Args:
        anew: read all of them again.
        is_over: says whether others have their turn; the rest is read later.
    """
    if anew:
        IndexedText.objects.filter(project=project).update(method=0)
    done = 0
    while n := _index_some(project):
        done += n
        if is_over():
            ring(project.pk)
            break
    return done


@transaction.atomic
def _index_some(project: Project) -> int:
    Project.objects.select_for_update().get(pk=project.pk)
    unread = ~Q(indexed__method=similarity.METHOD)
    questions = list(
        QuestionVersion.objects.newest()
        .filter(~Q(question__indexed__method=similarity.METHOD), question__project=project)
        .select_related("question")
        .order_by("pk")[:BATCH]
    )
    items = list(
        Item.objects.filter(unread, project=project, question_version=None).order_by("pk")[:BATCH]
    )
    searching.keep_words(versions=questions)
    IndexedText.objects.filter(
        Q(question__in=[one.question_id for one in questions]) | Q(item__in=items)
    ).delete()
    texts = [
        *(_text(project, question_id=one.question_id) for one in questions),
        *(_text(project, item_id=one.pk) for one in items),
    ]
    turns: list[Sequence[dict[str, object]]] = [
        *(one.turns for one in questions),
        *(one.messages for one in items),
    ]
    rows: list[TextKey] = []
    for text, said in zip(IndexedText.objects.bulk_create(texts), turns, strict=True):
        rows += _rows(text, similarity.keys(reading_of(said)))
    TextKey.objects.bulk_create(rows)
    return len(texts)


def _text(project: Project, **of: int) -> IndexedText:
    return IndexedText(project=project, method=similarity.METHOD, **of)


def _rows(text: IndexedText, keys: Iterable[int]) -> list[TextKey]:
    return [TextKey(project_id=text.project_id, text=text, key=key) for key in sorted(keys)]
