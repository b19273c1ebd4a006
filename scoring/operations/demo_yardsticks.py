"""What the demo sets interviews against: questions of multiple choice, answered by four stand-ins.

Each stand-in is a script: which options it takes wrongly and at which further questions it declines is
written in fixtures/demo/choices_plan.json. One of them has learnt the test and cannot be asked about it.
"""

import csv
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from annotation.models import ImportBatch, ImportKind, Project, SystemRelease, User
from annotation.rules import seeds
from annotation.rules.tabular.choice_mappings import ChoiceMapping
from annotation.rules.tabular.figure_mappings import FigureMapping
from annotation.rules.tabular.mappings import Place
from annotation.rules.tabular.targets import Target
from scoring.models import Endpoint, Run
from scoring.operations import (
    connections,
    demo_files,
    endpoint_scripts,
    interview_starting,
    quizzes,
)
from scoring.operations.runs import working

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
MANNER: Final = {"temperature": 0.0}
ORDERS: Final = 2
SEEDS: Final = 2**31


def play(*, project: Project, by: User, now: datetime) -> None:
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
    _finish(_ask(project, over, asked, by, now), now)
    _finish(_talk(project, over, asked, evaluator, by, now), now)


def _releases(project: Project, names: Mapping[str, Any]) -> list[SystemRelease]:
    """Return the newest release of each system."""
    rows = SystemRelease.objects.filter(system__project=project, system__name__in=names)
    return list(
        {one.system_id: one for one in rows.select_related("system").order_by("pk")}.values()
    )


def _bring(project: Project, dataset: str, by: User, now: datetime) -> ImportBatch:
    """Bring in the test, and what was measured of the systems elsewhere; return the test."""
    places = tuple(Place(column, target) for column, target in COLUMNS.items())
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
        mapping=FigureMapping(tuple(Place(one, one) for one in FIGURES)),
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
    connections.connect(release=release, endpoint=endpoint, settings=MANNER, by=by, now=now)


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
    wish = quizzes.Wish(
        over=over, releases=releases, seed=_seed(project, "accuracy"), orders=ORDERS
    )
    key = _key(project, "accuracy")
    return quizzes.start(project=project, wish=wish, key=key, name=ACCURACY, user=by, now=now)


def _talk(
    project: Project,
    over: str,
    releases: Sequence[int],
    machine: Endpoint,
    by: User,
    now: datetime,
) -> Run:
    return interview_starting.start(
        project=project,
        wish=interview_starting.Wish(
            over=over,
            releases=releases,
            interactor=machine,
            evaluator=machine,
            seed=_seed(project, "talks"),
            settings={"planned": 3, "mark_but_continue": True},
        ),
        key=_key(project, "talks"),
        name=TALKS,
        user=by,
        now=now,
    )


def _seed(project: Project, said: str) -> int:
    return seeds.integer(project.slug, f"demo yardstick {said}", below=SEEDS)


def _key(project: Project, said: str) -> UUID:
    return UUID(int=seeds.integer(project.slug, f"demo yardstick {said}", below=2**128))


def _finish(run: Run, now: datetime) -> None:
    working.work(run.pk, clock=lambda: now)
