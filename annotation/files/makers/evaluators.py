"""Libraries that evaluate answers: Ragas, DeepEval, and the logs of OpenAI Evals.

Columns "score_METRIC" are the scores. Ragas and DeepEval do not say who answered, but for a column that
somebody added; a log of OpenAI Evals begins with it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from annotation.files import shapes
from annotation.files.cells import is_missing, is_number
from annotation.files.columns import Target
from annotation.files.shapes import Row, Rows, Sample

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


def _rows(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the answer; a metric that could not be computed is missing."""
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


# DeepEval --------------------------------------------------------------------------------------

_METRICS: Final = ("metricsData", "metrics_data", "metrics")


def _is_deepeval(sample: Sample) -> bool:
    """Say whether what was answered stands beside a list of metrics with their scores."""
    answered = sample.has("input") and (sample.has("actualOutput") or sample.has("actual_output"))
    listed = [name for name in _METRICS if sample.has(name)]
    return answered and any(
        isinstance(one.get(name), list) for one in sample.records for name in listed
    )


def _deepeval(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the answer of a test case; a metric that failed has no score."""
    metrics = shapes.objects_in(_first(record, _METRICS))
    yield {
        **({"external_id": record["id"]} if record.get("id") else {}),
        "question": record.get("input"),
        "response": _first(record, ("actualOutput", "actual_output")),
        "standard_answer": _first(record, ("expectedOutput", "expected_output")),
        "contexts": _first(record, ("retrievalContext", "retrieval_context", "context")),
        **{f"score_{one.get('name', one.get('metric'))}": one.get("score") for one in metrics},
    }


# OpenAI Evals ----------------------------------------------------------------------------------


def _is_log(sample: Sample) -> bool:
    return sample.has("spec", "sample_id", "type", "data")


def _log() -> Rows:
    """Return what reads the events of one log: whose answers they are stands in its first line."""
    systems: list[str] = []

    def rows(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
        named = shapes.at(record, "spec", "completion_fns")
        systems.extend(map(str, named) if isinstance(named, list) else ())
        if record.get("type") == "sampling":
            said = shapes.at(record, "data", "sampled")
            yield {
                "external_id": record.get("sample_id"),
                **shapes.asked(shapes.at(record, "data", "prompt")),
                "system": systems[0] if systems else "",
                "response": said[0] if isinstance(said, list) and said else said,
                "sample_no": 1,
            }

    return rows


SHAPES: Final = (
    shapes.answers("ragas", "Ragas", _fits, _rows),
    shapes.answers("deepeval", "DeepEval", _is_deepeval, _deepeval),
    shapes.answers("openai_evals", "OpenAI Evals, a log", _is_log, begin=_log),
)
