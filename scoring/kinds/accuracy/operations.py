"""Runs that measure accuracy on questions of multiple choice: one step is one question with one system.

* Have accuracy measured: which questions by lot, which systems, with how many examples and orders.
* The figure of a run of accuracy: computed anew when more replies are in.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from annotation.common.sentences import gettext as _
from annotation.people.models import Project, User
from annotation.systems.models import Item
from evalsite import errors
from scoring.endpoints.models import Endpoint
from scoring.engine import estimating, kinds
from scoring.engine import requests as requesting
from scoring.engine.estimating import Estimate
from scoring.engine.kinds import Estimated, StepPlan, Work
from scoring.engine.models import Run, Step
from scoring.figures import operations as figures
from scoring.figures.models import Figure
from scoring.kinds.accuracy import queries as accuracy
from scoring.kinds.accuracy import v1
from scoring.kinds.accuracy.queries import Options
from scoring.kinds.interviews import operations as interviewing
from scoring.kinds.interviews import queries as interview_choice
from scoring.kinds.interviews.operations import LANGUAGES
from scoring.kinds.interviews.queries import Found
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Role

#: Tokens of a reply that thinks briefly and names a letter.
A_REPLY: Final = 60
SHORT: Final = 90


class NothingToAsk(errors.Invalid):
    code = "nothing_to_ask"


class EndpointRetired(errors.Conflict):
    code = "endpoint_retired"


class Quizzing:
    """`run.config` names the drawn items, the releases, and how they are asked.

    Its keys: items, releases (release, connection, endpoint, settings, name), orders, shots, examples
    (by data set and subject), language.
    """

    def check(self, run: Run) -> None:
        """Refuse a run with nobody to ask, or questions without options.

        Raises:
            NothingToAsk: no items, no releases, or an item that is no question of multiple choice.
            EndpointRetired: an endpoint is not in use any more.
        """
        if not run.config.get("items") or not run.config.get("releases"):
            raise NothingToAsk(_("Choose questions of multiple choice, and systems to ask."))
        if other := next((one for one in accuracy.items_of(run) if not accuracy.fits(one)), None):
            raise NothingToAsk(
                _("The question “%(name)s” has no options to choose from.")
                % {"name": other.external_id}
            )
        gone = Endpoint.objects.filter(pk__in=self.endpoints(run), retired_at__isnull=False)
        if retired := gone.first():
            raise EndpointRetired(
                _("The endpoint “%(name)s” was changed or retired. Connect the release again.")
                % {"name": retired.name}
            )

    def endpoints(self, run: Run) -> Collection[int]:
        return {one["endpoint"] for one in run.config.get("releases") or ()}

    def prompts(self, run: Run) -> Iterator[Estimated]:
        found = accuracy.pool(run.config)
        for item in accuracy.items_of(run):
            question = accuracy.question_of(item)
            if question is None:
                continue
            examples = accuracy.shown(item, found, run.config)
            for one in run.config["releases"]:
                config = accuracy.config_of(run.config, item, one["settings"])
                first, *_rest = v1.requests(question, examples, config, seed=run.seed)
                yield Estimated(
                    Role.CANDIDATE,
                    one["endpoint"],
                    tokens.of_messages(first.messages),
                    A_REPLY,
                    calls=run.config["orders"],
                    key=item.external_id,
                )

    def plan(self, run: Run) -> Iterator[StepPlan]:
        for item in accuracy.items_of(run):
            for one in run.config["releases"]:
                name = f"{item.external_id[:SHORT]} / {item.pk}"
                key = f"{name} / {one['name'][: SHORT // 2]} / {one['release']}"
                yield StepPlan(key, item_id=item.pk, release_id=one["release"])

    def prepare(self, step: Step) -> Work:
        assert step.item_id is not None
        run = step.run
        item = Item.objects.select_related("capability").get(pk=step.item_id)
        chosen = next(one for one in run.config["releases"] if one["release"] == step.release_id)
        question = accuracy.question_of(item)
        assert question is not None
        examples = accuracy.shown(item, _examples(item, run.config), run.config)
        config = accuracy.config_of(run.config, item, chosen["settings"])

        async def ask(model: ChatModel) -> dict[str, Any]:
            found = await v1.answer(model, question, examples, config, seed=run.seed)
            return {**found, "right": question.right}

        return Work(ask, {Role.CANDIDATE: chosen["endpoint"]})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        """Nothing more is written: the result of the step is the measurement."""
        return Step.Outcome.OK

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: a system without a reply chose nothing; the step says why, and figures count it."""


def _examples(item: Item, config: Mapping[str, Any]) -> Mapping[int, Item]:
    keys = accuracy.examples_for(item, config)
    return Item.objects.select_related("capability").in_bulk(keys)


KIND = Quizzing()


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
        over: where the questions come from (scoring.kinds.interviews.queries).
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
        examples = accuracy.examples_of(rows, shots=wish.shots, seed=wish.seed)
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
        found = interview_choice.found(project, over, now, fits=accuracy.fits)
    except interview_choice.NoSuchQuestions as missing:
        message = _("There are no such questions. Name a capability, a round or an import.")
        raise BadQuiz(message, fields={field: [message]}) from missing
    if not found.items:
        message = _("None of these questions has options to choose from. Import a question set.")
        raise BadQuiz(message, fields={field: [message]})
    return found


def figure_of(*, run: Run, options: Options, now: datetime) -> Figure:
    """Return the accuracies of a run as far as it has come; if they are not there, ask for them."""
    ended = Step.objects.filter(run=run, state__in=(Step.State.DONE, Step.State.FAILED)).count()
    return figures.of_run(
        name=accuracy.FIGURE,
        run=run,
        params=options.params,
        now=now,
        version=f"{ended} questions",
    )
