"""A scripted reply, from a script and what is asked: the same in process and behind HTTP.

* A scripted server beside chat: vectors and scores of texts, from the words that they share.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from scoring.llm.base import Reply, TokenChance
from scoring.llm.scripted import reading, writing
from scoring.llm.scripted import script as tokens
from scoring.llm.scripted.bodies import MODEL, BadBody
from scoring.llm.scripted.reading import ScriptedTask, SeenRequest
from scoring.llm.scripted.script import Script

FINGERPRINT = "scripted"
#: What every language model does when it is asked to, and tests of abilities ask for.
REPEAT = re.compile(r"Repeat .+: (\S+)\Z")
#: What is written as prose, whatever example a prompt shows.
PLAINLY = frozenset({ScriptedTask.ANSWER, ScriptedTask.ASK, ScriptedTask.PLAN})
#: How a reply can fail to follow the form that was asked for.
MALFORMED = ("cut", "words", "beyond", "lost")


def compose(script: Script, asked: SeenRequest) -> Reply:
    """Return the reply of a script."""
    text, finish = _said(script, asked)
    pieces = tokens.cut(text, script)
    if asked.max_tokens is not None and len(pieces) > asked.max_tokens:
        pieces, finish = pieces[: asked.max_tokens], "length"
        text = "".join(pieces)
    return Reply(
        text=text,
        finish=finish,
        prompt_tokens=tokens.of_prompt(asked.messages),
        completion_tokens=len(pieces),
        tokens=_chances(script, asked, pieces),
        fingerprint=f"{FINGERPRINT}-{script.seed}",
        seconds=script.latency / 1000,
    )


def _said(script: Script, asked: SeenRequest) -> tuple[str, str]:
    for fixed in script.replies:
        if all(word in asked.last for word in fixed.contains):
            return fixed.replies[min(asked.sample, len(fixed.replies) - 1)], fixed.finish
    if repeat := REPEAT.match(asked.last):
        return repeat[1], "stop"
    parts = (script.seed, asked.sha, asked.sample)
    if tokens.happens(script.filtered, "filtered", *parts):
        return "", "content_filter"
    if tokens.happens(script.empty, "empty", *parts):
        return "", "stop"
    return _written(script, asked), "stop"


def _written(script: Script, asked: SeenRequest) -> str:
    task = reading.task_of(asked)
    parts = (script.seed, asked.sha, asked.sample)
    if task is ScriptedTask.JUDGE and tokens.happens(script.refused, "refused", *parts):
        return writing.refusal(asked)
    example = None if asked.schema or task in PLAINLY else writing.embedded(asked.whole)
    if asked.schema is None and example is None:
        return _plain(task, script, asked)
    writer = writing.ObjectWriter(asked, script, writing.weigh(asked, script))
    made = (
        writer.by_schema(asked.schema)
        if asked.schema is not None
        else writer.by_example(example, asked.whole)
    )
    if tokens.happens(script.malformed, "malformed", *parts):
        return _spoilt(made, tokens.pick(MALFORMED, "how", *parts))
    text = json.dumps(made, ensure_ascii=False)
    return text if script.schema else f"Here is my assessment.\n\n```json\n{text}\n```"


def _plain(task: ScriptedTask, script: Script, asked: SeenRequest) -> str:
    if task is ScriptedTask.ASK:
        return writing.question(asked, script)
    if task is ScriptedTask.PLAN:
        return writing.plan_of(asked, script)
    if task is ScriptedTask.ANSWER:
        return writing.answer(asked, script)
    view = writing.weigh(asked, script)
    score = writing.ObjectWriter(asked, script, view).by_example({"score": 1}, asked.whole)["score"]
    whole = writing.whole(asked)
    why = writing.reason(whole, view.overall, view.text, asked, script)
    return f"Score: {score}\nExplanation: {why}"


def _spoilt(made: Any, how: str) -> str:
    """Return a reply that a reader must not take for a reading."""
    text = json.dumps(made, ensure_ascii=False)
    if how == "cut" or not isinstance(made, dict):
        return text[: len(text) // 2]
    if how == "words":
        return "Both good and bad points can be found; it depends on what one looks for."
    if how == "beyond":
        return json.dumps(_beyond(made), ensure_ascii=False)
    return json.dumps({key: made[key] for key in list(made)[:-1]}, ensure_ascii=False)


def _beyond(made: Any) -> Any:
    if isinstance(made, dict):
        return {key: _beyond(one) for key, one in made.items()}
    if isinstance(made, bool) or not isinstance(made, int | float):
        return made
    return made + 1000


def _chances(
    script: Script, asked: SeenRequest, pieces: list[str]
) -> tuple[TokenChance, ...] | None:
    if asked.top_logprobs is None or not script.logprobs:
        return None
    return tokens.chances(pieces, asked.top_logprobs, script.seed, asked.sha, asked.sample)


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
    return tokens.number(script.seed, "moderations", *said)


def _score(pair: Any, script: Script) -> float | None:
    try:
        premise, hypothesis = str(pair["premise"]), str(pair["hypothesis"])
    except (KeyError, TypeError):
        raise BadBody("A pair needs a premise and a hypothesis.") from None
    said = _words(hypothesis)
    if not said:
        return None
    shared = sum(word in set(_words(premise)) for word in said) / len(said)
    luck = tokens.number(script.seed, "scores", premise, hypothesis)
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
