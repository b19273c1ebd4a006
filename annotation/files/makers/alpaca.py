"""AlpacaEval: what systems answered to instructions, and which of two answers an annotator prefers."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from annotation.files import shapes
from annotation.files.cells import is_blank, is_missing, needed, text
from annotation.files.shapes import Row, Sample, Shape

Record = Mapping[str, Any]


def _are_outputs(sample: Sample) -> bool:
    """Say whether there are outputs to instructions; who made them is not said in files for training."""
    named = sample.has("generator") or sample.has("input")
    return sample.has("instruction", "output") and named


def _outputs(record: Record, _outer: Record) -> Iterable[Row]:
    known = {"instruction", "input", "output", "generator"}
    yield {
        "question": _asked(needed(record, "instruction"), record.get("input")),
        **({"system": needed(record, "generator")} if "generator" in record else {}),
        "response": needed(record, "output"),
        **{name: value for name, value in record.items() if name not in known},
    }


def _asked(instruction: object, more: object) -> str:
    """Return an instruction and what it is about, as one text with a blank line between."""
    parts = [text(one).strip() for one in (instruction, more) if one == one and not is_blank(one)]
    return "\n\n".join(one for one in parts if not is_missing(one))


def _are_annotations(sample: Sample) -> bool:
    return sample.has("instruction", "preference", "output_1", "output_2", "generator_1")


SHAPES: Final = (
    Shape("alpaca_annotations", "AlpacaEval, annotations", shapes.PREFERENCES, _are_annotations),
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
