"""The script of a scripted model: what may be set, and what is refused."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

SHARES = ("malformed", "stop", "empty", "filtered", "refused", "obey_plan")


@dataclass(frozen=True, slots=True)
class Fixed:
    """A reply that is given whenever the last message holds all of some words."""

    contains: tuple[str, ...]
    #: One text for each repeat; the last one serves all that follow.
    replies: tuple[str, ...]
    finish: str = "stop"

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        words, replies = stored["contains"], stored["reply"]
        return cls(
            contains=(words,) if isinstance(words, str) else tuple(words),
            replies=(replies,) if isinstance(replies, str) else tuple(replies),
            finish=stored.get("finish", "stop"),
        )


@dataclass(frozen=True, slots=True)
class Script:
    """How a scripted model behaves. Shares lie between 0 and 1 and are drawn by the request's hash."""

    seed: int = 0
    #: Milliseconds before each reply.
    latency: float = 0.0
    #: Replies that do not follow the form that was asked for.
    malformed: float = 0.0
    #: Verdicts that end the conversation.
    stop: float = 0.1
    empty: float = 0.0
    filtered: float = 0.0
    #: Requests to judge that are declined in words.
    refused: float = 0.0
    #: How far a judge follows the scores of assistant evaluators in its prompt.
    obey_plan: float = 0.0
    #: Added to every score of a served model, so that it leaves its range.
    lift: float = 0.0
    logprobs: bool = True
    #: True keeps to a JSON schema, "object" only to JSON, False writes text around it.
    schema: bool | str = True
    #: Every digit is a token of its own, so that 10 is two.
    one_digit_tokens: bool = False
    replies: tuple[Fixed, ...] = ()

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """Read a stored script.

        Raises:
            ValueError: it names an option that there is not, or a share that is none.
        """
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(stored) - known):
            raise ValueError(
                f"The script has no option {', '.join(unknown)}. It knows {', '.join(sorted(known))}."
            )
        for name in SHARES:
            if not 0 <= float(stored.get(name, 0)) <= 1:
                raise ValueError(f"{name} is {stored[name]}: a share lies between 0 and 1.")
        replies = tuple(Fixed.of(one) for one in stored.get("replies", ()))
        return cls(**{**stored, "replies": replies})
