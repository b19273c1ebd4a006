"""Accuracy measured on scripted systems, for tests: questions of multiple choice, runs to their end."""

from typing import Any

from scoring.engine.models import Run
from scoring.kinds.accuracy.operations import KIND, Quiz
from tests import copies, make
from tests.scoring import connected, interviewed

OPTIONS = {"A": "a rope", "B": "a bell", "C": "a crane", "D": "a gull"}


def questions(n: int = 6, *, dataset: str = "Quay", subject: str = "", first: int = 0) -> list[int]:
    """Return questions of multiple choice; the right option is another one each time."""
    made = []
    for number in range(first, first + n):
        right = "ABCD"[number % 4]
        extra = {"options": OPTIONS, "answer_label": right, "dataset": dataset}
        one = make.item(
            f"{dataset}-{number}",
            question=f"What is needed at berth number {number}?",
            reference=OPTIONS[right],
            extra=extra | ({"subject": subject} if subject else {}),
        )
        made.append(one.pk)
    return made


def wish(number: int = 1, **given: Any) -> Quiz:
    given.setdefault("over", "bank:")
    if "releases" not in given:
        given["releases"] = tuple(one.pk for one in interviewed.candidates())
    return Quiz(**connected.head(number, f"Accuracy {number}") | given)


def requested(number: int = 1, **given: Any) -> Run:
    """Return a measurement that was asked for."""
    return connected.begun(KIND, make.project(), wish(number, **given))


@copies.made_once_among
def done(**given: Any) -> Run:
    """Return a finished measurement."""
    return interviewed.done(requested(**given))
