"""What the demo shows of interviews: a small run by script, and the same dialogues judged once more.

* What the demo sets interviews against: questions of multiple choice, answered by four stand-ins.
"""

import csv
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from annotation.common import draws as seeds
from annotation.files.choices import ChoiceMapping
from annotation.files.columns import Target
from annotation.files.mappings import ColumnTarget
from annotation.files.models import ImportBatch, ImportKind
from annotation.files.scores import FigureMapping
from annotation.people.models import Project, User
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round
from annotation.systems.models import SystemRelease
from scoring.demo import files as demo_files
from scoring.endpoints import operations as connections
from scoring.endpoints import queries as reads
from scoring.endpoints import testing as endpoint_scripts
from scoring.endpoints.models import Endpoint
from scoring.engine import requests, working
from scoring.engine.models import Run
from scoring.kinds.accuracy import operations as quizzes
from scoring.kinds.interviews import operations as interviews
from scoring.kinds.interviews import queries as interview_choice
from scoring.kinds.interviews import rejudging
from scoring.kinds.interviews.kind import KIND
from scoring.kinds.interviews.operations import Interviews

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
    wish = Interviews(
        key=_key(project, "demo interviews"),
        name=NAME,
        seed=seeds.integer(project.slug, "demo interviews", below=SEEDS),
        over=_over(project),
        releases=tuple(ready),
        interactor=endpoint.name,
        evaluator_endpoint=endpoint.name,
        questions=QUESTIONS,
        planned=3,
        mark_but_continue=True,
    )
    run = requests.started(KIND, project, wish, user=by, now=now)
    _finish(run, now)
    _judge_again(run, endpoint, by, now)


def _over(project: Project) -> str:
    """Return where the questions come from: those that people graded first, or else the bank."""
    graded = rounds.rounds_of(project).filter(kind=Round.Kind.PRODUCTION, state=Round.State.FINAL)
    first = graded.order_by("number").first()
    return f"{interview_choice.ROUND}{first.number}" if first else interview_choice.BANK


def _connect_others(project: Project, endpoint: Endpoint, by: User, now: datetime) -> None:
    releases = SystemRelease.objects.filter(system__project=project, system__name__in=OTHERS)
    for release in releases.order_by("pk"):
        if not reads.current([release.pk]):
            connections.connect(release=release, endpoint=endpoint, settings=MANNER, by=by, now=now)


def _judge_again(of: Run, endpoint: Endpoint, by: User, now: datetime) -> None:
    """Have an evaluator that knows the standard answer judge the same dialogues."""
    other = interviews.met(
        project=of.project,
        chosen=endpoint,
        settings=interviews.InterviewSettings(reference_visible=True),
        by=by,
        now=now,
    )
    wish = rejudging.JudgeAgain(
        key=_key(of.project, "demo interviews again"),
        name=AGAIN,
        seed=of.seed,
        evaluators=(other.rater_id,),
    )
    run = requests.started(rejudging.KIND, of, wish, user=by, now=now)
    _finish(run, now)


def _key(project: Project, said: str) -> UUID:
    return UUID(int=seeds.integer(project.slug, said, below=2**128))


def _finish(run: Run, now: datetime) -> None:
    working.work(run.pk, clock=lambda: now)
    run.refresh_from_db()


TEST: Final = "choices.csv"
FIGURES: Final = (Target.SYSTEM, Target.DATASET, Target.FIGURE, Target.VALUE)
ACCURACY: Final = "Accuracy by script"
TALKS: Final = "Interviews about the test, by script"
LABELS: Final = "ABCD"
COLUMNS: Final[Mapping[str, Target]] = {
    "id": Target.EXTERNAL_ID,
    "question": Target.QUESTION,
    **dict.fromkeys(LABELS, Target.OPTION),
    "answer": Target.RIGHT,
    "subject": Target.SUBJECT,
    "explanation": Target.EXPLANATION,
}
DECLINED: Final = "I do not know."
YARDSTICK_MANNER: Final = {"temperature": 0.0}
ORDERS: Final = 2


def play_yardsticks(*, project: Project, by: User, now: datetime) -> None:
    """Bring in the test, have four systems take it and be interviewed about it; all by script."""
    evaluator = (
        Endpoint.objects.in_use().filter(project=project, kind=Endpoint.Kind.SCRIPTED).first()
    )
    plan = json.loads((demo_files.FOLDER / "choices_plan.json").read_text(encoding="utf-8"))
    releases = _releases(project, plan["stand_ins"])
    if evaluator is None or len(releases) < len(plan["stand_ins"]):
        return
    batch = _bring(project, plan["dataset"], by, now)
    for one in releases:
        _stand_in(one, plan["stand_ins"][one.system.name], by, now)
    over, asked = f"import:{batch.number}", [one.pk for one in releases]
    _finish_yardstick(_ask(project, over, asked, by, now), now)
    _finish_yardstick(_talk(project, over, asked, evaluator, by, now), now)


def _releases(project: Project, names: Mapping[str, Any]) -> list[SystemRelease]:
    """Return the newest release of each system."""
    rows = SystemRelease.objects.filter(system__project=project, system__name__in=names)
    return list(
        {one.system_id: one for one in rows.select_related("system").order_by("pk")}.values()
    )


def _bring(project: Project, dataset: str, by: User, now: datetime) -> ImportBatch:
    """Bring in the test, and what was measured of the systems elsewhere; return the test."""
    places = tuple(ColumnTarget(column, target) for column, target in COLUMNS.items())
    batch = demo_files.bring(
        project=project,
        kind=ImportKind.CHOICES,
        name=TEST,
        mapping=ChoiceMapping(places, dataset=dataset),
        by=by,
        now=now,
    )
    demo_files.bring(
        project=project,
        kind=ImportKind.FIGURES,
        name="figures.csv",
        mapping=FigureMapping(tuple(ColumnTarget(one, one) for one in FIGURES)),
        by=by,
        now=now,
    )
    return batch


def _stand_in(release: SystemRelease, plan: Mapping[str, Any], by: User, now: datetime) -> None:
    """Connect a release with a script of its own."""
    endpoint = endpoint_scripts.add_scripted(
        project=release.system.project,
        name=f"Stand-in for {release.system.name}",
        script={"replies": _replies(plan["wrong"], plan["declines"])},
        by=by,
        now=now,
    )
    connections.connect(
        release=release, endpoint=endpoint, settings=YARDSTICK_MANNER, by=by, now=now
    )


def _replies(wrong: Sequence[str], declines: Sequence[str]) -> list[dict[str, Any]]:
    """Return an option for each question, the next one where it goes wrong, and where nothing is said."""
    with (demo_files.FOLDER / TEST).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    taken = [(LABELS.index(row["answer"]) + (row["id"] in wrong)) % len(LABELS) for row in rows]
    return [
        *(
            {"contains": row["question"], "reply": row[LABELS[place]]}
            for row, place in zip(rows, taken, strict=True)
        ),
        *({"contains": word, "reply": DECLINED} for word in declines),
    ]


def _ask(project: Project, over: str, releases: Sequence[int], by: User, now: datetime) -> Run:
    wish = quizzes.Quiz(
        key=_yardstick_key(project, "accuracy"),
        name=ACCURACY,
        seed=_seed(project, "accuracy"),
        over=over,
        releases=tuple(releases),
        orders=ORDERS,
    )
    return requests.started(quizzes.KIND, project, wish, user=by, now=now)


def _talk(
    project: Project,
    over: str,
    releases: Sequence[int],
    machine: Endpoint,
    by: User,
    now: datetime,
) -> Run:
    wish = Interviews(
        key=_yardstick_key(project, "talks"),
        name=TALKS,
        seed=_seed(project, "talks"),
        over=over,
        releases=tuple(releases),
        interactor=machine.name,
        evaluator_endpoint=machine.name,
        planned=3,
        mark_but_continue=True,
    )
    return requests.started(KIND, project, wish, user=by, now=now)


def _seed(project: Project, said: str) -> int:
    return seeds.integer(project.slug, f"demo yardstick {said}", below=SEEDS)


def _yardstick_key(project: Project, said: str) -> UUID:
    return UUID(int=seeds.integer(project.slug, f"demo yardstick {said}", below=2**128))


def _finish_yardstick(run: Run, now: datetime) -> None:
    working.work(run.pk, clock=lambda: now)
