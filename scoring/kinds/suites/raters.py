"""The raters that a suite speaks through: a metric for each function, a judge for each rubric and endpoint."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction

from annotation.people.models import Project, Rater, RaterKind, User
from annotation.rubrics import measures
from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import Measure
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine.models import Machine
from scoring.kinds.judging import settings as judges
from scoring.kinds.suites.protocol import v1
from scoring.kinds.suites.protocol.definition import Entry, Rubric

MOST_NAME = 120
#: Says where a metric comes from: others may have the same name.
MARK = " · suite"
#: As fine as the values of levels are kept.
FINEST = Decimal("0.0001")


def metric(
    project: Project,
    entry: Entry,
    now: datetime,
    *,
    kind: RaterKind = RaterKind.METRIC,
    mark: str = MARK,
) -> int:
    """Return the key of a function's rater, made if it is not there; or of a judge's from elsewhere."""
    ref = short(entry.key, MOST_NAME - len(mark)) + mark
    rater, new = Rater.objects.get_or_create(
        project=project, kind=kind, ref=ref, defaults={"created_at": now}
    )
    if new or not Machine.objects.filter(rater=rater).exists():
        rubric = measures.create(project=project, name=ref, now=now)
        Machine.objects.create(rater=rater, rubric=rubric, created_at=now)
    return rater.pk


def criteria(rater: int, names: Sequence[str], by: User | None, now: datetime) -> dict[str, int]:
    """Return the criterion of each named value of a metric, declared if it is new."""
    machine = Machine.objects.select_related("rubric").get(rater=rater)
    wanted = {name: short(name, MOST_NAME) for name in names}
    known = _criteria(machine)
    if any(one not in known for one in wanted.values()):
        new = [Measure(one) for one in dict.fromkeys(wanted.values()) if one not in known]
        measures.declare(rubric=machine.rubric, measures=new, by=by, now=now)
        known = _criteria(machine)
    return {name: known[one] for name, one in wanted.items()}


def _criteria(machine: Machine) -> dict[str, int]:
    rows = Criterion.objects.filter(rubric_version__rubric=machine.rubric_id)
    # The first one of a name stays the one that is used, whatever versions come later.
    found: dict[str, int] = {}
    for name, pk in rows.order_by("pk").values_list("name", "pk"):
        found.setdefault(name, pk)
    return found


@transaction.atomic
def judge(
    project: Project, name: str, rubric: Rubric, endpoint: Endpoint, by: User | None, now: datetime
) -> tuple[Judge, int]:
    """Return the judge of a rubric with an endpoint and its criterion, made if they are not there."""
    config = _config(name, rubric)
    sha = judges.config_sha(v1.PROTOCOL, endpoint, config)
    found = Judge.objects.filter(project=project, config_sha=sha).first()
    if found is None:
        found = judges.new_judge(
            project=project,
            name=_free_name(project, f"{name} · {endpoint.name} {endpoint.number}", sha),
            protocol=v1.PROTOCOL,
            endpoint=endpoint,
            config=config,
            by=by,
            now=now,
            wanted=[_measure(name, rubric)],
        )
    criterion = Criterion.objects.filter(rubric_version__rubric__machine__rater=found.rater_id)
    return found, criterion.earliest("pk").pk


def _config(name: str, rubric: Rubric) -> dict[str, Any]:
    prompts = "\n".join((v1.SYSTEM, v1.FORM, v1.REPAIR))
    return {
        "rubric": name,
        "prompt": rubric.prompt,
        "choices": dict(rubric.choices),
        "max_tokens": v1.MAX_TOKENS,
        "prompts": hashlib.sha256(prompts.encode()).hexdigest(),
    }


def _free_name(project: Project, name: str, sha: str) -> str:
    stem = short(name, MOST_NAME - 10)
    taken = Rater.objects.filter(project=project, kind=RaterKind.JUDGE, ref=stem).exists()
    return f"{stem} ({sha[:6]})" if taken else stem


def _measure(name: str, rubric: Rubric) -> Measure:
    worth = [Decimal(repr(one)).quantize(FINEST) for one in rubric.choices.values()]
    labels: dict[Decimal, str] = {}
    for choice, value in zip(rubric.choices, worth, strict=True):
        labels[value] = f"{labels[value]} / {choice}" if value in labels else choice
    low, high = min(worth), max(worth)
    same = low == high  # a range needs two ends
    return Measure(
        short(name, MOST_NAME),
        None if same else low,
        None if same else high,
        labels=tuple((value, label[:120]) for value, label in sorted(labels.items())),
    )


def short(text: str, most: int) -> str:
    """Return a name that fits; one that is cut keeps its own by a part of its hash."""
    text = text.strip() or "(nothing)"
    if len(text) <= most:
        return text
    return f"{text[: most - 10]}… {hashlib.sha256(text.encode()).hexdigest()[:8]}"
