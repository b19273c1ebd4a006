"""Ask for an evaluation by Fusion-Eval: which task, which ways of judging, over which answers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction

from annotation.models import Project, Round, User
from scoring.models import Endpoint, Judge, Plan, Run, TaskVersion
from scoring.operations import fusion_judges, judges
from scoring.operations.fusion_judges import Settings, Wanted
from scoring.operations.runs import estimating, kinds, requesting
from scoring.operations.runs.estimating import Estimate
from scoring.protocols.fusion_eval import v1
from scoring.protocols.fusion_eval.v1 import Variant
from scoring.queries import evaluation_tasks, fused
from scoring.queries.fused import Found


@dataclass(frozen=True)
class Wish:
    """What is wanted. `batch` is the number of an import of answers, where no round is named."""

    version: TaskVersion
    variants: Sequence[Variant]
    endpoint: Endpoint
    plan: Plan | None = None
    round: Round | None = None
    batch: int | None = None
    settings: Settings = field(default_factory=Settings)

    @property
    def judges(self) -> list[Wanted]:
        """The judges that are wanted, one for each variant in the paper's order."""
        return [
            Wanted(
                self.version,
                one,
                self.endpoint,
                self.settings,
                self.plan if one is Variant.FE else None,
            )
            for one in Variant
            if one in self.variants
        ]


@dataclass(frozen=True)
class Checked:
    """What it would take, and what is there of answers and of assistants' scores."""

    estimate: Estimate
    found: Found


def check(*, project: Project, wish: Wish) -> Checked:
    """Return what an evaluation would take; nothing is written.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    for one in wish.judges:
        fusion_judges.check(project, one)
    imagined = [_entry(one, None) for one in wish.judges]
    run = Run(
        project=project,
        kind=Run.Kind.FUSION,
        protocol=v1.PROTOCOL,
        config=_config(wish, imagined),
        round=wish.round,
    )
    kinds.of(run.kind).check(run)
    content = evaluation_tasks.content(wish.version)
    found = fused.found(project, wish.round, wish.batch, content)
    n_in_all = found.n * len(wish.judges)
    return Checked(estimating.estimate(run, n_in_all=n_in_all), found)


@transaction.atomic
def start(
    *,
    project: Project,
    wish: Wish,
    key: UUID,
    name: str,
    seed: int,
    user: User | None,
    now: datetime,
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Have answers evaluated in the background; judges are made where there are none like this.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    if found := Run.objects.filter(project=project, key=key).first():
        return found
    entries = [
        _entry(one, fusion_judges.meet(project=project, wanted=one, by=user, now=now))
        for one in wish.judges
    ]
    return requesting.request_run(
        project=project,
        key=key,
        kind=Run.Kind.FUSION,
        name=name,
        protocol=v1.PROTOCOL,
        config=_config(wish, entries),
        seed=seed,
        user=user,
        now=now,
        round_=wish.round,
        budget=budget,
        cloned_from=cloned_from,
    )


def _config(wish: Wish, entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    with_plan = Variant.FE in wish.variants and wish.plan is not None
    return {
        "task": wish.version.task_id,
        "version": wish.version.pk,
        "version_sha": wish.version.sha,
        "plan": wish.plan.pk if with_plan and wish.plan else None,
        "import": wish.batch,
        "judges": list(entries),
    }


def _entry(wanted: Wanted, judge: Judge | None) -> dict[str, Any]:
    """Return what a run keeps of a judge; of one that is only imagined there is nothing to keep."""
    content = evaluation_tasks.content(wanted.version)
    return {
        "judge": None if judge is None else judge.pk,
        "rater": None if judge is None else judge.rater_id,
        "endpoint": wanted.endpoint.pk,
        "variant": str(wanted.variant),
        "settings": wanted.settings.told,
        "sha": judges.config_sha(v1.PROTOCOL, wanted.endpoint, wanted.config),
        "criteria": {} if judge is None else fusion_judges.criteria_of(judge, content),
    }
