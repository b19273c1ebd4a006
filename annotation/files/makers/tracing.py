"""Langfuse and LangSmith: scores and feedback that people and machines gave to traces, and runs with them.

A file holds grades where any of its first scores was given by a person, and scores of machines elsewhere;
a machine's score among people's grades is refused by its line, so that nobody counts it as one of theirs.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from annotation.files import shapes
from annotation.files.cells import Unfit
from annotation.files.shapes import PLACES_OF_GRADES, Row, Rows, Sample, Shape

_LANGFUSE: Final = ("traceId", "name", "source", "dataType", "value")
_FEEDBACK: Final = ("run_id", "key", "score")
#: What people are called as the source of a score.
_PEOPLE: Final = frozenset({"annotation", "app"})
_SCORE_PLACES: Final = {**PLACES_OF_GRADES, "comment": "text"}


def _source(record: Mapping[str, Any]) -> str:
    feedback = shapes.under(record, "feedback_source")
    return str(record.get("source") or feedback.get("type") or "")


def _is_of(names: tuple[str, ...], *, people: bool) -> Callable[[Sample], bool]:
    def fits(sample: Sample) -> bool:
        sources = [_source(one).casefold() for one in sample.records]
        return sample.has(*names) and bool(_PEOPLE & set(sources)) == people

    return fits


def _by_people(rows: Rows) -> Rows:
    def kept(record: Mapping[str, Any], outer: Mapping[str, Any]) -> Iterator[Row]:
        if _source(record).casefold() not in _PEOPLE:
            raise Unfit("machine_among_people", _source(record))
        yield from rows(record, outer)

    return kept


def _langfuse(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a score: a number, 1 or 0 of a yes or no, or the word of a category."""
    value, word = record.get("value"), record.get("stringValue")
    is_word = str(record.get("dataType")).upper() in {"CATEGORICAL", "TEXT"}
    yield {
        "item": _filled(record, "traceId", "observationId", "sessionId"),
        "rater": _filled(record, "authorUserName", "authorUserId", "source"),
        "rater_group": _source(record),
        "criterion": record.get("name"),
        "value": (word or value) if is_word else value,
        "at": _filled(record, "timestamp", "createdAt"),
        "comment": record.get("comment") or "",
    }


def _feedback(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a feedback: its score, or what was chosen where it has none."""
    source = shapes.under(record, "feedback_source")
    yield {
        "item": _filled(record, "run_id"),
        "rater": _filled(source, "user_name", "user_id", "type"),
        "rater_group": _source(record),
        "criterion": record.get("key"),
        "value": record.get("value") if record.get("score") in (None, "") else record["score"],
        "at": _filled(record, "created_at"),
        "comment": record.get("comment") or "",
    }


def _filled(record: Mapping[str, Any], *names: str) -> str:
    return next((str(record[name]) for name in names if record.get(name)), "")


def _is_runs(sample: Sample) -> bool:
    """Say whether a file has the inputs and outputs of runs, and what only LangSmith writes beside them."""
    names = set(sample.columns)
    heads = {name.split(".")[0] for name in names}
    beside = {"run_type", "reference_example_id", "session_id", "example_id", "execution_time"}
    marks = heads & {"feedback", "feedback_stats"} or names & beside
    return {"inputs", "outputs"} <= heads and bool(marks)


def _run(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a run as an answer with its feedback as scores; one that failed has an empty answer.

    The answer's system is who the run says it was; without that a person says it.
    """
    references = {**shapes.under(record, "reference"), **shapes.under(record, "reference_outputs")}
    reference = shapes.response_of(references)
    system = _model(record)
    yield {
        "external_id": _filled(record, "reference_example_id", "example_id", "trace_id", "id"),
        **shapes.question_of(shapes.under(record, "inputs")),
        **({"system": system} if system else {}),
        "response": shapes.response_of(shapes.under(record, "outputs")),
        **({"standard_answer": reference} if reference else {}),
        **shapes.scores(_feedback_of(record)),
        "error": _filled(record, "error"),
    }


def _model(record: Mapping[str, Any]) -> str:
    """Return the language model that a run was of, or else the experiment."""
    metadata = {
        **shapes.under(shapes.under(record, "extra"), "metadata"),
        **shapes.under(record, "metadata"),
    }
    names = ("ls_model_name", "model", "model_name")
    return _filled(metadata, *names) or _filled(record, "session_name", "experiment")


def _feedback_of(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return feedback by its key; of several ones LangSmith has the average."""
    found = {**shapes.under(record, "feedback_stats"), **shapes.under(record, "feedback")}
    return {
        name.removesuffix(".avg"): value.get("avg", value.get("score"))
        if isinstance(value, Mapping)
        else value
        for name, value in found.items()
        if not name.endswith((".n", ".stdev", ".errors", ".values", ".comments"))
    }


def _both(key: str, name: str, columns: tuple[str, ...], rows: Rows) -> tuple[Shape, ...]:
    """Return a shape for grades of people, and one for scores of machines."""
    people, machines = (_is_of(columns, people=people) for people in (True, False))
    return (
        shapes.grades(f"{key}_grades", name, people, _by_people(rows)),
        Shape(f"{key}_scores", name, "SCORES", machines, rows, _SCORE_PLACES),
    )


SHAPES: Final = (
    *_both("langfuse", "Langfuse, scores", _LANGFUSE, _langfuse),
    *_both("langsmith", "LangSmith, feedback", _FEEDBACK, _feedback),
    shapes.answers("langsmith_runs", "LangSmith, runs", _is_runs, _run),
)
