"""SQuAD: questions within paragraphs within articles, with every answer that was given to each.

The passage that a question was asked about becomes its note, the article its source.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from annotation.files import shapes
from annotation.files.shapes import Row, Sample, Shape

Record = Mapping[str, Any]


def _is_nested(sample: Sample) -> bool:
    if sample.is_table or not sample.has("paragraphs"):
        return False
    return all(
        "qas" in one
        for record in sample.records
        for one in shapes.objects_in(record.get("paragraphs"))
    )


def _nested(record: Record, _outer: Record) -> Iterator[Row]:
    for paragraph in shapes.objects_in(record["paragraphs"]):
        for asked in shapes.objects_in(paragraph.get("qas")):
            answers = [one.get("text") for one in shapes.objects_in(asked.get("answers"))]
            yield _row({**paragraph, **asked, "title": record.get("title")}, answers)


def _is_flat(sample: Sample) -> bool:
    """Say whether the answers of a record are one object with a list of texts and one of places."""
    return not sample.is_table and all(
        isinstance(shapes.at(one, "answers", "text"), list)
        and isinstance(shapes.at(one, "answers", "answer_start"), list)
        and "question" in one
        for one in sample.records
    )


def _flat(record: Record, _outer: Record) -> Iterator[Row]:
    yield _row(record, record["answers"]["text"])


def _row(asked: Record, answers: list[Any]) -> Row:
    """Return a question; what several people answered stands one below the other, each once."""
    said = dict.fromkeys(shapes.said(one).strip() for one in answers)
    impossible = asked.get("is_impossible") or not said
    return {
        "external_id": asked.get("id"),
        "question": asked.get("question"),
        "standard_answer": list(said),
        "source_title": str(asked.get("title") or "").replace("_", " ").strip(),
        "note": asked.get("context"),
        "tags": ["no answer in the passage"] if impossible else [],
    }


_PLACES: Final = {
    name: name
    for name in ("external_id", "question", "standard_answer", "source_title", "note", "tags")
}
SHAPES: Final = (
    Shape("squad", "SQuAD", "QUESTIONS", _is_nested, _nested, _PLACES, path="data"),
    Shape("squad_records", "SQuAD, a record a question", "QUESTIONS", _is_flat, _flat, _PLACES),
)
