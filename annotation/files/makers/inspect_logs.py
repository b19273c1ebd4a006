"""Inspect: logs as JSON, where samples of one model stand beside what was evaluated.

Columns "score_SCORER" are the scores. Scorers write C, I, P and N for correct, incorrect, partly correct
and no answer: 1, 0, 0.5 and 0.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from annotation.files import shapes
from annotation.files.shapes import Row, Sample

_LETTERS: Final = {"C": 1, "I": 0, "P": 0.5, "N": 0}


def _fits(sample: Sample) -> bool:
    """Say whether samples stand beside an evaluation that names its task and model."""
    evaluation = sample.outer.get("eval")
    return (
        isinstance(evaluation, Mapping)
        and {"task", "model"} <= evaluation.keys()
        and all({"id", "input"} <= one.keys() for one in sample.records or ({},))
    )


def _fits_lines(sample: Sample) -> bool:
    """Say whether each sample has the evaluation with it, as logs are unpacked here."""
    alone = Sample(sample.name, sample.form, sample.columns, sample.records, sample.first)
    return sample.has("eval", "id", "input") and _fits(alone)


def _line(record: Mapping[str, Any], outer: Mapping[str, Any]) -> Iterator[Row]:
    yield from _rows(record, {**outer, "eval": record["eval"]})


def _rows(record: Mapping[str, Any], outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the answer of a sample; one that ended in an error is empty, and says which.

    Each epoch asks all samples again: it is the number of the answer.
    """
    answered = _response(record.get("output"))
    target = record.get("target")
    yield {
        "external_id": record["id"],
        **shapes.asked(_input(record)),
        "standard_answer": "\n".join(map(str, target)) if isinstance(target, list) else target,
        "system": shapes.at(outer, "eval", "model") or shapes.at(record, "output", "model"),
        "response": answered or None,
        "sample_no": record.get("epoch") or 1,
        **shapes.scores(_scores(record)),
        "error": shapes.at(record, "error", "message") or "",
    }


def _input(record: Mapping[str, Any]) -> Any:
    """Return what was asked, with the options of a question that has some."""
    asked, options = record["input"], record.get("choices")
    if not (isinstance(asked, str) and isinstance(options, list) and options):
        return asked
    listed = [f"{letter}) {option}" for letter, option in zip(_ALPHABET, options, strict=False)]
    return "\n".join([asked, "", *listed])


_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _response(output: object) -> Any:
    """Return what was said: a text, or a message with its parts, of which reasoning is kept apart."""
    choices = shapes.objects_in(shapes.at(output, "choices"))
    content = shapes.at(choices[0], "message", "content") if choices else None
    if isinstance(content, list) and content:
        return [{"role": "assistant", "content": content}]
    return shapes.at(output, "completion") or content


def _scores(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the values of the scorers; earlier versions have one scorer without a name."""
    scores = record.get("scores")
    found = scores if isinstance(scores, Mapping) else {}
    if not found and isinstance(record.get("score"), Mapping):
        found = {"score": record["score"]}
    return {name: _value(shapes.at(one, "value")) for name, one in found.items()}


def _value(value: object) -> Any:
    if isinstance(value, Mapping):
        return {name: _value(one) for name, one in value.items()}
    return _LETTERS.get(value, value) if isinstance(value, str) else value


SHAPES: Final = (
    shapes.answers("inspect_samples", "Inspect, samples of a log", _fits_lines, _line),
    shapes.answers("inspect", "Inspect, a log", _fits, _rows, path="samples"),
)
