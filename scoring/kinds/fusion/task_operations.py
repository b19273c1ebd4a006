"""Write evaluation tasks: their first version, and the next ones. A version is never changed.

* Write plans of evaluation down, whoever wrote them. A plan is never changed.
* Have a plan of evaluation written by an endpoint, in the background.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext_lazy

from annotation.common import texts as contents
from annotation.common.fields import fault_of
from annotation.common.sentences import gettext as _
from annotation.people import audit
from annotation.people.models import Project, Rater, User
from annotation.rubrics.models import RubricVersion
from evalsite import errors
from evalsite.kinds import Text, gettext_noop
from evalsite.records import Ask
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint
from scoring.engine.kinds import AskedRun, BeginRun, RunAsking
from scoring.engine.models import Run
from scoring.kinds.fusion import plans_v1
from scoring.kinds.fusion import queries as evaluation_tasks
from scoring.kinds.fusion.models import EvaluationTask, Plan, TaskVersion
from scoring.kinds.fusion.tasks import (
    MOST_ASSISTANTS,
    MOST_CRITERIA,
    MOST_FIELDS,
    MOST_TEXT,
    FusionTask,
    Helper,
)

MOST_NAME = 120
#: What is wrong with a task: the field it is said at, and the words.
FAULTS: dict[str, tuple[str, Any]] = {
    "no_description": (
        "description",
        gettext_lazy("Say what the systems were asked to do, and what a good answer is."),
    ),
    "long_description": (
        "description",
        gettext_lazy("The description is too long: %(text)d characters at most."),
    ),
    "no_criteria": ("criteria", gettext_lazy("Name at least one criterion.")),
    "many_criteria": ("criteria", gettext_lazy("At most %(criteria)d criteria fit a task.")),
    "many_assistants": ("assistants", gettext_lazy("At most %(assistants)d assistants fit.")),
    "many_fields": ("fields", gettext_lazy("At most %(fields)d fields fit a task.")),
    "unnamed": ("criteria", gettext_lazy("Give every criterion and every field a name.")),
    "unknown_field": (
        "fields",
        gettext_lazy("A field is the question, the conversation, the standard answer, or kept."),
    ),
    "same_criterion": (
        "criteria",
        gettext_lazy("Two criteria have one name or key, or one is called “overall”."),
    ),
    "same_field": ("fields", gettext_lazy("Two fields have the same name.")),
    "same_assistant": ("assistants", gettext_lazy("An assistant is named twice.")),
    "no_language": ("language", gettext_lazy("There are no prompts in this language.")),
}


class BadTask(errors.Invalid):
    """A task cannot be used as it is; `fields` says where."""


class NoAssistant(errors.Invalid): ...


class TaskNameTaken(errors.Invalid):
    code = "name_taken"


class Unchanged(errors.Conflict):
    """The newest version says exactly this."""


@transaction.atomic
def create(
    *,
    project: Project,
    name: str,
    content: FusionTask,
    by: User | None,
    now: datetime,
    rubric_version: RubricVersion | None = None,
) -> TaskVersion:
    """Write a new task.

    Raises:
        BadTask: something in it cannot be used; says what.
        TaskNameTaken: the project has a task of this name.
    """
    name = " ".join(name.split())
    check(project, content)
    _check_name(project, name)
    last = EvaluationTask.objects.filter(project=project).aggregate(last=Max("number"))["last"]
    task = EvaluationTask.objects.create(
        project=project, number=(last or 0) + 1, name=name, created_by=by, created_at=now
    )
    return _write(task, 1, content, by, now, rubric_version)


@transaction.atomic
def add_version(
    *, task: EvaluationTask, content: FusionTask, by: User | None, now: datetime
) -> TaskVersion:
    """Write the next version of a task; what was evaluated by earlier ones stays as it is.

    Raises:
        BadTask: something in it cannot be used; says what.
        Unchanged: it says what the newest version says.
    """
    check(task.project, content)
    EvaluationTask.objects.select_for_update().get(pk=task.pk)
    newest = task.versions.order_by("-number")[0]
    if newest.sha == sha_of(content):
        raise Unchanged(_("Nothing was changed, so there is no new version."))
    return _write(task, newest.number + 1, content, by, now, newest.rubric_version)


def assist(
    *, task: EvaluationTask, helpers: Sequence[Helper], by: User | None, now: datetime
) -> TaskVersion:
    """Write the next version of a task with more assistants; those that it has stay as they are.

    Raises:
        BadTask: they do not fit it; says why.
        Unchanged: it has them all.
    """
    content = evaluation_tasks.content(evaluation_tasks.newest(task))
    known = {(one.rater, one.criterion) for one in content.helpers}
    more = [one for one in helpers if (one.rater, one.criterion) not in known]
    wider = replace(content, helpers=(*content.helpers, *more))
    return add_version(task=task, content=wider, by=by, now=now)


def assistants_named(project: Project, names: Sequence[str]) -> tuple[Helper, ...]:
    """Return the assistants of these keys or names, each once.

    Raises:
        NoAssistant: there is none of this key or name; says which there are.
    """
    listed = evaluation_tasks.assistants(project)
    known = {name: one.helper for one in listed for name in (one.label, one.helper.assistant.key)}
    if unknown := [one for one in names if one not in known]:
        keys = ", ".join(one.helper.assistant.key for one in listed) or _("none yet")
        message = _(
            "There is no assistant %(name)s. There are: %(known)s. A metric is one once it was computed "
            "over some answers."
        ) % {"name": unknown[0], "known": keys}
        raise NoAssistant(message, fields={"assistants": [message]})
    return tuple(dict.fromkeys(known[one] for one in names))


def check(project: Project, content: FusionTask) -> None:
    """Refuse a task that cannot be used.

    Raises:
        BadTask: says what is wrong, and at which field.
    """
    most = {
        "text": MOST_TEXT,
        "criteria": MOST_CRITERIA,
        "assistants": MOST_ASSISTANTS,
        "fields": MOST_FIELDS,
    }
    problems: dict[str, list[str]] = {}
    for code in sorted(content.faults()):
        field, said = FAULTS[code]
        problems.setdefault(field, []).append(str(said) % most)
    for name in [*(one.name for one in content.criteria), *(one.name for one in content.fields)]:
        if fault := fault_of(name):
            problems.setdefault("criteria", []).append(fault)
    raters = {one.rater for one in content.helpers}
    known = Rater.objects.filter(project=project, pk__in=raters, machine__isnull=False).count()
    if known < len(raters):
        problems.setdefault("assistants", []).append(
            _("An assistant is no judge or metric of this project.")
        )
    if problems:
        raise BadTask(" ".join(one for said in problems.values() for one in said), fields=problems)


def sha_of(content: FusionTask) -> str:
    return hashlib.sha256(contents.canonical(content.plain())).hexdigest()


def _check_name(project: Project, name: str) -> None:
    if not 1 <= len(name) <= MOST_NAME:
        message = _("Give the task a name of up to %(most)d characters.") % {"most": MOST_NAME}
        raise BadTask(message, fields={"name": [message]})
    if EvaluationTask.objects.filter(project=project, name=name).exists():
        message = _("There is a task called “%(name)s”. Choose another name.") % {"name": name}
        raise TaskNameTaken(message, fields={"name": [message]})


def _write(
    task: EvaluationTask,
    number: int,
    content: FusionTask,
    by: User | None,
    now: datetime,
    rubric_version: RubricVersion | None,
) -> TaskVersion:
    own = content.overall is not None
    version = TaskVersion.objects.create(
        task=task,
        number=number,
        content=content.plain(),
        sha=sha_of(content),
        overall=TaskVersion.Overall.OWN if own else TaskVersion.Overall.MEAN,
        rubric_version=rubric_version,
        created_by=by,
        created_at=now,
    )
    audit.done(task, "task.written", by, now, version=number, sha=version.sha)
    return version


Alignment = Mapping[str, Collection[str]]


class BadPlan(errors.Invalid): ...


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
    audit.done(
        task, "plan.written", by, now, plan=plan.number, version=version.number, source=source
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


PROTOCOL = "fusion_eval/plans_v1"


@dataclass(frozen=True, kw_only=True)
class PlanWritten(BeginRun):
    """Which endpoint writes a plan. With `estimate` nothing is started."""

    endpoint: Annotated[
        str,
        Text(80, empty=False),
        Ask(
            gettext_noop("Endpoint"),
            gettext_noop("It sees task, criteria and assistants, no answer."),
        ),
    ]


class Writing:
    kind = Run.Kind.PLAN
    wish = PlanWritten
    writes = False

    def asked(self, of: TaskVersion, wish: PlanWritten, asking: RunAsking) -> AskedRun:
        """Find the endpoint.

        Raises:
            errors.Refusal: there is none of this name.
        """
        endpoint = connections.endpoint_named(of.project, wish.endpoint, "endpoint")
        return AskedRun(protocol=PROTOCOL, config=config_of(of, endpoint))

    def again(self, run: Run) -> dict[str, Any]:
        endpoint = Endpoint.objects.filter(pk=run.config["endpoint"]).first()
        return {"endpoint": endpoint.name if endpoint else ""}


WRITE = Writing()


def config_of(version: TaskVersion, endpoint: Endpoint) -> dict[str, Any]:
    """Return what decides a plan beside the seed."""
    return {
        "task": version.task_id,
        "version": version.pk,
        "version_sha": version.sha,
        "endpoint": endpoint.pk,
    }
