"""Have answers measured by metrics: what is to be measured against what, and the raters it makes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Criterion, Project, Rater, RaterKind, Round, User
from annotation.rubrics import measures
from annotation.rubrics.rules import Measure
from evalsite import errors
from scoring.models import Machine, Run
from scoring.operations.runs import requesting
from scoring.protocols.metrics import catalogue
from scoring.protocols.metrics.catalogue import Metric
from scoring.queries import measured

PROTOCOL = "metrics/v1"


class BadMetrics(errors.Invalid):
    """The choice cannot be measured."""

    code = "bad_metrics"


class NothingToMeasure(errors.Invalid):
    code = "nothing_to_measure"


class StillDraft(errors.Conflict):
    code = "still_a_draft"


@dataclass(frozen=True)
class Choice:
    """What is measured, against what.

    `batch` is the number of an import of answers; else the answers of a round are measured.
    """

    metrics: Sequence[str]
    references: str = "standard"
    many: str = "mean"
    source: str = ""
    batch: int | None = None

    def config(self) -> dict[str, Any]:
        return {
            "metrics": [one.key for one in catalogue.in_order(self.metrics)],
            "references": self.references,
            "many": self.many,
            "source": self.source,
            "import": self.batch,
        }


def check(*, project: Project, round_: Round | None, choice: Choice) -> measured.Found:
    """Return what there is to measure.

    Raises:
        BadMetrics: a metric, or what it is to be compared with, is not known.
        StillDraft: the answers of the round may still change.
        NothingToMeasure: there is no answer.
    """
    _check_choice(choice)
    if round_ is not None and round_.state == Round.State.DRAFT:
        raise StillDraft(_("The round is a draft: its answers may still change. Open it first."))
    found = measured.count(measured.responses(project, round_, choice.batch))
    if not found.n:
        raise NothingToMeasure(_("There is no answer to measure. Choose another round or import."))
    return found


@transaction.atomic
def request_metrics(
    *,
    project: Project,
    key: UUID,
    name: str,
    choice: Choice,
    user: User,
    now: datetime,
    round_: Round | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Have answers measured in the background. The same key again is the same run.

    Raises:
        errors.Refusal: they cannot be measured; says why.
    """
    if found := Run.objects.filter(project=project, key=key).first():
        return found
    check(project=project, round_=round_, choice=choice)
    config = choice.config()
    config["raters"] = {
        one.key: _meet(project, one, config, user, now)
        for one in catalogue.in_order(choice.metrics)
    }
    return requesting.request_run(
        project=project,
        key=key,
        kind=Run.Kind.METRICS,
        name=name,
        protocol=PROTOCOL,
        config=config,
        seed=0,
        user=user,
        now=now,
        round_=round_,
        cloned_from=cloned_from,
    )


def _check_choice(choice: Choice) -> None:
    if not choice.metrics:
        raise _bad("metrics", _("Choose at least one metric."))
    if unknown := [one for one in choice.metrics if one not in catalogue.METRICS]:
        raise _bad("metrics", _("There is no metric “%(name)s”.") % {"name": unknown[0]})
    if choice.references not in measured.AGAINST:
        raise _bad("references", _("Compare with the standard answer, the references or both."))
    if choice.many not in measured.MANY:
        raise _bad("many", _("Take the mean of several references, or the best."))
    if choice.source not in {"", measured.QUESTION} and not choice.source.startswith(
        measured.FIELD
    ):
        raise _bad("source", _("The source is the question, or a field kept with it."))
    chosen = catalogue.in_order(choice.metrics)
    if not choice.source and any(one.needs == "source" for one in chosen):
        raise _bad("source", _("Say where the source text is that overlap is counted with."))


def _bad(field: str, message: str) -> BadMetrics:
    return BadMetrics(message, fields={field: [message]})


def _meet(
    project: Project, metric: Metric, config: Mapping[str, Any], user: User, now: datetime
) -> list[int]:
    """Return the keys of a metric's rater and of its criterion, made if they are not there."""
    machine = _machine(project, metric, measured.name(metric, config), now)
    measure = Measure(
        metric.name, _end(metric.minimum), _end(metric.maximum), metric.higher_is_better
    )
    version = measures.declare(rubric=machine.rubric, measures=[measure], by=user, now=now)
    criterion = Criterion.objects.get(rubric_version=version, name=metric.name)
    return [machine.rater_id, criterion.pk]


def _machine(project: Project, metric: Metric, name: str, now: datetime) -> Machine:
    """Return the metric of this name; one that an import brought is another one."""
    found = Machine.objects.filter(
        rater__project=project, rater__kind=RaterKind.METRIC, rater__ref=name
    ).first()
    if found is None:
        rater = Rater.objects.create(
            project=project, kind=RaterKind.METRIC, ref=name, created_at=now
        )
        rubric = measures.create(project=project, name=name, now=now)
        return Machine.objects.create(rater=rater, rubric=rubric, created_at=now)
    own = Criterion.objects.filter(rubric_version__rubric=found.rubric_id)
    if own.exists() and not own.filter(name=metric.name).exists():
        return _machine(project, metric, f"{name}, computed here", now)
    return found


def _end(end: int | None) -> Decimal | None:
    return None if end is None else Decimal(end)
