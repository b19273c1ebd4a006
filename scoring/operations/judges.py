"""Make judges: machine raters that are what they were configured to be, once and for all."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Criterion, Project, Rater, RaterKind, Rubric, RubricVersion, User
from annotation.operations import audit
from annotation.rubrics import measures
from annotation.rubrics.rules import Measure
from annotation.rules import contents
from evalsite import errors
from scoring.models import Endpoint, Judge, Machine
from scoring.operations import judge_settings
from scoring.operations.judge_settings import AnySettings
from scoring.queries import judging

HOTTEST = judge_settings.HOTTEST


class BadJudge(errors.Invalid):
    """A judge cannot be configured so."""

    code = "bad_judge"


class NameTaken(errors.Invalid):
    code = "name_taken"


class AlreadyThere(errors.Conflict):
    """There is a judge with this very configuration."""

    code = "judge_already_there"


class EndpointRetired(errors.Conflict):
    code = "endpoint_retired"


@transaction.atomic
def create(
    *,
    project: Project,
    name: str,
    endpoint: Endpoint,
    settings: AnySettings,
    by: User,
    now: datetime,
) -> Judge:
    """Make a judge: the rater of its judgments, its still empty rubric, its configuration.

    Raises:
        BadJudge: a setting cannot be used; `fields` says which.
        EndpointRetired: its endpoint is not in use.
        NameTaken: a judge of this name is there, perhaps of an import.
        AlreadyThere: a judge is configured in exactly this way.
    """
    name = name.strip()
    _check(project, name, endpoint, settings)
    kind = judge_settings.kind_of(settings)
    config = {**asdict(settings), "prompts": kind.prompts(settings.language)}
    sha = config_sha(kind.protocol, endpoint, config)
    if same := Judge.objects.filter(project=project, config_sha=sha).first():
        raise AlreadyThere(
            _("“%(name)s” is configured in exactly this way. Use it, or change something.")
            % {"name": same.name}
        )
    rater = Rater.objects.create(project=project, kind=RaterKind.JUDGE, ref=name, created_at=now)
    rubric = measures.create(project=project, name=name, now=now)
    Machine.objects.create(rater=rater, rubric=rubric, family=endpoint.family, created_at=now)
    judge = Judge.objects.create(
        project=project,
        rater=rater,
        name=name,
        protocol=kind.protocol,
        endpoint=endpoint,
        config=config,
        config_sha=sha,
        created_by=by,
        created_at=now,
    )
    audit.record(
        project=project,
        actor=by,
        verb="judge.made",
        subject=f"judge:{judge.pk}",
        at=now,
        protocol=kind.protocol,
        endpoint=endpoint.pk,
        config_sha=sha,
    )
    return judge


def config_sha(protocol: str, endpoint: Endpoint, config: Mapping[str, Any]) -> str:
    """Return the hash of all that a judge is."""
    whole = [protocol, endpoint.pk, dict(config)]
    return hashlib.sha256(contents.canonical(whole)).hexdigest()


def declare(
    *, judge: Judge, versions: Collection[int], keys: Sequence[str], by: User | None, now: datetime
) -> dict[int, dict[str, int]]:
    """Give a judge's rubric the criteria of people's rubrics; return its own by theirs.

    Where two rubrics have a criterion of one name with different ranges, the judge's rubric gets a
    version for each. What a version of it says already is not said again.

    Args:
        judge: whose rubric.
        versions: keys of people's rubric versions.
        keys: of the criteria that are judged; empty for all.
        by: who asked for it.
        now: when.
    """
    rubric = Rubric.objects.get(machine__rater=judge.rater_id)
    made: dict[int, dict[str, int]] = {}
    for version in sorted(versions):
        rows = judging.rows_of(version, keys)
        if not rows:
            continue
        names = _names(rows)
        wanted = [_measure(row, name) for row, name in zip(rows, names, strict=True)]
        own = _standing(rubric, wanted) or measures.declare(
            rubric=rubric, measures=wanted, by=by, now=now
        )
        by_name = dict(Criterion.objects.filter(rubric_version=own).values_list("name", "pk"))
        made[version] = {row.key: by_name[name] for row, name in zip(rows, names, strict=True)}
    return made


def _standing(rubric: Rubric, wanted: Sequence[Measure]) -> RubricVersion | None:
    """Return the newest version that says all of this, if there is one."""
    for version in RubricVersion.objects.filter(rubric=rubric).order_by("-number"):
        said = measures.of_version(version)
        if all(said.get(one.name) == one for one in wanted):
            return version
    return None


def _names(rows: Sequence[Criterion]) -> list[str]:
    """Return what the criteria are called; two of one name are told apart by their keys."""
    names = [row.name for row in rows]
    return [f"{row.name} ({row.key})" if names.count(row.name) > 1 else row.name for row in rows]


def _measure(row: Criterion, name: str) -> Measure:
    labels = tuple((level.value, level.label) for level in row.levels.all() if level.label)
    return Measure(name, row.minimum, row.maximum, row.higher_is_better, labels)


def declare_one(
    *,
    judge: Judge,
    versions: Collection[int],
    key: str,
    measure: Measure,
    by: User | None,
    now: datetime,
) -> dict[int, dict[str, int]]:
    """Give a judge the one criterion that is its own, whatever people's rubrics ask; return it by theirs."""
    rubric = Rubric.objects.get(machine__rater=judge.rater_id)
    own = _standing(rubric, [measure]) or measures.declare(
        rubric=rubric, measures=[measure], by=by, now=now
    )
    criterion = Criterion.objects.get(rubric_version=own, name=measure.name)
    return {version: {key: criterion.pk} for version in versions}


def _check(project: Project, name: str, endpoint: Endpoint, settings: AnySettings) -> None:
    if endpoint.project_id != project.pk or endpoint.retired_at is not None:
        raise EndpointRetired(_("This endpoint is not in use any more. Choose another."))
    problems = judge_settings.problems(settings)
    if not 1 <= len(name) <= 120:
        problems = {"name": _("Give the judge a name of up to 120 characters."), **problems}
    if problems:
        raise BadJudge(
            " ".join(problems.values()), fields={field: [one] for field, one in problems.items()}
        )
    if Rater.objects.filter(project=project, kind=RaterKind.JUDGE, ref=name).exists():
        message = _("There is a judge called “%(name)s”. Choose another name.") % {"name": name}
        raise NameTaken(message, fields={"name": [message]})
