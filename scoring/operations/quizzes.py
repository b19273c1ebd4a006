"""Have accuracy measured: which questions by lot, which systems, with how many examples and orders."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext as _

from annotation.models import Item, Project, User
from evalsite import errors
from scoring.models import Run
from scoring.operations import interviewing
from scoring.operations.interviewing import LANGUAGES
from scoring.operations.runs import estimating, kinds, requesting
from scoring.operations.runs.estimating import Estimate
from scoring.protocols.accuracy import v1
from scoring.queries import interview_choice, quizzes
from scoring.queries.interview_choice import Found

MOST_QUESTIONS: Final = 5_000
MOST_ORDERS: Final = 8
MOST_SHOTS: Final = 10
#: Requests of a run: every question with every system in every order.
MOST_REQUESTS: Final = 100_000


class BadQuiz(errors.Invalid):
    """Accuracy cannot be measured so; `fields` says which setting."""

    code = "bad_accuracy"


@dataclass(frozen=True)
class Wish:
    """What is wanted.

    Args:
        over: where the questions come from (scoring.queries.interview_choice).
        releases: who is asked.
        seed: of the draw, of examples, of orders, and given to endpoints.
        questions: how many are drawn, None for all.
        orders: of the options; the first is the question's own.
        shots: examples before each question.
        examples_over: where examples come from; empty: the questions' own source, and then no
            example is asked.
        language: of the prompts; "auto" is the question's.
    """

    over: str
    releases: Sequence[int]
    seed: int
    questions: int | None = None
    orders: int = 1
    shots: int = 0
    examples_over: str = ""
    language: str = "auto"


@dataclass(frozen=True)
class Checked:
    """What it would take, and what questions there are."""

    estimate: Estimate
    found: Found


def check(*, project: Project, wish: Wish, now: datetime) -> Checked:
    """Return what measuring would take; nothing is written.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    found = _found(project, wish.over, "over", now)
    run = Run(project=project, kind=Run.Kind.QUIZ, config=_config(project, wish, found, now))
    run.seed = wish.seed
    kinds.of(run.kind).check(run)
    return Checked(estimating.estimate(run), found)


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
    """Have accuracy measured in the background. The same key again is the same run.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    if found := Run.objects.filter(project=project, key=key).first():
        return found
    return requesting.request_run(
        project=project,
        key=key,
        kind=Run.Kind.QUIZ,
        name=name,
        protocol=v1.PROTOCOL,
        config=_config(project, wish, _found(project, wish.over, "over", now), now),
        seed=wish.seed,
        user=user,
        now=now,
        budget=budget,
        cloned_from=cloned_from,
    )


def _config(project: Project, wish: Wish, found: Found, now: datetime) -> dict[str, Any]:
    _check_wish(wish)
    drawn, examples = interviewing.draw(found.items, wish.seed), list[dict[str, Any]]()
    if wish.shots:
        own = wish.examples_over in {"", wish.over}
        known = found if own else _found(project, wish.examples_over, "examples_over", now)
        rows = Item.objects.filter(pk__in=known.items).select_related("capability")
        examples = quizzes.examples_of(rows, shots=wish.shots, seed=wish.seed)
        taken = {pk for one in examples for pk in one["items"]}
        drawn = [pk for pk in drawn if pk not in taken]
    wanted = min(len(drawn), MOST_QUESTIONS) if wish.questions is None else wish.questions
    _check_size(wish, wanted, len(drawn))
    return {
        "items": drawn[:wanted],
        "releases": interviewing.connected(wish.releases),
        "orders": wish.orders,
        "shots": wish.shots,
        "examples": examples,
        "language": wish.language,
        "over": wish.over,
        "examples_over": wish.examples_over,
        "prompts": v1.sha(),
    }


def _check_wish(wish: Wish) -> None:
    _refuse(
        {
            "orders": (
                1 <= wish.orders <= MOST_ORDERS,
                _("Options are put in from 1 to %(most)d orders.") % {"most": MOST_ORDERS},
            ),
            "shots": (
                0 <= wish.shots <= MOST_SHOTS,
                _("Give from 0 to %(most)d examples.") % {"most": MOST_SHOTS},
            ),
            "language": (wish.language in LANGUAGES, _("There are no prompts in this language.")),
            "releases": (bool(wish.releases), _("Choose at least one system to ask.")),
        }
    )


def _check_size(wish: Wish, wanted: int, n_drawn: int) -> None:
    most = min(MOST_QUESTIONS, n_drawn)
    message = _("Draw from 1 to %(most)d questions.") % {"most": most}
    if not n_drawn:
        message = _("Every question is needed as an example. Take examples from another source.")
    n = wanted * len(set(wish.releases)) * wish.orders
    _refuse(
        {
            "questions": (1 <= wanted <= most, message),
            "orders": (
                n <= MOST_REQUESTS,
                _("%(n)d requests are more than the %(most)d of a run. Draw fewer questions.")
                % {"n": n, "most": MOST_REQUESTS},
            ),
        }
    )


def _refuse(rules: Mapping[str, tuple[bool, str]]) -> None:
    problems = {name: [said] for name, (fits, said) in rules.items() if not fits}
    if problems:
        raise BadQuiz(" ".join(said for (said,) in problems.values()), fields=problems)


def _found(project: Project, over: str, field: str, now: datetime) -> Found:
    try:
        found = interview_choice.found(project, over, now, fits=quizzes.fits)
    except interview_choice.NoSuchQuestions as missing:
        message = _("There are no such questions. Name a capability, a round or an import.")
        raise BadQuiz(message, fields={field: [message]}) from missing
    if not found.items:
        message = _("None of these questions has options to choose from. Import a question set.")
        raise BadQuiz(message, fields={field: [message]})
    return found
