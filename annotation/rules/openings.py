"""What nearly all responses of one system begin with, and those of no other: it tells who wrote them.

A system prompt, the name of a role, a greeting: no single response looks odd, the set of them does.
"""

import math
from collections.abc import Iterator, Mapping, Sequence

#: Signs of each text that are looked at; the fewest responses, and the shortest opening, that count.
HEAD = 240
FEWEST = 3
SHORTEST = 10
#: The share of a system's responses that begin so, and of another's from which on it tells nothing.
MOST, OTHERS = 0.8, 0.5


def shared(heads: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Return the opening that tells a system from all others, for those that have one.

    Args:
        heads: the beginnings of what is shown of a system's responses, by system; empty ones count
            for nothing.
    """
    said = {system: [one for one in some if one] for system, some in heads.items()}
    found = {}
    for system, mine in said.items():
        opening = _opening(mine)
        others = (some for other, some in said.items() if other != system and some)
        if opening and all(_share(opening, some) <= OTHERS for some in others):
            found[system] = opening
    return found if len(said) > 1 else {}


def _opening(texts: Sequence[str]) -> str:
    """Return the longest beginning that most of the texts have, up to the end of a word."""
    wanted = max(FEWEST, math.ceil(MOST * len(texts)))
    ordered = sorted(texts)
    common = max(_commons(ordered, wanted), key=len, default="")
    if sum(one == common for one in ordered) > len(ordered) / 2:
        return ""  # the same answer over and over is no opening
    whole = _whole_words(common, ordered)
    return whole if len(whole.strip()) >= SHORTEST else ""


def _commons(ordered: Sequence[str], wanted: int) -> Iterator[str]:
    # In order, texts that begin alike stand together: the first and the last of them tell.
    for start in range(len(ordered) - wanted + 1):
        first, last = ordered[start], ordered[start + wanted - 1]
        pairs = enumerate(zip(first, last, strict=False))
        end = next((place for place, (a, b) in pairs if a != b), min(len(first), len(last)))
        yield first[:end]


def _whole_words(common: str, texts: Sequence[str]) -> str:
    """Return a beginning without a word at its end that goes on differently."""
    goes_on = any(
        one.startswith(common) and one[len(common) : len(common) + 1].isalnum() for one in texts
    )
    if not goes_on or not common or not common[-1].isalnum() or not common[-1].isascii():
        return common
    cut = max((place for place, sign in enumerate(common) if not sign.isalnum()), default=-1)
    return common[: cut + 1]


def _share(opening: str, texts: Sequence[str]) -> float:
    return sum(one.startswith(opening) for one in texts) / len(texts)
