"""Make the judges of interviews: machine raters whose marks are verdicts from 1 to 4.

* Ask for interviews: which questions by lot, which systems, who interviews and who evaluates.
* Start interviews from what a person or a program chose: a source of questions, names, settings.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.common import draws as seeds
from annotation.people import audit
from annotation.people.models import Project, Rater, RaterKind, User
from annotation.rubrics import measures
from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import Measure
from annotation.systems.models import Item
from evalsite import errors
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine import estimating, kinds
from scoring.engine import requests as requesting
from scoring.engine.estimating import Estimate
from scoring.engine.models import Machine, Run
from scoring.kinds.interviews import operations as interviews
from scoring.kinds.interviews import prompts_v1, v1
from scoring.kinds.interviews import queries as interview_choice
from scoring.kinds.interviews import verdicts_v1 as verdicts
from scoring.kinds.interviews.queries import Found
from scoring.kinds.judging import settings as judges

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
    _check_evaluator(project, endpoint, settings)
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


def _check_evaluator(project: Project, endpoint: Endpoint, settings: Settings) -> None:
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


MOST_EXCHANGES: Final = 20
MOST_QUESTIONS: Final = 5_000
PRIORS: Final = ("neutral", "likely_wrong")
DECISIONS: Final = ("text", "judge", "none")
LANGUAGES: Final = ("auto", "en", "zh")


class BadInterview(errors.Invalid):
    """Interviews cannot be held so; `fields` says which setting."""

    code = "bad_interview"


class NotConnected(errors.Invalid):
    code = "release_not_connected"


def configure(
    *,
    items: Collection[int],
    releases: Sequence[int],
    interactor: Endpoint,
    seed: int,
    questions: int | None = None,
    planned: int = 5,
    mark_but_continue: bool = False,
    prior: str = "neutral",
    decision: str = "text",
    verify: bool = False,
    temperature: float = 0.0,
    talk_tokens: int = 600,
    language: str = "auto",
) -> dict[str, Any]:
    """Return all that decides a run of interviews, beside its evaluator and its seed.

    Args:
        items: the question set; the draw is the same for every candidate.
        releases: who is interviewed; each is connected with an endpoint.
        interactor: who asks.
        seed: of the draw.
        questions: how many are drawn, None for all; with `verify` so many verified ones are wanted.
        planned: exchanges of a dialogue.
        mark_but_continue: a stop is noted and the dialogue goes on to the planned end.
        prior: what the interactor is told of the first answer.
        decision: how a free first answer is found right: "text", "judge" or "none".
        verify: whether both machines must get a question right before anybody is asked about it.
        temperature: of interactor, and of candidates whose connection says nothing else.
        talk_tokens: that a question or an answer may have.
        language: of the prompts; "auto" is the question's.

    Raises:
        BadInterview: a setting cannot be used.
        NotConnected: no endpoint answers as a release.
    """
    drawn = draw(items, seed)
    wanted = len(drawn) if questions is None else questions
    _check(
        {
            "items": (bool(drawn), _("There are no questions to interview about.")),
            "questions": (
                1 <= wanted <= min(MOST_QUESTIONS, len(drawn) or 1),
                _("Draw from 1 to %(most)d questions.") % {"most": min(MOST_QUESTIONS, len(drawn))},
            ),
            "planned": (
                1 <= planned <= MOST_EXCHANGES,
                _("A dialogue has from 1 to %(most)d exchanges.") % {"most": MOST_EXCHANGES},
            ),
            "prior": (prior in PRIORS, _("The interactor is told nothing of this sort.")),
            "decision": (decision in DECISIONS, _("First answers are not decided in this way.")),
            "language": (language in LANGUAGES, _("There are no prompts in this language.")),
            "temperature": (0 <= temperature <= 2, _("The temperature lies between 0 and 2.")),
            "talk_tokens": (
                50 <= talk_tokens <= 8000,
                _("A reply may have from 50 to 8000 tokens."),
            ),
            "releases": (bool(releases), _("Choose at least one system to interview.")),
        }
    )
    return {
        "items": drawn if verify else drawn[:wanted],
        "releases": connected(releases),
        "interactor": interactor.pk,
        "planned": planned,
        "mark_but_continue": mark_but_continue,
        "prior": prior,
        "decision": decision,
        "temperature": temperature,
        "talk_tokens": talk_tokens,
        "language": language,
        "verify": wanted if verify else 0,
    }


def estimate(
    *, project: Project, config: Mapping[str, Any], evaluator: Judge
) -> estimating.Estimate:
    """Return what the interviews would take.

    Raises:
        errors.Refusal: they cannot be held; says why.
    """
    run = Run(project=project, kind=Run.Kind.KIEVAL, config=dict(config), judge=evaluator)
    kinds.of(run.kind).check(run)
    return estimating.estimate(run)


def request_interviews(
    *,
    project: Project,
    key: UUID,
    name: str,
    config: Mapping[str, Any],
    evaluator: Judge,
    seed: int,
    user: User | None,
    now: datetime,
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Have the interviews of `configure` held in the background.

    Raises:
        errors.Refusal: they cannot be held; says why.
    """
    return requesting.request_run(
        project=project,
        key=key,
        kind=Run.Kind.KIEVAL,
        name=name,
        protocol=v1.PROTOCOL,
        config=config,
        seed=seed,
        user=user,
        now=now,
        judge=evaluator,
        budget=budget,
        cloned_from=cloned_from,
    )


def draw(items: Collection[int], seed: int) -> list[int]:
    """Return the question set in the order of the draw: by name and seed, whatever order it came in.

    Interviews and measurements of accuracy with the same seed meet the same questions first.
    """
    names = Item.objects.filter(pk__in=items).values_list("pk", "external_id")
    ranked = sorted(
        names, key=lambda one: seeds.rank_key(f"interviews {seed}", f"{one[1]}\n{one[0]}")
    )
    return [pk for pk, _name in ranked]


def connected(releases: Sequence[int]) -> list[dict[str, Any]]:
    """Return how each release is asked, frozen for a run.

    Raises:
        NotConnected: no endpoint answers as one of them.
    """
    found = connections.current(releases)
    if lacking := [one for one in releases if one not in found]:
        raise NotConnected(
            _("No endpoint answers as %(n)d of these systems. Connect them on their page first.")
            % {"n": len(lacking)}
        )
    return [
        {
            "release": pk,
            "name": str(found[pk].release),
            "connection": found[pk].pk,
            "endpoint": found[pk].endpoint_id,
            "settings": found[pk].settings,
        }
        for pk in dict.fromkeys(releases)
    ]


def _check(rules: Mapping[str, tuple[bool, str]]) -> None:
    problems = {name: [said] for name, (fits, said) in rules.items() if not fits}
    if problems:
        raise BadInterview(" ".join(said for (said,) in problems.values()), fields=problems)


class NoQuestions(errors.Invalid):
    code = "no_questions"


@dataclass(frozen=True)
class Wish:
    """What interviews are wanted.

    Args:
        over: where the questions come from (scoring.kinds.interviews.queries).
        releases: who is interviewed.
        interactor: who asks.
        evaluator: a judge of interviews, or an endpoint that one is made of.
        seed: of the draw and of the run.
        reference_visible: whether a new evaluator sees the standard answer.
        settings: the other settings of interviewing.configure.
    """

    over: str
    releases: Sequence[int]
    interactor: Endpoint
    evaluator: Judge | Endpoint
    seed: int
    reference_visible: bool = False
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Checked:
    """What interviews would take, and about how many questions they could be."""

    estimate: Estimate
    found: Found


def check(*, project: Project, wish: Wish, now: datetime) -> Checked:
    """Return what the interviews would take; nothing is written.

    Raises:
        errors.Refusal: they cannot be held; says why.
    """
    found = _found(project, wish, now)
    imagined = interviews.imagined(project=project, chosen=wish.evaluator, settings=_settings(wish))
    estimate = interviews.estimate(project=project, config=_config(wish, found), evaluator=imagined)
    return Checked(estimate, found)


@transaction.atomic
def start(
    *,
    project: Project,
    wish: Wish,
    key: UUID,
    name: str,
    user: User | None,
    now: datetime,
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Have the interviews held; an evaluator is made of an endpoint where one was named.

    Raises:
        errors.Refusal: they cannot be held; says why.
    """
    config = _config(wish, _found(project, wish, now))
    return request_interviews(
        project=project,
        key=key,
        name=name,
        config=config,
        evaluator=met(
            project=project,
            chosen=wish.evaluator,
            settings=_settings(wish),
            by=user,
            now=now,
        ),
        seed=wish.seed,
        user=user,
        now=now,
        budget=budget,
        cloned_from=cloned_from,
    )


def _found(project: Project, wish: Wish, now: datetime) -> Found:
    try:
        found = interview_choice.found(project, wish.over, now)
    except interview_choice.NoSuchQuestions as missing:
        message = _("There are no such questions. Name a capability, a round or an import.")
        raise NoQuestions(message, fields={"over": [message]}) from missing
    if not found.items:
        message = _("None of these questions has a standard answer, so none can be asked about.")
        raise NoQuestions(message, fields={"over": [message]})
    return found


def _config(wish: Wish, found: Found) -> dict[str, Any]:
    made = configure(
        items=found.items,
        releases=wish.releases,
        interactor=wish.interactor,
        seed=wish.seed,
        **wish.settings,
    )
    return {**made, "over": wish.over}


def _settings(wish: Wish) -> Settings:
    return Settings(reference_visible=wish.reference_visible)
