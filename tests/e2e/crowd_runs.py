"""Runs of a project with many rows: in every state, with long names, texts without a gap, all outcomes.

The site's own workers look for runs that have work: a step that somebody holds, and none that is free,
keeps them away from those that seem to go on.
"""

from datetime import timedelta
from decimal import Decimal

from django.utils import timezone

from annotation import models
from scoring.endpoints.models import Endpoint
from scoring.engine.models import Run, Step
from tests.e2e.crowd import Crowd, name, text
from tests.scoring import run_rows

N_RUNS = 70
MOVING = (Run.State.STAGED, Run.State.RUNNING)
OUTCOMES = (
    ("DONE", "OK"),
    ("DONE", "SYSTEM"),
    ("DONE", "NO_READING"),
    ("DONE", "SKIPPED"),
    ("FAILED", "MACHINE"),
    ("CLAIMED", ""),
    ("FREE", ""),
)


def ask(crowd: Crowd) -> None:
    """Make the runs. Nobody works on them: they stand as they are."""
    asked = [
        run_rows.endpoint(name(place, 80), in_=crowd.home, currency=("USD", "EUR")[place])
        for place in range(2)
    ]
    final = crowd.home.rounds.filter(state=models.Round.State.FINAL).first()
    states = list(Run.State.values)
    for place in range(N_RUNS):
        state = states[place % len(states)]
        run = run_rows.run(
            in_=crowd.home,
            name=name(place, 120),
            state=state,
            pause=list(Run.Pause.values)[place % 3] if state == Run.State.PAUSED else "",
            problem=text(place)[:500] if state == Run.State.PAUSED else "",
            round=final if place % 2 else None,
            scripted=place % 3 == 0,
            budget=Decimal("0.01") if place % 2 else None,
            started_at=None if state == Run.State.STAGED else timezone.now() - timedelta(hours=1),
            requested_at=timezone.now(),
        )
        if place >= N_RUNS - len(states):
            _work(crowd, run, asked)
        elif state in MOVING:
            run_rows.step(run, key="held", state=Step.State.CLAIMED)


def _work(crowd: Crowd, run: Run, asked: list[Endpoint]) -> None:
    responses = models.Response.objects.filter(item__project=crowd.home).order_by("pk")[:60]
    for place, response in enumerate(responses):
        state, outcome = OUTCOMES[place % len(OUTCOMES)]
        if run.state in MOVING and state == Step.State.FREE:
            state = Step.State.CLAIMED
        step = run_rows.step(
            run,
            key=name(place),
            response=response,
            item=response.item,
            state=state,
            outcome=outcome,
            trouble="TIMEOUT" if outcome == Step.Outcome.MACHINERY_FAILED else "",
            problem="" if outcome in {"", "OK"} else text(place)[:500],
            result={"said": text(place)},
            finished_at=timezone.now() if outcome else None,
        )
        said = ("system", text(place)), ("user", "verylongword" * 60)
        run_rows.call(step, None, messages=said, endpoint=asked[0], problem=text(place)[:500])
        run_rows.call(step, text(place) * 3, messages=said, endpoint=asked[place % 2], attempt=2)
