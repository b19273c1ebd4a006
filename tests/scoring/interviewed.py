"""Interviews by scripted models, for tests: questions, candidates, runs to their end."""

from typing import Any

from annotation.people.models import Project
from annotation.systems.models import SystemRelease
from scoring.endpoints.models import Judge
from scoring.engine import requests, working
from scoring.engine.models import Run
from scoring.kinds.interviews import operations as interviews
from scoring.kinds.interviews import rejudging, v1
from scoring.kinds.interviews.operations import Interviews
from tests import copies, make
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
        settings=interviews.InterviewSettings(**settings),
        by=connected.owner(make.project()),
        now=make.NOW,
    )


def wish(number: int = 1, **given: Any) -> Interviews:
    """Return interviews by a new interactor; without systems that are named, by two candidates."""
    connected.endpoint("Interactor", script={"seed": 5})
    if "releases" not in given:
        given["releases"] = tuple(one.pk for one in candidates())
    usual = {"over": "bank:", "planned": 3, "interactor": "Interactor"}
    return Interviews(**connected.head(number, f"Interviews {number}") | usual | given)


def requested(
    number: int = 1, *, by: Judge | None = None, n: int = 5, items: Any = None, **given: Any
) -> Run:
    """Return interviews that were asked for."""
    items = items or questions(n)
    return asked(make.project(), wish(number, **given), items, by or evaluator())


def asked(home: Project, wanted: Interviews, items: list[int], by: Judge) -> Run:
    """Return interviews about these questions, wherever they are from."""
    return requests.request_run(
        project=home,
        key=wanted.key,
        kind=Run.Kind.KIEVAL,
        name=wanted.name,
        protocol=v1.PROTOCOL,
        config=interviews.configure(home, wanted, items),
        judge=by,
        seed=wanted.seed,
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


@copies.made_once_among
def held(**given: Any) -> Run:
    """Return a finished run of interviews."""
    return done(requested(**given))


def judged_again(of: Run, *by: Judge, number: int = 50, seed: int = 11) -> Run:
    """Return a finished run in which evaluators judged the dialogues of another run again."""
    raters = tuple(one.rater_id for one in by)
    head = connected.head(number, f"Judged again {number}", seed)
    again = rejudging.JudgeAgain(**head, evaluators=raters)
    return done(connected.begun(rejudging.KIND, of, again))
