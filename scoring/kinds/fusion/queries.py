"""Evaluation tasks: the list, a version as judges read it, and what a task can be made of.

* What a fusing judge is given: answers of a round or an import, their fields and the assistants' scores.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.utils.text import slugify

from annotation.common import texts as display
from annotation.common import texts as faces
from annotation.files.models import SEEN
from annotation.people.models import Project, RaterKind
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round, RoundResponse, RoundRubric
from annotation.rubrics.models import Criterion, Level, Rubric, RubricVersion
from annotation.systems.models import Display, Item, Response
from evalsite.web import keyset
from scoring.engine.models import Judgment, Machine, Run
from scoring.kinds.fusion.models import EvaluationTask, Plan, TaskVersion
from scoring.kinds.fusion.tasks import (
    CONVERSATION,
    QUESTION,
    REFERENCE,
    FusionTask,
    Helper,
    TaskField,
)
from scoring.kinds.fusion.templates import PLAIN
from scoring.kinds.judging import queries as judging
from scoring.kinds.metrics import queries as measured
from scoring.llm.base import Message
from scoring.protocols.task_asking_v1 import Assistant, Example
from scoring.protocols.task_asking_v1 import Criterion as Wording

#: Kinds of machines whose scores can assist a judge.
ASSIST: Final = (RaterKind.METRIC, RaterKind.JUDGE, RaterKind.DERIVED)
MOST_NAME: Final = 80


@dataclass(frozen=True, slots=True)
class AssistingChoice:
    """A machine's criterion whose scores may assist; `value` names it in a form."""

    value: str
    label: str
    helper: Helper


def tasks_of(project: Project) -> "QuerySet[EvaluationTask]":
    return EvaluationTask.objects.filter(project=project)


def page(project: Project, *, after: str = "") -> keyset.Page[EvaluationTask]:
    newest = TaskVersion.objects.filter(task=OuterRef("pk")).order_by("-number")
    rows = tasks_of(project).annotate(
        n_versions=Max("versions__number"),
        n_plans=Count("plans", distinct=True),
        content=Subquery(newest.values("content")[:1]),
    )
    return keyset.page(rows, by=("-number",), after=after)


def newest(task: EvaluationTask) -> TaskVersion:
    return task.versions.order_by("-number")[0]


def content(version: TaskVersion) -> FusionTask:
    return FusionTask.of(version.content)


def plans_of(task: EvaluationTask) -> list[Plan]:
    rows = task.plans.select_related("version", "endpoint", "created_by__person", "run")
    return list(rows.order_by("-number"))


def runs_of(task: EvaluationTask) -> list[Run]:
    """Return the runs that evaluated by this task or wrote a plan for it, the newest first."""
    kinds = (Run.Kind.FUSION, Run.Kind.COMBINE, Run.Kind.PLAN)
    rows = Run.objects.filter(project=task.project_id, kind__in=kinds, config__task=task.pk)
    return list(rows.select_related("round").order_by("-number")[:100])


def rubrics(project: Project) -> list[RubricVersion]:
    """Return the newest version of every rubric that people grade by."""
    last = RubricVersion.objects.filter(
        rubric=OuterRef("rubric"), kind=RubricVersion.Kind.HUMAN
    ).order_by("-number")
    rows = RubricVersion.objects.filter(
        rubric__project=project, kind=RubricVersion.Kind.HUMAN, pk=Subquery(last.values("pk")[:1])
    )
    return list(rows.select_related("rubric").order_by("rubric__name"))


def rubrics_of_round(project: Project, number: int) -> list[RubricVersion]:
    """Return the rubrics of a round, which may be of a draft as well; none if there is no such round."""
    round_ = rounds.rounds_of(project).filter(number=number).first()
    if round_ is None:
        return []
    laid = RoundRubric.objects.filter(round=round_).values("rubric_version")
    rows = RubricVersion.objects.filter(pk__in=laid).select_related("rubric")
    return judging.versions_of(round_) or list(rows.order_by("rubric__name", "number"))


def rubric_of(project: Project, pk: int) -> RubricVersion | None:
    """Return a version of a rubric that people grade by."""
    rows = RubricVersion.objects.filter(rubric__project=project, kind=RubricVersion.Kind.HUMAN)
    return rows.select_related("rubric").filter(pk=pk).first()


def free_name(project: Project, name: str) -> str:
    """Return this name for a task, with a number after it where it is taken."""
    stem = " ".join(name.split())[:110]
    taken = set(tasks_of(project).filter(name__startswith=stem).values_list("name", flat=True))
    made, n = stem, 2
    while made in taken:
        made, n = f"{stem} ({n})", n + 1
    return made


def alignment(
    content: FusionTask, named: Mapping[str, Sequence[str]]
) -> list[tuple[str, list[bool]]]:
    """Return each criterion's name and, for each assistant in order, whether it is named for it."""
    helpers = [one.assistant.key for one in content.helpers]
    return [
        (one.name, [key in named.get(one.key, ()) for key in helpers]) for one in content.criteria
    ]


def from_rubric(version: RubricVersion) -> FusionTask:
    """Return a task by the criteria of people's rubric: the same keys, names and ranges."""
    levels = judging.levels_of(version.pk)
    return FusionTask(
        description=version.principle.strip() or PLAIN,
        fields=(TaskField("Question", QUESTION),),
        criteria=tuple(
            _wording(one, levels.get(one.pk, ())) for one in judging.rows_of(version.pk)
        ),
    )


def _wording(row: Criterion, levels: Sequence[Level]) -> Wording:
    told = [
        f"{level.value.normalize():f}: {level.label}. {level.description}".strip()
        for level in levels
    ]
    said = "\n".join([row.description.strip(), *told]).strip()
    return Wording(row.key, row.name, row.scale, said)


def assistants(project: Project) -> list[AssistingChoice]:
    """Return every machine's criteria as they were declared last: what may assist a judge."""
    machines = judging.of_machines(project).filter(rater__kind__in=ASSIST)
    known = list(machines.order_by("rater__kind", "rater__ref"))
    by_rubric = _declared([one.rubric_id for one in known])
    made: list[AssistingChoice] = []
    keys: set[str] = set()
    for one in known:
        rows = by_rubric.get(one.rubric_id, ())
        for row in rows:
            found = _choice(one, row, keys, alone=len(rows) == 1)
            keys.add(found.helper.assistant.key)
            made.append(found)
    return made


def _declared(rubric_ids: Sequence[int]) -> dict[int, list[Criterion]]:
    """Return the criteria of each rubric's newest version."""
    newest_ = (
        Rubric.objects.filter(pk__in=rubric_ids)
        .annotate(newest=Max("versions__number"))
        .values_list("pk", "newest")
    )
    last = dict(newest_)
    rows = Criterion.objects.filter(rubric_version__rubric__in=rubric_ids)
    made: dict[int, list[Criterion]] = {}
    for row in rows.select_related("rubric_version").order_by("position", "pk"):
        version = row.rubric_version
        if last.get(version.rubric_id) == version.number:
            made.setdefault(version.rubric_id, []).append(row)
    return made


def _choice(
    machine: Machine, row: Criterion, taken: Collection[str], *, alone: bool
) -> AssistingChoice:
    label = machine.rater.ref if alone else f"{machine.rater.ref}: {row.name}"
    low = None if row.minimum is None else float(row.minimum)
    high = None if row.maximum is None else float(row.maximum)
    key = slugify(label)[: MOST_NAME - 20]
    if not key or key in taken:
        key = f"{key or row.key[: MOST_NAME - 20]}-{machine.rater_id}"
    helper = Helper(
        Assistant(key, label[:MOST_NAME], low=low, high=high), machine.rater_id, row.key
    )
    return AssistingChoice(f"{machine.rater_id}:{row.key}", label, helper)


def fields(project: Project) -> list[str]:
    """Return the names of fields that questions keep."""
    return measured.fields(project)


PAGE: Final = 500
Scores = dict[int, dict[str, float]]


@dataclass(frozen=True, slots=True)
class FusionAnswer:
    """An answer, by keys; `display` is what people were shown of it, none outside blind rounds."""

    pk: int
    response: int
    item: int
    release: int
    external_id: str
    display: int | None


@dataclass(frozen=True, slots=True)
class CountedAnswers:
    """How many answers there are, and how many of them have a score of each assistant."""

    n: int
    scored: Mapping[str, int]

    @property
    def told(self) -> dict[str, Any]:
        """What an estimate says of it: answers, and how many have or lack a score, by assistant."""
        lacking = {name: self.n - n for name, n in self.scored.items() if n < self.n}
        return {"answers": self.n, "with_score": dict(self.scored), "without_score": lacking}


def pages(
    project: Project, round_: Round | None, batch: int | None, *, size: int = PAGE
) -> Iterator[list[FusionAnswer]]:
    """Yield the answers page by page, in an order that stays."""
    rows, names = _rows(project, round_, batch)
    last = 0
    while found := list(rows.filter(pk__gt=last).order_by("pk").values_list(*names)[:size]):
        yield [FusionAnswer(*(*row, None)[:6]) for row in found]
        last = found[-1][0]


def count(project: Project, round_: Round | None, batch: int | None) -> int:
    return _rows(project, round_, batch)[0].count()


def count_answers(
    project: Project, round_: Round | None, batch: int | None, task: FusionTask
) -> CountedAnswers:
    """Count answers, and scores of assistants for them."""
    n = 0
    scored = {one.assistant.name: 0 for one in task.helpers}
    names = {one.assistant.key: one.assistant.name for one in task.helpers}
    for page in pages(project, round_, batch):
        n += len(page)
        for values in scores(task, [one.response for one in page]).values():
            for key in values:
                scored[names[key]] += 1
    return CountedAnswers(n, scored)


def scores(task: FusionTask, responses: Collection[int]) -> Scores:
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
    task: FusionTask,
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


def field_text(item: Item, field: TaskField) -> str:
    """Return the text of a field; empty where the item has none."""
    if field.where == REFERENCE:
        return item.reference
    if field.where == CONVERSATION:
        return faces.conversation(item.messages)
    return measured.source(item, field.where)


def texts(page: Sequence[FusionAnswer]) -> dict[int, tuple[Item, Response, Display | None]]:
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
        Message(str(one.get("role") or "assistant"), display.normalise(faces.told(one)))
        for one in response.messages
    )
