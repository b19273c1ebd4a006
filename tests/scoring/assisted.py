"""Assistants that ask a scripted endpoint, and their runs over answers, for tests."""

from typing import Any

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
        settings=assistants.AssistantSettings(kind=kind, **{"premise": "question", **settings}),
        by=connected.owner(home),
        now=make.NOW,
    )


def over_import(batch: int, number: int = 1) -> Run:
    """Return a run of an assistant over an import of answers that has been asked for."""
    return _asked(assistant(), number, batch=batch)


def requested(round_: Round, by: Judge, number: int = 1, **given: Any) -> Run:
    """Return a run of an assistant over the answers of a round that has been asked for."""
    return _asked(by, number, round=round_.number, **given)


def _asked(by: Judge, number: int, **given: Any) -> Run:
    head = connected.head(number, f"Scores {number}")
    wish = assistants.Assisted(**head | given, assistant=by.rater_id)
    return connected.begun(assistants.KIND, by.project, wish)


def ran(round_: Round, by: Judge | None = None, number: int = 1, **given: Any) -> Run:
    """Return a finished run of an assistant over a round."""
    return judged.done(requested(round_, by or assistant(), number, **given), minute=number)
