"""Make the judges of Fusion-Eval: a version of a task, a variant, perhaps a plan, and an endpoint."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Criterion, Project, Rater, RaterKind, User
from annotation.operations import audit
from annotation.rubrics import measures
from annotation.rubrics.rules import Measure
from evalsite import errors
from scoring.models import Endpoint, Judge, Machine, Plan, TaskVersion
from scoring.operations import judges
from scoring.protocols.fusion_eval import prompts_v1, v1
from scoring.protocols.fusion_eval.tasks import Task
from scoring.protocols.fusion_eval.v1 import Variant
from scoring.queries import evaluation_tasks, fusion_results

MOST_PREDICTIONS = 32
MOST_TOKENS = 32_000
HOTTEST = 2


class NoPlan(errors.Invalid):
    """Fusion-Eval with a plan needs one of this version of the task."""

    code = "no_plan"


class NothingToFuse(errors.Invalid):
    code = "nothing_to_fuse"


@dataclass(frozen=True)
class Settings:
    """How a judge predicts, beside its task, its plan and its endpoint."""

    predictions: int = 8
    temperature: float | None = 0.5
    max_tokens: int = 1500
    fewest_valid: int = 1
    #: Every second prediction sees the answer first and the fields in the opposite order.
    turned: bool = False

    @property
    def told(self) -> dict[str, Any]:
        """What a judge is known by; an order that is never turned is not told of."""
        return {name: value for name, value in asdict(self).items() if name != "turned" or value}


@dataclass(frozen=True)
class Wanted:
    """A judge that is wanted. `plan` is None for every variant but FE."""

    version: TaskVersion
    variant: Variant
    endpoint: Endpoint
    settings: Settings
    plan: Plan | None = None

    @property
    def config(self) -> dict[str, Any]:
        content = evaluation_tasks.content(self.version)
        return {
            **self.settings.told,
            "variant": str(self.variant),
            "task": self.version.task_id,
            "version": self.version.pk,
            "version_sha": self.version.sha,
            "plan": None if self.plan is None else self.plan.pk,
            "prompts": prompts_v1.sha(content.language),
        }


def check(project: Project, wanted: Wanted) -> None:
    """Refuse a judge that cannot be made.

    Raises:
        judges.EndpointRetired: its endpoint is not in use.
        NoPlan: there is no plan for FE, or one of another version.
        NothingToFuse: the task has no assistants, so that only DE makes sense.
        judges.BadJudge: a setting cannot be used; `fields` says which.
    """
    endpoint, settings = wanted.endpoint, wanted.settings
    if endpoint.project_id != project.pk or endpoint.retired_at is not None:
        raise judges.EndpointRetired(_("This endpoint is not in use any more. Choose another."))
    planned = wanted.plan is not None and wanted.plan.version_id == wanted.version.pk
    if wanted.variant is Variant.FE and not planned:
        message = _("Fusion-Eval with a plan needs a plan of this version of the task.")
        raise NoPlan(message, fields={"plan": [message]})
    if wanted.variant is not Variant.DE and not evaluation_tasks.content(wanted.version).helpers:
        message = _(
            "The task has no assistants, so there is nothing to fuse. Add some, or take DE."
        )
        raise NothingToFuse(message, fields={"variants": [message]})
    problems = _problems(settings)
    if problems:
        raise judges.BadJudge(
            " ".join(problems.values()), fields={field: [one] for field, one in problems.items()}
        )


@transaction.atomic
def meet(*, project: Project, wanted: Wanted, by: User | None, now: datetime) -> Judge:
    """Return the judge that is configured so, made if there is none.

    Raises:
        errors.Refusal: it cannot be made; says why.
    """
    check(project, wanted)
    config = wanted.config
    sha = judges.config_sha(v1.PROTOCOL, wanted.endpoint, config)
    if same := Judge.objects.filter(project=project, config_sha=sha).first():
        return same
    name = _name(project, wanted, sha)
    rater = Rater.objects.create(project=project, kind=RaterKind.JUDGE, ref=name, created_at=now)
    rubric = measures.create(project=project, name=name, now=now)
    family = wanted.endpoint.family
    Machine.objects.create(rater=rater, rubric=rubric, family=family, created_at=now)
    content = evaluation_tasks.content(wanted.version)
    measures.declare(rubric=rubric, measures=_measures(content), by=by, now=now)
    judge = Judge.objects.create(
        project=project,
        rater=rater,
        name=name,
        protocol=v1.PROTOCOL,
        endpoint=wanted.endpoint,
        config=config,
        config_sha=sha,
        created_by=by,
        created_at=now,
    )
    audit.record(
        project=project,
        actor=by,
        verb="judge.made",
        subject=f"judge:{judge.pk}",
        at=now,
        protocol=v1.PROTOCOL,
        endpoint=wanted.endpoint.pk,
        config_sha=sha,
    )
    return judge


def criteria_of(judge: Judge, content: Task) -> dict[str, int]:
    """Return the judge's own criteria by the keys that the task has."""
    rows = Criterion.objects.filter(rubric_version__rubric__machine__rater=judge.rater_id)
    by_name = dict(rows.values_list("name", "pk"))
    return {one.key: by_name[one.name] for one in content.design.wanted}


def config_of(judge: Judge, plan: Plan | None) -> v1.Config:
    """Return how a judge predicts, as the procedure takes it."""
    names = [name for name in Settings.__dataclass_fields__ if name in judge.config]
    return v1.Config(
        variant=Variant(judge.config["variant"]),
        plan="" if plan is None else plan.text,
        **{name: judge.config[name] for name in names},
    )


def _measures(content: Task) -> list[Measure]:
    return [
        Measure(one.name, one.scale.minimum, one.scale.maximum) for one in content.design.wanted
    ]


def _name(project: Project, wanted: Wanted, sha: str) -> str:
    """Return a name that says what the judge is, what tells it apart first; other settings have their hash."""
    parts = [
        fusion_results.NAMES[wanted.variant],
        *([f"plan {wanted.plan.number}"] if wanted.plan is not None else []),
        wanted.endpoint.name[:40],
        wanted.version.task.name[:50] + (f" v{wanted.version.number}"),
    ]
    name = " · ".join(parts)
    taken = Rater.objects.filter(project=project, kind=RaterKind.JUDGE, ref=name).exists()
    return f"{name} · {sha[:6]}" if taken else name


def _problems(settings: Settings) -> dict[str, str]:
    heat = settings.temperature
    fits = {
        "predictions": 1 <= settings.predictions <= MOST_PREDICTIONS,
        "fewest_valid": 1 <= settings.fewest_valid <= settings.predictions,
        "temperature": heat is None or 0 <= heat <= HOTTEST,
        "max_tokens": 50 <= settings.max_tokens <= MOST_TOKENS,
        "turned": not settings.turned or settings.predictions > 1,
    }
    words = {
        "predictions": _("From 1 to %(most)d predictions are drawn.") % {"most": MOST_PREDICTIONS},
        "fewest_valid": _("Ask for at least 1 valid prediction, and for no more than are drawn."),
        "temperature": _("The temperature lies between 0 and 2."),
        "max_tokens": _("A reply may have from 50 to %(most)d tokens.") % {"most": MOST_TOKENS},
        "turned": _("The order can be turned only where there is more than one prediction."),
    }
    return {field: words[field] for field, right in fits.items() if not right}
