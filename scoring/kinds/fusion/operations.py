"""Make the judges of Fusion-Eval: a version of a task, a variant, perhaps a plan, and an endpoint.

* Ask for an evaluation by Fusion-Eval: which task, which ways of judging, over which answers.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.people import audit
from annotation.people.models import Project, Rater, RaterKind, User
from annotation.rounds.models import Round
from annotation.rubrics import measures
from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import Measure
from evalsite import errors
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine import estimating, kinds
from scoring.engine import requests as requesting
from scoring.engine.estimating import Estimate
from scoring.engine.models import Machine, Run
from scoring.kinds.fusion import queries as fusion
from scoring.kinds.fusion import results as fusion_results
from scoring.kinds.fusion import v1
from scoring.kinds.fusion.models import Plan, TaskVersion
from scoring.kinds.fusion.queries import Found
from scoring.kinds.fusion.tasks import Task
from scoring.kinds.fusion.v1 import Variant
from scoring.kinds.judging import settings as judges
from scoring.protocols import task_prompts_v1 as prompts_v1

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
        content = fusion.content(self.version)
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
    if wanted.variant is not Variant.DE and not fusion.content(wanted.version).helpers:
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
    content = fusion.content(wanted.version)
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


def check_wish(*, project: Project, wish: Wish) -> Checked:
    """Return what an evaluation would take; nothing is written.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    for one in wish.judges:
        check(project, one)
    imagined = [_entry(one, None) for one in wish.judges]
    run = Run(
        project=project,
        kind=Run.Kind.FUSION,
        protocol=v1.PROTOCOL,
        config=_config(wish, imagined),
        round=wish.round,
    )
    kinds.of(run.kind).check(run)
    content = fusion.content(wish.version)
    found = fusion.found(project, wish.round, wish.batch, content)
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
        _entry(one, meet(project=project, wanted=one, by=user, now=now)) for one in wish.judges
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
    content = fusion.content(wanted.version)
    return {
        "judge": None if judge is None else judge.pk,
        "rater": None if judge is None else judge.rater_id,
        "endpoint": wanted.endpoint.pk,
        "variant": str(wanted.variant),
        "settings": wanted.settings.told,
        "sha": judges.config_sha(v1.PROTOCOL, wanted.endpoint, wanted.config),
        "criteria": {} if judge is None else criteria_of(judge, content),
    }
