"""Argilla: answers of annotators to the questions about a record, of versions 1 and 2.

* Version 2, flat: `QUESTION.responses` with `.users` and `.status` beside it, lists of one length.
* Version 2, nested: `responses` with a list for each question; nothing says whether it was submitted.
* Version 1, as a data set: for each question a list of answers with `user_id`, `value` and `status`.
* Version 1, as records: `responses`, each of one annotator with the `values` of all questions.

What was discarded, or is a draft, is no grade. Texts are comments.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotation.files import shapes
from annotation.files.cells import Unfit
from annotation.files.columns import Target
from annotation.files.shapes import PLACES_OF_GRADES, Row, Sample, Shape

_FLAT: Final = ".responses"
_LEFT_OUT: Final = frozenset({"discarded", "draft", "missing"})
_LONG: Final = 60


@dataclass(frozen=True, slots=True)
class _Response:
    """What one annotator answered to one question."""

    question: str
    user: str
    value: Any
    status: str


def _is_flat(sample: Sample) -> bool:
    return any(sample.has(name, f"{name}.users") for name in sample.columns if name.endswith(_FLAT))


def _is_nested(sample: Sample) -> bool:
    return not sample.is_table and any(
        _of_question(one) or _of_users(one) for one in sample.records
    )


def _of_question(record: Mapping[str, Any]) -> bool:
    """Say whether a record has answers by question, within `responses` or beside its fields."""
    responses = record.get("responses")
    if isinstance(responses, Mapping) and "fields" in record:
        return any(_are_answers(one) for one in responses.values())
    return any(_are_answers(one) and _has_status(one) for one in record.values())


def _of_users(record: Mapping[str, Any]) -> bool:
    responses = shapes.objects_in(record.get("responses"))
    return "fields" in record and any("values" in one for one in responses)


def _are_answers(value: object) -> bool:
    answers = _listed(value)
    return bool(answers) and all({"user_id", "value"} <= one.keys() for one in answers)


def _has_status(value: object) -> bool:
    return all("status" in one for one in _listed(value))


def _listed(value: object) -> list[Mapping[str, Any]]:
    """Return answers as a list; tables of columns keep them as one object of lists."""
    value = shapes.parsed(value)
    if (
        isinstance(value, Mapping)
        and value
        and all(isinstance(one, list) for one in value.values())
    ):
        return [
            dict(zip(value, cells, strict=True)) for cells in zip(*value.values(), strict=False)
        ]
    return shapes.objects_in(value)


def _rows(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for each grade that was submitted, then refuse the first with several answers."""
    about = _about(record)
    comments: dict[str, list[str]] = {}
    rows: list[Row] = []
    refused: Unfit | None = None
    for one in _responses(record):
        if one.status in _LEFT_OUT or one.value in (None, "", []):
            continue
        values = one.value if isinstance(one.value, list) else [one.value]
        if isinstance(one.value, str) and len(one.value) > _LONG:
            comments.setdefault(one.user, []).append(one.value)
        elif len(values) > 1 or isinstance(values[0], Mapping):
            refused = refused or Unfit("several_labels", one.value, name=one.question)
        else:
            grade = {"rater": one.user, "criterion": one.question, "value": values[0]}
            rows.append({**about, **grade, "comment": ""})
    for row in rows:
        if said := comments.pop(row["rater"], None):
            row["comment"] = "\n".join(said)
    yield from rows
    if refused:
        raise refused


def _responses(record: Mapping[str, Any]) -> Iterator[_Response]:
    responses = record.get("responses")
    if _of_users(record):
        for one in shapes.objects_in(responses):
            user, status = str(one.get("user_id")), str(one.get("status") or "")
            for name, answer in (one.get("values") or {}).items():
                yield _Response(name, user, shapes.at(answer, "value"), status)
        return
    inner = responses if isinstance(responses, Mapping) and "fields" in record else record
    for name, value in inner.items():
        if name.endswith(_FLAT):
            yield from _flat(record, name)
        elif _are_answers(value):
            for one in _listed(value):
                user, status = str(one["user_id"]), str(one.get("status") or "")
                yield _Response(name, user, one["value"], status)


def _flat(record: Mapping[str, Any], name: str) -> Iterator[_Response]:
    columns = [shapes.parsed(record.get(f"{name}{end}")) for end in ("", ".users", ".status")]
    values, users, statuses = (one if isinstance(one, list) else [] for one in columns)
    for place, value in enumerate(values):
        user = str(users[place]) if place < len(users) else ""
        status = str(statuses[place] or "") if place < len(statuses) else ""
        yield _Response(name.removesuffix(_FLAT), user, value, status)


def _about(record: Mapping[str, Any]) -> Row:
    """Return whose answer to which question a record is; metadata says it before the record's own id."""
    cells = {**shapes.under(record, "fields"), **shapes.under(record, "metadata")}
    own = {key: value for key, value in record.items() if key not in {"fields", "metadata"}}
    known = {key: value for key, value in {**own, **cells}.items() if key != "id"}
    item = shapes.named(known, Target.ITEM) or shapes.named(own, Target.ITEM)
    system = shapes.named(known, Target.SYSTEM)
    return {"item": item, **({"system": system} if system else {})}


SHAPES: Final = (
    Shape("argilla", "Argilla, flat", "GRADES", _is_flat, _rows, PLACES_OF_GRADES),
    Shape("argilla_records", "Argilla, records", "GRADES", _is_nested, _rows, PLACES_OF_GRADES),
)
