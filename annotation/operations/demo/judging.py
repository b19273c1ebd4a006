"""Scores of two judges and two metrics for the answers of the demo's finished round."""

import csv
from datetime import datetime
from pathlib import Path

from annotation.models import ImportKind, Project, System, User
from annotation.operations import systems
from annotation.operations.imports import applying, checking, uploading
from annotation.rules.tabular.machines import JUDGE, METRIC, Machine
from annotation.rules.tabular.mappings import Place
from annotation.rules.tabular.score_mappings import CRITERION, ScoreMapping
from annotation.rules.tabular.targets import Target

#: The careful judge is of the family of a system that it judges.
MACHINES = (
    Machine("Careful judge", JUDGE, "1", "5", family="Harbour"),
    Machine("Hasty judge", JUDGE, "1", "5"),
    Machine("Shared words", METRIC, "0", "1"),
    Machine("Length in words", METRIC, "0", ""),
)
FAMILIES = {
    "Kestrel 4": "Kestrel",
    "Harbour 70B": "Harbour",
    "Dock RAG": "Dock",
    "Meridian L": "Meridian",
}


def judge(*, project: Project, fixtures: Path, by: User, now: datetime) -> None:
    """Bring in fixtures/demo/scores.csv, as a person would."""
    content = (fixtures / "demo" / "scores.csv").read_bytes()
    upload = uploading.receive(
        project=project,
        kind=ImportKind.SCORES,
        name="demo-scores.csv",
        pieces=[content],
        by=by,
        now=now,
    )
    mapping = ScoreMapping(_places(content), MACHINES)
    uploading.set_mapping(upload=upload, mapping=mapping)
    checking.check(upload=upload, clock=lambda: now)
    upload.refresh_from_db()
    batch = applying.start(upload=upload, by=by, now=now)
    applying.carry_on(batch_id=batch.pk, clock=lambda: now)
    _tell_families(project, by, now)


def _tell_families(project: Project, by: User, now: datetime) -> None:
    for system in System.objects.filter(project=project, name__in=FAMILIES):
        systems.edit_system(
            system=system,
            name=system.name,
            aliases=system.aliases,
            family=FAMILIES[system.name],
            by=by,
            now=now,
        )


def _places(content: bytes) -> tuple[Place, ...]:
    """Return where columns go; one that is no place of an answer is a judge or a metric."""
    known = {Target.ITEM, Target.SYSTEM, Target.RELEASE}
    columns = next(csv.reader([content.decode().partition("\n")[0]]))
    return tuple(
        Place(name, name)
        if name in known
        else Place(name, Target.SCORE, rater=name, criterion=CRITERION)
        for name in columns
    )
