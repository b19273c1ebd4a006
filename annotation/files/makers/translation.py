"""Machine translation: scores of segments as the WMT metrics tasks keep them, and exports of Appraise.

Neither has a heading. Appraise grades from 0 to 100; only its type TGT is a grade: BAD, REF and CHK are
items that control the annotators.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from annotation.files.cells import is_number
from annotation.files.shapes import Row, Rows, Sample, Shape

_NAME: Final = re.compile(r"seg[._-]?(?:score|rating)s?", re.IGNORECASE)
_NONE: Final = "None"
#: How averages of people are called in the names of files, after the languages; others are of metrics.
_HUMAN: Final = re.compile(
    r"[a-z]{2,3}-[a-z]{2,3}\.(?:mqm|da|esa|sqm|psqm|appraise|wmt)\b", re.IGNORECASE
)
_TYPES: Final = frozenset({"TGT", "BAD", "REF", "CHK"})
_FIRST: Final = ("rater", "system", "segment", "type", "source", "target", "score")
_WIDTHS: Final = (9, 11, 12, 13, 14)


def _lines(sample: Sample) -> list[tuple[str, ...]]:
    """Return the lines of a table without heading, the first one too where it was taken for one."""
    lines = [tuple(str(cell or "").strip() for cell in one.values()) for one in sample.records]
    is_heading = not sample.columns[0].startswith("column ")
    return [tuple(sample.columns), *lines] if is_heading else lines


def _is_segments(sample: Sample, *, human: bool) -> bool:
    """Say whether lines have a system and a number or None, in a file that is called so."""
    if sample.form != "csv" or len(sample.columns) != 2 or not _NAME.search(sample.name):
        return False
    scores = [score for _system, score in _lines(sample)]
    return bool(_HUMAN.search(sample.name)) == human and all(
        score == _NONE or is_number(score) for score in scores
    )


def _segments() -> Rows:
    """Return what reads scores: the lines of a system stand in the order of the segments."""
    numbers: Counter[str] = Counter()

    def rows(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
        system, value = record["system"], record["value"]
        numbers[system] += 1
        missing = str(value).strip() == _NONE
        yield {"item": str(numbers[system]), "system": system, "value": "" if missing else value}

    return rows


def _is_appraise(sample: Sample, width: int) -> bool:
    if sample.form != "csv" or len(sample.columns) != width:
        return False
    return all(
        line[3] in _TYPES and is_number(line[6]) and len(line[4]) <= 8 and len(line[5]) <= 8
        for line in _lines(sample)
    )


def _assessment(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the grade of a translation; one of a whole document is on the document."""
    if record["type"] != "TGT":
        return
    is_whole = str(record.get("whole_document")) == "True"
    yield {
        "item": record["document"] if is_whole else record["segment"],
        "system": record["system"],
        "rater": record["rater"],
        "value": record["score"],
        "scale_min": 0,
        "scale_max": 100,
    }


def _columns(width: int) -> tuple[str, ...]:
    more = tuple(f"column {place}" for place in range(10, width + 1))
    return (*_FIRST, "document", "whole_document", *more)


def _appraise(width: int) -> Shape:
    return Shape(
        f"appraise_{width}",
        "Appraise",
        "GRADES",
        lambda sample: _is_appraise(sample, width),
        _assessment,
        {name: name for name in ("item", "system", "rater", "value")},
        header=_columns(width),
    )


def _wmt(key: str, kind: str, *, human: bool) -> Shape:
    return Shape(
        key,
        "WMT, scores of segments",
        kind,
        lambda sample: _is_segments(sample, human=human),
        places={name: name for name in ("item", "system", "value")},
        header=("system", "value"),
        begin=_segments,
    )


SHAPES: Final = (
    _wmt("wmt_metric", "SCORES", human=False),
    _wmt("wmt_human", "GRADES", human=True),
    *(map(_appraise, _WIDTHS)),
)
