"""What a fusing judge is given: answers of a round or an import, their fields and the assistants' scores.

Nothing that is read here says whose answer it is, or what people thought of it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Q, QuerySet

from annotation.models import Display, Item, Project, Response, Round, RoundResponse
from annotation.models.imports import SEEN
from annotation.rules import display, faces
from scoring.llm.base import Message
from scoring.models import Judgment, Run
from scoring.protocols.fusion_eval.asking_v1 import Example
from scoring.protocols.fusion_eval.tasks import CONVERSATION, REFERENCE, Field, Task
from scoring.queries import judging, measured

PAGE: Final = 500
Scores = dict[int, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Place:
    """An answer, by keys; `display` is what people were shown of it, none outside blind rounds."""

    pk: int
    response: int
    item: int
    release: int
    external_id: str
    display: int | None


@dataclass(frozen=True, slots=True)
class Found:
    """How many answers there are, and how many of them have a score of each assistant."""

    n: int
    scored: Mapping[str, int]

    @property
    def lacking(self) -> list[tuple[str, int]]:
        """Return the assistants that lack scores, with how many."""
        return [(name, self.n - n) for name, n in self.scored.items() if n < self.n]


def pages(
    project: Project, round_: Round | None, batch: int | None, *, size: int = PAGE
) -> Iterator[list[Place]]:
    """Yield the answers page by page, in an order that stays."""
    rows, names = _rows(project, round_, batch)
    last = 0
    while found := list(rows.filter(pk__gt=last).order_by("pk").values_list(*names)[:size]):
        yield [Place(*(*row, None)[:6]) for row in found]
        last = found[-1][0]


def count(project: Project, round_: Round | None, batch: int | None) -> int:
    return _rows(project, round_, batch)[0].count()


def found(project: Project, round_: Round | None, batch: int | None, task: Task) -> Found:
    """Count answers, and scores of assistants for them."""
    n = 0
    scored = {one.assistant.name: 0 for one in task.helpers}
    names = {one.assistant.key: one.assistant.name for one in task.helpers}
    for page in pages(project, round_, batch):
        n += len(page)
        for values in scores(task, [one.response for one in page]).values():
            for key in values:
                scored[names[key]] += 1
    return Found(n, scored)


def scores(task: Task, responses: Collection[int]) -> Scores:
    """Return the assistants' scores by response and key; what is missing is not there.

    Of several runs in which an assistant scored the same answer the last finished one counts. Those over
    a round that is not final count too: the judge's own scores stay hidden as long as theirs.
    """
    wanted = {(one.rater, one.criterion): one.assistant.key for one in task.helpers}
    finished = Q(run__isnull=True) | Q(run__state=Run.State.DONE)
    rows = Judgment.objects.filter(
        SEEN,
        finished,
        response__in=responses,
        rater__in={rater for rater, _criterion in wanted},
        repeat=0,
        outcome=Judgment.Outcome.SCORED,
        target_level=Judgment.Target.RESPONSE,
    )
    made: Scores = {}
    fields = ("response_id", "rater_id", "criterion__key", "value")
    for response, rater, criterion, value in rows.order_by("pk").values_list(*fields):
        if key := wanted.get((rater, criterion)):
            made.setdefault(response, {})[key] = value
    return made


def example(
    task: Task,
    item: Item,
    response: Response,
    shown: Display | None,
    assistants: Mapping[str, float],
) -> Example:
    """Return one answer as the judge reads it."""
    return Example(
        tuple((one.name, field_text(item, one)) for one in task.fields),
        _answer(response, shown),
        assistants,
    )


def field_text(item: Item, field: Field) -> str:
    """Return the text of a field; empty where the item has none."""
    if field.where == REFERENCE:
        return item.reference
    if field.where == CONVERSATION:
        return faces.conversation(item.messages)
    return measured.source(item, field.where)


def texts(page: Sequence[Place]) -> dict[int, tuple[Item, Response, Display | None]]:
    """Return the texts of a page of answers, by response."""
    items = Item.objects.in_bulk({one.item for one in page})
    responses = Response.objects.in_bulk({one.response for one in page})
    shown = Display.objects.in_bulk({one.display for one in page if one.display})
    return {
        one.response: (items[one.item], responses[one.response], shown.get(one.display or 0))
        for one in page
    }


def _rows(
    project: Project, round_: Round | None, batch: int | None
) -> "tuple[QuerySet[RoundResponse] | QuerySet[Response], tuple[str, ...]]":
    if round_ is None:
        brought = measured.responses(project, None, batch)
        return brought, ("pk", "pk", "item_id", "release_id", "item__external_id")
    laid = RoundResponse.objects.filter(
        round_item__round=round_, round_item__purpose__in=judging.PURPOSES, round_item__occasion=1
    )
    return laid, (
        "pk", "response_id", "round_item__item_id", "release_id", "round_item__item__external_id",
        "display_id",
    )  # fmt: skip


def _answer(response: Response, shown: Display | None) -> tuple[Message, ...]:
    """Return the answer as people saw it; turn by turn where nothing had to be covered."""
    several = len(response.messages) > 1
    if shown is not None and (shown.mask_set or not several):
        return (Message("assistant", shown.text),)
    return tuple(
        Message(str(one.get("role") or "assistant"), display.normalise(faces.spoken(one)))
        for one in response.messages
    )
