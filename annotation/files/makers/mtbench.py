"""MT-Bench: questions and answers of several turns, and what a judge said of single answers and of pairs."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from annotation.files import messages, shapes
from annotation.files.cells import Unfit, joined, needed, text
from annotation.files.shapes import Row, Sample, Shape

Record = Mapping[str, Any]


def _is_turns(value: object) -> bool:
    return isinstance(value, list) and bool(value)


def _are_questions(sample: Sample) -> bool:
    return sample.has("question_id", "turns") and all(
        _is_turns(one.get("turns")) and all(isinstance(_said(said), str) for said in one["turns"])
        for one in sample.records
    )


def _questions(record: Record, _outer: Record) -> Iterable[Row]:
    known = {"question_id", "turns", "reference"}
    row = {name: value for name, value in record.items() if name not in known}
    row["external_id"] = needed(record, "question_id")
    row["messages"] = messages.of_turns([_said(one) for one in _listed(record, "turns")], "user")
    if reference := record.get("reference"):
        row["reference"] = joined(reference)
    yield row


def _said(turn: object) -> object:
    """Return the text of a turn: later files have it within an object."""
    return turn.get("content") if isinstance(turn, Mapping) else turn


def _listed(record: Record, name: str) -> list[Any]:
    """Return the list under a name.

    Raises:
        Unfit: there is none, or it is empty.
    """
    found = needed(record, name)
    if not isinstance(found, list) or not found:
        raise Unfit("no_conversation", found)
    return found


def _are_answers(sample: Sample) -> bool:
    return sample.has("question_id", "model_id", "choices") and all(
        isinstance(choices := one.get("choices"), list)
        and bool(choices)
        and all(isinstance(each, Mapping) and _is_turns(each.get("turns")) for each in choices)
        for one in sample.records
    )


def _answers(record: Record, _outer: Record) -> Iterable[Row]:
    """Yield a row for each choice; several turns are the messages of a conversation."""
    kept = {"question_id", "model_id", "choices"}
    beside = {name: value for name, value in record.items() if name not in kept}
    for number, choice in enumerate(_listed(record, "choices"), start=1):
        turns = _listed(choice if isinstance(choice, Mapping) else {}, "turns")
        said = [_said(one) for one in turns]
        whole = messages.of_turns(said, "assistant")
        yield {
            "external_id": needed(record, "question_id"),
            "system": needed(record, "model_id"),
            "response": whole if len(whole) > 1 else whole[0]["content"],
            "sample_no": number,
            **beside,
        }


def _are_scores(sample: Sample) -> bool:
    told = sample.has("question_id", "model", "judge", "score", "judgment")
    return told and not sample.is_table


def _scores(record: Record, _outer: Record) -> Iterable[Row]:
    """Yield the score; each turn has one of its own, and −1 is what is written where none was found."""
    judge, prompt = _judge_of(needed(record, "judge"))
    turn = record.get("turn")
    yield {
        "item": needed(record, "question_id"),
        "system": needed(record, "model"),
        "rater": judge,
        "criterion": f"turn {turn}" if turn is not None else "overall",
        "value": needed(record, "score"),
        "reason": needed(record, "judgment"),
        "turn": turn,
        "prompt": prompt,
        "tstamp": record.get("tstamp"),
    }


def _judge_of(written: object) -> tuple[str, str]:
    """Return a judge, and the prompt it had, from a list of both or a name."""
    if isinstance(written, list) and written:
        return text(written[0]), " ".join(text(one) for one in written[1:])
    return text(written), ""


def _are_pairs(sample: Sample) -> bool:
    return sample.has("question_id", "model_1", "model_2", "judge", "g1_winner")


def _pairs(record: Record, _outer: Record) -> Iterable[Row]:
    """Yield what a judge said of a pair in both orders: what it says in one order only is a tie."""
    judge, _prompt = _judge_of(needed(record, "judge"))
    said = {text(record.get(name)) for name in ("g1_winner", "g2_winner") if name in record}
    turn = record.get("turn")
    name = text(needed(record, "question_id"))
    yield {
        "external_id": f"{name} / turn {turn}" if turn and turn != 1 else name,
        "group": name,
        "system_a": needed(record, "model_1"),
        "system_b": needed(record, "model_2"),
        "choice": "" if "error" in said else said.pop() if len(said) == 1 else "tie",
        "rater": judge,
    }


SHAPES: Final = (
    Shape(
        "mtbench_questions",
        "MT-Bench, questions",
        "QUESTIONS",
        _are_questions,
        _questions,
        places={
            "external_id": "external_id",
            "messages": "messages",
            "reference": "standard_answer",
            "category": "tags",
        },
    ),
    Shape(
        "mtbench_answers",
        "MT-Bench, answers",
        "ANSWERS",
        _are_answers,
        _answers,
        places={
            "external_id": "external_id",
            "system": "system",
            "response": "response",
            "sample_no": "sample_no",
        },
    ),
    Shape(
        "mtbench_single",
        "MT-Bench, scores of single answers",
        "SCORES",
        _are_scores,
        _scores,
        places={
            "item": "item",
            "system": "system",
            "rater": "rater",
            "criterion": "criterion",
            "value": "value",
            "reason": "reason",
        },
    ),
    shapes.pairs(
        *("mtbench_pair", "MT-Bench, judgments of pairs", _are_pairs, _pairs),
        by_machines=True,
    ),
)
