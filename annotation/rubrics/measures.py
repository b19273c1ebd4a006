"""Write the rubrics of machines: ranges and criteria of a judge or a metric, in versions."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils.text import slugify

from annotation.people import audit
from annotation.people.models import Project, User
from annotation.rubrics.models import Criterion, Level, Rubric, RubricVersion
from annotation.rubrics.rules import Measure


@transaction.atomic
def create(*, project: Project, name: str, now: datetime) -> Rubric:
    """Make the empty rubric of a machine."""
    stem = "of-" + (slugify(name) or "machine")[:60]
    taken = set(
        Rubric.objects.filter(project=project, key__startswith=stem).values_list("key", flat=True)
    )
    key = stem if stem not in taken else f"{stem}-{len(taken) + 1}"
    while key in taken:
        key += "-x"
    return Rubric.objects.create(project=project, key=key, name=name[:200], created_at=now)


@transaction.atomic
def declare(
    *, rubric: Rubric, measures: Sequence[Measure], by: User | None, now: datetime
) -> RubricVersion:
    """Return the version of a machine's rubric that says this, and write it if there is none.

    A version is frozen from the start. What an earlier version says of other criteria stays.
    """
    newest = RubricVersion.objects.filter(rubric=rubric).order_by("-number").first()
    standing = of_version(newest) if newest else {}
    wanted = {one.name: one for one in measures}
    if newest is not None and all(standing.get(name) == one for name, one in wanted.items()):
        return newest
    version = RubricVersion.objects.create(
        rubric=rubric,
        number=newest.number + 1 if newest else 1,
        kind=RubricVersion.Kind.METRIC,
        created_by=by,
        created_at=now,
    )
    _write(version, [*(standing | wanted).values()])
    RubricVersion.objects.filter(pk=version.pk).update(frozen_at=now)
    audit.record(
        project=rubric.project,
        actor=by,
        verb="machine.declared",
        subject=f"rubric:{rubric.key}/{version.number}",
        at=now,
        ranges={one.name: one.bounds() for one in measures},
    )
    return version


def of_version(version: RubricVersion) -> dict[str, Measure]:
    """Return what a version says of each criterion, by name."""
    rows = Criterion.objects.filter(rubric_version=version).prefetch_related("levels")
    return {
        row.name: Measure(
            row.name,
            row.minimum,
            row.maximum,
            row.higher_is_better,
            tuple((level.value, level.label) for level in row.levels.all()),
            row.mark,
        )
        for row in rows.order_by("position", "pk")
    }


def _write(version: RubricVersion, measures: Sequence[Measure]) -> None:
    keys: set[str] = set()
    for position, one in enumerate(measures):
        key = _key(one.name, keys)
        keys.add(key)
        criterion = Criterion.objects.create(
            rubric_version=version,
            key=key,
            name=one.name,
            position=position,
            minimum=one.minimum,
            maximum=one.maximum,
            step=None,
            higher_is_better=one.higher_is_better,
            mark=one.mark,
        )
        Level.objects.bulk_create(
            Level(criterion=criterion, value=value, label=label) for value, label in one.labels
        )


def _key(name: str, taken: set[str]) -> str:
    """Return the same key for the same name; two names that look alike get two."""
    mark = hashlib.sha256(name.encode()).hexdigest()[:8]
    key = slugify(name)[:70]
    return key if key and key not in taken else f"{key}-{mark}".strip("-")
