"""Releases that answer by a script, for tests of collecting and publishing."""

from typing import Any
from uuid import UUID

from annotation import models as people
from annotation.imports import collecting as wanted
from annotation.people.models import Role
from scoring.endpoints import operations as connections
from scoring.endpoints.models import Endpoint, SystemConnection
from scoring.engine import working
from scoring.engine.models import Run
from scoring.kinds.collect import operations as collecting
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


def request(number: int = 1, *, in_: people.Project | None = None, **given: Any) -> Run:
    """Return a run that collects what the connected releases of a project lack."""
    home = in_ or make.project()
    lacking = wanted.of_bank(home, [], [], make.NOW)
    return collecting.request_answers(
        project=home,
        key=UUID(int=number),
        name=f"Answers {number}",
        config=collecting.configure(wanted=lacking, **given),
        seed=7,
        user=owner(home),
        now=make.NOW,
    )


def done(run: Run) -> Run:
    """Work on a run to its end, and return it."""
    working.work(run.pk, clock=lambda: make.NOW)
    run.refresh_from_db()
    return run
