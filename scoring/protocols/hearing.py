"""What procedures hear of a model: its answer. What it thought aloud stays in the call, and reaches nobody.

Every procedure asks by this, so that reasoning is never judged, never shown to who grades, and never told
to another model, nor to the same one in its next turn. Every one asks once more in the same way: with more
room where a reply was cut off (`with_room`), and by words where it is of no use (`tries`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from annotation.common import reasoning
from scoring.llm import base
from scoring.llm.base import ChatModel, Failed, Message, Reply, Request, Role, TokenChance, Trouble
from scoring.protocols import choices
from scoring.protocols.choices import LabelChoice

#: How much longer a reply may be when it is asked for again because it was cut off.
MORE_ROOM: Final = 3
#: The least room of a model that had come to no answer for reasoning.
THINKING_ROOM: Final = 4000
THOUGHT: Final = "reasoning"
#: So much of a reply that is of no use is told again.
MOST_TOLD: Final = 8_000
CUT_OFF: Final = "The reply was cut off."

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Said:
    """A reply, and the request that it answers, with the room that it took."""

    request: Request
    reply: Reply


@dataclass(frozen=True, slots=True)
class ReplyTry(Generic[Found]):
    """A reply, and what was read of it."""

    reply: Reply
    found: Found


async def ask(model: ChatModel, request: Request) -> Reply:
    """Return the answer to a request, without its reasoning.

    One that holds nothing but reasoning is empty, where somebody may be asked again; of the system that is
    judged it is a failure.

    Raises:
        SystemFailed, MachineryFailed: from the model; the former also where only reasoning came.
    """
    try:
        reply = await model.reply(request)
    except Failed as failed:
        if failed.trouble is not Trouble.EMPTY or not (came := failed.reply):
            raise
        if request.role is Role.CANDIDATE or not came.notes.get(THOUGHT):
            raise
        reply = came
    found = heard(reply)
    if request.role is Role.CANDIDATE and is_only_thought(found):
        raise base.SystemFailed(Trouble.EMPTY, why_empty(found), reply=reply)
    return found


async def ask_with_room(model: ChatModel, request: Request) -> Said:
    """Return the answer to a request; one that was cut off is asked for once more, with more room.

    Raises:
        SystemFailed, MachineryFailed: from the model.
    """
    try:
        reply = await ask(model, request)
    except Failed as failed:
        if failed.trouble is not Trouble.EMPTY or not failed.reply or not _is_cut(failed.reply):
            raise
        reply = heard(failed.reply)
    return await with_room(model, request, reply)


async def with_room(model: ChatModel, request: Request, reply: Reply) -> Said:
    """Return a reply, or what comes with more room in the place of one that was cut off.

    Raises:
        SystemFailed, MachineryFailed: from the model.
    """
    if not _is_cut(reply):
        return Said(request, reply)
    wider = _longer(request, reply)
    return Said(replace(request, settings=wider.settings), await ask(model, wider))


async def ask_for_words(model: ChatModel, request: Request) -> Reply:
    """Return an answer that nobody counts: asked for once more, with more room, where none or half came.

    Raises:
        Failed: there is none.
    """
    reply = await ask(model, request)
    if _is_cut(reply) or is_only_thought(reply):
        reply = await ask(model, _longer(request, reply))
    if is_only_thought(reply):
        raise base.MachineryFailed(Trouble.EMPTY, why_empty(reply), reply=reply)
    return reply


def _is_cut(reply: Reply) -> bool:
    return reply.finish == "length"


async def tries(
    model: ChatModel,
    said: Said,
    read: Callable[[Reply], Found],
    *,
    fails: Callable[[Found], bool],
    tell: Callable[[Found], str],
    most: int = MOST_TOLD,
) -> list[ReplyTry[Found]]:
    """Return what is read of a reply and, where that `fails`, of the one that comes once `tell` is told.

    Where the system that is judged gives nothing then, its first reply counts.

    Args:
        most: so much of the first reply is told again.

    Raises:
        MachineryFailed: from the model.
    """
    first = ReplyTry(said.reply, read(said.reply))
    if not fails(first.found):
        return [first]
    try:
        reply = await ask(model, _again(said, tell(first.found), most))
    except base.SystemFailed:
        return [first]
    return [first, ReplyTry(reply, read(reply))]


async def choice(
    model: ChatModel, said: Said, options: Mapping[str, str], tell: str
) -> ReplyTry[LabelChoice]:
    """Return which option a reply chose; of one that names several, once more after `tell`.

    Raises:
        MachineryFailed: from the model.
    """
    made = await tries(
        model,
        said,
        lambda reply: choices.read(reply.text, options),
        fails=lambda found: found.how is choices.ChosenBy.SEVERAL,
        tell=lambda _found: tell,
    )
    return made[-1]


def heard(reply: Reply) -> Reply:
    """Return a reply without its reasoning, which is kept in its notes."""
    found = reasoning.split(reply.text)
    if found.answer == reply.text:
        return reply if not reply.notes.get(THOUGHT) else _with_own_tokens(reply, reply.text)
    thought = [str(reply.notes.get(THOUGHT, "")), found.reasoning]
    notes = {**reply.notes, THOUGHT: "\n\n".join(one for one in thought if one) or "…"}
    return _with_own_tokens(replace(reply, notes=notes), found.answer)


def thought_of(reply: Reply | None) -> str:
    """Return what a model thought aloud in a reply; nothing where it did not."""
    return "" if reply is None else str(heard(reply).notes.get(THOUGHT, ""))


def is_only_thought(reply: Reply) -> bool:
    """Say whether a reply that was heard holds reasoning and nothing else."""
    empty = not reply.text.strip() and not reply.tool_calls
    return empty and bool(reply.notes.get(THOUGHT))


def why_empty(reply: Reply) -> str:
    return base.ONLY_THOUGHT_CUT if _is_cut(reply) else base.ONLY_THOUGHT


def why_unread(reply: Reply) -> str:
    """Return why a reply is not to be read at all; nothing where it is."""
    if is_only_thought(reply):
        return why_empty(reply)
    return CUT_OFF if _is_cut(reply) else ""


def _longer(request: Request, reply: Reply) -> Request:
    """Return a request again with more room; much more for a model that reasons."""
    room = (request.settings.max_tokens or 0) * MORE_ROOM
    if room and reply.notes.get(THOUGHT):
        room = max(room, THINKING_ROOM)
    settings = replace(request.settings, max_tokens=room or None)
    return replace(request, settings=settings, part=_named(request, "longer"))


def _again(said: Said, told: str, most: int) -> Request:
    """Return a request with an answer to it and what is told to that; its reasoning is not told again."""
    request, answer = said.request, said.reply.text[:most]
    if answer.strip():
        turns = (*request.messages, Message("assistant", answer), Message("user", told))
    else:
        # Some servers refuse a message without a word, and two of one side in a row.
        *before, last = request.messages
        turns = (*before, replace(last, content=f"{last.content}\n\n{told}"))
    return replace(request, messages=turns, part=_named(request, "repair"))


def _named(request: Request, what: str) -> str:
    return f"{request.part[:70]} {what}".strip()


def _with_own_tokens(reply: Reply, answer: str) -> Reply:
    """Return a reply with an answer and the tokens of it alone; without them where they cannot be told apart."""
    return replace(reply, text=answer, tokens=_of_answer(reply.tokens, answer))


def _of_answer(
    tokens: tuple[TokenChance, ...] | None, answer: str
) -> tuple[TokenChance, ...] | None:
    if tokens is None:
        return None
    start = "".join(one.token for one in tokens).rfind(answer)
    if start < 0 or not answer:
        return None
    at, kept = 0, []
    for one in tokens:
        if start < at + len(one.token) and at < start + len(answer):
            kept.append(one)
        at += len(one.token)
    return tuple(kept)
