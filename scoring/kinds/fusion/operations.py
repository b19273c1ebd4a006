"""Make the judges of Fusion-Eval: a version of a task, a variant, perhaps a plan, and an endpoint.

* Ask for an evaluation by Fusion-Eval: which task, which ways of judging, over which answers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Annotated, Any

from django.db import transaction
from django.utils.translation import gettext as _
from pydantic import Field

from annotation.people.models import Project, Rater, RaterKind, User
from annotation.rounds.models import Round
from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import Measure
from evalsite import errors
from evalsite.kinds import Choice, Real, Text, Whole, YesNo, gettext_noop
from evalsite.records import Ask, Record
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.kinds import LARGEST_SEED, AskedRun, RunAsking
from scoring.engine.models import Run
from scoring.kinds.fusion import queries as fusion
from scoring.kinds.fusion import results as fusion_results
from scoring.kinds.fusion import v1, v2
from scoring.kinds.fusion.models import Plan, TaskVersion
from scoring.kinds.fusion.tasks import FusionTask
from scoring.kinds.fusion.v1 import Variant
from scoring.kinds.judging import settings as judges
from scoring.kinds.metrics import queries as measured
from scoring.kinds.metrics.operations import OfAnswers
from scoring.protocols import task_prompts_v1 as prompts_v1

MOST_PREDICTIONS = 32
MOST_TOKENS = 32_000
HOTTEST = 2


#: Settings that came later: a judge is known by them only where they are chosen.
_LATER = frozenset({"turned", "apart"})


class NoPlan(errors.Invalid):
    """Fusion-Eval with a plan needs one of this version of the task."""


class NothingToFuse(errors.Invalid): ...


@dataclass(frozen=True)
class FusionSettings(Record):
    """How a judge predicts, beside its task, its plan and its endpoint.

    Args:
        turned: every second prediction sees the answer first and the fields in the opposite order.
    """

    predictions: Annotated[
        int,
        Whole(1, MOST_PREDICTIONS),
        Ask(
            gettext_noop("Predictions for each answer"),
            gettext_noop("The score is their mean."),
        ),
    ] = 8
    temperature: Annotated[
        float | None,
        Real(0, HOTTEST),
        Ask(
            gettext_noop("Temperature"),
            gettext_noop("At 0, all alike. Empty: the endpoint’s."),
        ),
    ] = 0.5
    max_tokens: Annotated[
        int, Whole(50, MOST_TOKENS), Ask(gettext_noop("Tokens of a reply at most"))
    ] = 1500
    fewest_valid: Annotated[
        int,
        Whole(1, MOST_PREDICTIONS),
        Ask(
            gettext_noop("Valid predictions a score needs"),
            gettext_noop("With fewer, no score."),
        ),
    ] = 1
    turned: Annotated[
        bool,
        YesNo(),
        Ask(
            gettext_noop("Turn the order round in every second prediction"),
            gettext_noop(
                "Answer first, the rest in the opposite order; the judge’s page shows the effect."
            ),
        ),
    ] = False

    apart: Annotated[
        bool,
        YesNo(),
        Ask(
            gettext_noop("One request per criterion"),
            gettext_noop("Dearer, and one criterion cannot colour another."),
        ),
    ] = False

    @property
    def told(self) -> dict[str, Any]:
        """What a judge is known by; what came later is told where it is chosen."""
        return {name: value for name, value in asdict(self).items() if name not in _LATER or value}


@dataclass(frozen=True)
class WantedJudge:
    """A judge that is wanted. `plan` is None for every variant but FE."""

    version: TaskVersion
    variant: Variant
    endpoint: Endpoint
    settings: FusionSettings
    plan: Plan | None = None

    @property
    def protocol(self) -> str:
        return v2.PROTOCOL if self.settings.apart else v1.PROTOCOL

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


def check(project: Project, wanted: WantedJudge) -> None:
    """Refuse a judge that cannot be made.

    Raises:
        connections.EndpointRetired: its endpoint is not in use.
        NoPlan: there is no plan for FE, or one of another version.
        NothingToFuse: the task has no assistants, so that only DE makes sense.
        judges.BadJudge: a setting cannot be used; `fields` says which.
    """
    endpoint, settings = wanted.endpoint, wanted.settings
    connections.refuse_unless_of(project, endpoint)
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
def meet(*, project: Project, wanted: WantedJudge, by: User | None, now: datetime) -> Judge:
    """Return the judge that is configured so, made if there is none.

    Raises:
        errors.Refusal: it cannot be made; says why.
    """
    check(project, wanted)
    config = wanted.config
    sha = judges.config_sha(wanted.protocol, wanted.endpoint, config)
    if same := Judge.objects.filter(project=project, config_sha=sha).first():
        return same
    name = _name(project, wanted, sha)
    return judges.new_judge(
        project=project,
        name=name,
        protocol=wanted.protocol,
        endpoint=wanted.endpoint,
        config=config,
        by=by,
        now=now,
        wanted=_measures(fusion.content(wanted.version)),
    )


def criteria_of(judge: Judge, content: FusionTask) -> dict[str, int]:
    """Return the judge's own criteria by the keys that the task has."""
    rows = Criterion.objects.filter(rubric_version__rubric__machine__rater=judge.rater_id)
    by_name = dict(rows.values_list("name", "pk"))
    return {one.key: by_name[one.name] for one in content.design.wanted}


def config_of(variant: Variant, given: Mapping[str, Any], plan: str) -> v1.Config:
    """Return how a judge predicts, as the procedure takes it, of what is kept of its settings."""
    names = [
        name for name in FusionSettings.__dataclass_fields__ if name in given and name != "apart"
    ]
    return v1.Config(variant=variant, plan=plan, **{name: given[name] for name in names})


def _measures(content: FusionTask) -> list[Measure]:
    return [
        Measure(one.name, one.scale.minimum, one.scale.maximum) for one in content.design.wanted
    ]


def _name(project: Project, wanted: WantedJudge, sha: str) -> str:
    """Return a name that says what the judge is, what tells it apart first; other settings have their hash."""
    parts = [
        fusion_results.NAMES[wanted.variant],
        *([f"plan {wanted.plan.number}"] if wanted.plan is not None else []),
        *(["by criterion"] if wanted.settings.apart else []),
        wanted.endpoint.name[:40],
        wanted.version.task.name[:50] + (f" v{wanted.version.number}"),
    ]
    name = " · ".join(parts)
    taken = Rater.objects.filter(project=project, kind=RaterKind.JUDGE, ref=name).exists()
    return f"{name} · {sha[:6]}" if taken else name


def _problems(settings: FusionSettings) -> dict[str, str]:
    found = {}
    if settings.fewest_valid > settings.predictions:
        found["fewest_valid"] = _("Ask for no more valid predictions than are drawn.")
    if settings.turned and settings.predictions < 2:
        found["turned"] = _("The order can be turned only where there is more than one prediction.")
    return found


@dataclass(frozen=True, kw_only=True)
class Fused(OfAnswers, FusionSettings):
    """Which answers are evaluated, of a round or an import. With `estimate` nothing is started.

    Args:
        variants: in which ways.
        plan: by its number; for FE.
        endpoint: by whom; its name.
    """

    variants: Annotated[
        tuple[Annotated[str, Choice(tuple(map(str, Variant)))], ...],
        Field(min_length=1),
        Ask(
            gettext_noop("Ways of judging"),
            gettext_noop("One judge each; several show what plan and scores do."),
        ),
    ]
    plan: Annotated[
        int | None,
        Whole(1, LARGEST_SEED),
        Ask(gettext_noop("Plan"), gettext_noop("For FE.")),
    ] = None
    endpoint: Annotated[
        str,
        Text(80, empty=False),
        Ask(gettext_noop("Endpoint"), gettext_noop("The language model that judges.")),
    ]


@dataclass(frozen=True)
class FusionWish:
    """What is wanted. `batch` is the number of an import of answers, where no round is named."""

    version: TaskVersion
    variants: Sequence[Variant]
    endpoint: Endpoint
    plan: Plan | None = None
    round: Round | None = None
    batch: int | None = None
    settings: FusionSettings = field(default_factory=FusionSettings)

    @property
    def judges(self) -> list[WantedJudge]:
        """The judges that are wanted, one for each variant in the paper's order."""
        return [
            WantedJudge(
                self.version,
                one,
                self.endpoint,
                self.settings,
                self.plan if one is Variant.FE else None,
            )
            for one in Variant
            if one in self.variants
        ]


class FusionStarting:
    kind = Run.Kind.FUSION
    wish = Fused
    writes = True

    def asked(self, of: TaskVersion, wish: Fused, asking: RunAsking) -> AskedRun:
        """Find plan, endpoint and answers; to start, judges are made where there are none like this.

        Raises:
            errors.Refusal: it cannot be done; says why.
        """
        return asked_run(resolved(of, wish), asking)

    def again(self, run: Run) -> dict[str, Any]:
        judges = run.config["judges"]
        plan = Plan.objects.filter(pk=run.config["plan"]).first()
        endpoint = Endpoint.objects.filter(pk=judges[0]["endpoint"]).first()
        return {
            **judges[0]["settings"],
            "over": measured.over(run),
            "variants": [one["variant"] for one in judges],
            "plan": plan.number if plan else "",
            "endpoint": endpoint.name if endpoint else "",
        }


START = FusionStarting()


def resolved(of: TaskVersion, wish: Fused) -> FusionWish:
    """Return what was chosen by name and number as what it stands for.

    Raises:
        errors.Refusal: something of it does not exist; says what.
    """
    variants = [Variant(one) for one in wish.variants]
    return FusionWish(
        version=of,
        variants=variants,
        endpoint=connections.endpoint_named(of.project, wish.endpoint, "endpoint"),
        plan=plan_of(of, wish.plan) if Variant.FE in variants else None,
        round=wish.chosen(of.project),
        batch=wish.batch,
        settings=FusionSettings(
            **{name: getattr(wish, name) for name in FusionSettings.__dataclass_fields__}
        ),
    )


def plan_of(of: TaskVersion, number: int | None) -> Plan | None:
    """Return the plan of a task by its number; None where none is named.

    Raises:
        NoPlan: there is none of this number.
    """
    if number is None:
        return None
    found = of.task.plans.filter(number=number).first()
    if found is None:
        message = _("The task has no plan %(n)d.") % {"n": number}
        raise NoPlan(message, fields={"plan": [message]})
    return found


def asked_run(wish: FusionWish, asking: RunAsking) -> AskedRun:
    """Return what an evaluation is to be; judges are made only to start it.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    project = wish.version.project
    for one in wish.judges:
        check(project, one)
    found = fusion.count_answers(project, wish.round, wish.batch, fusion.content(wish.version))
    by, now = asking.user, asking.now
    entries = [
        _entry(one, meet(project=project, wanted=one, by=by, now=now) if asking.starts else None)
        for one in wish.judges
    ]
    return AskedRun(
        protocol=wish.judges[0].protocol,
        config=_config(wish, entries),
        round=wish.round,
        told=found.told,
        n_in_all=found.n * len(wish.judges),
    )


def _config(wish: FusionWish, entries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    with_plan = Variant.FE in wish.variants and wish.plan is not None
    of = [one.rater for one in fusion.content(wish.version).helpers]
    reads = [str(one["rater"]) for one in entries if one["rater"] and one["variant"] != Variant.DE]
    return {
        "task": wish.version.task_id,
        "version": wish.version.pk,
        "version_sha": wish.version.sha,
        "plan": wish.plan.pk if with_plan and wish.plan else None,
        "import": wish.batch,
        "judges": list(entries),
        "made_of": dict.fromkeys(reads, of),
    }


def _entry(wanted: WantedJudge, judge: Judge | None) -> dict[str, Any]:
    """Return what a run keeps of a judge; of one that is only imagined there is nothing to keep."""
    content = fusion.content(wanted.version)
    return {
        "judge": None if judge is None else judge.pk,
        "rater": None if judge is None else judge.rater_id,
        "endpoint": wanted.endpoint.pk,
        "variant": str(wanted.variant),
        "settings": wanted.settings.told,
        "sha": judges.config_sha(wanted.protocol, wanted.endpoint, wanted.config),
        "criteria": {} if judge is None else criteria_of(judge, content),
    }
