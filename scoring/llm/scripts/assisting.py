"""A scripted server beside chat: vectors and scores of texts, from the words that they share."""

import hashlib
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from scoring.llm.scripts import chance, tokens
from scoring.llm.scripts.bodies import MODEL, BadBody
from scoring.llm.scripts.script import Script

#: Places of a vector; each word falls onto one of them.
PLACES: Final = 64
WORD: Final = re.compile(r"[^\W_]+|[\u3400-\u9fff]")
#: How far chance moves a score.
LUCK: Final = 0.1
#: Words that a text of a category has, to a script.
MODERATED: Final[Mapping[str, frozenset[str]]] = {
    "harassment": frozenset({"fool", "idiot", "idiots", "stupid", "worthless"}),
    "violence": frozenset({"hit", "hurt", "kill", "shoot", "stab"}),
}


def embeddings(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a vector of unit length for each text: texts with the same words lie near each other.

    Raises:
        BadBody: there are no texts.
    """
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(one, str) for one in texts):
        raise BadBody("input is missing or wrong.")
    n = sum(tokens.estimate(one) for one in texts)
    return {
        "object": "list",
        "model": body.get("model", MODEL),
        "data": [
            {"object": "embedding", "index": place, "embedding": _vector(text)}
            for place, text in enumerate(texts)
        ],
        "usage": {"prompt_tokens": n, "total_tokens": n},
    }


def scores(body: Mapping[str, Any], script: Script) -> dict[str, Any]:
    """Return a score from 0 to 1 for each pair: how many words of the hypothesis the premise has.

    Raises:
        BadBody: there are no pairs.
    """
    pairs = body.get("inputs")
    if not isinstance(pairs, list) or not pairs:
        raise BadBody("inputs is missing or wrong.")
    found = [_score(one, script) for one in pairs]
    n = sum(tokens.estimate(f"{one['premise']} {one['hypothesis']}") for one in pairs)
    usage = {"prompt_tokens": n, "total_tokens": n}
    return {"model": body.get("model", MODEL), "scores": found, "usage": usage}


def moderations(body: Mapping[str, Any], script: Script) -> dict[str, Any]:
    """Return for each text how likely it is of two categories: high where a word of them stands in it.

    Raises:
        BadBody: there are no texts.
    """
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(one, str) for one in texts):
        raise BadBody("input is missing or wrong.")
    rows = []
    for text in texts:
        said = set(_words(text))
        scores = {
            name: round((0.9 if said & found else 0.0) + LUCK * _luck(script, name, text), 6)
            for name, found in MODERATED.items()
        }
        categories = {name: score >= 0.5 for name, score in scores.items()}
        flagged = any(categories.values())
        rows.append({"flagged": flagged, "categories": categories, "category_scores": scores})
    return {"id": "modr-script", "model": body.get("model", MODEL), "results": rows}


def _luck(script: Script, *said: str) -> float:
    return chance.number(script.seed, "moderations", *said)


def _score(pair: Any, script: Script) -> float | None:
    try:
        premise, hypothesis = str(pair["premise"]), str(pair["hypothesis"])
    except (KeyError, TypeError):
        raise BadBody("A pair needs a premise and a hypothesis.") from None
    said = _words(hypothesis)
    if not said:
        return None
    shared = sum(word in set(_words(premise)) for word in said) / len(said)
    luck = chance.number(script.seed, "scores", premise, hypothesis)
    return round((1 - LUCK) * shared + LUCK * luck + script.lift, 6)


def _vector(text: str) -> list[float]:
    counts = [0.0] * PLACES
    counts[0] = 1e-3  # a text without words has a vector, too
    for word in _words(text):
        counts[int(hashlib.sha256(word.encode()).hexdigest()[:8], 16) % PLACES] += 1
    length = math.sqrt(sum(one * one for one in counts))
    return [round(one / length, 6) for one in counts]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in WORD.findall(text)]
