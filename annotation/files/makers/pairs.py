"""Preferences between two answers: Chatbot Arena and MT-Bench by people, PandaLM, and pairs for training (DPO)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from annotation.files import messages, shapes
from annotation.files.cells import Unfit, is_blank, is_missing, needed, text
from annotation.files.columns import Target
from annotation.files.messages import split_answer
from annotation.files.shapes import Row, Sample, Shape

Record = Mapping[str, Any]


def said(whole: list[Any]) -> object:
    """Return messages as a text where there is one, else as they are."""
    return (
        whole[0]["content"] if len(whole) == 1 and set(whole[0]) == {"role", "content"} else whole
    )


def asked(instruction: object, more: object = None) -> str:
    """Return an instruction and what it is about, as one text with a blank line between."""
    parts = [text(one).strip() for one in (instruction, more) if one == one and not is_blank(one)]
    return "\n\n".join(one for one in parts if not is_missing(one))


# Chatbot Arena ---------------------------------------------------------------------------------

_WINNERS: Final = {"model_a": "a", "model_b": "b", "a": "a", "b": "b"}


def _is_arena(sample: Sample) -> bool:
    talks = sample.has("conversation_a", "conversation_b", "winner")
    texts = sample.has("prompt", "response_a", "response_b", "winner_model_a", "winner_model_b")
    return sample.has("model_a", "model_b") and (talks or texts)


def _arena(record: Record, _outer: Record) -> Iterable[Row]:
    if "conversation_a" in record:
        whole = [messages.conversation(needed(record, f"conversation_{side}")) for side in "ab"]
        cuts = [_first_answer(one) for one in whole]
        question, answers = (
            whole[0][: cuts[0]],
            [one[cut:] for one, cut in zip(whole, cuts, strict=True)],
        )
    else:
        question = messages.of_turns(_texts(needed(record, "prompt")), "user")
        answers = [
            messages.of_turns(_texts(needed(record, f"response_{side}")), "assistant")
            for side in "ab"
        ]
    judge = record.get("judge")
    winner = _arena_winner(record)
    yield {
        "external_id": record.get("question_id", record.get("id")),
        "question": said(question),
        "system_a": needed(record, "model_a"),
        "system_b": needed(record, "model_b"),
        "answer_a": said(answers[0]),
        "answer_b": said(answers[1]),
        "winner": winner,
        "rater": " ".join(map(str, judge)) if isinstance(judge, list) else judge or "",
        "turn": record.get("turn"),
        "language": record.get("language"),
        "tstamp": record.get("tstamp"),
        "both_bad": winner == "tie" and "bad" in str(record.get("winner")).casefold(),
    }


def _first_answer(whole: list[Any]) -> int:
    return next((at for at, one in enumerate(whole) if one["role"] == "assistant"), len(whole))


def _texts(value: object) -> list[Any]:
    """Return the turns of a cell: a list, its JSON text, or one text."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        loaded = messages.loaded(value)
        return loaded if isinstance(loaded, list) else [value]
    return value if isinstance(value, list) else [value]


def _arena_winner(record: Record) -> str:
    if "winner_model_a" in record and "winner" not in record:
        marked = [
            side
            for side, name in (("a", "model_a"), ("b", "model_b"), ("tie", "tie"))
            if str(record.get(f"winner_{name}")).strip() in {"1", "1.0", "True", "true"}
        ]
        if len(marked) != 1:
            raise Unfit("no_winner", ", ".join(marked))
        return marked[0]
    written = str(needed(record, "winner")).strip().casefold()
    if "tie" in written or "both" in written:
        return "tie"
    if written not in _WINNERS:
        raise Unfit("no_winner", needed(record, "winner"))
    return _WINNERS[written]


# Tables of anybody ----------------------------------------------------------------------------

_SIDES: Final = (("a", "b"), ("1", "2"), ("left", "right"))
_CALLED: Final = ("model", "system", "generator", "assistant")
_CHOSEN: Final = (
    "winner",
    "preference",
    "preferred",
    "better",
    "choice",
    "vote",
    "verdict",
    "label",
)


def _sides_of(columns: Iterable[str]) -> tuple[str, str, str, tuple[str, str]] | None:
    """Return the columns of two systems and of which was preferred, and what the sides are called."""
    named = {shapes.fold(name): name for name in columns}
    chosen = next((named[one] for one in _CHOSEN if one in named), "")
    for sides in _SIDES if chosen else ():
        for called in _CALLED:
            for form in (f"{called}_{{}}", f"{{}}_{called}", f"{called}{{}}"):
                pair = [named.get(form.format(side), "") for side in sides]
                if all(pair):
                    return pair[0], pair[1], chosen, sides
    return None


def _is_table(sample: Sample) -> bool:
    return _sides_of(sample.columns) is not None


def _table(record: Record, _outer: Record) -> Iterable[Row]:
    """Yield who won: by the name of a side, of its column or of its system, or by 1, 2 and a tie."""
    found = _sides_of(record)
    assert found is not None
    first, second, chosen, sides = found
    written = str(needed(record, chosen)).strip().casefold()
    names = [
        {side, shapes.fold(column), str(record[column]).strip().casefold(), number}
        for side, column, number in zip(sides, (first, second), ("1", "2"), strict=True)
    ]
    sure = [which for which, these in zip("ab", names, strict=True) if written in these]
    if not sure and not any(word in written for word in ("tie", "both", "equal", "draw", "same")):
        raise Unfit("no_winner", record[chosen])
    yield {
        "external_id": shapes.named(record, Target.ITEM),
        "question": record.get("question", record.get("prompt")),
        "system_a": needed(record, first),
        "system_b": needed(record, second),
        "winner": sure[0] if sure else "tie",
        "rater": shapes.named(record, Target.RATER),
    }


# PandaLM --------------------------------------------------------------------------------------

_ANNOTATOR: Final = re.compile(r"annotator[_ ]?\d+")
_PANDA: Final = {"0": "tie", "1": "a", "2": "b"}


def _is_pandalm(sample: Sample) -> bool:
    return sample.has("cmp_key", "instruction", "response1", "response2") and any(
        _ANNOTATOR.fullmatch(name) for name in sample.columns
    )


def _pandalm(record: Record, _outer: Record) -> Iterable[Row]:
    """Yield a row for each annotator who said which is better."""
    first, second = _two_systems(text(needed(record, "cmp_key")))
    for name in record:
        if not _ANNOTATOR.fullmatch(name):
            continue
        value = record[name]
        if value is None or value != value or is_missing(text(value)) or is_blank(text(value)):
            continue
        written = text(value).strip().removesuffix(".0")
        if written not in _PANDA:
            raise Unfit("no_winner", value)
        yield {
            "external_id": record.get("idx"),
            "question": asked(needed(record, "instruction"), record.get("input")),
            "system_a": first,
            "system_b": second,
            "answer_a": needed(record, "response1"),
            "answer_b": needed(record, "response2"),
            "winner": _PANDA[written],
            "rater": name,
            "motivation_app": record.get("motivation_app"),
        }


def _two_systems(key: str) -> tuple[str, str]:
    """Return the two names of a key such as "pine_oak"; names may have as many "_" as each other."""
    parts = key.split("_")
    half = len(parts) // 2
    if len(parts) % 2 or not all(parts):
        raise Unfit("not_two_systems", key)
    return "_".join(parts[:half]), "_".join(parts[half:])


# Pairs for training -----------------------------------------------------------------------------


def _system(record: Record, side: str) -> object:
    """Return the system of a side, where the file names it; else the name of the side."""
    return record.get(f"{side}_model") or record.get(f"{side}-model") or side


_SPEAKERS: Final = re.compile(r"(?:\A|\n\n)(Human|Assistant):[ \t]*")


def _is_dpo(sample: Sample) -> bool:
    return sample.has("chosen", "rejected") and all(
        _is_said(one.get("chosen")) and _is_said(one.get("rejected")) for one in sample.records
    )


def _is_said(value: object) -> bool:
    """Say whether a cell holds words or messages, and no figure."""
    if isinstance(value, str):
        return any(sign.isalpha() for sign in value)
    return isinstance(value, list) and bool(value) and all(map(messages.is_message, value))


def _dpo(record: Record, _outer: Record) -> Iterable[Row]:
    """Yield a pair; where an answer holds the whole conversation, what led to it is the question."""
    seen, better = split_answer(_talk(needed(record, "chosen")))
    _again, worse = split_answer(_talk(needed(record, "rejected")))
    named = ("prompt", "question", "instruction")
    written = next((record[key] for key in named if not is_blank(record.get(key))), None)
    question = _talk(written, role="user") if written is not None else seen
    if record.get("system") and not any(one["role"] == "system" for one in question):
        question = [{"role": "system", "content": text(needed(record, "system"))}, *question]
    known = {"chosen", "rejected", "system", *named}
    yield {
        "external_id": next((record[key] for key in ("id", "prompt_id") if key in record), None),
        "question": said(question),
        "system_a": _system(record, "chosen"),
        "system_b": _system(record, "rejected"),
        "answer_a": said(better),
        "answer_b": said(worse),
        "winner": "a",
        "rater": "",
        **{name: value for name, value in record.items() if name not in known},
    }


def _talk(value: object, role: str = "assistant") -> list[Any]:
    """Return messages, of a list, of JSON, or of a text in which "Human:" and "Assistant:" speak."""
    if isinstance(value, str):
        parts = _SPEAKERS.split(value)
        if len(parts) > 1 and not parts[0].strip():
            names = {"Human": "user", "Assistant": "assistant"}
            pairs = zip(parts[1::2], parts[2::2], strict=True)
            return [{"role": names[who], "content": words.strip()} for who, words in pairs]
    found = messages.answer(value)
    if len(found) == 1 and isinstance(value, str) and not messages.is_talk(value):
        return [{"role": role, "content": found[0]["content"]}]
    return found


SHAPES: Final = (
    Shape("arena", "Chatbot Arena, votes on pairs", shapes.PREFERENCES, _is_arena, _arena),
    Shape(
        "pairs", "Pairs of systems, with which was preferred", shapes.PREFERENCES, _is_table, _table
    ),
    Shape("pandalm", "PandaLM, human annotations", shapes.PREFERENCES, _is_pandalm, _pandalm),
    Shape("dpo", "Pairs of a chosen and a rejected answer", shapes.PREFERENCES, _is_dpo, _dpo),
)
