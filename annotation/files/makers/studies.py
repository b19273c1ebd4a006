"""Published studies of how people grade: SummEval, and the layout of the alternative annotator test."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from annotation.files import shapes
from annotation.files.shapes import Row, Sample, Shape

#: The groups of raters of SummEval, and what a rater of each is called.
_GROUPS: Final = {"expert_annotations": "expert", "turker_annotations": "turker"}
_TURNED: Final = ("key 1", "key 2", "value")


def _is_summeval(sample: Sample) -> bool:
    return not sample.is_table and sample.has("id", "model_id", *_GROUPS)


def _of_summary(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a grade for each rater and criterion: raters have no names, but their place in their group."""
    for column, group in _GROUPS.items():
        for number, grades in enumerate(shapes.objects_in(record[column]), start=1):
            for criterion, value in grades.items():
                yield {
                    "item": record["id"],
                    "system": record["model_id"],
                    "rater": f"{group} {number}",
                    "rater_group": group,
                    "criterion": criterion,
                    "value": value,
                }


def _is_by_annotator(sample: Sample) -> bool:
    """Say whether an object leads from a few names, and then from many, to whole or half marks."""
    if sample.form != "object" or sample.columns != _TURNED:
        return False
    if any(one["value"] is not None and one["value"] * 2 % 1 for one in sample.records):
        return False
    outer, inner = ({str(one[name]) for one in sample.records} for name in _TURNED[:2])
    return len(outer) <= len(inner) and not outer & inner


def _of_pair(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    rater, item, value = (record[name] for name in _TURNED)
    yield {"rater": rater, "item": item, "value": value}


_GRADES: Final = {name: name for name in ("item", "system", "rater", "criterion", "value")}
SHAPES: Final = (
    Shape("summeval", "SummEval", "GRADES", _is_summeval, _of_summary, _GRADES),
    Shape(
        "alt_test",
        "grades by annotator and question, as for the alternative annotator test",
        "GRADES",
        _is_by_annotator,
        _of_pair,
        _GRADES,
    ),
)
