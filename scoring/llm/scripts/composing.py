"""A scripted reply, from a script and what is asked: the same in process and behind HTTP."""

import json
import re
from typing import Any

from scoring.llm.base import Reply, TokenChance
from scoring.llm.scripts import chance, objects, planning, prose, reading, tokens, worth
from scoring.llm.scripts.reading import Asked, Task
from scoring.llm.scripts.script import Script

FINGERPRINT = "scripted"
#: What every language model does when it is asked to, and tests of abilities ask for.
REPEAT = re.compile(r"Repeat .+: (\S+)\Z")
#: What is written as prose, whatever example a prompt shows.
PLAINLY = frozenset({Task.ANSWER, Task.ASK, Task.PLAN})
#: How a reply can fail to follow the form that was asked for.
MALFORMED = ("cut", "words", "beyond", "lost")


def compose(script: Script, asked: Asked) -> Reply:
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


def _said(script: Script, asked: Asked) -> tuple[str, str]:
    for fixed in script.replies:
        if all(word in asked.last for word in fixed.contains):
            return fixed.replies[min(asked.sample, len(fixed.replies) - 1)], fixed.finish
    if repeat := REPEAT.match(asked.last):
        return repeat[1], "stop"
    parts = (script.seed, asked.sha, asked.sample)
    if chance.happens(script.filtered, "filtered", *parts):
        return "", "content_filter"
    if chance.happens(script.empty, "empty", *parts):
        return "", "stop"
    return _written(script, asked), "stop"


def _written(script: Script, asked: Asked) -> str:
    task = reading.task_of(asked)
    parts = (script.seed, asked.sha, asked.sample)
    if task is Task.JUDGE and chance.happens(script.refused, "refused", *parts):
        return prose.refusal(asked)
    example = None if asked.schema or task in PLAINLY else objects.embedded(asked.whole)
    if asked.schema is None and example is None:
        return _plain(task, script, asked)
    writer = objects.Writer(asked, script, worth.weigh(asked, script))
    made = (
        writer.by_schema(asked.schema)
        if asked.schema is not None
        else writer.by_example(example, asked.whole)
    )
    if chance.happens(script.malformed, "malformed", *parts):
        return _spoilt(made, chance.pick(MALFORMED, "how", *parts))
    text = json.dumps(made, ensure_ascii=False)
    return text if script.schema else f"Here is my assessment.\n\n```json\n{text}\n```"


def _plain(task: Task, script: Script, asked: Asked) -> str:
    if task is Task.ASK:
        return prose.question(asked, script)
    if task is Task.PLAN:
        return planning.plan(asked, script)
    if task is Task.ANSWER:
        return prose.answer(asked, script)
    view = worth.weigh(asked, script)
    score = objects.Writer(asked, script, view).by_example({"score": 1}, asked.whole)["score"]
    return f"Score: {score}\nExplanation: {prose.reason(prose.whole(asked), view.overall, view.text, asked, script)}"


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


def _chances(script: Script, asked: Asked, pieces: list[str]) -> tuple[TokenChance, ...] | None:
    if asked.top_logprobs is None or not script.logprobs:
        return None
    return tokens.chances(pieces, asked.top_logprobs, script.seed, asked.sha, asked.sample)
