"""Ask for a run. The same request again is the same run."""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotation.models import Project, Round, User
from annotation.operations import audit
from annotation.rules import contents
from evalsite import errors
from scoring.models import Endpoint, Judge, Run
from scoring.operations.runs import estimating, kinds, ringing


class BudgetNeedsPrices(errors.Invalid):
    code = "budget_needs_prices"


class BudgetTooSmall(errors.Invalid):
    code = "budget_too_small"


class OtherProject(errors.Invalid):
    code = "endpoint_of_another_project"


#: A limit of money: in the currency of the endpoints, to a millionth of it.
BUDGET_DIGITS, BUDGET_PLACES = 14, 6
LEAST_BUDGET = Decimal(1).scaleb(-BUDGET_PLACES)


@dataclass(frozen=True, slots=True)
class Marks:
    """How one tells that a script wrote the texts a run is over, or gave the scores that it takes."""

    texts: Callable[[Run], bool]
    scores: Callable[[Run], bool]


_marks: dict[str, Marks] = {}


def supply_marks(key: str, marks: Marks) -> None:
    """Let runs be marked that rest on what a script wrote. Kinds know what they rest on, the engine does not."""
    _marks[key] = marks


def request_run(
    *,
    project: Project,
    key: UUID,
    kind: str,
    name: str,
    protocol: str,
    config: Mapping[str, Any],
    seed: int,
    user: User | None,
    now: datetime,
    round_: Round | None = None,
    judge: Judge | None = None,
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Write a run down and ring for a worker.

    Raises:
        errors.Refusal: its kind says why it cannot run.
        estimating.TooLong: a prompt does not fit the endpoint it would go to.
        BudgetTooSmall, BudgetNeedsPrices: of this budget nothing, or nobody knows what, can be spent.
    """
    if found := Run.objects.filter(project=project, key=key).first():
        return found
    run = Run(
        project=project,
        key=key,
        kind=kind,
        name=name[:120],
        protocol=protocol,
        config=dict(config),
        config_sha=config_sha(kind, protocol, config, seed, judge),
        seed=seed,
        secret=secrets.token_hex(32),
        round=round_,
        judge=judge,
        budget=budget,
        cloned_from=cloned_from,
        requested_by=user,
        requested_at=now,
    )
    asked = _checked(run)
    run.asks_script = any(one.is_scripted for one in asked)
    run.asks_script |= any(one.scores(run) for one in _marks.values())
    run.scripted = run.asks_script or any(one.texts(run) for one in _marks.values())
    run.estimate = estimating.estimate(run).as_dict()
    run.config["prices"] = {str(one.pk): prices(one) for one in asked}
    return _stage(run, now)


def config_sha(
    kind: str, protocol: str, config: Mapping[str, Any], seed: int, judge: Judge | None
) -> str:
    """Return the hash of all that decides what a run comes to, prices not among it."""
    plain = {name: value for name, value in config.items() if name != "prices"}
    whole = [kind, protocol, plain, seed, judge.config_sha if judge else ""]
    return hashlib.sha256(contents.canonical(whole)).hexdigest()


def prices(endpoint: Endpoint) -> dict[str, str | None]:
    """Return the prices a run counts with, as they are now."""

    def text(price: Decimal | None) -> str | None:
        return None if price is None else str(price)

    return {
        "prompt": text(endpoint.prompt_price),
        "completion": text(endpoint.completion_price),
        "currency": endpoint.currency,
    }


def check_amount(budget: Decimal | None) -> None:
    """Refuse a budget that nothing can be spent of.

    Raises:
        BudgetTooSmall: it is not above 0.
    """
    if budget is not None and budget < LEAST_BUDGET:
        message = _("A budget is at least %(least)s. Left out, there is no limit.")
        message %= {"least": f"{LEAST_BUDGET:f}"}
        raise BudgetTooSmall(message, fields={"budget": [message]})


def check_budget(budget: Decimal, endpoints: Iterable[Endpoint]) -> None:
    """Refuse a budget of nothing, or where the costs cannot be counted, or not be added up.

    Raises:
        BudgetTooSmall: it is not above 0.
        BudgetNeedsPrices: an endpoint has no prices, or two count in different currencies.
    """
    check_amount(budget)
    endpoints = list(endpoints)
    for one in endpoints:
        if one.prompt_price is None or one.completion_price is None:
            message = _("A budget needs prices: give those of “%(name)s”, or leave the budget out.")
            raise BudgetNeedsPrices(message % {"name": one.name}, fields={"budget": [message]})
    if len({one.currency for one in endpoints}) > 1:
        message = _("A budget needs one currency, and the endpoints of this run have several.")
        raise BudgetNeedsPrices(message, fields={"budget": [message]})


def _checked(run: Run) -> list[Endpoint]:
    """Return the endpoints of a run that may be started."""
    kind = kinds.of(run.kind)
    kind.check(run)
    wanted = set(kind.endpoints(run))
    found = list(Endpoint.objects.filter(pk__in=wanted, project=run.project).order_by("pk"))
    if len(found) < len(wanted):
        raise OtherProject(_("An endpoint of this run does not belong to the project."))
    if run.budget is not None:
        check_budget(run.budget, found)
    return found


@transaction.atomic
def _stage(run: Run, now: datetime) -> Run:
    project = Project.objects.select_for_update().get(pk=run.project_id)
    if found := Run.objects.filter(project=project, key=run.key).first():
        return found
    last = Run.objects.filter(project=project).aggregate(last=Max("number"))["last"]
    run.number = (last or 0) + 1
    run.save()
    audit.record(
        project=project,
        actor=run.requested_by,
        verb="run.requested",
        subject=f"run:{run.number}",
        at=now,
        kind=run.kind,
        protocol=run.protocol,
    )
    ringing.ring(run)
    return run
