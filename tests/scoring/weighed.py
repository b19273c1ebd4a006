"""Losses measured on scripted systems, for tests: texts of two kinds, runs to their end."""

from typing import Any
from uuid import UUID

from scoring.engine.models import Run
from scoring.kinds.losses import operations as losses
from scoring.kinds.losses.operations import Wish
from tests import imports, make
from tests.scoring import connected, interviewed

HEAD = "id,question,A,B,answer"


def brought(name: str, n: int, first: int = 0) -> str:
    """Bring in questions under a name; return where they come from, as a form says it."""
    rows = [
        f"{name}-{one},What is moored at berth {one} of the {name} quay?,a tug,a barge,B"
        for one in range(first, first + n)
    ]
    upload = imports.choices("\n".join([HEAD, *rows]) + "\n", f"{name}.csv", dataset=name)
    return f"import:{imports.apply(upload).number}"


def wish(n: int = 3, first: int = 0, **given: Any) -> Wish:
    if "train_over" not in given:
        given["train_over"] = brought("old", n, first)
    if "test_over" not in given:
        given["test_over"] = brought("new", n, first)
    given.setdefault("releases", [one.pk for one in interviewed.candidates()])
    return Wish(**{"seed": 7} | given)


def requested(number: int = 1, **given: Any) -> Run:
    """Return a measurement that was asked for."""
    return losses.start(
        project=make.project(),
        wish=wish(**given),
        key=UUID(int=1000 + number),
        name=f"Losses {number}",
        user=connected.owner(make.project()),
        now=make.NOW,
    )


def done(**given: Any) -> Run:
    """Return a finished measurement."""
    return interviewed.done(requested(**given))
