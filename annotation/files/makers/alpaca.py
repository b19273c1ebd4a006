"""AlpacaEval: what systems answered to instructions, and which of two answers an annotator prefers."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from annotation.files import shapes
from annotation.files.cells import Unfit, needed, text
from annotation.files.makers.pairs import asked
from annotation.files.shapes import Row, Sample, Shape

Record = Mapping[str, Any]
#: Between the first and the second: 1 is the first, 2 the second, and what lies between leans to one.
_MIDDLE: Final = 1.5
#: A judge, or the number of a person.
_RATERS: Final = ("annotator", "annotator_index")
_FIELDS: Final = ("output_1", "output_2", "generator_1", "generator_2")


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
    return sample.has("instruction", "preference", *_FIELDS)


def _annotations(record: Record, _outer: Record) -> Iterable[Row]:
    """Yield who won by the names beside the outputs, in whichever order these were shown."""
    known = {"instruction", "input", *_RATERS, *_FIELDS, "raw_completion"}
    yield {
        "question": asked(needed(record, "instruction"), record.get("input")),
        "system_a": needed(record, "generator_1"),
        "system_b": needed(record, "generator_2"),
        "answer_a": needed(record, "output_1"),
        "answer_b": needed(record, "output_2"),
        "winner": _winner(needed(record, "preference")),
        "rater": next((record[key] for key in _RATERS if record.get(key) is not None), ""),
        **{name: value for name, value in record.items() if name not in known},
    }


def _winner(written: object) -> str:
    """Return who won; 0 is a tie in older files.

    Raises:
        Unfit: nothing was preferred, or something that is no preference.
    """
    try:
        value = float(text(written))
    except ValueError:
        raise Unfit("no_winner", written) from None
    if value in (0, _MIDDLE):
        return "tie"
    if not 1 <= value <= 2:
        raise Unfit("no_winner", written)
    return "a" if value < _MIDDLE else "b"


SHAPES: Final = (
    Shape(
        "alpaca_annotations",
        "AlpacaEval, annotations",
        shapes.PREFERENCES,
        _are_annotations,
        _annotations,
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
