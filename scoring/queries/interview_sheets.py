"""Tables of the results of interviews as lines of CSV: pairs, profiles, ablation, and how dialogues went."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from annotation.rules import sheets
from scoring.queries import banner, exports
from scoring.queries.interview_results import Board

Row = Sequence[Any]


def pairs(board: Board) -> Iterator[Row]:
    """Yield the differences of pairs of systems on the chosen aspect."""
    yield "left", "right", "difference", "low", "high", "p", "p_holm", "n", "reason"
    for one in board.pairs:
        value = one.value
        numbers = (value.value, value.low, value.high, one.p, one.p_holm, value.n)
        yield one.left, one.right, *numbers, value.why


def profiles(board: Board) -> Iterator[Row]:
    """Yield every system's score and rank under each profile; places won against the first one."""
    axes = ("scale", "decay", "after_stop", "unscored", "early_stopping")
    yield "profile", *axes, "system", "score", "rank", "places_lost"
    for one in board.data["profiles"]:
        profile = one["profile"]
        told = (profile["name"], *(profile[axis] for axis in axes))
        for row in zip(board.names, one["values"], one["ranks"], one["moves"], strict=True):
            yield *told, *row


def ablation(board: Board) -> Iterator[Row]:
    """Yield every system's score with and without falling weights × early stopping (Table 8)."""
    yield "decaying_weights", "early_stopping", "system", "score"
    for one in board.data["ablation"]:
        for name, value in zip(board.names, one["values"], strict=True):
            yield one["decaying"], one["stopping"], name, value


def dialogues(board: Board) -> Iterator[Row]:
    """Yield how the dialogues of every system went, a column for each reason to stop."""
    counts = (
        "n",
        "n_without",
        "rounds",
        "n_right",
        "n_decided",
        "n_exchanges",
        "n_unscored",
        "n_flagged",
        "n_failed",
        "n_stopped",
    )
    reasons = sorted({reason for one in board.data["facts"] for reason in one["reasons"]})
    yield "system", *counts, *(f"stopped_{reason}" for reason in reasons)
    for name, one in zip(board.names, board.data["facts"], strict=True):
        whys = (one["reasons"].get(reason, 0) for reason in reasons)
        yield name, *(one[count] for count in counts), *whys


SHEETS: Mapping[str, Callable[[Board], Iterator[Row]]] = {
    "pairs": pairs,
    "profiles": profiles,
    "ablation": ablation,
    "dialogues": dialogues,
}


def csv_lines(board: Board, table: str) -> Iterator[str]:
    """Yield a table; each line says under which choices it was made, and whether by a script."""
    axes = "; ".join(f"{name}={value}" for name, value in board.options.params.items())
    end: Row = ("choices", "note")
    for row in SHEETS[table](board):
        yield exports.as_csv([[_cell(cell) for cell in (*row, *end)]])
        end = (axes, banner.of_run(board.reading.run))


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return sheets.neutral(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value
