"""Runs that measure systems by programs, in the project of many rows: accuracy, losses, an assistant, pairs."""

from django.utils import timezone

from annotation.domains.models import Capability
from annotation.people.models import Role
from annotation.systems.models import SystemRelease
from scoring.engine import working
from scoring.engine.models import Run
from scoring.kinds.accuracy import operations as quizzes
from scoring.kinds.assistants import operations as assistants
from scoring.kinds.assistants.asking_v1 import Kind
from scoring.kinds.losses import operations as losses
from scoring.kinds.pairs import operations as pairs
from tests import make
from tests.e2e.crowd import Crowd, name, text
from tests.e2e.crowd_fusion import smallest
from tests.scoring import connected

N_QUESTIONS, MOST_STAGES = 4, 5
OPTIONS = {"A": "a rope", "B": "averylongoption" * 12, "C": "a crane", "D": "a gull"}


def measure(crowd: Crowd) -> None:
    """Have accuracy and losses of two systems measured, and an assistant score a final round."""
    to = connected.endpoint(name(5, 80), in_=crowd.home, script={"seed": 3})
    releases = list(SystemRelease.objects.filter(system__project=crowd.home).order_by("pk")[:2])
    for one in releases:
        connected.connection(one, to=to)
    subjects = [make.capability(f"{name(place, 60)} berths", in_=crowd.home) for place in range(2)]
    _questions(crowd, subjects)
    asked = tuple(one.pk for one in releases)
    old, new = (f"bank:{one.pk}" for one in subjects)
    head = connected.head(81, name(4, 120)) | {"releases": asked}
    quiz = quizzes.Quiz(**head, over=old, questions=N_QUESTIONS)
    _done(connected.begun(quizzes.KIND, crowd.home, quiz))
    head = connected.head(82, name(5, 120)) | {"releases": asked}
    loss = losses.Losses(**head, train_over=old, test_over=new, texts=N_QUESTIONS)
    _done(connected.begun(losses.KIND, crowd.home, loss))
    _done(_assistant(crowd, to))
    _done(_pairs(crowd, to))


def _questions(crowd: Crowd, subjects: list[Capability]) -> None:
    for place, capability in enumerate(subjects):
        for number in range(N_QUESTIONS):
            make.item(
                f"{name(number, 60)}-{place}-{number}",
                in_=crowd.home,
                question=text(number),
                reference="a rope",
                capability_=capability,
                extra={"options": OPTIONS, "answer_label": "A", "dataset": name(place, 60)},
            )


def _assistant(crowd: Crowd, to) -> Run:
    by = crowd.people[Role.OWNER][0]
    made = assistants.create(
        project=crowd.home,
        name=name(6, 100),
        endpoint=to,
        settings=assistants.AssistantSettings(kind=Kind.SERVED, premise="question"),
        by=by,
        now=make.NOW,
    )
    round_, batch = smallest(crowd)
    wish = assistants.Assisted(
        **connected.head(83, name(6, 120)),
        assistant=made.rater_id,
        round=round_.number if round_ else None,
        batch=batch,
    )
    return connected.begun(assistants.KIND, crowd.home, wish)


def _pairs(crowd: Crowd, to) -> Run:
    """Have the same answers compared in pairs."""
    round_, batch = smallest(crowd)
    wish = pairs.JudgedPairs(
        **connected.head(84, name(7, 120)),
        endpoint=to.name,
        round=round_.number if round_ else None,
        batch=batch,
    )
    return connected.begun(pairs.KIND, crowd.home, wish)


def _done(run: Run) -> None:
    for _ in range(MOST_STAGES):
        working.work(run.pk, clock=timezone.now)
        run.refresh_from_db()
        if run.state == Run.State.DONE:
            return
