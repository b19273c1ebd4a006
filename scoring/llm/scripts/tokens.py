"""Tokens of a scripted model: how a text is cut, how many there are, how likely each one was."""

import math
import re
from collections.abc import Sequence

from scoring.llm.base import Message, TokenChance
from scoring.llm.scripts import chance
from scoring.llm.scripts.script import Script

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
        _numbers(piece, n_others, chance.number(*parts, place))
        if piece.isdecimal()
        else _words(piece, n_others, chance.number(*parts, place))
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
