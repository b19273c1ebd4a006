"""Releases that answer by a script, for tests of collecting and publishing."""

from typing import Any
from uuid import UUID

from annotation import models as people
from annotation.people.models import Role
from scoring.endpoints import operations as connections
from scoring.endpoints.models import Endpoint, SystemConnection
from scoring.engine import requests, working
from scoring.engine.estimating import RunEstimate
from scoring.engine.kinds import AskedRun, BeginRun, Begun
from scoring.engine.models import Run
from scoring.kinds.collect.operations import KIND, Collected
from tests import make


def endpoint(
    name: str = "Scripted", *, in_: people.Project | None = None, **given: Any
) -> Endpoint:
    """Return a scripted endpoint in use."""
    home = in_ or make.project()
    found = Endpoint.objects.in_use().filter(project=home, name=name).first()
    defaults: dict[str, Any] = {"kind": Endpoint.Kind.SCRIPTED, "created_at": make.NOW}
    return found or Endpoint.objects.create(project=home, name=name, **{**defaults, **given})


def connection(
    release: people.SystemRelease | None = None, *, to: Endpoint | None = None, **settings: Any
) -> SystemConnection:
    """Return what answers as a release: by default Kestrel, by the scripted endpoint."""
    judged = release or make.release()
    home = judged.system.project
    return connections.connect(
        release=judged,
        endpoint=to or endpoint(in_=home),
        settings=settings,
        by=owner(home),
        now=make.NOW,
    )


def owner(of: people.Project) -> people.User:
    return of.memberships.filter(role=Role.OWNER).earliest("pk").user


def begun(kind: Begun, of: Any, wish: BeginRun) -> Run:
    """Return a run that an owner has asked for."""
    home = of if isinstance(of, people.Project) else of.project
    return requests.started(kind, of, wish, user=owner(home), now=make.NOW)


def reckoned(kind: Begun, of: Any, wish: BeginRun) -> tuple[RunEstimate, AskedRun]:
    """Return what a run would take, and be."""
    home = of if isinstance(of, people.Project) else of.project
    return requests.checked(kind, of, wish, user=owner(home), now=make.NOW)


def head(number: int, name: str, seed: int = 7) -> dict[str, Any]:
    """Return what every start of a run says."""
    return {"key": UUID(int=number), "name": name, "seed": seed}


def request(number: int = 1, *, in_: people.Project | None = None, **given: Any) -> Run:
    """Return a run that collects what the connected releases of a project lack."""
    wish = Collected(**head(number, f"Answers {number}"), **given)
    return begun(KIND, in_ or make.project(), wish)


def done(run: Run) -> Run:
    """Work on a run to its end, and return it."""
    working.work(run.pk, clock=lambda: make.NOW)
    run.refresh_from_db()
    return run
