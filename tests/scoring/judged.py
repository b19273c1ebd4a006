"""Judges that play a script, and their runs over rounds, for tests."""

from typing import Any
from uuid import UUID

from annotation.rounds.models import Round
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine import requests as requesting
from scoring.engine import working
from scoring.engine.models import Run
from scoring.kinds.judging import plugins
from scoring.kinds.judging import settings as judges
from tests import copies, make
from tests.scoring import connected


@copies.made_once_among
def judge(
    name: str = "Live judge",
    *,
    endpoint: Endpoint | None = None,
    kind: str = "direct",
    **settings: Any,
) -> Judge:
    """Return a judge: by default one reading at temperature 0 by the scripted endpoint."""
    home = make.project()
    given = {"repeats": 1, "temperature": 0.0, **settings}
    return judges.create(
        project=home,
        name=name,
        endpoint=endpoint or connected.endpoint(in_=home),
        settings=plugins.judge_kinds()[kind].settings(**given),
        by=connected.owner(home),
        now=make.NOW,
    )


def requested(round_: Round, by: Judge, number: int = 1, **given: Any) -> Run:
    """Return a run of a judge over a round that has been asked for."""
    return requesting.request_run(
        project=round_.project,
        key=UUID(int=number),
        kind=Run.Kind.JUDGE,
        name=f"Judging {number}",
        protocol=by.protocol,
        config={"criteria": given.pop("criteria", [])},
        seed=given.pop("seed", 7),
        user=connected.owner(round_.project),
        now=make.NOW,
        round_=round_,
        judge=by,
        **given,
    )


def done(run: Run, *, minute: float = 1) -> Run:
    """Work on a run to its end, and return it."""
    while True:
        working.work(run.pk, clock=lambda: make.at(minute))
        run.refresh_from_db()
        if run.state != Run.State.RUNNING or not run.steps.filter(state="FREE").exists():
            return run


@copies.made_once_among
def ran(round_: Round, by: Judge | None = None, number: int = 1, **given: Any) -> Run:
    """Return a finished run of a judge over a round."""
    return done(requested(round_, by or judge(), number, **given), minute=number)
