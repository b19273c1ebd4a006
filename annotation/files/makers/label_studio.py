"""Label Studio: what annotators chose and rated, as JSON, as JSON_MIN and as a table.

JSON has a task with all its annotations; the other two have a line an annotation, where a result and
what the task is about stand side by side. Each result is a grade on the criterion that its name is.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from annotation.files import shapes, synonyms
from annotation.files.columns import Target
from annotation.files.shapes import Row, Sample

_OF_ANNOTATION: Final = ("annotator", "annotation_id", "created_at", "updated_at", "lead_time")
_BESIDE: Final = frozenset({*_OF_ANNOTATION, "id", "agreement", "history", "completed_by"})
#: Results that are grades, and where their value stands.
_GRADES: Final = ("rating", "number", "choices", "selected", "taxonomy")
_TEXT: Final = "text"
_LONG: Final = 60
#: Names of what tasks are about.
_DATA: Final = frozenset(
    name
    for target in (Target.EXTERNAL_ID, Target.SYSTEM, Target.QUESTION, Target.RESPONSE)
    for name in (*synonyms.NAMES[target].split(), "text", "answer")
)


def _is_full(sample: Sample) -> bool:
    """Say whether records are tasks with what they are about and their annotations."""
    return not sample.is_table and all(
        isinstance(one.get("data"), Mapping)
        and isinstance(one.get("annotations"), list)
        and all("result" in each for each in shapes.objects_in(one["annotations"]))
        for one in sample.records or ({},)
    )


def _is_minimal(sample: Sample) -> bool:
    return not sample.is_table and sample.has(*_OF_ANNOTATION)


def _is_table(sample: Sample) -> bool:
    """Say whether a table has annotations, and a column of it is a result for certain."""
    if not (sample.is_table and sample.has(*_OF_ANNOTATION)):
        return False
    told = any(_is_criterion(name) for name in sample.columns if name not in _BESIDE)
    return told or any(
        _result(shapes.parsed(one)) is not None
        for record in sample.records
        for one in record.values()
    )


def _of_task(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the grades of all annotations of a task that were not cancelled."""
    about = _about(record["data"], record.get("id"))
    for annotation in shapes.objects_in(record["annotations"]):
        if annotation.get("was_cancelled"):
            continue
        by = annotation.get("completed_by")
        facts = {
            **about,
            "rater": str((by.get("email") or by.get("id")) if isinstance(by, Mapping) else by),
            "at": annotation.get("created_at"),
        }
        results: dict[str, list[Any]] = {}
        for one in shapes.objects_in(annotation.get("result")):
            results.setdefault(str(one.get("from_name", "")), []).append(one.get("value"))
        yield from _grades(facts, results)


def _of_min(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the grades of one annotation; results stand after what the task is about."""
    names = [name for name in record if name not in _OF_ANNOTATION]
    after_id = names[names.index("id") + 1 :] if "id" in record else names
    if len(after_id) + 1 == len(names) or any(_is_data(name) for name in after_id):
        # The id is that of what the task is about, and says nothing of where results begin.
        certain = (n for n, name in enumerate(names) if _result(record[name]) is not None)
        after_id = names[next(certain, len(names)) :]
    yield from _of_annotation(record, frozenset(after_id))


def _of_line(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the grades of one annotation; a word is a result where its column is called a criterion."""
    yield from _of_annotation(record, frozenset())


def _of_annotation(record: Mapping[str, Any], certain: frozenset[str]) -> Iterator[Row]:
    data, results = {}, {}
    for name, value in record.items():
        result = _result(shapes.parsed(value))
        if name in _BESIDE or value in (None, ""):
            continue
        if result is not None:
            results[name] = result
        elif isinstance(value, str | int | float) and (name in certain or _is_criterion(name)):
            results[name] = [value]
        else:
            data[name] = value
    rater = record.get("annotator", "")
    facts = {**_about(data, record.get("id")), "rater": str(rater), "at": record.get("created_at")}
    yield from _grades(facts, results)


def _about(data: Mapping[str, Any], task: object) -> Row:
    item = shapes.named(data, Target.ITEM) or str(task if task is not None else "")
    system = shapes.named(data, Target.SYSTEM)
    return {"item": item, **({"system": system} if system else {})}


def _result(value: object) -> list[Any] | None:
    """Return the parts of a result as annotators gave it; None for what a task is about."""
    parts = value if isinstance(value, list) else [value]
    found = [one for one in parts if isinstance(one, Mapping) and one.keys() & {*_GRADES, _TEXT}]
    return parts if parts and len(found) == len(parts) else None


def _is_data(name: str) -> bool:
    return shapes.fold(name) in _DATA


def _is_criterion(name: str) -> bool:
    return any(word in synonyms.CRITERIA for word in shapes.fold(name).split("_"))


def _grades(facts: Row, results: Mapping[str, list[Any]]) -> Iterator[Row]:
    """Yield a row a result; several answers stand in it as a list."""
    rows: list[Row] = []
    comments: list[str] = []
    for name, parts in results.items():
        values = [value for one in parts for value in _values(one)]
        if all(isinstance(one, Mapping) and _TEXT in one for one in parts) or _is_long(values):
            comments += map(str, values)
        elif values:
            value = values if len(values) > 1 else values[0]
            rows.append({**facts, "criterion": name, "value": value, "comment": ""})
    if rows and comments:
        rows[0]["comment"] = "\n".join(comments)
    yield from rows


def _values(part: object) -> Iterable[Any]:
    if not isinstance(part, Mapping):
        return (part,)
    value = next((part[name] for name in (*_GRADES, _TEXT) if name in part), None)
    if isinstance(value, list):
        return [" / ".join(map(str, one)) if isinstance(one, list) else one for one in value]
    return () if value is None else (value,)


def _is_long(values: list[Any]) -> bool:
    return any(isinstance(one, str) and len(one) > _LONG for one in values)


SHAPES: Final = (
    shapes.grades("label_studio", "Label Studio, JSON", _is_full, _of_task),
    shapes.grades("label_studio_min", "Label Studio, JSON_MIN", _is_minimal, _of_min),
    shapes.grades("label_studio_csv", "Label Studio, CSV", _is_table, _of_line),
)
