"""Tools that texts are annotated in: Argilla of versions 1 and 2, Potato and doccano.

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
from annotation.files.cells import Unfit, is_number
from annotation.files.columns import Target
from annotation.files.shapes import Row, Sample

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
    """Yield a row for each grade that was submitted; several answers stand in it as a list.

    What is ranked or marked within a text is refused at the end.
    """
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
        elif isinstance(values[0], Mapping):
            refused = refused or Unfit("several_labels", one.value, name=one.question)
        else:
            value = values if len(values) > 1 else values[0]
            grade = {"rater": one.user, "criterion": one.question, "value": value}
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


# Potato ---------------------------------------------------------------------------------------

_SCHEME: Final = ":::"
_TYPED: Final = frozenset({"text_box", "free_response"})


def _is_potato(sample: Sample) -> bool:
    """Say whether a file has the labels that somebody gave under the names of schemes, or such columns."""
    listed = sample.has("id", "label_annotations") and not sample.is_table
    return listed or (
        sample.is_table
        and sample.has("instance_id")
        and any(_SCHEME in name for name in sample.columns)
    )


def _potato(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the label of each scheme: its number where it has one; what was typed is a comment."""
    given = _labels(record)
    typed = [said for one in given.values() for label, said in one.items() if label in _TYPED]
    about = {
        "item": record.get("instance_id") or record.get("id"),
        "comment": "\n".join(map(str, typed)),
    }
    for target in (Target.SYSTEM, Target.RATER):
        if said := shapes.named(record, target):
            about[target.value] = said
    for scheme, labels in given.items():
        chosen = {label: one for label, one in labels.items() if label not in _TYPED}
        if len(chosen) > 1:
            yield {**about, "criterion": scheme, "value": list(chosen)}
            continue
        for label, said in chosen.items():
            yield {**about, "criterion": scheme, "value": said if is_number(str(said)) else label}


def _labels(record: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what was said of each label, by its scheme."""
    given: dict[str, dict[str, Any]] = {}
    for scheme, labels in shapes.under(record, "label_annotations").items():
        given[scheme] = dict(labels) if isinstance(labels, Mapping) else {"": labels}
    for name, value in record.items():
        scheme, divided, label = name.partition(_SCHEME)
        if divided and value not in (None, ""):
            given.setdefault(scheme, {})[label] = value
    return given


# doccano --------------------------------------------------------------------------------------


def _is_doccano(sample: Sample) -> bool:
    """Say whether each record is a text with a list of its labels."""
    return (
        not sample.is_table
        and sample.has("id", "text", "label")
        and all(
            isinstance(one.get("label"), list)
            and all(isinstance(each, str) for each in one["label"])
            for one in sample.records
        )
    )


def _doccano(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the label of a text; its own id only counts the texts, and names no question."""
    labels = record["label"]
    about = {key: one for key, one in record.items() if key not in {"id", "text", "label"}}
    meta = about.pop("meta", None) or about.pop("metadata", None)
    about |= meta if isinstance(meta, Mapping) else {}
    found = {
        one.value: shapes.named(about, one) for one in (Target.ITEM, Target.SYSTEM, Target.RATER)
    }
    named = {key: one for key, one in found.items() if one or key == "item"}
    if labels:
        yield {**named, "criterion": "label", "value": labels if len(labels) > 1 else labels[0]}


SHAPES: Final = (
    shapes.grades("potato", "Potato", _is_potato, _potato),
    shapes.grades("doccano", "doccano", _is_doccano, _doccano),
    shapes.grades("argilla", "Argilla, flat", _is_flat, _rows),
    shapes.grades("argilla_records", "Argilla, records", _is_nested, _rows),
)
