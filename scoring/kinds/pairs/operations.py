"""Runs in which a judge says which of two answers is better: a step is a question with two answers."""

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from annotation.common.sentences import gettext as _
from annotation.people.models import Project
from annotation.rounds.models import Round
from annotation.rubrics.models import Criterion
from evalsite import errors
from evalsite.kinds import Choice, Text, Whole, YesNo, gettext_noop
from evalsite.records import Ask
from scoring.endpoints import queries as connections
from scoring.engine.kinds import LARGEST_SEED, AskedRun, Estimated, RunAsking, StepPlan, Work
from scoring.engine.models import Run, Step
from scoring.kinds.judging.settings import FEWEST_TOKENS, LANGUAGE_NAMES, MOST_TOKENS, Heat
from scoring.kinds.metrics import queries as measured
from scoring.kinds.metrics.operations import OfAnswers
from scoring.kinds.pairs import prompts_v1, queries, v1
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Role
from scoring.protocols import samples, untrusted

#: Tokens of a choice, and of the reasons before it, about.
A_CHOICE, ITS_REASONS = 12, 100
#: So many pairs are looked at; the rest is reckoned from them.
LOOKED_AT: Final = 1000
A_LOOK: Final = 100
SHORT: Final = 120
UNREAD: Final = "No choice could be read in the judge's reply."
PLAIN_REASONS: Final = samples.PLAIN_REASONS | {v1.NO_CHOICE, v1.TWO_CHOICES}


class NoPairToJudge(errors.Invalid):
    """There is nothing to compare, or nothing that could be asked of it."""

    code = "no_pair"


@dataclass(frozen=True, kw_only=True)
class JudgedPairs(OfAnswers):
    """Who compares whose answers by what. With `estimate` nothing is started.

    Args:
        endpoint: of the judge, by name.
        criterion: "rubric/criterion" of one that asks which of two is better; empty: that of the round, or
            which answer is better.
        against: the release that all others meet; None for all pairs.
        reasons: whether the judge writes why before it chooses.
    """

    endpoint: Annotated[str, Text(80, empty=False), Ask(gettext_noop("Judge"))]
    criterion: Annotated[str, Text(240), Ask(gettext_noop("Criterion"))] = ""
    against: Annotated[int | None, Whole(1, LARGEST_SEED), Ask(gettext_noop("Compare with"))] = None
    reasons: Annotated[bool, YesNo(), Ask(gettext_noop("Ask for reasons"))] = True
    reference: Annotated[
        bool, YesNo(), Ask(gettext_noop("Show standard answer and key points"))
    ] = True
    temperature: Heat = 0.0
    max_tokens: Annotated[
        int, Whole(FEWEST_TOKENS, MOST_TOKENS), Ask(gettext_noop("Tokens of a reply at most"))
    ] = 1500
    language: Annotated[
        str,
        Choice(tuple(sorted(prompts_v1.LANGUAGES)), titles=LANGUAGE_NAMES),
        Ask(gettext_noop("Language of the instructions")),
    ] = "en"


class JudgingPairs:
    """`run.round` or `run.config["import"]` says whose answers, the rest of the configuration how."""

    kind = Run.Kind.PAIRS
    wish = JudgedPairs
    writes = False

    def asked(self, of: Project, wish: JudgedPairs, asking: RunAsking) -> AskedRun:
        """Find the answers, the judge and what is asked.

        Raises:
            NoPairToJudge: there is no such criterion, or the round has several.
            connections.NoEndpoint: there is no such endpoint.
            errors.Refusal: there are no such answers, or they may still change.
        """
        round_ = wish.chosen(of)
        endpoint = connections.endpoint_named(of, wish.endpoint, "endpoint")
        criterion = _criterion(of, round_, wish.criterion)
        names = ("against", "reasons", "reference", "temperature", "max_tokens", "language")
        config = {
            "import": wish.batch,
            "endpoint": endpoint.pk,
            "criterion": queries.asked_of(criterion, wish.language),
            **{name: getattr(wish, name) for name in names},
            "prompts": prompts_v1.sha(wish.language),
        }
        run = Run(project=of, round=round_, config=config)
        told = {"pairs": sum(1 for _pair in queries.pairs(run))}
        return AskedRun(protocol=v1.PROTOCOL, config=config, round=round_, told=told)

    def again(self, run: Run) -> dict[str, Any]:
        names = ("against", "reasons", "reference", "temperature", "max_tokens", "language")
        endpoint = connections.endpoints_of(run.project).filter(pk=run.config["endpoint"]).first()
        return {
            **{name: run.config[name] for name in names},
            "endpoint": endpoint.name if endpoint else "",
            "criterion": run.config["criterion"].get("name", ""),
            "over": measured.over(run),
        }

    def check(self, run: Run) -> None:
        """Refuse a run without a pair of answers.

        Raises:
            NoPairToJudge: no two systems answered one question, or not the one to compare with.
            connections.EndpointRetired: the judge's endpoint is not in use any more.
        """
        if run.protocol != v1.PROTOCOL or "criterion" not in run.config:
            raise NoPairToJudge(_("Choose a judge, and answers."))
        connections.refuse_retired(self.endpoints(run), _("Choose another."))
        if next(queries.pairs(run), None) is None:
            message = _(
                "No two systems answered the same question here. Choose other answers, or "
                "another system to compare with."
            )
            raise NoPairToJudge(message, fields={"against": [message]})

    def endpoints(self, run: Run) -> Collection[int]:
        return [int(run.config["endpoint"])]

    def prompts(self, run: Run) -> Iterator[Estimated]:
        """Yield both requests of each pair; of many pairs those of the first ones and a sum."""
        config, fence = _config(run.config), untrusted.Fence("", "")
        room = A_CHOICE + (ITS_REASONS if config.reasons else 0)
        endpoint, every = int(run.config["endpoint"]), queries.pairs(run)
        n_seen = n_tokens = 0
        while n_seen < LOOKED_AT and (page := list(itertools.islice(every, A_LOOK))):
            for pair, task in zip(page, queries.tasks(page, run.config), strict=True):
                for one in v1.requests(task, config, fence, 0):
                    needed = tokens.of_messages(one.messages) + tokens.of_text(str(one.schema))
                    n_tokens += needed
                    key = _key(pair)
                    yield Estimated(Role.JUDGE, endpoint, needed, room, key=key)
            n_seen += len(page)
        if n_left := sum(1 for _pair in every):
            mean = round(n_tokens / (2 * n_seen))
            yield Estimated(Role.JUDGE, endpoint, mean, room, calls=2 * n_left)

    def plan(self, run: Run) -> Iterator[StepPlan]:
        for pair in queries.pairs(run):
            yield StepPlan(
                key=_key(pair),
                item_id=pair.item,
                spec={
                    "responses": pair.responses,
                    "releases": pair.releases,
                    "displays": pair.displays,
                },
            )

    def prepare(self, step: Step) -> Work:
        run = step.run
        (task,) = queries.tasks([queries.pair_of(step)], run.config)
        config, fence = _config(run.config), untrusted.Fence(run.secret, step.key)

        async def procedure(model: ChatModel) -> dict[str, Any]:
            return await v1.compare(model, task, config, fence=fence, seed=run.seed)

        return Work(procedure, {Role.JUDGE: int(run.config["endpoint"])})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        """The result of the step is the choice; one that is not there says why."""
        if result["skipped"]:
            _note(step, result["skipped"])
            return Step.Outcome.SKIPPED
        if result["chosen"] is not None:
            return Step.Outcome.OK
        reason = next(one["reason"] for one in result["orders"] if one["value"] is None)
        _note(step, reason if reason in PLAIN_REASONS else UNREAD)
        return Step.Outcome.NO_READING

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: no system is asked, and what the machinery does is no choice."""


def _criterion(project: Project, round_: Round | None, name: str) -> Criterion | None:
    found = [] if round_ is None else queries.of_round(round_)
    if name:
        known = {queries.name_of(one): one for one in (*queries.criteria(project), *found)}
        if name in known:
            return known[name]
        message = _("No criterion “%(name)s” asks here which of two answers is better.") % {
            "name": name
        }
        raise NoPairToJudge(message, fields={"criterion": [message]})
    if len(found) > 1:
        message = _("The round asks by several criteria. Choose one.")
        raise NoPairToJudge(message, fields={"criterion": [message]})
    return found[0] if found else None


def _config(config: Mapping[str, Any]) -> v1.PairConfig:
    return v1.PairConfig(config["reasons"], config["temperature"], config["max_tokens"])


def _key(pair: queries.AnswerPair) -> str:
    left, right = pair.responses
    return f"{pair.item} / {left} | {right}"[:SHORT]


def _note(step: Step, problem: str) -> None:
    """Say at the step why it has no choice, in words that quote nothing: it is shown before the rest is."""
    Step.objects.filter(pk=step.pk, state=Step.State.CLAIMED).update(problem=problem)


KIND = JudgingPairs()
