"""promptfoo, JSON: a record for each provider and test; its question is the variable that is called so.

Columns "score_NAME" are the scores: "score" as a whole, "pass" as 1 or 0, and the named ones.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from annotation.files import shapes
from annotation.files.shapes import Row, Rows, Sample

_QUESTIONS: Final = frozenset({"question", "query", "q", "user_input", "user_query", "problem"})


def _is_json(sample: Sample) -> bool:
    return not sample.is_table and all(
        {"provider", "vars", "success"} <= one.keys() for one in sample.records or ({},)
    )


def _records() -> Rows:
    """Return what reads records: a provider's second prompt is another release, a second answer another one."""
    prompts: dict[str, str] = {}
    number = numbering()

    def rows(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
        row = _record(record)
        prompt = row["prompt"]
        is_first = prompts.setdefault(row["system"], prompt) == prompt
        row["release"] = "" if is_first else prompt[:100]
        yield {**row, "sample_no": number(row)}

    return rows


def numbering() -> Callable[[Row], int]:
    """Return what counts the answers of the same system and release to the same question, from 1 on."""
    seen: Counter[int] = Counter()

    def number(row: Row) -> int:
        asked = row.get("question") or str(row.get("messages"))
        place = hash((row["system"], row.get("release"), asked))
        seen[place] += 1
        return seen[place]

    return number


def _record(record: Mapping[str, Any]) -> Row:
    """Return the answer of a provider; one that ended in an error is empty, and says which."""
    output = shapes.at(record, "response", "output")
    failed = record.get("error") or shapes.at(record, "response", "error")
    named = record.get("namedScores") or {}
    found = {"score": record.get("score"), "pass": record["success"], **named}
    label = shapes.at(record, "prompt", "label") or shapes.at(record, "prompt", "raw")
    return {
        **question(record["vars"], shapes.at(record, "prompt", "raw")),
        "system": _name(record["provider"]),
        "response": None if output is None else shapes.said(output),
        **shapes.scores({} if output is None else found),
        "reason": shapes.at(record, "gradingResult", "reason") or failed or "",
        "prompt": " ".join(str(label or "").split()),
    }


def _name(provider: object) -> str:
    if isinstance(provider, Mapping):
        return str(provider.get("label") or provider.get("id") or "")
    return str(provider)


def question(variables: Mapping[str, Any], sent: object) -> Row:
    """Return what was asked: the one variable of a test, or the one called so, else what was sent."""
    asked = {name: one for name, one in variables.items() if not name.startswith("__")}
    called = next((asked[name] for name in asked if shapes.fold(name) in _QUESTIONS), None)
    if called is not None and len(asked) > 1:
        return shapes.asked(called)
    if sent and len(asked) != 1:
        return shapes.asked(sent)
    return shapes.question_of(asked) or {"question": shapes.said(asked)}


SHAPES: Final = (
    shapes.answers(
        "promptfoo", "promptfoo, JSON", _is_json, path="results.results", begin=_records
    ),
)
