"""Make the judges of interviews: machine raters whose marks are verdicts from 1 to 4.

* What interviews are asked for: which questions by lot, which systems, who interviews and who evaluates.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Final

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import Field

from annotation.common import draws as seeds
from annotation.people.models import Project, Rater, RaterKind, User
from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import Measure
from annotation.systems.models import Item, SystemRelease
from evalsite import errors
from evalsite.kinds import Choice, Real, Text, Whole, YesNo, gettext_noop
from evalsite.records import Ask
from scoring.endpoints import operations
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.kinds import LARGEST_SEED, AskedRun, BeginRun, RunAsking
from scoring.engine.models import Machine
from scoring.kinds.interviews import prompts_v1, v1
from scoring.kinds.interviews import queries as interview_choice
from scoring.kinds.interviews import verdicts_v1 as verdicts
from scoring.kinds.interviews.queries import KnownQuestions
from scoring.kinds.judging import settings as judges

ASPECTS: Final = verdicts.SCORED
LABELS: Final = ((1, "Poor"), (2, "Below average"), (3, "Above average"), (4, "Strong"))
MOST_TOKENS: Final = 32_000


@dataclass(frozen=True)
class InterviewSettings:
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
    settings: InterviewSettings,
    by: User | None,
    now: datetime,
) -> Judge:
    """Return the evaluator that is configured so, made if there is none.

    Raises:
        judges.BadJudge: a setting cannot be used.
        connections.EndpointRetired: its endpoint is not in use.
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
        raise errors.NameTaken(message, fields={"name": [message]})
    return judges.new_judge(
        project=project,
        name=name,
        protocol=v1.PROTOCOL,
        endpoint=endpoint,
        config=config,
        by=by,
        now=now,
        wanted=_measures(),
    )


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
    return judges.rater_of(
        project=project, name=name, family="", wanted=_measures(), by=by, now=now
    ).pk


def _measures() -> list[Measure]:
    """Return the criteria whose marks are verdicts."""
    labels = tuple((Decimal(value), label) for value, label in LABELS)
    return [Measure(one, Decimal(1), Decimal(4), labels=labels) for one in ASPECTS]


def met(
    *,
    project: Project,
    chosen: Judge | Endpoint,
    settings: InterviewSettings,
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


def imagined(*, project: Project, chosen: Judge | Endpoint, settings: InterviewSettings) -> Judge:
    """Return the evaluator that would be made, for an estimate; nothing is written."""
    if isinstance(chosen, Judge):
        return chosen
    return Judge(project=project, protocol=v1.PROTOCOL, endpoint=chosen, config=asdict(settings))


def settings_of(judge: Judge) -> InterviewSettings:
    """Return how an evaluator judges."""
    config: Mapping[str, Any] = judge.config
    return InterviewSettings(
        **{name: config[name] for name in InterviewSettings.__dataclass_fields__}
    )


def criteria_of(rater: int) -> dict[str, int]:
    """Return the key of each aspect's criterion in the rubric of an evaluator, by its rater's key."""
    version = Machine.objects.get(rater=rater).rubric.versions.order_by("-number").first()
    return dict(Criterion.objects.filter(rubric_version=version).values_list("name", "pk"))


def _criteria(rater: int) -> dict[str, int]:
    return criteria_of(rater) if Machine.objects.filter(rater=rater).exists() else {}


def _check_evaluator(project: Project, endpoint: Endpoint, settings: InterviewSettings) -> None:
    connections.refuse_unless_of(project, endpoint)
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


MOST_EXCHANGES: Final = 20
MOST_QUESTIONS: Final = 5_000
#: Of a question or an answer.
TALK_TOKENS: Final = 600
PRIORS: Final = ("neutral", "likely_wrong")
DECISIONS: Final = ("text", "judge", "none")
LANGUAGES: Final = ("auto", "en", "zh")
Language = Annotated[
    str,
    Choice(
        LANGUAGES,
        titles=(
            ("auto", gettext_lazy("the question’s")),
            ("en", gettext_lazy("English")),
            ("zh", gettext_lazy("Chinese")),
        ),
    ),
    Ask(gettext_noop("Language of the prompts")),
]
#: Of systems, by key: those that an endpoint answers as.
Releases = Annotated[
    tuple[Annotated[int, Whole(1, LARGEST_SEED)], ...],
    Field(min_length=1, max_length=100),
    Ask(gettext_noop("Systems"), gettext_noop("Those that an endpoint answers as.")),
]
Visible = Annotated[bool, YesNo(), Ask(gettext_noop("Show a new evaluator the standard answer"))]


class BadInterview(errors.Invalid):
    """Interviews cannot be held so; `fields` says which setting."""


class NoQuestions(errors.Invalid): ...


@dataclass(frozen=True, kw_only=True)
class Interviews(BeginRun):
    """Who is interviewed about what. With `estimate` nothing is started.

    Args:
        over: where the questions come from (scoring.kinds.interviews.queries).
        questions: how many are drawn, None for all; with `verify` so many verified ones are wanted.
        releases: who is interviewed; each is connected with an endpoint.
        interactor: who asks; the name of an endpoint.
        evaluator: a judge of interviews, by the key of its rater.
        evaluator_endpoint: the name of one that an evaluator is made of, in place of `evaluator`.
        reference_visible: whether a new evaluator sees the standard answer.
        planned: exchanges of a dialogue.
        mark_but_continue: a stop is noted and the dialogue goes on to the planned end.
        prior: what the interactor is told of the first answer.
        decision: how a free first answer is found right.
        verify: whether both machines must get a question right before anybody is asked about it.
        temperature: of interactor, and of candidates whose connection says nothing else; None
            sends none.
        language: of the prompts; "auto" is the question's.
    """

    over: Annotated[
        str,
        Text(40, empty=False),
        Ask(
            gettext_noop("Questions"),
            gettext_noop("Only those with a standard answer."),
        ),
    ]
    questions: Annotated[
        int | None,
        Whole(1, MOST_QUESTIONS),
        Ask(
            gettext_noop("How many"),
            gettext_noop("Drawn by lot, the same for all. Empty: all."),
        ),
    ] = None
    releases: Releases
    interactor: Annotated[
        str,
        Text(80, empty=False),
        Ask(
            gettext_noop("Interviewer"),
            gettext_noop("Knows the standard answer; sees no verdict."),
        ),
    ]
    evaluator: Annotated[
        int | None,
        Whole(1, LARGEST_SEED),
        Ask(
            gettext_noop("Evaluator"),
            gettext_noop("Best a model that is not interviewed."),
        ),
    ] = None
    evaluator_endpoint: Annotated[str, Text(80)] = ""
    reference_visible: Visible = False
    planned: Annotated[int, Whole(1, MOST_EXCHANGES), Ask(gettext_noop("Exchanges"))] = 5
    mark_but_continue: Annotated[
        bool,
        YesNo(),
        Ask(
            gettext_noop("Go on after the evaluator asks to stop"),
            gettext_noop("Gives scores with and without the stop."),
        ),
    ] = False
    prior: Annotated[
        str,
        Choice(
            PRIORS,
            titles=(
                ("neutral", gettext_lazy("nothing")),
                ("likely_wrong", gettext_lazy("likely wrong")),
            ),
        ),
        Ask(gettext_noop("Told of the first answer")),
    ] = "neutral"
    decision: Annotated[
        str,
        Choice(
            DECISIONS,
            titles=(
                ("text", gettext_lazy("by equal text")),
                ("judge", gettext_lazy("the evaluator decides")),
                ("none", gettext_lazy("is not decided")),
            ),
        ),
        Ask(
            gettext_noop("Whether a free first answer is right"),
        ),
    ] = "text"
    verify: Annotated[
        bool,
        YesNo(),
        Ask(
            gettext_noop("Only what interviewer and evaluator get right"),
            gettext_noop("More questions are drawn until enough are verified."),
        ),
    ] = False
    temperature: Annotated[
        float | None,
        Real(0, 2),
        Ask(gettext_noop("Temperature"), gettext_noop("Left empty, none is sent.")),
    ] = 0.0
    language: Language = "auto"


def asked(of: Project, wish: Interviews, asking: RunAsking) -> AskedRun:
    """Draw the questions, and find who asks and who judges; to start, an evaluator may be made.

    Raises:
        errors.Refusal: they cannot be held; says why.
    """
    found = _found(of, wish.over, asking.now)
    settings = InterviewSettings(reference_visible=wish.reference_visible)
    chosen = _evaluator(of, wish)
    if asking.starts:
        judge = met(project=of, chosen=chosen, settings=settings, by=asking.user, now=asking.now)
    else:
        judge = imagined(project=of, chosen=chosen, settings=settings)
    return AskedRun(
        protocol=v1.PROTOCOL,
        config=configure(of, wish, found.items),
        judge=judge,
        told={"questions": len(found.items), "without_answer": found.n_without},
    )


def configure(project: Project, wish: Interviews, items: Collection[int]) -> dict[str, Any]:
    """Return all that decides a run of interviews, beside its evaluator and its seed.

    The draw is the same for every candidate.

    Raises:
        BadInterview: so many cannot be drawn, or the interviewer is not known.
        ReleaseNotConnected: no endpoint answers as a release.
    """
    drawn = draw(items, wish.seed)
    wanted = len(drawn) if wish.questions is None else wish.questions
    most = min(MOST_QUESTIONS, len(drawn))
    if not 1 <= wanted <= most:
        message = _("Draw from 1 to %(most)d questions.") % {"most": most}
        raise BadInterview(message, fields={"questions": [message]})
    names = ("planned", "mark_but_continue", "prior", "decision", "temperature", "language", "over")
    return {
        **{name: getattr(wish, name) for name in names},
        "items": drawn if wish.verify else drawn[:wanted],
        "releases": connected(project, wish.releases),
        "interactor": connections.endpoint_named(project, wish.interactor, "interactor").pk,
        "talk_tokens": TALK_TOKENS,
        "verify": wanted if wish.verify else 0,
    }


def evaluator_of(project: Project, rater: int, field: str) -> Judge:
    """Return the judge of interviews with the key of this rater.

    Raises:
        BadInterview: there is none; `field` says so.
    """
    found = interview_choice.evaluators_of(project).filter(rater=rater).first()
    if found is None:
        message = _("No evaluator %(key)d is in use in this project.") % {"key": rater}
        raise BadInterview(message, fields={field: [message]})
    return found


def _evaluator(project: Project, wish: Interviews) -> Judge | Endpoint:
    if (wish.evaluator is None) == (not wish.evaluator_endpoint):
        message = _("Name an evaluator, or an endpoint that one is made of.")
        raise NoEvaluator(message, fields={"evaluator": [message]})
    if wish.evaluator is None:
        return connections.endpoint_named(project, wish.evaluator_endpoint, "evaluator_endpoint")
    return evaluator_of(project, wish.evaluator, "evaluator")


def _found(project: Project, over: str, now: datetime) -> KnownQuestions:
    try:
        found = interview_choice.known_questions(project, over, now)
    except interview_choice.NoSuchQuestions as missing:
        message = _("There are no such questions. Name a capability, a round or an import.")
        raise NoQuestions(message, fields={"over": [message]}) from missing
    if not found.items:
        message = _("None of these questions has a standard answer, so none can be asked about.")
        raise NoQuestions(message, fields={"over": [message]})
    return found


def draw(items: Collection[int], seed: int) -> list[int]:
    """Return the question set in the order of the draw: by name and seed, whatever order it came in.

    Interviews and measurements of accuracy with the same seed meet the same questions first.
    """
    names = Item.objects.filter(pk__in=items).values_list("pk", "external_id")
    ranked = sorted(
        names, key=lambda one: seeds.rank_key(f"interviews {seed}", f"{one[1]}\n{one[0]}")
    )
    return [pk for pk, _name in ranked]


def connected(project: Project, releases: Sequence[int]) -> list[dict[str, Any]]:
    """Return how each release is asked, frozen for a run.

    Raises:
        ReleaseNotConnected: no endpoint of the project answers as one of them.
    """
    mine = SystemRelease.objects.filter(pk__in=releases, system__project=project)
    found = connections.current(mine.values_list("pk", flat=True))
    if lacking := [one for one in releases if one not in found]:
        message = _(
            "No endpoint answers as %(n)d of these systems. Connect them on their page first."
        )
        message %= {"n": len(lacking)}
        raise operations.ReleaseNotConnected(message, fields={"releases": [message]})
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
