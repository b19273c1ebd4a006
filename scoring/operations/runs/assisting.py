"""Runs in which an assistant scores answers: a step is one answer, or as many as go into a request."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.models import Round
from evalsite import errors
from scoring.llm import tokens
from scoring.llm.base import ChatModel, Failed, Role
from scoring.models import Endpoint, Judge, Judgment, Run, Step
from scoring.operations import assistants
from scoring.operations.runs.kinds import Estimated, StepPlan, Work
from scoring.protocols import untrusted
from scoring.protocols.assistants import v1
from scoring.protocols.assistants.asking_v1 import Kind, Pair
from scoring.queries import measured

#: Tokens of the reasons and the number of an entailment, about.
A_REPLY: Final = 90
REASON: Final = 300
#: After so many requests the rest is reckoned from them.
LOOKED_AT: Final = 3000


class NothingToScore(errors.Invalid):
    code = "nothing_to_score"


class StillDraft(errors.Conflict):
    code = "still_a_draft"


class CannotWeigh(errors.Conflict):
    """The endpoint's test says that it tells no log-probabilities of a prompt."""

    code = "cannot_weigh"


class Assisting:
    """`run.judge` says how, `run.round` or `run.config["import"]` which answers."""

    def check(self, run: Run) -> None:
        """Refuse a run without an assistant, or with nothing to score.

        Raises:
            assistants.EndpointRetired: its endpoint is not in use any more.
            CannotWeigh: the endpoint is known not to give what a likelihood is made of.
            StillDraft: the answers of the round may still change.
            NothingToScore: there is no assistant of this project, or no answer.
        """
        if run.judge is None or run.protocol != v1.PROTOCOL or run.judge.protocol != v1.PROTOCOL:
            raise NothingToScore(_("Choose an assistant, and answers that it scores."))
        if run.judge.project_id != run.project_id:
            raise NothingToScore(_("The assistant belongs to another project."))
        _check_endpoint(run.judge)
        if run.round is not None and run.round.state == Round.State.DRAFT:
            raise StillDraft(
                _("The round is a draft: its answers may still change. Open it first.")
            )
        if not measured.of(run).exists():
            raise NothingToScore(_("There is no answer to score. Choose another round or import."))

    def endpoints(self, run: Run) -> Collection[int]:
        return [_assistant(run).endpoint_id]

    def prompts(self, run: Run) -> Iterator[Estimated]:
        """Yield the requests of each step; of many answers those of the first ones and a sum."""
        settings, endpoint = assistants.settings_of(_assistant(run)), _assistant(run).endpoint_id
        config, fence = assistants.config_of(settings), untrusted.Fence("", "")
        room = A_REPLY if settings.kind is Kind.ENTAILMENT else 0
        n_seen = n_requests = n_tokens = 0
        for keys in measured.pages(run, settings.at_once):
            if n_requests >= LOOKED_AT:
                n_left = measured.of(run).count() - n_seen
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
        at_once = assistants.settings_of(_assistant(run)).at_once
        done = 0
        for keys in measured.pages(run, at_once):
            last = done + len(keys)
            name = f"answer {last}" if len(keys) == 1 else f"answers {done + 1}–{last}"
            yield StepPlan(key=name, spec={"responses": keys})
            done = last

    def prepare(self, step: Step) -> Work:
        run, assistant = step.run, _assistant(step.run)
        config = assistants.config_of(assistants.settings_of(assistant))
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
    if endpoint.retired_at is not None:
        raise assistants.EndpointRetired(
            _("The endpoint “%(name)s” was changed or retired. Make an assistant with the new one.")
            % {"name": endpoint.name}
        )
    if assistants.settings_of(assistant).kind is not Kind.LIKELIHOOD:
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
    alone = assistants.settings_of(_assistant(run)).premise == ""
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
