"""Fusion-Eval in the project of many rows: a task with long words, a plan, and a run by scripts."""

from dataclasses import replace

from django.utils import timezone

from annotation.people.models import Role
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round
from scoring.engine import working
from scoring.kinds.fusion import operations as fusing
from scoring.kinds.fusion import queries as fusion
from scoring.kinds.fusion import task_operations
from scoring.kinds.fusion.models import Plan
from scoring.kinds.fusion.templates import SUMMARY
from scoring.kinds.metrics import queries as measured
from tests import make
from tests.e2e.crowd import Crowd, name, text
from tests.scoring import connected


def evaluate(crowd: Crowd) -> None:
    """Have the answers of the smallest round or import evaluated with a plan and directly."""
    by = crowd.people[Role.OWNER][0]
    known = [one.helper for one in fusion.assistants(crowd.home)][:6]
    version = task_operations.create(
        project=crowd.home,
        name=name(3, 120),
        content=replace(SUMMARY, description=text(3), helpers=tuple(known)),
        by=by,
        now=make.NOW,
    )
    plan = task_operations.write(
        version=version,
        text=text(4),
        alignment={"fluency": [one.assistant.key for one in known[:2]]},
        source=Plan.Source.PERSON,
        by=by,
        now=make.NOW,
    )
    round_, batch = smallest(crowd)
    judge = connected.endpoint(name(8, 80), in_=crowd.home, script={"seed": 5})
    wish = fusing.Fused(
        **connected.head(78, name(8, 120)),
        variants=("FE", "DE") if known else ("DE",),
        endpoint=judge.name,
        plan=plan.number if known else None,
        round=round_.number if round_ else None,
        batch=batch,
        predictions=1,
    )
    run = connected.begun(fusing.START, version, wish)
    working.work(run.pk, clock=timezone.now)


def smallest(crowd: Crowd) -> tuple[Round | None, int | None]:
    """Return the round or import that has the fewest answers, which may be read."""
    final = rounds.rounds_of(crowd.home).filter(state=Round.State.FINAL)
    places: list[tuple[Round | None, int | None]] = [(one, None) for one in final]
    places += [(None, one.number) for one in measured.imports_of(crowd.home)]
    sizes = [(fusion.count(crowd.home, *place), n) for n, place in enumerate(places)]
    return places[min(size for size in sizes if size[0])[1]]
