"""promptfoo, tables: a line a test and a column a provider, "[PROVIDER] PROMPT".

Earlier versions write the outcome into the cell, "[FAIL] (0.20) text", where the reason of a failure stands
before a line "---"; later ones into the columns that follow. Columns "score_NAME" are the scores.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from annotation.files import shapes
from annotation.files.makers import promptfoo
from annotation.files.shapes import Row, Rows, Sample

_PROVIDER: Final = re.compile(r"\[(?P<provider>[^\]]+)\]\s*(?P<prompt>.*)", re.DOTALL)
_CELL: Final = re.compile(
    r"\[(?P<outcome>PASS|FAIL|ERROR)\]\s*(?:\((?P<score>-?\d+(?:\.\d+)?)\)\s*)?(?P<text>.*)",
    re.DOTALL,
)
_VARIABLE: Final = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_DIVIDED: Final = "\n---\n"
#: Columns that follow the one of a provider in tables of later versions.
_FOLLOWING: Final = ("Status", "Score", "Named Scores", "Grader Reason", "Comment")
_BESIDE: Final = frozenset({"description", *(name.lower() for name in _FOLLOWING)})


def _is_table(sample: Sample) -> bool:
    """Say whether columns are called after providers, and their cells or what follows has the outcome."""
    providers = [name for name in sample.columns if _PROVIDER.fullmatch(name)]
    if not sample.is_table or not providers:
        return False
    cells = [str(one[name] or "") for one in sample.records for name in providers]
    return any(map(_CELL.fullmatch, cells)) or sample.has("Status", "Score")


def _lines() -> Rows:
    """Return what reads lines: a test that comes again is asked once more."""
    number = promptfoo.numbering()

    def rows(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
        for row in _line(record):
            yield {**row, "sample_no": number(row)}

    return rows


def _line(record: Mapping[str, Any]) -> Iterator[Row]:
    """Yield an answer for each provider; one that ended in an error is empty, and says which."""
    names = list(record)
    places = [place for place, name in enumerate(names) if _PROVIDER.fullmatch(name)]
    variables = {name: record[name] for name in names[: places[0]]} | {
        name: record[name] for name in names[places[-1] + 1 :] if name.startswith("__")
    }
    asked = {name: one for name, one in variables.items() if name.lower() not in _BESIDE}
    several = Counter(_parts(names[place])[0] for place in places)
    for place, end in zip(places, [*places[1:], len(names)], strict=True):
        provider, prompt = _parts(names[place])
        following = {_plain(name): record[name] for name in names[place + 1 : end]}
        yield {
            **promptfoo.question(asked, _rendered(prompt, asked)),
            "system": provider,
            **({"release": prompt[:100]} if several[provider] > 1 else {}),
            **_answer(str(record[names[place]] or ""), following),
            "expected": variables.get("__expected") or "",
        }


def _parts(column: str) -> tuple[str, str]:
    found = _PROVIDER.fullmatch(column)
    return (found["provider"], " ".join(found["prompt"].split())) if found else (column, "")


def _plain(name: str) -> str:
    """Return the name of a column that comes once for each provider, without its number."""
    return re.sub(r" \(\d+\)$", "", name)


def _answer(cell: str, following: Mapping[str, Any]) -> Row:
    found = _CELL.fullmatch(cell)
    outcome = found["outcome"] if found else str(following.get("Status") or "")
    text = found["text"] if found else cell
    score = found["score"] if found else following.get("Score")
    passed = {"PASS": 1, "FAIL": 0}.get(outcome)
    named = shapes.parsed(following.get("Named Scores"))
    scores = {"score": score or passed, "pass": passed}
    scores |= dict(named) if isinstance(named, Mapping) else {}
    reason = str(following.get("Grader Reason") or "")
    if outcome == "ERROR":
        return {"response": None, "score_score": None, "score_pass": None, "reason": reason or text}
    if found and outcome == "FAIL" and _DIVIDED in text:
        reason, text = _divided(text)
    return {"response": text, **shapes.scores(scores), "reason": reason}


def _divided(text: str) -> tuple[str, str]:
    """Return why an answer failed, and the answer; the reason stands first unless it only reads so last."""
    first, last = (part.strip() for part in text.split(_DIVIDED, 1))
    is_last = last.lower().startswith("expected") and not first.lower().startswith("expected")
    return (last, first) if is_last else (first, last)


def _rendered(prompt: str, variables: Mapping[str, Any]) -> str:
    """Return a prompt with what its variables say; empty where it is no template."""
    if not _VARIABLE.search(prompt):
        return ""
    return _VARIABLE.sub(lambda found: str(variables.get(found[1], found[0])), prompt)


SHAPES: Final = (shapes.answers("promptfoo_csv", "promptfoo, a table", _is_table, begin=_lines),)
