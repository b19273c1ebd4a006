"""The script of a scripted model: what may be set, and what is refused.

* Chance that is none: a number from what is asked, the same on every machine and on every day.
* Tokens of a scripted model: how a text is cut, how many there are, how likely each one was.
"""

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self, TypeVar

from scoring.llm.base import Message, TokenChance

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


Choice = TypeVar("Choice")


def number(*parts: object) -> float:
    """Return a number from 0 up to 1 that only these parts decide."""
    text = "\x1f".join(str(part) for part in parts)
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def pick(choices: Sequence[Choice], *parts: object) -> Choice:
    """Return one of the choices, each equally likely over many parts."""
    return choices[int(number(*parts) * len(choices))]


def happens(share: float, *parts: object) -> bool:
    """Say yes in this share of all cases."""
    return number(*parts) < share


PIECE = re.compile(r" ?[A-Za-z]{1,8}|\d{1,3}|\s+|.", re.DOTALL)
SINGLE = re.compile(r" ?[A-Za-z]{1,8}|\d|\s+|.", re.DOTALL)
PER_MESSAGE = 4
#: How sure the model is of a number that it writes, and of its nearest neighbours together.
SURE, NEAR = 0.62, 0.33


def cut(text: str, script: Script) -> list[str]:
    """Return a text's tokens; together they are the text."""
    return (SINGLE if script.one_digit_tokens else PIECE).findall(text)


def estimate(text: str) -> int:
    """Return about how many tokens a text has: four letters each, or one sign beyond ASCII."""
    n_plain = len(text.encode("ascii", "ignore"))
    return math.ceil(n_plain / 4) + len(text) - n_plain


def of_prompt(messages: Sequence[Message]) -> int:
    return sum(estimate(one.content) + PER_MESSAGE for one in messages)


def chances(pieces: Sequence[str], n_others: int, *parts: object) -> tuple[TokenChance, ...]:
    """Return each token with its log-probability and the likeliest ones at its place."""
    return tuple(
        _numbers(piece, n_others, number(*parts, place))
        if piece.isdecimal()
        else _words(piece, n_others, number(*parts, place))
        for place, piece in enumerate(pieces)
    )


def _numbers(piece: str, n_others: int, lean: float) -> TokenChance:
    """Spread the chance of a number over its neighbours, more to one side than to the other."""
    value = int(piece)
    spread = [(piece, SURE), (str(value + 1), NEAR * lean), (str(value + 2), 0.05 * lean)]
    if value > 0:
        spread.append((str(value - 1), NEAR * (1 - lean)))
    if value > 1:
        spread.append((str(value - 2), 0.05 * (1 - lean)))
    return _chance(piece, spread, n_others)


def _words(piece: str, n_others: int, sure: float) -> TokenChance:
    likely = 0.55 + 0.449 * sure
    rest = [
        (f"{piece}{end}", (1 - likely) / 2**place) for place, end in enumerate("ses.,", start=1)
    ]
    return _chance(piece, [(piece, likely), *rest], n_others)


def _chance(piece: str, spread: list[tuple[str, float]], n_others: int) -> TokenChance:
    ordered = sorted(spread, key=lambda one: -one[1])[:n_others]
    others = tuple((token, round(math.log(max(share, 1e-9)), 6)) for token, share in ordered)
    return TokenChance(piece, round(math.log(dict(spread)[piece]), 6), others)
