"""Assistants that ask a scripted endpoint, and their runs over answers, for tests."""

from typing import Any
from uuid import UUID

from annotation.rounds.models import Round
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.models import Run
from scoring.kinds.assistants import operations as assistants
from scoring.kinds.assistants.asking_v1 import Kind
from tests import make
from tests.scoring import connected, judged


def assistant(
    name: str = "Entailment",
    kind: Kind = Kind.SERVED,
    *,
    endpoint: Endpoint | None = None,
    **settings: Any,
) -> Judge:
    """Return an assistant: by default a served model that sets answers against the question."""
    home = make.project()
    return assistants.create(
        project=home,
        name=name,
        endpoint=endpoint or connected.endpoint(in_=home),
        settings=assistants.Settings(kind=kind, **{"premise": "question", **settings}),
        by=connected.owner(home),
        now=make.NOW,
    )


def over_import(batch: int, number: int = 1) -> Run:
    """Return a run of an assistant over an import of answers that has been asked for."""
    by = assistant()
    return assistants.request_scores(
        assistant=by,
        key=UUID(int=number),
        name=f"Scores {number}",
        seed=7,
        user=connected.owner(by.project),
        now=make.NOW,
        batch=batch,
    )


def requested(round_: Round, by: Judge, number: int = 1, **given: Any) -> Run:
    """Return a run of an assistant over the answers of a round that has been asked for."""
    return assistants.request_scores(
        assistant=by,
        key=UUID(int=number),
        name=f"Scores {number}",
        seed=given.pop("seed", 7),
        user=connected.owner(round_.project),
        now=make.NOW,
        round_=round_,
        **given,
    )


def ran(round_: Round, by: Judge | None = None, number: int = 1, **given: Any) -> Run:
    """Return a finished run of an assistant over a round."""
    return judged.done(requested(round_, by or assistant(), number, **given), minute=number)
