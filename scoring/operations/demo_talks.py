"""What the demo shows of interviews: a small run by script, and the same dialogues judged once more."""

from datetime import datetime
from typing import Final
from uuid import UUID

from annotation.models import Project, Round, SystemRelease, User
from annotation.queries import rounds
from annotation.rules import seeds
from scoring.models import Endpoint, Run
from scoring.operations import connections, evaluators, interview_starting, rejudging
from scoring.operations.interview_starting import Wish
from scoring.operations.runs import working
from scoring.queries import connections as reads
from scoring.queries import interview_choice

NAME: Final = "Interviews by script"
AGAIN: Final = "Interviews by script, judged again"
#: Interviewed beside the system that is connected already.
OTHERS: Final = ("Harbour 70B", "Dock RAG")
#: Intervals need five questions, and two of each capability.
QUESTIONS: Final = 12
MANNER: Final = {"system_prompt": "Answer briefly.", "temperature": 0.0}
SEEDS: Final = 2**31


def play(*, project: Project, by: User, now: datetime) -> None:
    """Have three systems interviewed about questions of the bank; nobody is asked over the network."""
    endpoint = (
        Endpoint.objects.in_use().filter(project=project, kind=Endpoint.Kind.SCRIPTED).first()
    )
    if endpoint is None:
        return
    _connect_others(project, endpoint, by, now)
    ready = [one.release.pk for one in reads.of_project(project) if one.is_ready]
    if not ready:
        return
    wish = Wish(
        over=_over(project),
        releases=ready,
        interactor=endpoint,
        evaluator=endpoint,
        seed=seeds.integer(project.slug, "demo interviews", below=SEEDS),
        settings={"questions": QUESTIONS, "planned": 3, "mark_but_continue": True},
    )
    run = interview_starting.start(
        project=project,
        wish=wish,
        key=_key(project, "demo interviews"),
        name=NAME,
        user=by,
        now=now,
    )
    _finish(run, now)
    _judge_again(run, endpoint, by, now)


def _over(project: Project) -> str:
    """Return where the questions come from: those that people graded first, or else the bank."""
    graded = rounds.of(project).filter(kind=Round.Kind.PRODUCTION, state=Round.State.FINAL)
    first = graded.order_by("number").first()
    return f"{interview_choice.ROUND}{first.number}" if first else interview_choice.BANK


def _connect_others(project: Project, endpoint: Endpoint, by: User, now: datetime) -> None:
    releases = SystemRelease.objects.filter(system__project=project, system__name__in=OTHERS)
    for release in releases.order_by("pk"):
        if not reads.current([release.pk]):
            connections.connect(release=release, endpoint=endpoint, settings=MANNER, by=by, now=now)


def _judge_again(of: Run, endpoint: Endpoint, by: User, now: datetime) -> None:
    """Have an evaluator that knows the standard answer judge the same dialogues."""
    other = evaluators.met(
        project=of.project,
        chosen=endpoint,
        settings=evaluators.Settings(reference_visible=True),
        by=by,
        now=now,
    )
    run = rejudging.start(
        of=of,
        wish=rejudging.Wish([other], seed=of.seed),
        key=_key(of.project, "demo interviews again"),
        name=AGAIN,
        user=by,
        now=now,
    )
    _finish(run, now)


def _key(project: Project, said: str) -> UUID:
    return UUID(int=seeds.integer(project.slug, said, below=2**128))


def _finish(run: Run, now: datetime) -> None:
    working.work(run.pk, clock=lambda: now)
    run.refresh_from_db()
