"""Words that are rude, insulting or threatening wherever they stand: a list, and no judgement of meaning.

The list is short and for English. It finds a word that is quoted as well as one that is meant, and
nothing that is said politely: it is for finding turns to look at, not for convicting anybody.
"""

import functools
from collections.abc import Mapping
from typing import Any, Final

#: Patterns of whole words, by what they are; endings of plurals and verbs count.
TOXIC: Final[Mapping[str, str]] = {
    "profanity": (
        r"arse(?:hole)?s?|ass(?:hole)s?|bastards?|bloody hell|bollocks|bullshit|crap(?:py)?|damn(?:ed|it)?"
        r"|dick(?:head)?s?|fuck(?:s|ed|er|ers|ing)?|goddamn|motherfuck(?:er|ers|ing)|piss(?:ed)?(?: off)?"
        r"|pricks?|shit(?:s|ty|hole|head)?|wank(?:er|ers|ing)?"
    ),
    "insult": (
        r"bitch(?:es|y)?|brainless|clowns?|cretins?|dimwits?|dumb(?:ass|asses|est)?|fools?|idiot(?:s|ic)?"
        r"|imbeciles?|jerks?|losers?|lowlifes?|morons?|moronic|nitwits?|numbskulls?|pathetic|pigs|scum(?:bag|bags)?"
        r"|sluts?|stupid(?:est|ity)?|trash|twats?|vermin|whores?|worthless|your? (?:are|re) nothing"
    ),
    "threat": (
        r"(?:i|we)(?: ?['’]ll| will| am going to| are going to) (?:beat|break|burn|crush|destroy|end|find|hunt|hurt"
        r"|kill|murder|shoot|stab|strangle) (?:you|her|him|them|your)|beat (?:you|him|her|them) up"
        r"|you(?: ?['’]ll| will) (?:be sorry|pay for this|regret this)|watch your back"
        r"|you (?:should|deserve to) die|go (?:and )?die|kill yourself|kys"
    ),
    "slur": r"fag(?:s|got|gots)?|retard(?:s|ed)?|trann(?:y|ies)|cripples?|savages|subhumans?",
}


@functools.cache
def _patterns() -> Mapping[str, Any]:
    import regex  # large: only where words are looked for

    return {
        name: regex.compile(rf"(?<!\w)(?:{words})(?!\w)", regex.IGNORECASE)
        for name, words in TOXIC.items()
    }


def count(text: str) -> dict[str, int]:
    """Return how many words of each kind a text has."""
    return {name: sum(1 for _one in found.finditer(text)) for name, found in _patterns().items()}
