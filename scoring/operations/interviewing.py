"""Ask for interviews: which questions by lot, which systems, who interviews and who evaluates."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext as _

from annotation.models import Item, Project, User
from annotation.rules import seeds
from evalsite import errors
from scoring.models import Endpoint, Judge, Run
from scoring.operations.runs import estimating, kinds, requesting
from scoring.protocols.kieval import v1
from scoring.queries import connections

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
