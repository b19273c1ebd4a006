"""Interviews in the project of many rows: held by scripts, with long names and questions."""

from django.utils import timezone

from annotation.people.models import Role
from annotation.systems.models import Item, SystemRelease
from scoring.engine import working
from scoring.engine.models import Run
from scoring.kinds.interviews import operations as interviews
from tests import make
from tests.e2e.crowd import Crowd, name
from tests.scoring import connected, interviewed

N_QUESTIONS, MOST_STAGES = 6, 5


def hold(crowd: Crowd) -> None:
    """Have two systems interviewed about a few questions."""
    by = crowd.people[Role.OWNER][0]
    to = connected.endpoint(name(7, 80), in_=crowd.home, script={"seed": 3})
    releases = list(SystemRelease.objects.filter(system__project=crowd.home).order_by("pk")[:2])
    for one in releases:
        connected.connection(one, to=to)
    items = Item.objects.seen().filter(project=crowd.home).exclude(reference="").order_by("pk")
    judge = interviews.create(
        project=crowd.home,
        name=name(7, 120),
        endpoint=to,
        settings=interviews.InterviewSettings(),
        by=by,
        now=make.NOW,
    )
    wish = interviews.Interviews(
        **connected.head(77, name(7, 120)),
        over="bank:",
        releases=tuple(one.pk for one in releases),
        interactor=to.name,
        evaluator=judge.rater_id,
        planned=3,
    )
    keys = list(items.values_list("pk", flat=True)[:N_QUESTIONS])
    run = interviewed.asked(crowd.home, wish, keys, judge)
    for _ in range(MOST_STAGES):
        working.work(run.pk, clock=timezone.now)
        run.refresh_from_db()
        if run.state == Run.State.DONE:
            break
