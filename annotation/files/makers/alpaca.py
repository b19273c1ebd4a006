"""AlpacaEval: what systems answered to instructions, and which of two answers an annotator prefers."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from annotation.files import shapes
from annotation.files.cells import Unfit, is_blank, is_missing, needed
from annotation.files.makers.pairs import asked
from annotation.files.shapes import Row, Sample, Shape

Record = Mapping[str, Any]


def _are_outputs(sample: Sample) -> bool:
    """Say whether there are outputs to instructions; who made them is not said in files for training."""
    named = sample.has("generator") or sample.has("input")
    return sample.has("instruction", "output") and named


def _outputs(record: Record, _outer: Record) -> Iterable[Row]:
    known = {"instruction", "input", "output", "generator"}
    yield {
        "question": asked(needed(record, "instruction"), record.get("input")),
        **({"system": needed(record, "generator")} if "generator" in record else {}),
        "response": needed(record, "output"),
        **{name: value for name, value in record.items() if name not in known},
    }


def _are_annotations(sample: Sample) -> bool:
    return sample.has("instruction", "preference", "output_1", "output_2", "generator_1")


def _annotations(record: Record, _outer: Record) -> Iterable[Row]:
    """Yield which of two outputs an annotator prefers: from 1, the first, to 2; 1.5 and 0 are ties."""
    raters = [record[name] for name in ("annotator", "annotator_index") if name in record]
    yield {
        "question": asked(needed(record, "instruction"), record.get("input")),
        "system_a": needed(record, "generator_1"),
        "system_b": needed(record, "generator_2"),
        "answer_a": needed(record, "output_1"),
        "answer_b": needed(record, "output_2"),
        "choice": _preferred(needed(record, "preference")),
        **({"rater": raters[0]} if raters else {}),
    }


def _preferred(value: object) -> str:
    """Return the choice that a preference stands for; empty where there is none.

    Raises:
        Unfit: it is no number from 1 to 2, nor 0.
    """
    if is_blank(value) or value != value or (isinstance(value, str) and is_missing(value)):
        return ""
    try:
        number = float(str(value))
    except ValueError as problem:
        raise Unfit("no_choice", value) from problem
    if number in {0, 1.5}:
        return "tie"
    if not 1 <= number <= 2:
        raise Unfit("no_choice", value)
    return "model_a" if number < 1.5 else "model_b"


SHAPES: Final = (
    shapes.pairs(
        *("alpaca_annotations", "AlpacaEval, annotations", _are_annotations, _annotations),
        by_machines=True,
    ),
    Shape(
        "alpaca_outputs",
        "AlpacaEval, outputs of a system",
        "ANSWERS",
        _are_outputs,
        _outputs,
        places={
            "question": "question",
            "system": "system",
            "response": "response",
            "dataset": "question_details",
        },
    ),
)
