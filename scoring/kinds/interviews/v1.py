"""KIEval, version 1: the interview of one candidate about one problem, and the verdicts on it.

References:
    Yu et al. (2024), KIEval: A Knowledge-grounded Interactive Evaluation Framework for Large Language
    Models, algorithm 1; failures it does not speak of are outcomes of their own here.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from scoring.kinds.interviews import asking_v1 as asking
from scoring.kinds.interviews import verdicts_v1 as verdicts
from scoring.kinds.interviews.asking_v1 import Held, Prior, Problem, Room
from scoring.kinds.interviews.verdicts_v1 import Verdict
from scoring.llm.base import (
    ChatModel,
    MachineryFailed,
    Message,
    Reply,
    Request,
    Role,
    Settings,
    SystemFailed,
    Trouble,
)
from scoring.protocols import choices, hearing, untrusted

PROTOCOL: Final = "kieval/v1"
TALK: Final = Settings(max_tokens=600)
JUDGE: Final = Settings(max_tokens=1200)

#: How the first answer is found right or wrong.
Decision = Literal["option", "text", "judge", "none"]


@dataclass(frozen=True, slots=True)
class Config:
    """How interviews are held.

    `mark_but_continue` notes the evaluator's stop and goes on to the planned end, so that scores with
    and without early stopping come from one dialogue.
    """

    planned: int = 5
    mark_but_continue: bool = False
    prior: Prior = "neutral"
    reference_visible_to_evaluator: bool = False
    decision: Decision = "text"
    temperature: float | None = 0.0
    candidate_prompt: str = ""
    candidate: Settings = TALK
    interactor: Settings = TALK
    evaluator: Settings = JUDGE


def seed_of(seed: int, *parts: object) -> int:
    """Return the seed of one request, below 2³¹, from the run's seed and what tells requests apart."""
    said = json.dumps([seed, *map(str, parts)])
    return int.from_bytes(hashlib.sha256(said.encode()).digest()[:4], "big") >> 1


@dataclass(frozen=True, slots=True)
class _Table:
    """Who sits at it: the model, the problem and the settings that all requests share."""

    model: ChatModel
    room: Room
    config: Config
    seed: int

    def request(
        self,
        role: Role,
        messages: tuple[Message, ...],
        *,
        part: str = "",
        exchange: int = 0,
    ) -> Request:
        """Return what somebody at the table is asked."""
        own: Settings = getattr(self.config, role.value)
        settings = replace(
            own,
            temperature=self.config.temperature if own.temperature is None else own.temperature,
            seed=seed_of(self.seed, self.room.problem.key, role.value, exchange),
        )
        schema = (
            verdicts.SCHEMA if role is Role.EVALUATOR and not part.startswith("decide") else None
        )
        return Request(role, messages, settings, schema, part, exchange)


async def interview(
    model: ChatModel, problem: Problem, config: Config, *, fence: untrusted.Fence, seed: int
) -> dict[str, Any]:
    """Hold one interview and return it as plain data.

    Returns:
        answer: the first answer; chosen: the option it names; right: True, False or None (not decided).
        exchanges: question, answer, verdict (None with `unscored` saying why), flags of the candidate's text.
        stopped_at, stop_reason: the exchange whose verdict asked to stop. ended: "planned", "stopped",
        "system_failed" (the candidate gave nothing more; `problem` says what happened).

    Raises:
        SystemFailed: the candidate gave no first answer.
        MachineryFailed: a request got no reply for reasons of ours.
    """
    room = Room(
        problem,
        fence,
        prior=config.prior,
        reference_visible=config.reference_visible_to_evaluator,
        own_prompt=config.candidate_prompt,
    )
    table = _Table(model, room, config, seed)
    asked = table.request(
        Role.CANDIDATE, asking.of_candidate(room, "", (), ""), part="first answer"
    )
    first = await hearing.ask(model, asked)
    chosen = await _chosen(table, asked, first)
    right = await _decided(table, first.text, chosen)
    table = replace(table, room=replace(room, opening=asking.opening_verdict(problem, right)))
    made: dict[str, Any] = {
        "answer": first.text,
        "finish": first.finish,
        "chosen": chosen,
        "right": right,
        "decided_by": config.decision if right is not None else "none",
        "flags": list(room.flags(first.text)),
        "planned": config.planned,
    }
    return made | await _exchanges(table, first.text)


async def _chosen(table: _Table, asked: Request, said: Reply) -> str | None:
    """Return the option that an answer names; one that names several is asked for once more."""
    problem = table.room.problem
    if not problem.options:
        return None
    again = problem.words.choose_again
    made = await hearing.choice(table.model, hearing.Said(asked, said), problem.options, again)
    return made.found.label


async def _decided(table: _Table, answer: str, chosen: str | None) -> bool | None:
    problem = table.room.problem
    if problem.options:
        return chosen == problem.label if chosen is not None else None
    if table.config.decision == "text":
        # A text that is equal is right; one that differs may still be.
        return True if choices.same(answer, problem.reference) else None
    if table.config.decision == "judge" and problem.reference.strip():
        messages = asking.of_decision(table.room, answer)
        asked = table.request(Role.EVALUATOR, messages, part="decide")
        made = await hearing.tries(
            table.model,
            await hearing.ask_with_room(table.model, asked),
            lambda said: verdicts.decision(said.text),
            fails=lambda decision: not decision,
            tell=lambda _decision: problem.words.decide_again,
        )
        return verdicts.decided(made[-1].found)
    return None


async def _exchanges(table: _Table, answer: str) -> dict[str, Any]:
    held: list[Held] = []
    told: list[dict[str, Any]] = []
    stopped_at, reason = None, verdicts.StopReason.NONE
    ended, problem = "planned", ""
    for number in range(table.config.planned):
        question = await _question(table, answer, held, number)
        try:
            messages = asking.of_candidate(table.room, answer, held, question)
            request = table.request(Role.CANDIDATE, messages, exchange=number)
            reply = await hearing.ask(table.model, request)
        except SystemFailed as failed:
            ended, problem = "system_failed", str(failed)
            told.append(_told(number, question, "", None, "The system gave no reply.", ()))
            break
        verdict, said, unscored = await _verdict(table, answer, held, question, reply.text, number)
        flags = table.room.flags(reply.text)
        told.append(_told(number, question, reply.text, verdict, unscored, flags))
        held.append(Held(question, reply.text, said))
        if verdict is not None and verdict.stop and stopped_at is None:
            stopped_at, reason = number, verdict.stop_reason
            if not table.config.mark_but_continue:
                ended = "stopped"
                break
    return {
        "exchanges": told,
        "stopped_at": stopped_at,
        "stop_reason": reason.value,
        "ended": ended,
        "problem": problem,
    }


async def _question(table: _Table, answer: str, held: Sequence[Held], number: int) -> str:
    """Return the next question, without the delimiters that an interactor may have copied into it.

    Raises:
        MachineryFailed: it asks nothing, also when it is asked once more.
    """
    messages = asking.of_interactor(table.room, answer, held)
    asked = table.request(Role.INTERACTOR, messages, exchange=number)
    again = replace(asked, part="repair", settings=replace(asked.settings, seed=_next(asked)))
    fence = table.room.fence
    codes = [fence.code(Role.INTERACTOR, exchange=one) for one in range(len(held) + 1)]
    for request in (asked, again):
        said = await hearing.ask_for_words(table.model, request)
        if question := untrusted.without_delimiters(said.text, codes):
            return question
    raise MachineryFailed(
        Trouble.EMPTY, "The interactor asked nothing: its reply held no question."
    )


def _next(asked: Request) -> int:
    return ((asked.settings.seed or 0) + 1) % 2**31


def _told(
    number: int,
    question: str,
    answer: str,
    verdict: Verdict | None,
    unscored: str,
    flags: Sequence[str],
) -> dict[str, Any]:
    return {
        "exchange": number,
        "question": question,
        "answer": answer,
        "verdict": verdict.plain() if verdict else None,
        "unscored": unscored,
        "flags": list(flags),
    }


async def _verdict(
    table: _Table, answer: str, held: Sequence[Held], question: str, reply: str, number: int
) -> tuple[Verdict | None, str, str]:
    """Return the verdict, the words that stand for it in what the evaluator sees next, or why there is none.

    A reply that was cut off is asked for once more with more room, one that cannot be read once more
    in its form.
    """
    messages = asking.of_evaluator(table.room, answer, held, question, reply)
    asked = table.request(Role.EVALUATOR, messages, exchange=number)
    made = await hearing.tries(
        table.model,
        await hearing.ask_with_room(table.model, asked),
        _read,
        fails=lambda found: found[0] is None,
        tell=lambda _found: table.room.problem.words.repair,
    )
    said, (verdict, problem) = made[-1].reply, made[-1].found
    if verdict is None:
        return None, table.room.problem.words.unread, problem
    return verdict, said.text.strip(), ""


def _read(reply: Reply) -> tuple[Verdict | None, str]:
    if why := hearing.why_unread(reply):
        return None, why
    try:
        return verdicts.read(reply.text), ""
    except verdicts.Unreadable as problem:
        return None, str(problem)


async def verify(
    model: ChatModel, problem: Problem, config: Config, *, fence: untrusted.Fence, seed: int
) -> dict[str, Any]:
    """Let interactor and evaluator answer the problem; say who got it right (None: not decided)."""
    room = Room(problem, fence)
    found: dict[str, Any] = {}
    for role in (Role.INTERACTOR, Role.EVALUATOR):
        own: Settings = getattr(config, role.value)
        settings = replace(
            own,
            temperature=config.temperature,
            seed=seed_of(seed, problem.key, role.value, "verify"),
        )
        request = Request(role, asking.of_verification(problem), settings, part="verify")
        table = _Table(model, room, config, seed)
        reply = await hearing.ask_for_words(model, request)
        chosen = await _chosen(table, request, reply)
        right = await _decided(table, reply.text, chosen)
        found[role.value] = {"answer": reply.text, "chosen": chosen, "right": right}
    found["verified"] = all(
        found[role.value]["right"] is True for role in (Role.INTERACTOR, Role.EVALUATOR)
    )
    return found


async def judge_again(
    model: ChatModel,
    problem: Problem,
    dialogue: dict[str, Any],
    config: Config,
    *,
    fence: untrusted.Fence,
    seed: int,
) -> dict[str, Any]:
    """Let an evaluator judge a frozen dialogue, exchange by exchange, without a word of the first one's.

    Returns the same shape as `interview`; its stop marks where this evaluator would have stopped.
    """
    opening = asking.opening_verdict(problem, dialogue["right"])
    room = Room(
        problem, fence, opening=opening, reference_visible=config.reference_visible_to_evaluator
    )
    table = _Table(model, room, config, seed)
    held: list[Held] = []
    told: list[dict[str, Any]] = []
    stopped_at, reason = None, verdicts.StopReason.NONE
    for one in dialogue["exchanges"]:
        number, question, reply = one["exchange"], one["question"], one["answer"]
        if not reply:
            told.append(_told(number, question, "", None, "The system gave no reply.", ()))
            continue
        verdict, said, unscored = await _verdict(
            table, dialogue["answer"], held, question, reply, number
        )
        told.append(_told(number, question, reply, verdict, unscored, one["flags"]))
        held.append(Held(question, reply, said))
        if verdict is not None and verdict.stop and stopped_at is None:
            stopped_at, reason = number, verdict.stop_reason
    return dialogue | {"exchanges": told, "stopped_at": stopped_at, "stop_reason": reason.value}
