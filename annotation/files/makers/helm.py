"""HELM: the instances of a scenario, which nobody has answered, and what a model was asked and said."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from annotation.files import shapes
from annotation.files.shapes import Row, Sample, Shape


def _is_instances(sample: Sample) -> bool:
    return not sample.is_table and all(
        isinstance(shapes.at(one, "input", "text"), str) and "references" in one
        for one in sample.records or ({},)
    )


def _is_state(sample: Sample) -> bool:
    """Say whether requests stand beside how the instances were adapted to a model."""
    adapted = "adapter_spec" in sample.outer
    return adapted and all("instance" in one for one in sample.records or ({},))


def _is_answered(sample: Sample) -> bool:
    return _is_state(sample) and any(map(_completion, sample.records))


def _is_unanswered(sample: Sample) -> bool:
    return _is_state(sample) and not any(map(_completion, sample.records))


def _asked(instance: Mapping[str, Any]) -> Row:
    """Return the question of an instance; one that was changed on purpose is a question of its own."""
    changed = shapes.at(instance, "perturbation", "name")
    right = (
        shapes.at(one, "output", "text")
        for one in shapes.objects_in(instance.get("references"))
        if "correct" in (one.get("tags") or ())
    )
    name = str(instance.get("id") or "")
    return {
        "external_id": f"{name} {changed}" if changed else name,
        "question": shapes.said(shapes.at(instance, "input", "text")),
        "standard_answer": next(right, "") or "",
    }


def _request(record: Mapping[str, Any], outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield what the model said; a request that only weighs an option is no answer."""
    if record.get("request_mode") == "calibration" or record.get("reference_index") is not None:
        return
    asked = _asked(record.get("instance") or {})
    prompt = shapes.said(shapes.at(record, "request", "prompt"))
    adapted = outer.get("adapter_spec")
    models = [
        shapes.at(adapted, "model"),
        shapes.at(record, "request", "model"),
        shapes.at(adapted, "model_deployment"),
    ]
    yield {
        **asked,
        "question": asked["question"] or prompt,
        "system": next((one for one in models if one), ""),
        "response": _completion(record),
        "sample_no": int(record.get("train_trial_index") or 0) + 1,
    }


def _completion(record: Mapping[str, Any]) -> str | None:
    """Return the text of the first completion; None where a request has no result."""
    completions = shapes.objects_in(shapes.at(record, "result", "completions"))
    text = completions[0].get("text") if completions else None
    return text if isinstance(text, str) else None


_STATE: Final = "request_states"
SHAPES: Final = (
    Shape("helm_instances", "HELM, instances without answers", shapes.NOTHING, _is_instances),
    shapes.answers("helm", "HELM, answers", _is_answered, _request, path=_STATE),
    Shape(
        "helm_unanswered",
        "HELM, requests without answers",
        shapes.NOTHING,
        _is_unanswered,
        path=_STATE,
    ),
)
