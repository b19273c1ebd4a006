"""Keep what questions and near-duplicates are found by: written with every saving of a question."""

from collections.abc import Callable, Iterable, Sequence

from django.db import transaction
from django.db.models import Q

from annotation.models import IndexedText, Item, Project, Question, QuestionVersion, TextKey
from annotation.operations import searching
from annotation.queries import similarity as reads
from annotation.rules import readings
from evalsite import queue

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
        defaults={"project_id": question.project_id, "method": readings.METHOD},
    )
    wanted = set(readings.keys(reads.reading_of(version.turns)))
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
    unread = ~Q(indexed__method=readings.METHOD)
    questions = list(
        QuestionVersion.objects.newest()
        .filter(~Q(question__indexed__method=readings.METHOD), question__project=project)
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
        rows += _rows(text, readings.keys(reads.reading_of(said)))
    TextKey.objects.bulk_create(rows)
    return len(texts)


def _text(project: Project, **of: int) -> IndexedText:
    return IndexedText(project=project, method=readings.METHOD, **of)


def _rows(text: IndexedText, keys: Iterable[int]) -> list[TextKey]:
    return [TextKey(project_id=text.project_id, text=text, key=key) for key in sorted(keys)]
