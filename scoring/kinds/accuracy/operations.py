"""Runs that measure accuracy on questions of multiple choice: one step is one question with one system.

* Have accuracy measured: which questions by lot, which systems, with how many examples and orders.
* The figure of a run of accuracy: computed anew when more replies are in.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from annotation.common.sentences import gettext as _
from annotation.people.models import Project
from annotation.systems.models import Item
from evalsite import errors
from evalsite.kinds import Text, Whole, gettext_noop
from evalsite.records import Ask
from scoring.endpoints import queries as connections
from scoring.engine.kinds import AskedRun, BeginRun, Estimated, RunAsking, StepPlan, Work
from scoring.engine.models import Run, Step
from scoring.kinds.accuracy import queries as accuracy
from scoring.kinds.accuracy import v1
from scoring.kinds.interviews import operations as interviewing
from scoring.kinds.interviews import queries as interview_choice
from scoring.kinds.interviews.operations import Language, Releases
from scoring.kinds.interviews.queries import KnownQuestions
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Role

#: Tokens of a reply that thinks briefly and names a letter.
A_REPLY: Final = 60
SHORT: Final = 90


class NoQuestionToAsk(errors.Invalid):
    code = "nothing_to_ask"


MOST_QUESTIONS: Final = 5_000
MOST_ORDERS: Final = 8
MOST_SHOTS: Final = 10
#: Requests of a run: every question with every system in every order.
MOST_REQUESTS: Final = 100_000


class BadQuiz(errors.Invalid):
    """Accuracy cannot be measured so; `fields` says which setting."""

    code = "bad_accuracy"


@dataclass(frozen=True, kw_only=True)
class Quiz(BeginRun):
    """Who chooses among which options. With `estimate` nothing is started.

    Args:
        over: where the questions come from (scoring.kinds.interviews.queries).
        questions: how many are drawn, None for all.
        releases: who is asked.
        orders: of the options; the first is the question's own.
        shots: examples before each question.
        examples_over: where examples come from; empty: the questions' own source, and then no
            example is asked.
        language: of the prompts; "auto" is the question's.
    """

    over: Annotated[
        str,
        Text(40, empty=False),
        Ask(
            gettext_noop("Questions"),
        ),
    ]
    questions: Annotated[
        int | None,
        Whole(1, MOST_QUESTIONS),
        Ask(
            gettext_noop("How many"),
            gettext_noop(
                "Drawn by lot, the same for every system, and for interviews with the same seed. "
                "Empty: all."
            ),
        ),
    ] = None
    releases: Releases
    orders: Annotated[
        int,
        Whole(1, MOST_ORDERS),
        Ask(
            gettext_noop("Orders of the options"),
            gettext_noop("One request each; first the question’s own."),
        ),
    ] = 1
    shots: Annotated[
        int,
        Whole(0, MOST_SHOTS),
        Ask(
            gettext_noop("Examples before each question"),
            gettext_noop("Of the same subject, with answers; 0 is zero-shot."),
        ),
    ] = 0
    examples_over: Annotated[
        str,
        Text(40),
        Ask(
            gettext_noop("Where examples come from"),
            gettext_noop("What serves as an example is never asked."),
        ),
    ] = ""
    language: Language = "auto"


class Quizzing:
    """`run.config` names the drawn items, the releases, and how they are asked.

    Its keys: items, releases (release, connection, endpoint, settings, name), orders, shots, examples
    (by data set and subject), language.
    """

    kind = Run.Kind.QUIZ
    wish = Quiz
    writes = False

    def asked(self, of: Project, wish: Quiz, asking: RunAsking) -> AskedRun:
        """Draw the questions and the examples.

        Raises:
            BadQuiz: there are none, or too many.
            interviews.NotConnected: no endpoint answers as one of the systems.
        """
        found = _found(of, wish.over, "over", asking.now)
        return AskedRun(
            protocol=v1.PROTOCOL,
            config=_config(of, wish, found, asking.now),
            told={"questions": len(found.items), "without_options": found.n_without},
        )

    def again(self, run: Run) -> dict[str, Any]:
        names = ("over", "orders", "shots", "examples_over", "language")
        return {
            **{name: run.config[name] for name in names},
            "questions": len(run.config["items"]),
            "releases": [one["release"] for one in run.config["releases"]],
        }

    def check(self, run: Run) -> None:
        """Refuse a run with nobody to ask, or questions without options.

        Raises:
            NoQuestionToAsk: no items, no releases, or an item that is no question of multiple choice.
            connections.EndpointRetired: an endpoint is not in use any more.
        """
        if not run.config.get("items") or not run.config.get("releases"):
            raise NoQuestionToAsk(_("Choose questions of multiple choice, and systems to ask."))
        if other := next((one for one in accuracy.items_of(run) if not accuracy.fits(one)), None):
            raise NoQuestionToAsk(
                _("The question “%(name)s” has no options to choose from.")
                % {"name": other.external_id}
            )
        connections.refuse_retired(self.endpoints(run), _("Connect the release again."))

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


def _config(project: Project, wish: Quiz, found: KnownQuestions, now: datetime) -> dict[str, Any]:
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
        "releases": interviewing.connected(project, wish.releases),
        "orders": wish.orders,
        "shots": wish.shots,
        "examples": examples,
        "language": wish.language,
        "over": wish.over,
        "examples_over": wish.examples_over,
        "prompts": v1.sha(),
    }


def _check_size(wish: Quiz, wanted: int, n_drawn: int) -> None:
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


def _found(project: Project, over: str, field: str, now: datetime) -> KnownQuestions:
    try:
        found = interview_choice.known_questions(project, over, now, fits=accuracy.fits)
    except interview_choice.NoSuchQuestions as missing:
        message = _("There are no such questions. Name a capability, a round or an import.")
        raise BadQuiz(message, fields={field: [message]}) from missing
    if not found.items:
        message = _("None of these questions has options to choose from. Import a question set.")
        raise BadQuiz(message, fields={field: [message]})
    return found
