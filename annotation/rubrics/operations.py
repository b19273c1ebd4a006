"""Write rubrics: versions that can be edited until they are used, and are frozen from then on."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from annotation.common.sentences import gettext as _
from annotation.domains.models import Capability
from annotation.people import audit
from annotation.people.models import Project, User
from annotation.rubrics import queries as reads
from annotation.rubrics import rules
from annotation.rubrics.models import Criterion, Level, Rubric, RubricVersion
from annotation.rubrics.rules import Wording
from evalsite import errors, records


class Frozen(errors.Conflict):
    code = "rubric_frozen"


class ScaleInvalid(errors.Invalid): ...


class WordingMoved(errors.Conflict): ...


class RubricNotReady(errors.Conflict): ...


@transaction.atomic
def create_rubric(
    *,
    project: Project,
    key: str,
    name: str,
    wording: Wording,
    by: User,
    now: datetime,
    copied_from: RubricVersion | None = None,
) -> RubricVersion:
    """Write a new rubric and its first version.

    Args:
        copied_from: whose wording it begins with; kept as its origin.

    Raises:
        NameTaken: the project has a rubric with this key.
        ScaleInvalid: a scale or a level of the wording cannot be used.
    """
    wording = _checked(wording)
    if Rubric.objects.filter(project=project, key=key).exists():
        message = _("This project has a rubric with the key %(key)s. Choose another one.")
        raise errors.NameTaken(message % {"key": key}, fields={"key": [message % {"key": key}]})
    rubric = Rubric.objects.create(
        project=project, key=key, name=name, created_at=now, copied_from=copied_from
    )
    version = _write(rubric, 1, wording, by, now)
    _record("rubric.created", version, by, now)
    return version


def copy_rubric(
    *,
    project: Project,
    version: RubricVersion,
    by: User,
    now: datetime,
    key: str = "",
    name: str = "",
) -> RubricVersion:
    """Begin a rubric of this project with the wording of one, perhaps of another project.

    Args:
        version: one that `by` may read; the door sees to it.
        key: of the copy; without one it keeps that of the original, or gets the next free one.

    Raises:
        NameTaken: the project has a rubric with the key that was asked for.
    """
    return create_rubric(
        project=project,
        key=key or _free_key(project, version.rubric.key),
        name=name.strip() or version.rubric.name,
        wording=reads.wording(version),
        by=by,
        now=now,
        copied_from=version,
    )


def _free_key(project: Project, wanted: str) -> str:
    taken = set(Rubric.objects.filter(project=project).values_list("key", flat=True))
    tried = (wanted[: 80 - len(end)] + end for end in ("", *(f"-{n}" for n in range(2, 10_000))))
    return next(one for one in tried if one not in taken)


@transaction.atomic
def save_version(
    *,
    version: RubricVersion,
    wording: Wording,
    base_sha: str,
    by: User,
    now: datetime,
    name: str = "",
) -> RubricVersion:
    """Reword a version that no round has used yet; `base_sha` is what the editor started from.

    Raises:
        Frozen: a round uses the version; write a new one.
        WordingMoved: somebody else changed it in the meantime.
        ScaleInvalid: a scale or a level cannot be used.
    """
    wording = _checked(wording)
    version = RubricVersion.objects.select_for_update().select_related("rubric").get(pk=version.pk)
    if version.frozen_at is not None:
        raise Frozen(_("This version is used in a round and stays as it is. Write a new version."))
    _refuse_if_moved(version, base_sha)
    RubricVersion.objects.filter(pk=version.pk).update(principle=wording.principle)
    Level.objects.filter(criterion__rubric_version=version).delete()
    Criterion.objects.filter(rubric_version=version).exclude(
        key__in=[one.key for one in wording.criteria]
    ).delete()
    _write_criteria(version, wording)
    version.refresh_from_db()
    _record("rubric.reworded", version, by, now)
    rename(rubric=version.rubric, name=name or version.rubric.name, by=by, now=now)
    return version


@transaction.atomic
def new_version(
    *,
    rubric: Rubric,
    wording: Wording,
    base_sha: str,
    by: User,
    now: datetime,
    name: str = "",
) -> RubricVersion:
    """Write the next version of a rubric; the versions before it stay as they are.

    Raises:
        WordingMoved: the newest version is not the one the editor started from.
        ScaleInvalid: a scale or a level cannot be used.
    """
    wording = _checked(wording)
    newest = RubricVersion.objects.select_for_update().filter(rubric=rubric).first()
    if newest is not None:
        _refuse_if_moved(newest, base_sha)
    number = newest.number + 1 if newest else 1
    try:
        with transaction.atomic():
            version = _write(rubric, number, wording, by, now)
    except IntegrityError as problem:
        raise WordingMoved(_moved()) from problem
    _record("rubric.versioned", version, by, now)
    rename(rubric=rubric, name=name or rubric.name, by=by, now=now)
    return version


@transaction.atomic
def rename(*, rubric: Rubric, name: str, by: User, now: datetime) -> None:
    """Give a rubric another name; its key stays."""
    old = Rubric.objects.select_for_update().get(pk=rubric.pk).name
    if old == name:
        return
    Rubric.objects.filter(pk=rubric.pk).update(name=name)
    audit.record(
        project=rubric.project,
        actor=by,
        verb="rubric.renamed",
        subject=f"rubric:{rubric.key}",
        at=now,
        old=old,
        new=name,
    )


def freeze(*, version: RubricVersion, now: datetime) -> None:
    """Keep a version as it is from now on. A version that is frozen already stays so.

    Raises:
        RubricNotReady: the version has no criteria.
    """
    if not version.criteria.exists():
        message = _("%(rubric)s has no criteria. Add one, or choose another rubric.")
        raise RubricNotReady(message % {"rubric": version})
    RubricVersion.objects.filter(pk=version.pk, frozen_at__isnull=True).update(frozen_at=now)
    version.refresh_from_db(fields=["frozen_at"])


@transaction.atomic
def load_fixture(
    *, project: Project, entries: Iterable[Mapping[str, Any]], by: User, now: datetime
) -> list[RubricVersion]:
    """Write the rubrics of a fixture that the project does not have yet; return those.

    A capability of the project that an entry names gets the rubric if it has none.
    """
    known = set(Rubric.objects.filter(project=project).values_list("key", flat=True))
    made = []
    for entry in entries:
        if entry["key"] in known:
            continue
        version = create_rubric(
            project=project,
            key=entry["key"],
            name=entry["name"],
            wording=rules.from_entry(entry),
            by=by,
            now=now,
        )
        Capability.objects.filter(
            project=project, name=entry.get("capability") or "", rubric__isnull=True
        ).update(rubric=version.rubric)
        made.append(version)
    return made


def _checked(wording: Wording) -> Wording:
    """Return a wording with what follows from its marks, if it can be used."""
    wording = wording.settled()
    problems = rules.problems(wording)
    if problems:
        message = _("The rubric cannot be used like this: %(first)s")
        first = next(iter(problems.values()))[0]
        raise ScaleInvalid(message % {"first": first}, fields=problems)
    return wording


def _refuse_if_moved(version: RubricVersion, base_sha: str) -> None:
    if reads.wording(version).sha() != base_sha:
        raise WordingMoved(_moved())


def _moved() -> str:
    return _(
        "Somebody changed this rubric while you were editing. Your text is kept below; "
        "compare it with the newest version and save again."
    )


def _write(rubric: Rubric, number: int, wording: Wording, by: User, now: datetime) -> RubricVersion:
    version = RubricVersion.objects.create(
        rubric=rubric,
        number=number,
        principle=wording.principle,
        created_by=by,
        created_at=now,
    )
    _write_criteria(version, wording)
    return version


def _write_criteria(version: RubricVersion, wording: Wording) -> None:
    """Write the criteria; those that are there already keep their row."""
    for position, text in enumerate(wording.criteria):
        criterion, _created = Criterion.objects.update_or_create(
            rubric_version=version,
            key=text.key,
            defaults={**records.values(text), "position": position},
        )
        Level.objects.bulk_create(
            Level(criterion=criterion, **records.values(level)) for level in text.levels
        )


def _record(verb: str, version: RubricVersion, by: User, now: datetime) -> None:
    audit.done(version, verb, by, now, wording=reads.wording(version).sha())
