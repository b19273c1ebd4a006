"""Assistant evaluators that an endpoint answers for, version 1: a number for each answer.

* Likelihood: exp of the mean log-probability of an answer's tokens after its context (LM_PROB).
* Entailment: an endpoint is asked how much of a text follows from another.
* Similarity: the cosine of two texts' embeddings.
* Served: a number of a model that is served over HTTP (an entailment model, BLEURT …).

With several texts to compare with, the score is the mean over them. A score outside the declared range
is a problem and no score.

References:
    Shu et al. (2024), Fusion-Eval: Integrating Assistant Evaluators with LLMs, section 3.1.
"""

import json
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from decimal import Decimal
from statistics import fmean
from typing import Any, Final

from annotation.common.scales import Scale
from scoring.kinds.assistants import asking_v1 as asking
from scoring.kinds.assistants.asking_v1 import KEY, Config, Kind, Pair
from scoring.kinds.assistants.prompts_v1 import LANGUAGES
from scoring.llm import scoring_api
from scoring.llm.base import ChatModel, Failed, Request, Trouble
from scoring.protocols import samples, untrusted
from scoring.protocols.reading import Wanted

PROTOCOL: Final = "assistants/v1"
SHARE: Final = Scale(Decimal(0), Decimal(1))
#: A score that rounding alone put outside its range is at its end.
CLOSE: Final = 1e-6

NO_ANSWER: Final = "The answer is empty."
NO_PREMISE: Final = "There is no text to compare with."
NO_NUMBER: Final = "The server gave no number for it."
#: What a failure says of a text, and not of the line.
OF_THE_TEXT: Final = frozenset({Trouble.TOO_LONG, Trouble.FILTERED, Trouble.EMPTY})
#: What was not there to be scored.
LEFT_OUT: Final = frozenset({NO_ANSWER, NO_PREMISE})


Way = Callable[..., Awaitable[list[dict[str, Any]]]]


async def score(
    model: ChatModel,
    pairs: Sequence[Pair],
    config: Config,
    *,
    fence: untrusted.Fence,
    seed: int,
) -> list[dict[str, Any]]:
    """Return a reading of each answer, as plain data: outcome, value, reason, text, n_valid, sd.

    Args:
        model: answers the requests of role ASSISTANT.
        pairs: what is scored together; a served model and embeddings take them in one request.
        config: how.
        fence: the delimiters of this step.
        seed: sent with requests of chats.

    Raises:
        MachineryFailed: from the model.
    """
    made: list[dict[str, Any]] = [{} for _pair in pairs]
    there: list[tuple[int, str]] = []
    for place, pair in enumerate(pairs):
        if why := _missing(pair, config):
            made[place] = _plain("SKIPPED", reason=why)
        else:
            there += [(place, text) for text in pair.texts or ("",)]
    asked = [(pairs[place].answer, text) for place, text in there]
    found: dict[int, list[dict[str, Any]]] = {}
    readings = await _readings(model, asked, config, fence, seed) if asked else []
    for (place, _text), reading in zip(there, readings, strict=True):
        found.setdefault(place, []).append(_checked(reading, config))
    return [one or _joined(found[place]) for place, one in enumerate(made)]


def requests(
    pairs: Sequence[Pair], config: Config, *, fence: untrusted.Fence, seed: int
) -> list[Request]:
    """Return what scoring these answers asks first: what an estimate counts."""
    whole = [one for one in pairs if not _missing(one, config)]
    asked = [(one.answer, text) for one in whole for text in one.texts or ("",)]
    if not asked:
        return []
    if config.kind is Kind.ENTAILMENT:
        return [
            asking.entailing(place, pair, config, fence, seed, repeat)
            for place, pair in enumerate(asked)
            for repeat in range(1, config.repeats + 1)
        ]
    if config.kind is Kind.LIKELIHOOD:
        return [asking.weighing(place, pair, 0) for place, pair in enumerate(asked)]
    return [
        asking.embedding(asked) if config.kind is Kind.SIMILARITY else asking.serving(asked, config)
    ]


async def _readings(
    model: ChatModel,
    asked: Sequence[tuple[str, str]],
    config: Config,
    fence: untrusted.Fence,
    seed: int,
) -> list[dict[str, Any]]:
    """Return the reading of each pair; where one of several cannot be taken they are asked for singly."""
    try:
        return await WAYS[config.kind](model, asked, config, fence, seed)
    except Failed as failed:
        if failed.trouble not in OF_THE_TEXT:
            raise
        if len(asked) == 1:
            mark = samples.of_failure(failed, [Wanted(KEY, KEY, SHARE)])[KEY]
            return [_plain(mark.outcome, reason=mark.reason)]
    one_by_one = [await _readings(model, [pair], config, fence, seed) for pair in asked]
    return [reading for each in one_by_one for reading in each]


# Ways to a number ---------------------------------------------------------------------------


async def _likelihood(
    model: ChatModel,
    asked: Sequence[tuple[str, str]],
    _config: Config,
    _fence: untrusted.Fence,
    _seed: int,
) -> list[dict[str, Any]]:
    made = []
    for place, pair in enumerate(asked):
        try:
            reply = await model.reply(asking.weighing(place, pair, 0))
        except Failed as failed:
            if failed.trouble is not Trouble.BAD_REQUEST:
                raise
            reply = await model.reply(asking.weighing(place, pair, 1))  # some want room for a token
        chances = [one.logprob for one in reply.tokens or ()]
        value = math.exp(fmean(chances)) if chances else None
        made.append(_number(value))
    return made


async def _entailment(
    model: ChatModel,
    asked: Sequence[tuple[str, str]],
    config: Config,
    fence: untrusted.Fence,
    seed: int,
) -> list[dict[str, Any]]:
    words = LANGUAGES[config.language]
    wanted = [Wanted(KEY, words.name, SHARE)]
    made = []
    for place, pair in enumerate(asked):
        marks = []
        for repeat in range(1, config.repeats + 1):
            request = asking.entailing(place, pair, config, fence, seed, repeat)
            taken = await samples.take(model, request, wanted, lambda _problems: words.repair)
            marks.append(taken[KEY])
        made.append(samples.mean(marks, 1))
    return made


async def _similarity(
    model: ChatModel,
    asked: Sequence[tuple[str, str]],
    _config: Config,
    _fence: untrusted.Fence,
    _seed: int,
) -> list[dict[str, Any]]:
    request = asking.embedding(asked)
    vectors = scoring_api.vectors((await model.reply(request)).text)
    by_text = dict(zip([one.content for one in request.messages], vectors, strict=True))
    return [_number(cosine(by_text[answer], by_text[text])) for answer, text in asked]


async def _served(
    model: ChatModel,
    asked: Sequence[tuple[str, str]],
    config: Config,
    _fence: untrusted.Fence,
    _seed: int,
) -> list[dict[str, Any]]:
    reply = await model.reply(asking.serving(asked, config))
    return [_number(one) for one in json.loads(reply.text)]


WAYS: Final[Mapping[Kind, Way]] = {
    Kind.LIKELIHOOD: _likelihood,
    Kind.ENTAILMENT: _entailment,
    Kind.SIMILARITY: _similarity,
    Kind.SERVED: _served,
}


def cosine(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the cosine of the angle between two vectors; None where one has no length."""
    lengths = math.hypot(*one) * math.hypot(*other)
    return math.fsum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else None


# Readings -----------------------------------------------------------------------------------


def _missing(pair: Pair, config: Config) -> str:
    if not pair.answer.strip():
        return NO_ANSWER
    texts = any(one.strip() for one in pair.texts)
    return "" if texts or config.kind is Kind.LIKELIHOOD else NO_PREMISE


def _number(value: float | None) -> dict[str, Any]:
    if value is None or not math.isfinite(value):
        return _plain("UNSCORED", reason=NO_NUMBER)
    return _plain("SCORED", value=value, n_valid=1)


def _checked(reading: dict[str, Any], config: Config) -> dict[str, Any]:
    """Return a reading; one outside the declared range has no value."""
    value = reading["value"]
    if value is None:
        return reading
    low = -math.inf if config.low is None else config.low
    high = math.inf if config.high is None else config.high
    if low - CLOSE <= value <= high + CLOSE:
        return {**reading, "value": min(max(value, low), high)}
    reason = f"The score {value:g} lies outside the declared range, {low:g} to {high:g}."
    return _plain("UNSCORED", reason=reason, text=reading["text"])


def _joined(readings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the mean over the texts that an answer was set against; one without a score leaves none."""
    without = [one for one in readings if one["value"] is None]
    if without or len(readings) == 1:
        return (without or readings)[0]
    return {**readings[0], "value": fmean(one["value"] for one in readings), "sd": None}


def _plain(outcome: str, **more: Any) -> dict[str, Any]:
    blank: dict[str, Any] = {"value": None, "reason": "", "text": "", "n_valid": 0, "sd": None}
    return {"outcome": outcome, **blank, **more}
