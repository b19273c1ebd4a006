"""Exports of a round of this product: its grades or ratings, a line each, and its table of four dimensions.

They come back as they went out, with releases and scales. Grades that no figure counts do not: late or
invalid ones, those that settled others, of gold questions, and of later occasions.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from annotation.common import texts as faces
from annotation.files import messages, shapes
from annotation.files.cells import Unfit, is_number
from annotation.files.shapes import PLACES_OF_GRADES, PLACES_OF_PAIRS, Row, Sample, Shape

_LONG: Final = (
    *("grade", "round", "item", "system", "release", "criterion", "rubric", "scale_min"),
    *("scale_max", "rater", "rater_kind", "purpose", "occasion", "kind", "outcome", "value"),
    *("late", "valid"),
)
_CHOSEN: Final = (
    *("preference", "round", "id", "question", "system_a", "release_a", "sample_a", "answer_a"),
    *("system_b", "release_b", "sample_b", "answer_b", "choice", "annotator", "criterion"),
)
_WIDE: Final = ("question", "item", "capability", "criterion", "scale_min", "scale_max", "rater")
_KEY: Final = (*_WIDE, "occasion")
_MACHINES: Final = frozenset({"JUDGE", "METRIC", "DERIVED"})
#: Signs before which texts have an apostrophe, so that no spreadsheet takes them for formulas.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
_BETWEEN: Final = " · "
_SCORE_PLACES: Final = {
    **PLACES_OF_GRADES,
    "comment": "text",
    "outcome": "outcome",
    "reason": "reason",
}


def _has_grades(sample: Sample) -> bool:
    return sample.has(*_LONG) and not _is_all_machines(sample)


def _has_scores(sample: Sample) -> bool:
    return sample.has(*_LONG) and _is_all_machines(sample)


def _is_all_machines(sample: Sample) -> bool:
    kinds = {one.get("rater_kind") for one in sample.records}
    return bool(kinds) and kinds <= _MACHINES


def _is_table(sample: Sample) -> bool:
    return sample.is_table and sample.columns[:8] == _KEY and len(sample.columns) > len(_KEY)


def _grade(record: Mapping[str, Any], outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a grade of a person that counts."""
    if record["rater_kind"] in _MACHINES:
        raise Unfit("machine_among_people", record["rater"])
    yield from _rating(record, outer)


def _rating(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield what was given in a line, if figures count it."""
    if _counts(record):
        yield {name: _plain(value) for name, value in record.items()}


def _counts(record: Mapping[str, Any]) -> bool:
    said = {name: str(record[name]).strip().casefold() for name in ("late", "valid", "occasion")}
    is_seat = said["occasion"] == "1" and record["purpose"] != "GOLD"
    in_time = said["late"] == "false" and said["valid"] == "true"
    return is_seat and in_time and record["kind"] == "GIVEN"


def _plain(value: object) -> object:
    """Return a text as it was before it was made safe for spreadsheets."""
    if value is None:
        return ""
    if isinstance(value, str) and value.startswith("'") and value[1:].startswith(_FORMULA):
        return value[1:]
    return value


def _cells(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the marks of a line, one for each release; a release is named where its system has several.

    Raises:
        Unfit: a cell has the marks of several answers, and nothing says which is of which.
    """
    if str(record["occasion"]).strip() != "1":
        return
    names = [name for name in record if name not in _KEY]
    releases = _releases(names)
    facts = {name: _plain(record[name]) for name in _KEY if name != "question"}
    refused = None
    for name in names:
        mark = str(record[name] if record[name] is not None else "").strip()
        if " | " in mark:
            refused = refused or Unfit("several_marks", mark, name=name)
        elif is_number(mark):
            system, release = releases[name]
            yield {**facts, "system": system, "release": release, "value": record[name]}
    if refused:
        raise refused


def _releases(names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Return the system and the release of each column; of a system's only one, no release."""
    plain = {name: str(_plain(name)) for name in names}
    several = Counter(one.rpartition(_BETWEEN)[0] for one in plain.values() if _BETWEEN in one)
    found = {}
    for name, written in plain.items():
        system, _between, release = written.rpartition(_BETWEEN)
        found[name] = (system, release) if several[system] > 1 else (written, "")
    return found


def _has_choices(sample: Sample) -> bool:
    return sample.has(*_CHOSEN)


def _choice(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield what was chosen in a line, with a conversation as one."""
    row = {name: _plain(value) for name, value in record.items()}
    asked = messages.conversation(row["question"]) if messages.is_talk(row["question"]) else None
    yield {
        "external_id": row["id"],
        "messages": asked or faces.as_messages(str(row["question"])),
        "rater": row["annotator"],
        **{name: row[name] for name in PLACES_OF_PAIRS if name in row and name != "question"},
    }


SHAPES: Final = (
    shapes.grades("our_grades", "grades of a round", _has_grades, _grade),
    Shape("our_scores", "scores of a round", "SCORES", _has_scores, _rating, _SCORE_PLACES),
    shapes.pairs("our_preferences", "preferences of a round", _has_choices, _choice),
    shapes.grades("our_table", "the table of a round", _is_table, _cells),
)
