"""Evaluation tasks: the list, a version as judges read it, and what a task can be made of."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.utils.text import slugify

from annotation.models import (
    Criterion,
    Project,
    RaterKind,
    RoundRubric,
    Rubric,
    RubricVersion,
)
from annotation.queries import rounds
from evalsite import keyset
from scoring.models import EvaluationTask, Machine, Plan, Run, TaskVersion
from scoring.protocols.fusion_eval.asking_v1 import Assistant
from scoring.protocols.fusion_eval.asking_v1 import Criterion as Wording
from scoring.protocols.fusion_eval.tasks import QUESTION, Field, Helper, Task
from scoring.protocols.fusion_eval.templates import PLAIN
from scoring.queries import judging, measured

#: Kinds of machines whose scores can assist a judge.
ASSIST: Final = (RaterKind.METRIC, RaterKind.JUDGE, RaterKind.DERIVED)
MOST_NAME: Final = 80


@dataclass(frozen=True, slots=True)
class Choice:
    """A machine's criterion whose scores may assist; `value` names it in a form."""

    value: str
    label: str
    helper: Helper


def of(project: Project) -> "QuerySet[EvaluationTask]":
    return EvaluationTask.objects.filter(project=project)


def page(project: Project, *, after: str = "") -> keyset.Page[EvaluationTask]:
    newest = TaskVersion.objects.filter(task=OuterRef("pk")).order_by("-number")
    rows = of(project).annotate(
        n_versions=Max("versions__number"),
        n_plans=Count("plans", distinct=True),
        content=Subquery(newest.values("content")[:1]),
    )
    return keyset.page(rows, by=("-number",), after=after)


def newest(task: EvaluationTask) -> TaskVersion:
    return task.versions.order_by("-number")[0]


def content(version: TaskVersion) -> Task:
    return Task.of(version.content)


def plans_of(task: EvaluationTask) -> list[Plan]:
    rows = task.plans.select_related("version", "endpoint", "created_by", "run")
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
    round_ = rounds.of(project).filter(number=number).first()
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
    taken = set(of(project).filter(name__startswith=stem).values_list("name", flat=True))
    made, n = stem, 2
    while made in taken:
        made, n = f"{stem} ({n})", n + 1
    return made


def alignment(content: Task, named: Mapping[str, Sequence[str]]) -> list[tuple[str, list[bool]]]:
    """Return each criterion's name and, for each assistant in order, whether it is named for it."""
    helpers = [one.assistant.key for one in content.helpers]
    return [
        (one.name, [key in named.get(one.key, ()) for key in helpers]) for one in content.criteria
    ]


def from_rubric(version: RubricVersion) -> Task:
    """Return a task by the criteria of people's rubric: the same keys, names and ranges."""
    return Task(
        description=version.principle.strip() or PLAIN,
        fields=(Field("Question", QUESTION),),
        criteria=tuple(_wording(one) for one in judging.rows_of(version.pk)),
    )


def _wording(row: Criterion) -> Wording:
    levels = [
        f"{level.value.normalize():f}: {level.label}. {level.description}".strip()
        for level in row.levels.all()
    ]
    said = "\n".join([row.description.strip(), *levels]).strip()
    return Wording(row.key, row.name, row.scale, said)


def assistants(project: Project) -> list[Choice]:
    """Return every machine's criteria as they were declared last: what may assist a judge."""
    machines = Machine.objects.filter(rater__project=project, rater__kind__in=ASSIST)
    known = list(machines.select_related("rater").order_by("rater__kind", "rater__ref"))
    by_rubric = _declared([one.rubric_id for one in known])
    made: list[Choice] = []
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


def _choice(machine: Machine, row: Criterion, taken: Collection[str], *, alone: bool) -> Choice:
    label = machine.rater.ref if alone else f"{machine.rater.ref}: {row.name}"
    low = None if row.minimum is None else float(row.minimum)
    high = None if row.maximum is None else float(row.maximum)
    key = slugify(label)[: MOST_NAME - 20]
    if not key or key in taken:
        key = f"{key or row.key[: MOST_NAME - 20]}-{machine.rater_id}"
    helper = Helper(
        Assistant(key, label[:MOST_NAME], low=low, high=high), machine.rater_id, row.key
    )
    return Choice(f"{machine.rater_id}:{row.key}", label, helper)


def fields(project: Project) -> list[str]:
    """Return the names of fields that questions keep."""
    return measured.fields(project)
