"""Interviews by scripted models, for tests: questions, candidates, runs to their end."""

from typing import Any
from uuid import UUID

from annotation.systems.models import SystemRelease
from scoring.endpoints.models import Judge
from scoring.engine import working
from scoring.engine.models import Run
from scoring.kinds.interviews import operations as interviews
from scoring.kinds.interviews import rejudging
from tests import make
from tests.scoring import connected

OPTIONS = {"A": "a rope", "B": "a bell", "C": "a crane"}


def questions(n: int = 5) -> list[int]:
    """Return free questions and, as every second one, questions of multiple choice."""
    made = []
    for number in range(n):
        extra = {"options": OPTIONS, "answer_label": "A", "dataset": "quay"} if number % 2 else {}
        one = make.item(
            f"Q-{number}",
            question=f"What holds ship number {number} at the quay?",
            reference="A rope that is made fast to a bollard.",
            extra=extra,
        )
        made.append(one.pk)
    return made


def candidates(*names: str) -> list[SystemRelease]:
    """Return connected releases, each with an endpoint that plays another script."""
    made = []
    for place, name in enumerate(names or ("Kestrel", "Osprey")):
        release = make.release(name)
        to = connected.endpoint(f"of {name}", script={"seed": place + 1})
        connected.connection(release, to=to)
        made.append(release)
    return made


def evaluator(name: str = "Evaluator", **settings: Any) -> Judge:
    script = settings.pop("script", {"seed": 9})
    return interviews.create(
        project=make.project(),
        name=name,
        endpoint=connected.endpoint(f"of {name}", script=script),
        settings=interviews.Settings(**settings),
        by=connected.owner(make.project()),
        now=make.NOW,
    )


def requested(number: int = 1, *, by: Judge | None = None, n: int = 5, **given: Any) -> Run:
    """Return interviews that were asked for."""
    home = make.project()
    items = given.pop("items", None) or questions(n)
    releases = given.pop("releases", None) or [one.pk for one in candidates()]
    config = interviews.configure(
        items=items,
        releases=releases,
        interactor=connected.endpoint("Interactor", script={"seed": 5}),
        **{"seed": 7, "planned": 3} | given,
    )
    return interviews.request_interviews(
        project=home,
        key=UUID(int=number),
        name=f"Interviews {number}",
        config=config,
        evaluator=by or evaluator(),
        seed=7,
        user=connected.owner(home),
        now=make.NOW,
    )


def done(run: Run) -> Run:
    """Work on a run to its end, stage after stage."""
    for minute in range(1, 20):
        working.work(run.pk, clock=lambda minute=minute: make.at(minute))
        run.refresh_from_db()
        if run.state not in {Run.State.STAGED, Run.State.RUNNING}:
            break
    return run


def held(**given: Any) -> Run:
    """Return a finished run of interviews."""
    return done(requested(**given))


def judged_again(of: Run, *by: Judge, number: int = 50, seed: int = 11) -> Run:
    """Return a finished run in which evaluators judged the dialogues of another run again."""
    run = rejudging.start(
        of=of,
        wish=rejudging.Wish(by, seed),
        key=UUID(int=number),
        name=f"Judged again {number}",
        user=connected.owner(make.project()),
        now=make.NOW,
    )
    return done(run)
