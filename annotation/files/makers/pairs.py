"""Preferences between two answers: Chatbot Arena and MT-Bench by people, PandaLM, pairs of any table.

Pairs for training (DPO) come in where they name the two systems; else they are told by name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from annotation.files import messages, parts, shapes, synonyms
from annotation.files.cells import Unfit, is_blank, is_missing, needed, text
from annotation.files.shapes import Row, Sample, Shape

Record = Mapping[str, Any]

_SIDES: Final = (("a", "b"), ("1", "2"), ("left", "right"))
_CHOSEN: Final = frozenset(
    ("winner", "preference", "preferred", "better", "choice", "vote", "verdict", "label")
)
_ANNOTATOR: Final = re.compile(r"annotator[_ ]?\d+")
#: Who chose, and what a question is called, in files of arenas.
_RATERS: Final = (
    *("judge", "annotator", "rater", "judge_hash", "user_id", "evaluation_session_id"),
)
_IDS: Final = ("question_id", "id", "conversation_id")
_ONE_HOT: Final = {
    "winner_model_a": "model_a",
    "winner_model_b": "model_b",
    "winner_tie": "tie",
}
_CHOICES: Final = {0: "tie", 1: "model_a", 2: "model_b"}


def _is_arena(sample: Sample) -> bool:
    talks = sample.has("conversation_a", "conversation_b", "winner")
    texts = sample.has("prompt", "response_a", "response_b", "winner_model_a", "winner_model_b")
    return sample.has("model_a", "model_b") and (talks or texts)


def _votes(record: Record, _outer: Record) -> Iterator[Row]:
    """Yield one vote; what both conversations begin with is the question, the rest the answers.

    A vote on a later turn is about the conversation up to there, and a question of its own.
    """
    talks = [_talk(record, side) for side in "ab"]
    turn = record.get("turn")
    number = int(str(turn)) if str(turn or "").isdecimal() else 0
    asked, first = _cut(talks[0], number)
    also_asked, second = _cut(talks[1], number)
    if [_words(one) for one in asked] != [_words(one) for one in also_asked]:
        raise Unfit("prompts_differ", _words(also_asked[-1]) if also_asked else "")
    name = next((text(record[key]) for key in _IDS if not is_blank(record.get(key))), "")
    rater = next((key for key in _RATERS if key in record), "")
    yield {
        **(_named(name, number) if name else {}),
        "messages": asked,
        "system_a": needed(record, "model_a"),
        "system_b": needed(record, "model_b"),
        "answer_a": first,
        "answer_b": second,
        "choice": _winner(record),
        **({"rater": _rater(record[rater])} if rater else {}),
        **({"at": record["tstamp"]} if "tstamp" in record else {}),
    }


def _named(name: str, turn: int) -> Row:
    """Return what a question is called at a turn; all its turns are one question to statistics."""
    return {"external_id": f"{name} / turn {turn}" if turn > 1 else name, "group": name}


def _talk(record: Record, side: str) -> list[Any]:
    """Return the conversation of one side.

    Raises:
        Unfit: there is none.
    """
    if f"conversation_{side}" in record:
        said = shapes.parsed(record[f"conversation_{side}"])
        if not isinstance(said, list) or not said:
            raise Unfit("no_conversation", record[f"conversation_{side}"])
        return said
    asked, answered = _turns(record, "prompt"), _turns(record, f"response_{side}")
    found: list[Any] = []
    for place, question in enumerate(asked):
        found.append({"role": "user", "content": question})
        if place < len(answered) and answered[place] is not None:
            found.append({"role": "assistant", "content": answered[place]})
    return found


def _turns(record: Record, name: str) -> list[Any]:
    written = needed(record, name)
    said = shapes.parsed(written)
    return said if isinstance(said, list) else [written]


def _cut(talk: Sequence[Any], turn: int) -> tuple[list[Any], Any]:
    """Return what was asked first, and what followed up to a turn: one answer as its text.

    Raises:
        Unfit: nothing was asked, or nobody answers.
    """
    spoken = [place for place, one in enumerate(talk) if _role(one) == "assistant"]
    start = spoken[0] if spoken else len(talk)
    if not talk[:start]:
        raise Unfit("no_question", talk)
    end = spoken[turn - 1] + 1 if 0 < turn <= len(spoken) else len(talk)
    said = list(talk[start:end])
    only = said[0].get("content") if len(said) == 1 else None
    return list(talk[:start]), only if isinstance(only, str) else said


def _role(message: object) -> str:
    written = message.get("role", message.get("from")) if isinstance(message, Mapping) else ""
    return parts.ROLES.get(str(written or "").casefold(), "")


def _words(message: object) -> str:
    return shapes.said(message)


def _winner(record: Record) -> object:
    if "winner" in record:
        return record["winner"]
    chosen = [word for name, word in _ONE_HOT.items() if _is_one(record.get(name))]
    if len(chosen) > 1:
        raise Unfit("no_choice", ", ".join(chosen))
    return chosen[0] if chosen else ""


def _is_one(value: object) -> bool:
    return str(value).strip().casefold() in {"1", "1.0", "true"}


def _rater(written: object) -> object:
    """Return who chose; of a judge in a list its name."""
    return written[0] if isinstance(written, list) and written else written


def _is_table(sample: Sample) -> bool:
    """Say whether columns are called after two systems or answers, and another one after which was preferred."""
    named = {shapes.fold(name) for name in sample.columns}
    stems = [*synonyms.SIDED_SYSTEMS.split(), *synonyms.SIDED_ANSWERS.split()]
    forms = [f for stem in stems for f in (f"{stem}_{{}}", f"{{}}_{stem}", f"{stem}{{}}")]
    pairs = [{form.format(side) for side in sides} for form in forms for sides in _SIDES]
    return bool(named & _CHOSEN) and any(pair <= named for pair in pairs)


def _is_pandalm(sample: Sample) -> bool:
    return sample.has("cmp_key", "instruction", "response1", "response2") and any(
        _ANNOTATOR.fullmatch(name) for name in sample.columns
    )


def _pandalm(record: Record, _outer: Record) -> Iterator[Row]:
    """Yield what each annotator preferred: 1 and 2 are the answers, 0 is a tie."""
    key = text(needed(record, "cmp_key"))
    first, _sign, second = key.partition("_")
    if not (first and second) or "_" in second:
        raise Unfit("two_systems_in_one", key)
    for name, value in record.items():
        if _ANNOTATOR.fullmatch(name):
            yield {
                "question": asked(needed(record, "instruction"), record.get("input")),
                "system_a": first,
                "system_b": second,
                "answer_a": needed(record, "response1"),
                "answer_b": needed(record, "response2"),
                "choice": numbered(value, _CHOICES),
                "rater": name,
            }


def asked(instruction: object, more: object) -> str:
    """Return an instruction and what it is about, as one text with a blank line between."""
    parts = [text(one).strip() for one in (instruction, more) if one == one and not is_blank(one)]
    return "\n\n".join(one for one in parts if not is_missing(one))


def numbered(value: object, choices: Mapping[int, str]) -> str:
    """Return the choice that a number stands for; empty where nobody chose.

    Raises:
        Unfit: it stands for none.
    """
    if is_blank(value) or value != value or (isinstance(value, str) and is_missing(value)):
        return ""
    try:
        return choices[int(str(value).removesuffix(".0"))]
    except (KeyError, ValueError) as problem:
        raise Unfit("no_choice", value) from problem


def _is_dpo(sample: Sample) -> bool:
    return sample.has("chosen", "rejected") and all(
        _is_said(one.get("chosen")) and _is_said(one.get("rejected")) for one in sample.records
    )


def _is_said(value: object) -> bool:
    """Say whether a cell holds words or messages, and no figure."""
    if isinstance(value, str):
        return any(sign.isalpha() for sign in value)
    return isinstance(value, list) and bool(value) and all(map(messages.is_message, value))


def _names_both(sample: Sample) -> bool:
    named = {shapes.fold(name) for name in sample.columns}
    return {"chosen_model", "rejected_model"} <= named and _is_dpo(sample)


def _trained(record: Record, _outer: Record) -> Iterable[Row]:
    """Yield a chosen answer beside a rejected one; both begin with the prompt where they are whole."""
    by_name = {shapes.fold(key): value for key, value in record.items()}
    sides = [shapes.parsed(needed(by_name, name)) for name in ("chosen", "rejected")]
    begun: list[Any] = []
    for place, said in enumerate(sides):
        if isinstance(said, list) and _role(said[0] if said else None) != "assistant":
            before, sides[place] = _cut(said, 0)
            begun = begun or before
    prompt = shapes.parsed(by_name.get("prompt") or by_name.get("question") or "")
    talk = prompt if isinstance(prompt, list) and prompt else begun
    yield {
        "messages": talk or [{"role": "user", "content": text(prompt)}],
        "system_a": needed(by_name, "chosen_model"),
        "system_b": needed(by_name, "rejected_model"),
        "answer_a": sides[0],
        "answer_b": sides[1],
        "choice": "model_a",
    }


SHAPES: Final = (
    shapes.pairs("arena", "Chatbot Arena, votes on pairs", _is_arena, _votes),
    Shape("pairs", "Pairs of systems, with which was preferred", "PAIRS", _is_table),
    shapes.pairs("pandalm", "PandaLM, human annotations", _is_pandalm, _pandalm),
    shapes.pairs("dpo_systems", "Pairs for training, with their systems", _names_both, _trained),
    Shape("dpo", "Pairs of a chosen and a rejected answer", shapes.PREFERENCES, _is_dpo),
)
