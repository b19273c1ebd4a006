"""lm-evaluation-harness: answers with their scores, without a name of who answered; and what came of a whole run.

Columns "score_METRIC" are the scores of an answer.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from annotation.files import shapes
from annotation.files.cells import Unfit
from annotation.files.columns import Target
from annotation.files.shapes import Row, Rows, Sample, Shape
from annotation.files.synonyms import NAMES

_SAMPLE: Final = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps")
#: What else stands in a sample and is no metric.
_BESIDE: Final = frozenset(
    {*_SAMPLE, "filter", "metrics", "doc_hash", "prompt_hash", "target_hash", "task_name"}
)


def _is_sample(sample: Sample) -> bool:
    return not sample.is_table and sample.has(*_SAMPLE)


def _of_samples() -> Rows:
    """Return what reads samples: of each answer that several filters were applied to, the first."""
    by_filter: dict[object, str] = {}

    def rows(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterable[Row]:
        name = str(record.get("filter") or "")
        place = (record.get("task_name"), record["doc_id"])
        return _of_sample(record) if by_filter.setdefault(place, name) == name else ()

    return rows


def _of_sample(record: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the answers to a question: each time it was asked is an answer of its own.

    Of a question with options, the answer is the option that the model found the likeliest.
    """
    requests = _requests(record["arguments"])
    filtered = record["filtered_resps"]
    for number, response in enumerate(_responses(record["resps"], requests), start=1):
        yield {
            "external_id": record["doc_id"],
            **_question(record["doc"], requests),
            "standard_answer": shapes.said(record["target"]),
            "response": response,
            "sample_no": number,
            **shapes.scores(_metrics(record)),
            "filter": record.get("filter") or "",
            "filtered": shapes.said(filtered[0] if filtered else ""),
        }


def _requests(arguments: object) -> list[Sequence[Any]]:
    """Return what a model was asked, each with its prompt and with settings or a continuation."""
    if isinstance(arguments, Mapping):
        return [list(one.values()) for one in arguments.values() if isinstance(one, Mapping)]
    listed = arguments if isinstance(arguments, list) else []
    return [one for one in listed if isinstance(one, list)]


def _question(doc: object, requests: Sequence[Sequence[Any]]) -> Row:
    """Return the question of a document by its name, else the prompt."""
    names = NAMES[Target.QUESTION].split()
    cells = doc if isinstance(doc, Mapping) else {}
    asked = next((cells[name] for name in names if isinstance(cells.get(name), str)), None)
    if asked is None and requests and requests[0]:
        asked = requests[0][0]
    return shapes.asked(asked if asked is not None else doc)


def _responses(resps: object, requests: Sequence[Sequence[Any]]) -> list[str]:
    """Return what a model said.

    Raises:
        Unfit: it said nothing, but was only asked how likely a text is.
    """
    parts = resps if isinstance(resps, list) else []
    firsts = [one[0] if isinstance(one, list) and one else one for one in parts]
    if firsts and isinstance(firsts[0], str):
        return [str(text) for text in (parts[0] if isinstance(parts[0], list) else parts)]
    likely = [one[0] if isinstance(one, list) and one else None for one in firsts]
    options = [one[1] for one in requests if len(one) > 1 and isinstance(one[1], str)]
    known = [float(one) for one in likely if isinstance(one, int | float | str)]
    if len(known) < 2 or len(options) != len(known):
        raise Unfit("only_likelihood", resps)
    return [options[max(range(len(known)), key=known.__getitem__)].strip()]


def _metrics(record: Mapping[str, Any]) -> Mapping[str, Any]:
    names = record.get("metrics") or [name for name in record if name not in _BESIDE]
    return {name: record[name] for name in names if isinstance(record.get(name), int | float)}


def _are_results(sample: Sample) -> bool:
    """Say whether this is the summary of a run: figures by task."""
    tasks = sample.first.get("results")
    return (
        not sample.is_table
        and sample.has("results", "configs", "versions")
        and isinstance(tasks, Mapping)
        and all(isinstance(one, Mapping) for one in tasks.values())
    )


def _results(record: Mapping[str, Any], _outer: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row a figure; standard errors are none."""
    for task, metrics in record["results"].items():
        for name, value in metrics.items():
            if isinstance(value, int | float) and "_stderr" not in name:
                metric, _comma, filtered = name.partition(",")
                figure = metric if filtered in {"", "none"} else f"{metric} ({filtered})"
                system = record.get("model_name") or ""
                yield {"system": system, "dataset": task, "figure": figure, "value": value}


SHAPES: Final = (
    Shape(
        "lm_eval_results",
        "lm-evaluation-harness, results",
        "FIGURES",
        _are_results,
        _results,
        {name: name for name in ("system", "dataset", "figure", "value")},
    ),
    shapes.answers("lm_eval", "lm-evaluation-harness, samples", _is_sample, begin=_of_samples),
)
