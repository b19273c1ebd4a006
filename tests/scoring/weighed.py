"""Losses measured on scripted systems, for tests: texts of two kinds, runs to their end."""

from typing import Any

from scoring.engine.models import Run
from scoring.kinds.losses.operations import KIND, Losses
from tests import copies, imports, make
from tests.scoring import connected, interviewed

HEAD = "id,question,A,B,answer"


@copies.made_once_among
def brought(name: str, n: int, first: int = 0) -> str:
    """Bring in questions under a name; return where they come from, as a form says it."""
    rows = [
        f"{name}-{one},What is moored at berth {one} of the {name} quay?,a tug,a barge,B"
        for one in range(first, first + n)
    ]
    upload = imports.choices("\n".join([HEAD, *rows]) + "\n", f"{name}.csv", dataset=name)
    return f"import:{imports.apply(upload).number}"


def wish(n: int = 3, first: int = 0, number: int = 1, **given: Any) -> Losses:
    if "train_over" not in given:
        given["train_over"] = brought("old", n, first)
    if "test_over" not in given:
        given["test_over"] = brought("new", n, first)
    given.setdefault("releases", tuple(one.pk for one in interviewed.candidates()))
    return Losses(**connected.head(1000 + number, f"Losses {number}") | given)


def requested(number: int = 1, **given: Any) -> Run:
    """Return a measurement that was asked for."""
    return connected.begun(KIND, make.project(), wish(number=number, **given))


def done(**given: Any) -> Run:
    """Return a finished measurement."""
    return interviewed.done(requested(**given))
