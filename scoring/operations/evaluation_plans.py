"""Write plans of evaluation down, whoever wrote them. A plan is never changed."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.models import User
from annotation.operations import audit
from evalsite import errors
from scoring.models import Endpoint, EvaluationTask, Plan, Run, TaskVersion
from scoring.protocols.fusion_eval import plans_v1
from scoring.queries import evaluation_tasks

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
