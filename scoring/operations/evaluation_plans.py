"""Write plans of evaluation: by a person, or by an endpoint in the background. A plan is never changed."""

from collections.abc import Collection, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.models import User
from annotation.operations import audit
from evalsite import errors
from scoring.models import Endpoint, EvaluationTask, Plan, Run, TaskVersion
from scoring.operations.runs import estimating, kinds, requesting
from scoring.protocols.fusion_eval import plans_v1
from scoring.queries import evaluation_tasks

PROTOCOL = "fusion_eval/plans_v1"
Alignment = Mapping[str, Collection[str]]


class BadPlan(errors.Invalid):
    code = "bad_plan"


@transaction.atomic
def write(
    *,
    version: TaskVersion,
    text: str,
    alignment: Alignment,
    source: str,
    by: User | None,
    now: datetime,
    run: Run | None = None,
    endpoint: Endpoint | None = None,
    based_on: Plan | None = None,
    problem: str = "",
    unknown: Collection[str] = (),
) -> Plan:
    """Write a plan down. An edit is a plan of its own, `based_on` the one that was edited.

    Raises:
        BadPlan: it says nothing, is too long, or names what the task does not have.
    """
    content = evaluation_tasks.content(version)
    text = text.replace("\r\n", "\n").strip()
    wrong = _problems(text, alignment, content)
    if wrong:
        raise BadPlan(" ".join(one for said in wrong.values() for one in said), fields=wrong)
    task = EvaluationTask.objects.select_for_update().get(pk=version.task_id)
    last = Plan.objects.filter(task=task).aggregate(last=Max("number"))["last"]
    ordered = [one.assistant.key for one in content.helpers]
    plan = Plan.objects.create(
        task=task,
        version=version,
        number=(last or 0) + 1,
        text=text,
        alignment={
            one.key: [key for key in ordered if key in alignment.get(one.key, ())]
            for one in content.criteria
        },
        source=source,
        endpoint=endpoint,
        run=run,
        based_on=based_on,
        problem=problem[:300],
        unknown=list(unknown)[:50],
        created_by=by,
        created_at=now,
    )
    audit.record(
        project=task.project,
        actor=by,
        verb="plan.written",
        subject=f"task:{task.number}",
        at=now,
        plan=plan.number,
        version=version.number,
        source=source,
    )
    return plan


def estimate(*, version: TaskVersion, endpoint: Endpoint) -> estimating.Estimate:
    """Return what having a plan written would take.

    Raises:
        errors.Refusal: it cannot be written; says why.
    """
    run = Run(
        project=version.task.project,
        kind=Run.Kind.PLAN,
        protocol=PROTOCOL,
        config=config_of(version, endpoint),
    )
    kinds.of(run.kind).check(run)
    return estimating.estimate(run)


def request_plan(
    *,
    version: TaskVersion,
    endpoint: Endpoint,
    key: UUID,
    name: str,
    seed: int,
    user: User | None,
    now: datetime,
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Have a plan written by an endpoint in the background. The same key again is the same run.

    Raises:
        errors.Refusal: it cannot be written; says why.
    """
    return requesting.request_run(
        project=version.task.project,
        key=key,
        kind=Run.Kind.PLAN,
        name=name,
        protocol=PROTOCOL,
        config=config_of(version, endpoint),
        seed=seed,
        user=user,
        now=now,
        budget=budget,
        cloned_from=cloned_from,
    )


def config_of(version: TaskVersion, endpoint: Endpoint) -> dict[str, Any]:
    """Return what decides a plan beside the seed."""
    return {
        "task": version.task_id,
        "version": version.pk,
        "version_sha": version.sha,
        "endpoint": endpoint.pk,
    }


def _problems(text: str, alignment: Alignment, content: Any) -> dict[str, list[str]]:
    criteria = {one.key for one in content.criteria}
    helpers = {one.assistant.key for one in content.helpers}
    found: dict[str, list[str]] = {}
    if not text:
        found["text"] = [_("Write what the judge is to do, step by step.")]
    elif len(text) > plans_v1.MOST_TEXT:
        most = {"most": plans_v1.MOST_TEXT}
        found["text"] = [_("A plan has at most %(most)d characters.") % most]
    strange = sorted({*alignment} - criteria)
    strange += sorted({one for named in alignment.values() for one in named} - helpers)
    if strange:
        found["alignment"] = [
            _("The task has no criterion or assistant “%(name)s”.") % {"name": strange[0]}
        ]
    return found
