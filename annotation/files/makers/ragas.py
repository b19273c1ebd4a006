"""Ragas: questions with answers, what was retrieved for them, and a column a metric.

Columns "score_METRIC" are the scores. Nothing says who answered, but for a column that somebody added.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from annotation.files import shapes
from annotation.files.cells import is_missing, is_number
from annotation.files.columns import Target
from annotation.files.shapes import Row, Sample, Shape

_ASKED: Final = ("user_input", "question")
_GIVEN: Final = ("response", "answer")
_CONTEXTS: Final = ("retrieved_contexts", "contexts", "retrieved_context_ids")
_REFERENCE: Final = ("reference", "ground_truth", "ground_truths")
_BESIDE: Final = frozenset(
    {*_ASKED, *_GIVEN, *_CONTEXTS, *_REFERENCE}
    | {"reference_contexts", "rubrics", "rubric", "multi_responses", "reference_tool_calls"}
)


def _fits(sample: Sample) -> bool:
    """Say whether a question and its answer stand beside what was retrieved for it."""
    later = sample.has("user_input", "response") and bool({*_CONTEXTS} & set(sample.columns))
    return later or sample.has("question", "answer", "contexts")


def _rows(record: Mapping[str, Any], outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the answer; a metric that could not be computed is missing."""
    del outer
    reference = _first(record, _REFERENCE)
    response = _first(record, _GIVEN)
    beside = {name: value for name, value in record.items() if name not in _BESIDE}
    system = shapes.named(beside, Target.SYSTEM)
    yield {
        **({"system": system} if system else {}),
        **shapes.asked(_first(record, _ASKED)),
        "response": None if response is None else shapes.said(response),
        "standard_answer": reference[0] if isinstance(reference, list) and reference else reference,
        "contexts": _first(record, _CONTEXTS),
        **{f"score_{name}": one for name, one in beside.items() if _is_metric(one)},
    }


def _is_metric(value: object) -> bool:
    """Say whether a cell is a number, or says that there is none."""
    if isinstance(value, str):
        return not value.strip() or is_missing(value) or is_number(value.strip())
    return value is None or isinstance(value, int | float)


def _first(record: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((record[name] for name in names if name in record), None)


PLACES: Final = {
    "question": "question",
    "messages": "messages",
    "system": "system",
    "response": "response",
    "standard_answer": "standard_answer",
}
SHAPES: Final = (Shape("ragas", "Ragas", "ANSWERS", _fits, _rows, PLACES),)
