"""What the demo shows of machines: a scripted endpoint, and a judge that has graded its finished round."""

from datetime import datetime
from uuid import UUID

from annotation.models import Project, Round, User
from annotation.rules import seeds
from scoring.models import Endpoint, Run
from scoring.operations import endpoint_scripts, judge_settings, judges, judging
from scoring.operations.runs import working

JUDGE = "Scripted judge"
SEEDS = 2**31
SETTINGS = judge_settings.Settings(repeats=2, temperature=0.5)


def play(*, project: Project, by: User, now: datetime) -> None:
    """Make the judge and have it grade the newest final round; nothing is asked over the network."""
    finished = Round.objects.filter(project=project, state=Round.State.FINAL)
    round_ = finished.order_by("-number").first()
    if round_ is None:
        return
    judge = judges.create(
        project=project,
        name=JUDGE,
        endpoint=_endpoint(project, by, now),
        settings=SETTINGS,
        by=by,
        now=now,
    )
    run = judging.request_judging(
        judge=judge,
        round_=round_,
        key=UUID(int=seeds.integer(project.slug, "demo judging", below=2**128)),
        name=f"{JUDGE}: {round_.name}"[:120],
        seed=seeds.integer(project.slug, "demo judge", below=SEEDS),
        user=by,
        now=now,
    )
    _finish(run, now)


def _endpoint(project: Project, by: User, now: datetime) -> Endpoint:
    scripted = Endpoint.objects.in_use().filter(project=project, kind=Endpoint.Kind.SCRIPTED)
    return scripted.first() or endpoint_scripts.add_scripted(project=project, by=by, now=now)


def _finish(run: Run, now: datetime) -> None:
    working.work(run.pk, clock=lambda: now)
