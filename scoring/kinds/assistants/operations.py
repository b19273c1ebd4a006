"""Make assistants: machine raters that score answers without being judges.

* Runs in which an assistant scores answers: a step is one answer, or as many as go into a request.
* Ask for a run in which an assistant scores the answers of a round or an import.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final

from django.db import transaction

from annotation.common.sentences import gettext as _
from annotation.people.models import Project, Rater, RaterKind, User
from annotation.rounds.models import Round
from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import Measure
from evalsite import errors
from evalsite.kinds import Whole, gettext_noop
from evalsite.records import Ask
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.kinds import LARGEST_SEED, AskedRun, Estimated, RunAsking, StepPlan, Work
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.assistants import prompts_v1, v1
from scoring.kinds.assistants.asking_v1 import Config, Kind, Pair
from scoring.kinds.judging import settings as judges
from scoring.kinds.metrics import queries as measured
from scoring.kinds.metrics.operations import OfAnswers
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Role
from scoring.protocols import untrusted

MOST_AT_ONCE: Final = 64
MOST_REPEATS: Final = 32
#: The ranges that follow from what is computed; a served model's is declared.
RANGES: Final[Mapping[Kind, tuple[float, float]]] = {
    Kind.LIKELIHOOD: (0.0, 1.0),
    Kind.ENTAILMENT: (0.0, 1.0),
    Kind.SIMILARITY: (-1.0, 1.0),
}
#: Those that may take several answers in one request.
TOGETHER: Final = frozenset({Kind.SIMILARITY, Kind.SERVED})


class BadAssistant(errors.Invalid):
    """An assistant cannot be configured so; `fields` says which setting."""


class AssistantAlreadyThere(errors.Conflict):
    """There is an assistant with this very configuration."""


@dataclass(frozen=True)
class AssistantSettings:
    """What decides how an assistant scores, beside its endpoint.

    `premise` says which texts an answer is set against: those of `measured.AGAINST`, the question, or a
    field kept with it; a likelihood may have none. `at_once` answers go into one request.
    """

    kind: Kind = Kind.SERVED
    premise: str = "standard"
    turned: bool = False
    low: float | None = 0.0
    high: float | None = 1.0
    higher_is_better: bool = True
    at_once: int = 8
    repeats: int = 1
    temperature: float | None = 0.0
    language: str = "en"

    def fitted(self) -> "AssistantSettings":
        """Return the settings with what their kind fixes, so that equal assistants are equal."""
        given = asdict(self)
        if self.kind in RANGES:
            low, high = RANGES[self.kind]
            given |= {"low": low, "high": high, "higher_is_better": True}
        if self.kind not in TOGETHER:
            given["at_once"] = 1
        if self.kind is not Kind.ENTAILMENT:
            given |= {"repeats": 1, "temperature": 0.0, "language": "en"}
        if self.kind not in {Kind.ENTAILMENT, Kind.SERVED}:
            given["turned"] = False
        return AssistantSettings(**given)

    def compared(self) -> dict[str, str]:
        """Return where the texts come from, as metrics say it."""
        if self.premise in measured.AGAINST:
            return {"references": self.premise, "source": ""}
        return {"references": "standard", "source": self.premise}


def settings_of(assistant: Judge) -> AssistantSettings:
    """Return how an assistant scores."""
    given = {one.name: assistant.config[one.name] for one in fields(AssistantSettings)}
    return AssistantSettings(**{**given, "kind": Kind(given["kind"])})


def config_of(settings: AssistantSettings) -> Config:
    """Return what the procedure takes of an assistant's settings."""
    names = ("kind", "low", "high", "turned", "repeats", "temperature", "language")
    return Config(**{name: getattr(settings, name) for name in names})


@transaction.atomic
def create(
    *,
    project: Project,
    name: str,
    endpoint: Endpoint,
    settings: AssistantSettings,
    by: User,
    now: datetime,
) -> Judge:
    """Make an assistant: the metric it is in the table of ratings, its range, its configuration.

    Raises:
        BadAssistant: a setting cannot be used; `fields` says which.
        connections.EndpointRetired: its endpoint is not in use.
        NameTaken: a metric of this name is there.
        AssistantAlreadyThere: an assistant is configured in exactly this way.
    """
    name, settings = " ".join(name.split()), settings.fitted()
    _check(project, name, endpoint, settings)
    config = {**asdict(settings), "kind": settings.kind.value, "prompts": prompts_v1.sha()}
    sha = judges.config_sha(v1.PROTOCOL, endpoint, config)
    if same := Judge.objects.filter(project=project, config_sha=sha).first():
        raise AssistantAlreadyThere(
            _("“%(name)s” is configured in exactly this way. Use it, or change something.")
            % {"name": same.name}
        )
    measure = Measure(
        name, _end(settings.low), _end(settings.high), higher_is_better=settings.higher_is_better
    )
    return judges.new_judge(
        project=project,
        name=name,
        protocol=v1.PROTOCOL,
        endpoint=endpoint,
        config=config,
        by=by,
        now=now,
        wanted=[measure],
        kind=RaterKind.METRIC,
        verb="assistant.made",
    )


def _end(end: float | None) -> Decimal | None:
    return None if end is None else Decimal(str(end))


def _check(project: Project, name: str, endpoint: Endpoint, settings: AssistantSettings) -> None:
    connections.refuse_unless_of(project, endpoint)
    if problems := _problems(name, settings):
        raise BadAssistant(
            " ".join(problems.values()), fields={field: [one] for field, one in problems.items()}
        )
    if Rater.objects.filter(project=project, kind=RaterKind.METRIC, ref=name).exists():
        message = _("There is a metric called “%(name)s”. Choose another name.") % {"name": name}
        raise errors.NameTaken(message, fields={"name": [message]})


def _problems(name: str, settings: AssistantSettings) -> dict[str, str]:
    known = settings.premise in measured.AGAINST or settings.premise == measured.QUESTION
    may_lack = settings.kind is Kind.LIKELIHOOD and not settings.premise
    ends = settings.low is None or settings.high is None or settings.low < settings.high
    fits = {
        "name": 1 <= len(name) <= 120,
        "premise": known or may_lack or settings.premise.startswith(measured.FIELD),
        "high": ends,
        "at_once": 1 <= settings.at_once <= MOST_AT_ONCE,
        "repeats": 1 <= settings.repeats <= MOST_REPEATS,
        "temperature": settings.temperature is None or 0 <= settings.temperature <= 2,
        "language": settings.language in prompts_v1.LANGUAGES,
    }
    words = {
        "name": _("Give the assistant a name of up to 120 characters."),
        "premise": _("Say which texts an answer is set against."),
        "high": _("The lowest score lies below the highest."),
        "at_once": _("From 1 to %(most)d answers go into one request.") % {"most": MOST_AT_ONCE},
        "repeats": _("It gives from 1 to %(most)d readings.") % {"most": MOST_REPEATS},
        "temperature": _("The temperature lies between 0 and 2."),
        "language": _("There are no prompts in this language."),
    }
    return {field: words[field] for field, right in fits.items() if not right}


#: Tokens of the reasons and the number of an entailment, about.
A_REPLY: Final = 90
REASON: Final = 300
#: After so many requests the rest is reckoned from them.
LOOKED_AT: Final = 3000


class NothingToScore(errors.Invalid): ...


class CannotWeigh(errors.Conflict):
    """The endpoint's test says that it tells no log-probabilities of a prompt."""


@dataclass(frozen=True, kw_only=True)
class Assisted(OfAnswers):
    """Which assistant scores a round or an import, not both. With `estimate` nothing is started."""

    needs: ClassVar[frozenset[str]] = frozenset()

    assistant: Annotated[int, Whole(1, LARGEST_SEED), Ask(gettext_noop("Assistant"))]


class Assisting:
    """`run.judge` says how, `run.round` or `run.config["import"]` which answers."""

    kind = Run.Kind.ASSIST
    wish = Assisted
    writes = False

    def asked(self, of: Project, wish: Assisted, asking: RunAsking) -> AskedRun:
        """Find the assistant and the answers.

        Raises:
            NothingToScore: the project has no such assistant.
            errors.Refusal: there are no such answers, or they may still change.
        """
        rows = Judge.objects.filter(project=of, protocol=v1.PROTOCOL).select_related("endpoint")
        assistant = rows.filter(rater=wish.assistant).first()
        if assistant is None:
            message = _("There is no assistant of this number in the project.")
            raise NothingToScore(message, fields={"assistant": [message]})
        config = _config(assistant, wish.batch)
        round_ = wish.chosen(of)
        return AskedRun(protocol=v1.PROTOCOL, config=config, round=round_, judge=assistant)

    def again(self, run: Run) -> dict[str, Any]:
        assistant = {"assistant": run.judge.rater_id} if run.judge else {}
        return {**assistant, "over": measured.over(run)}

    def check(self, run: Run) -> None:
        """Refuse a run without an assistant, or with nothing to score.

        Raises:
            assistants.EndpointRetired: its endpoint is not in use any more.
            CannotWeigh: the endpoint is known not to give what a likelihood is made of.
            StillADraft: the answers of the round may still change.
            NothingToScore: there is no assistant of this project, or no answer.
        """
        if run.judge is None or run.protocol != v1.PROTOCOL or run.judge.protocol != v1.PROTOCOL:
            raise NothingToScore(_("Choose an assistant, and answers that it scores."))
        if run.judge.project_id != run.project_id:
            raise NothingToScore(_("The assistant belongs to another project."))
        _check_endpoint(run.judge)
        if run.round is not None and run.round.state == Round.State.DRAFT:
            raise errors.StillADraft(
                _("The round is a draft: its answers may still change. Open it first.")
            )
        if not measured.measured_responses(run).exists():
            raise NothingToScore(_("There is no answer to score. Choose another round or import."))

    def endpoints(self, run: Run) -> Collection[int]:
        return [_assistant(run).endpoint_id]

    def prompts(self, run: Run) -> Iterator[Estimated]:
        """Yield the requests of each step; of many answers those of the first ones and a sum."""
        settings, endpoint = settings_of(_assistant(run)), _assistant(run).endpoint_id
        config, fence = config_of(settings), untrusted.Fence("", "")
        room = A_REPLY if settings.kind is Kind.ENTAILMENT else 0
        n_seen = n_requests = n_tokens = 0
        for keys in measured.pages(run, settings.at_once):
            if n_requests >= LOOKED_AT:
                n_left = measured.measured_responses(run).count() - n_seen
                calls = max(1, round(n_requests * n_left / n_seen))
                yield Estimated(
                    Role.ASSISTANT, endpoint, round(n_tokens / n_requests), room, calls=calls
                )
                return
            n_seen += len(keys)
            for one in v1.requests(_pairs(keys, run), config, fence=fence, seed=0):
                needed = tokens.of_messages(one.messages)
                n_requests, n_tokens = n_requests + 1, n_tokens + needed
                yield Estimated(Role.ASSISTANT, endpoint, needed, room, key=f"answer {keys[0]}")

    def plan(self, run: Run) -> Iterator[StepPlan]:
        """Yield a step for each answer, or for as many as go into a request."""
        at_once = settings_of(_assistant(run)).at_once
        done = 0
        for keys in measured.pages(run, at_once):
            last = done + len(keys)
            name = f"answer {last}" if len(keys) == 1 else f"answers {done + 1}–{last}"
            yield StepPlan(key=name, spec={"responses": keys})
            done = last

    def prepare(self, step: Step) -> Work:
        run, assistant = step.run, _assistant(step.run)
        config = config_of(settings_of(assistant))
        pairs = _pairs(step.spec["responses"], run)
        fence = untrusted.Fence(run.secret, step.key)

        async def procedure(model: ChatModel) -> dict[str, Any]:
            found = await v1.score(model, pairs, config, fence=fence, seed=run.seed)
            flags = untrusted.flags_of([one.answer for one in pairs])
            return {"readings": found, "flags": [one.value for one in flags]}

        return Work(procedure, {Role.ASSISTANT: assistant.endpoint_id})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        readings = result["readings"]
        Judgment.objects.bulk_create(
            _judgment(step, response, reading, now)
            for response, reading in zip(step.spec["responses"], readings, strict=True)
        )
        without = [one["outcome"] for one in readings if one["value"] is None]
        if not without:
            return Step.Outcome.OK
        if set(without) == {"SKIPPED"}:
            return Step.Outcome.SKIPPED if len(without) == len(readings) else Step.Outcome.OK
        return Step.Outcome.NO_READING

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: no system is asked, and what the machinery does is no score."""


def _check_endpoint(assistant: Judge) -> None:
    endpoint: Endpoint = assistant.endpoint
    connections.refuse_retired([endpoint.pk], _("Make an assistant with the new one."))
    if settings_of(assistant).kind is not Kind.LIKELIHOOD:
        return
    found = endpoint.found.get("prompt_logprobs")
    told = found.get("value") if isinstance(found, Mapping) else None
    if told is not None and told != "completions":
        raise CannotWeigh(
            _(
                "The test of “%(name)s” found that it does not tell the log-probabilities of a text "
                "through completions. Take an endpoint that does."
            )
            % {"name": endpoint.name}
        )


def _assistant(run: Run) -> Judge:
    assert run.judge is not None
    return run.judge


def _pairs(keys: list[int], run: Run) -> list[Pair]:
    """Return answers with the texts that they are set against, in the order of their keys."""
    wants_source = bool(run.config["source"])
    alone = settings_of(_assistant(run)).premise == ""
    made = []
    for _pk, text in measured.texts(keys, run.config):
        given = (text.source,) if wants_source else text.references
        made.append(
            Pair(text.response, () if alone else tuple(one for one in given if one.strip()))
        )
    return made


def _judgment(step: Step, response: int, reading: Mapping[str, Any], now: datetime) -> Judgment:
    return Judgment(
        rater_id=_assistant(step.run).rater_id,
        criterion_id=step.run.config["criterion"],
        response_id=response,
        run_id=step.run_id,
        step_id=step.pk,
        outcome=reading["outcome"],
        reason=reading["reason"][:REASON],
        value=reading["value"],
        n_valid=reading["n_valid"],
        sd=reading["sd"],
        text=reading["text"],
        at=now,
    )


KIND = Assisting()


def _config(assistant: Judge, batch: int | None) -> dict[str, Any]:
    """Return what decides a run beside assistant and round; the texts are chosen as for metrics."""
    own = Criterion.objects.filter(rubric_version__rubric__machine__rater=assistant.rater_id)
    return {
        **settings_of(assistant).compared(),
        "import": batch,
        "criterion": own.latest("rubric_version__number").pk,
    }
