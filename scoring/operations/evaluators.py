"""Make the judges of interviews: machine raters whose marks are verdicts from 1 to 4."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Criterion, Project, Rater, RaterKind, User
from annotation.operations import audit
from annotation.rubrics import measures
from annotation.rubrics.rules import Measure
from evalsite import errors
from scoring.models import Endpoint, Judge, Machine
from scoring.operations import judges
from scoring.protocols.kieval import prompts_v1, v1
from scoring.protocols.kieval import verdicts_v1 as verdicts

ASPECTS: Final = verdicts.SCORED
LABELS: Final = ((1, "Poor"), (2, "Below average"), (3, "Above average"), (4, "Strong"))
MOST_TOKENS: Final = 32_000


@dataclass(frozen=True)
class Settings:
    """What decides how an evaluator judges, beside its endpoint and the prompts."""

    reference_visible: bool = False
    temperature: float | None = 0.0
    max_tokens: int = 1200


@transaction.atomic
def create(
    *,
    project: Project,
    name: str,
    endpoint: Endpoint,
    settings: Settings,
    by: User | None,
    now: datetime,
) -> Judge:
    """Return the evaluator that is configured so, made if there is none.

    Raises:
        judges.BadJudge: a setting cannot be used.
        judges.EndpointRetired: its endpoint is not in use.
        judges.NameTaken: a judge of this name is configured otherwise.
    """
    _check(project, endpoint, settings)
    prompts = {language: prompts_v1.sha(language) for language in sorted(prompts_v1.LANGUAGES)}
    config = {**asdict(settings), "prompts": prompts}
    sha = judges.config_sha(v1.PROTOCOL, endpoint, config)
    if same := Judge.objects.filter(project=project, config_sha=sha).first():
        return same
    name = " ".join(name.split())[:120]
    if not name or Rater.objects.filter(project=project, kind=RaterKind.JUDGE, ref=name).exists():
        message = _("Choose a name for the evaluator that no other judge has.")
        raise judges.NameTaken(message, fields={"name": [message]})
    rater = _rater(project, name, endpoint.family, by, now)
    judge = Judge.objects.create(
        project=project,
        rater=rater,
        name=name,
        protocol=v1.PROTOCOL,
        endpoint=endpoint,
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
        endpoint=endpoint.pk,
        config_sha=sha,
    )
    return judge


def rater_of_file(*, project: Project, name: str, by: User | None, now: datetime) -> int:
    """Return the rater that the verdicts of a file stand under, made if there is none of its name.

    Raises:
        NoEvaluator: the name is that of a judge of another sort, or there is none.
    """
    name = " ".join(name.split())[:120]
    there = Rater.objects.filter(project=project, kind=RaterKind.JUDGE, ref=name).first()
    if there is not None and set(_criteria(there.pk)) == set(ASPECTS):
        return there.pk
    if there is not None or not name:
        message = _("Choose a name for the evaluator that no other judge has.")
        raise NoEvaluator(message, fields={"evaluator": [message]})
    return _rater(project, name, "", by, now).pk


def _rater(project: Project, name: str, family: str, by: User | None, now: datetime) -> Rater:
    """Make a rater whose marks are verdicts, with its rubric."""
    rater = Rater.objects.create(project=project, kind=RaterKind.JUDGE, ref=name, created_at=now)
    rubric = measures.create(project=project, name=name, now=now)
    Machine.objects.create(rater=rater, rubric=rubric, family=family, created_at=now)
    labels = tuple((Decimal(value), label) for value, label in LABELS)
    wanted = [Measure(one, Decimal(1), Decimal(4), labels=labels) for one in ASPECTS]
    measures.declare(rubric=rubric, measures=wanted, by=by, now=now)
    return rater


def met(
    *,
    project: Project,
    chosen: Judge | Endpoint,
    settings: Settings,
    by: User | None,
    now: datetime,
) -> Judge:
    """Return the evaluator that was chosen; of an endpoint one is made.

    Raises:
        errors.Refusal: none can be made of it; says why.
    """
    if isinstance(chosen, Judge):
        return chosen
    known = _(", knows the answer") if settings.reference_visible else ""
    return create(
        project=project,
        name=f"{chosen.name} {chosen.number} · KIEval{known}",
        endpoint=chosen,
        settings=settings,
        by=by,
        now=now,
    )


def imagined(*, project: Project, chosen: Judge | Endpoint, settings: Settings) -> Judge:
    """Return the evaluator that would be made, for an estimate; nothing is written."""
    if isinstance(chosen, Judge):
        return chosen
    return Judge(project=project, protocol=v1.PROTOCOL, endpoint=chosen, config=asdict(settings))


def settings_of(judge: Judge) -> Settings:
    """Return how an evaluator judges."""
    config: Mapping[str, Any] = judge.config
    return Settings(**{name: config[name] for name in Settings.__dataclass_fields__})


def criteria_of(rater: int) -> dict[str, int]:
    """Return the key of each aspect's criterion in the rubric of an evaluator, by its rater's key."""
    version = Machine.objects.get(rater=rater).rubric.versions.order_by("-number").first()
    return dict(Criterion.objects.filter(rubric_version=version).values_list("name", "pk"))


def _criteria(rater: int) -> dict[str, int]:
    return criteria_of(rater) if Machine.objects.filter(rater=rater).exists() else {}


def _check(project: Project, endpoint: Endpoint, settings: Settings) -> None:
    if endpoint.project_id != project.pk or endpoint.retired_at is not None:
        raise judges.EndpointRetired(_("This endpoint is not in use any more. Choose another."))
    problems: dict[str, list[str]] = {}
    if settings.temperature is not None and not 0 <= settings.temperature <= judges.HOTTEST:
        problems["temperature"] = [_("The temperature lies between 0 and 2.")]
    if not 200 <= settings.max_tokens <= MOST_TOKENS:
        most = {"most": MOST_TOKENS}
        problems["max_tokens"] = [_("A verdict may have from 200 to %(most)d tokens.") % most]
    if problems:
        said = " ".join(one for each in problems.values() for one in each)
        raise judges.BadJudge(said, fields=problems)


class NoEvaluator(errors.Invalid):
    """An interview needs somebody who judges it."""

    code = "no_evaluator"
