"""What was found in the texts of systems that could sway a judge: counted for a run, and for a judge.

* How far a run is: its steps, calls, tokens, cost and failures, counted from their rows.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.utils.translation import gettext_lazy as _

from scoring.endpoints.models import Endpoint, EndpointPace
from scoring.endpoints.wording import TROUBLES
from scoring.engine.models import LLMCall, Run, Step
from scoring.protocols.untrusted import Flag

LABELS: Mapping[str, Any] = {
    Flag.DELIMITER: _("imitates a delimiter"),
    Flag.TURN: _("imitates a chat turn"),
    Flag.VERDICT: _("brings its own verdict"),
    Flag.HIDDEN: _("has hidden signs"),
    Flag.INSTRUCTION: _("instructs the judge"),
}


@dataclass(frozen=True)
class FlagCount:
    """One kind of thing, and in how many steps it was found."""

    flag: str
    n: int

    @property
    def label(self) -> str:
        return label(self.flag)


@dataclass(frozen=True)
class Flagged:
    """In how many steps anything was found, and what. A step may hold several."""

    n: int = 0
    found: Sequence[FlagCount] = ()

    def __bool__(self) -> bool:
        return bool(self.n)


@dataclass(frozen=True)
class FlaggedRun:
    """A run of a judge in which something was found."""

    run: Run
    n: int


def label(flag: str) -> str:
    return str(LABELS.get(flag, flag))


def labels(step: Step) -> list[str]:
    """Return what was found in a step, in words."""
    return [label(one) for one in step.flags.split()]


def of_run(run: Run) -> Flagged:
    """Count the flagged steps of a run: one query over the flagged ones alone."""
    rows = Step.objects.filter(run=run).exclude(flags="").order_by().values_list("flags")
    return _counted(rows.annotate(n=Count("pk")))


def of_judge(rater: int) -> tuple[Flagged, list[FlaggedRun]]:
    """Count the flagged steps of all runs of a judge, and name the runs, the newest first."""
    rows = Step.objects.filter(run__judge__rater=rater).exclude(flags="").order_by()
    by_run = list(rows.values_list("run_id", "flags").annotate(n=Count("pk")))
    per_run: Counter[int] = Counter()
    for run, _flags, n in by_run:
        per_run[run] += n
    runs = Run.objects.filter(pk__in=per_run).order_by("-number")
    return (
        _counted((flags, n) for _run, flags, n in by_run),
        [FlaggedRun(one, per_run[one.pk]) for one in runs],
    )


def _counted(rows: Iterable[tuple[str, int]]) -> Flagged:
    counts: Counter[str] = Counter()
    total = 0
    for flags, n in rows:
        total += n
        for one in flags.split():
            counts[one] += n
    order = [flag.value for flag in Flag]
    return Flagged(total, [FlagCount(one, counts[one]) for one in order if counts[one]])


#: The rate is that of these last minutes, so that a run that got slower says so.
RECENT = timedelta(minutes=3)
#: Fewer finished steps than this tell nothing of what the rest will cost or take.
FEW = 3
#: So many of the newest calls tell how endpoints are asked by now.
NEWEST = 20
#: A shorter wait is over before anybody has read of it.
WORTH_TELLING = timedelta(seconds=5)
REASONS = 12
#: As calls keep their cost; a sum in SQLite comes back with more digits than it has.
EXACT = Decimal("1e-8")

ROLES: Mapping[str, Any] = {
    "judge": _("judge"),
    "candidate": _("candidate"),
    "interactor": _("interactor"),
    "evaluator": _("evaluator"),
    "planner": _("planner"),
    "assistant": _("assistant"),
    "drafter": _("drafter"),
}


@dataclass(frozen=True)
class RoleSpent:
    """What one role asked of one endpoint."""

    role: str
    endpoint: Endpoint
    n: int = 0
    n_failed: int = 0
    n_unpriced: int = 0
    #: Those of which the server did not count the tokens: what they cost is estimated.
    n_estimated: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: Decimal = Decimal(0)
    seconds: float = 0.0

    @property
    def role_label(self) -> str:
        return str(ROLES.get(self.role, self.role))

    @property
    def seconds_each(self) -> float | None:
        return self.seconds / self.n if self.n else None

    @property
    def known_cost(self) -> Decimal | None:
        """Return the cost; nothing if the endpoint has no prices at all."""
        return None if self.n and self.n_unpriced == self.n else self.cost


@dataclass(frozen=True)
class CallFailure:
    """Calls that got no reply, of one kind."""

    trouble: str
    n: int

    @property
    def label(self) -> str:
        return str(TROUBLES.get(self.trouble, self.trouble))


@dataclass(frozen=True)
class FailureReason:
    """Why some steps ended without a result, and how many."""

    outcome: str
    trouble: str
    problem: str
    n: int

    @property
    def label(self) -> str:
        return self.problem or str(TROUBLES.get(self.trouble, self.trouble)) or str(_("no reason"))


@dataclass(frozen=True)
class Adjusted:
    """What of its requests an endpoint refused, and how it is asked since."""

    endpoint: str
    limit_name: str = ""
    left_out: str = ""


@dataclass
class RunProgress:
    """All that the page of a run counts."""

    run: Run
    now: datetime
    states: Mapping[str, int]
    outcomes: Mapping[str, int]
    n_recent: int
    #: Steps that are left, of which a worker has ended in the midst.
    n_lost: int
    spent: Sequence[RoleSpent]
    failures: Sequence[CallFailure]
    reasons: Sequence[FailureReason] = field(default_factory=list)
    flagged: Flagged = field(default_factory=Flagged)
    adjusted: Sequence[Adjusted] = ()
    #: An endpoint asked to wait: nobody is asked there before.
    waits_until: datetime | None = None

    @cached_property
    def n_steps(self) -> int:
        return sum(self.states.values())

    @property
    def n_left(self) -> int:
        return self.states.get(Step.State.FREE, 0) + self.n_claimed

    @property
    def n_claimed(self) -> int:
        return self.states.get(Step.State.CLAIMED, 0)

    @property
    def n_over(self) -> int:
        return self.n_steps - self.n_left

    @property
    def n_failed(self) -> int:
        """Return how many steps ended because the machinery failed: they can be tried again."""
        return self.states.get(Step.State.FAILED, 0)

    @property
    def n_ok(self) -> int:
        return self.outcomes.get(Step.Outcome.OK, 0)

    @property
    def n_system_failed(self) -> int:
        return self.outcomes.get(Step.Outcome.SYSTEM_FAILED, 0)

    @property
    def n_no_reading(self) -> int:
        return self.outcomes.get(Step.Outcome.NO_READING, 0)

    @property
    def n_skipped(self) -> int:
        return self.outcomes.get(Step.Outcome.SKIPPED, 0)

    @property
    def is_moving(self) -> bool:
        return self.run.state in {Run.State.STAGED, Run.State.RUNNING}

    @property
    def percent(self) -> float:
        return 100 * self.n_over / self.n_steps if self.n_steps else 0.0

    # Calls

    @cached_property
    def n_calls(self) -> int:
        return sum(one.n for one in self.spent)

    @cached_property
    def n_failed_calls(self) -> int:
        return sum(one.n_failed for one in self.spent)

    @cached_property
    def prompt_tokens(self) -> int:
        return sum(one.prompt_tokens for one in self.spent)

    @cached_property
    def completion_tokens(self) -> int:
        return sum(one.completion_tokens for one in self.spent)

    @property
    def seconds_each(self) -> float | None:
        """Return how long the calls of an example took, one after the other."""
        total = sum(one.seconds for one in self.spent)
        return total / self.n_over if self.n_over and total else None

    @property
    def seconds_for_rest(self) -> float | None:
        """Return how long the steps that are left will take, as the finished ones did, side by side."""
        if not self.spent or self.seconds_each is None:
            return None
        at_once = min(one.endpoint.max_in_flight for one in self.spent)
        rest = self.n_left / self.n_over
        by_limit = (60 * rest * one.n / (one.endpoint.per_minute or math.inf) for one in self.spent)
        return max(self.n_left * self.seconds_each / min(at_once, self.n_left or 1), *by_limit)

    # Money

    @cached_property
    def cost(self) -> Decimal:
        return sum((one.cost for one in self.spent), Decimal(0))

    @cached_property
    def is_priced(self) -> bool:
        """Whether the cost is known of every call that got a reply."""
        return not any(one.n_unpriced for one in self.spent)

    @cached_property
    def n_estimated(self) -> int:
        """Return of how many calls the server did not count the tokens, so that their cost is estimated."""
        return sum(one.n_estimated for one in self.spent)

    @cached_property
    def currency(self) -> str:
        """Return the currency; nothing if the endpoints count in several."""
        several = {one.endpoint.currency for one in self.spent}
        return several.pop() if len(several) == 1 else ""

    @property
    def is_mixed(self) -> bool:
        return len({one.endpoint.currency for one in self.spent}) > 1

    @property
    def forecast(self) -> Decimal | None:
        """Return what the run will have cost at its end, if it goes on like this."""
        if not self.n_left or self.n_over < FEW:
            return None
        return (self.cost * self.n_steps / self.n_over).quantize(EXACT)

    @property
    def spent_percent(self) -> float:
        return _percent(self.cost, self.run.budget)

    @property
    def forecast_percent(self) -> float:
        return _percent(self.forecast or self.cost, self.run.budget)

    # Time

    @property
    def seconds(self) -> float | None:
        """Return how long the run has taken, pauses and all."""
        if self.run.started_at is None:
            return None
        return ((self.run.finished_at or self.now) - self.run.started_at).total_seconds()

    @property
    def per_minute(self) -> float | None:
        """Return how many steps a minute were finished lately; of a finished run, on the whole."""
        if self.is_moving:
            took = min(self.seconds or 0.0, RECENT.total_seconds())
            return 60 * self.n_recent / took if took >= 1 and self.n_recent else None
        return 60 * self.n_over / self.seconds if self.seconds and self.n_over else None

    @property
    def seconds_left(self) -> float | None:
        if self.run.state != Run.State.RUNNING or not self.per_minute or self.n_recent < FEW:
            return None
        return 60 * self.n_left / self.per_minute


def _percent(part: Decimal, whole: Decimal | None) -> float:
    return min(100.0, float(100 * part / whole)) if whole else 0.0


def progress_of(run: Run, now: datetime) -> RunProgress:
    """Count a run: a handful of queries, however long it is."""
    states, outcomes, n_recent, n_lost = _steps(run, now)
    spent, failures = _calls(run)
    flagged = of_run(run)
    found = RunProgress(
        run, now, states, outcomes, n_recent, n_lost, spent, failures, reasons(run), flagged
    )
    if spent:
        found.adjusted = _adjusted(run, spent)
    if spent and found.is_moving:
        found.waits_until = _waits_until(spent, now)
    return found


def _adjusted(run: Run, spent: Sequence[RoleSpent]) -> list[Adjusted]:
    """Return what endpoints refused, as the newest calls tell it."""
    names = {one.endpoint.pk: one.endpoint.name for one in spent}
    newest = LLMCall.objects.filter(run=run).order_by("-pk")
    told = ("endpoint_id", "reply__notes__limit_name", "reply__notes__left_out")
    found: dict[int, Adjusted] = {}
    for pk, limit_name, left_out in newest.values_list(*told)[:NEWEST]:
        if (limit_name or left_out) and pk not in found:
            found[pk] = Adjusted(names.get(pk, ""), limit_name or "", left_out or "")
    return list(found.values())


def _waits_until(spent: Sequence[RoleSpent], now: datetime) -> datetime | None:
    asked = EndpointPace.objects.filter(endpoint__in={one.endpoint.pk for one in spent})
    until = asked.aggregate(until=Max("not_before"))["until"]
    return until if until is not None and until > now + WORTH_TELLING else None


def _steps(run: Run, now: datetime) -> tuple[dict[str, int], dict[str, int], int, int]:
    rows = (
        Step.objects.filter(run=run)
        .order_by()
        .values_list("state", "outcome")
        .annotate(
            n=Count("pk"),
            n_recent=Count("pk", filter=Q(finished_at__gte=now - RECENT)),
            n_lost=Count("pk", filter=Q(finished_at__isnull=True, lost__gt=0)),
        )
    )
    states: dict[str, int] = {}
    outcomes: dict[str, int] = {}
    n_recent = n_lost = 0
    for state, outcome, n, lately, lost in rows:
        states[state] = states.get(state, 0) + n
        if outcome:
            outcomes[outcome] = outcomes.get(outcome, 0) + n
        n_recent += lately
        n_lost += lost
    return states, outcomes, n_recent, n_lost


def _calls(run: Run) -> tuple[list[RoleSpent], list[CallFailure]]:
    rows = list(
        LLMCall.objects.filter(run=run)
        .order_by()
        .values("role", "endpoint_id", "trouble")
        .annotate(
            n=Count("*"),
            n_priced=Count("cost"),
            n_uncounted=Count("run", filter=_UNCOUNTED),
            prompts=Sum("prompt_tokens"),
            completions=Sum("completion_tokens"),
            money=Sum("cost"),
            took=Sum("seconds"),
        )
    )
    endpoints = Endpoint.objects.in_bulk({row["endpoint_id"] for row in rows})
    pairs = sorted({(row["role"], row["endpoint_id"]) for row in rows})
    spent = [
        _spent(role, endpoints[key], [row for row in rows if _is_of(row, role, key)])
        for role, key in pairs
    ]
    return spent, _failures(rows)


#: What came, and was not counted by its server.
_UNCOUNTED = (Q(trouble="") | Q(cost__isnull=False)) & (
    Q(prompt_tokens__isnull=True) | Q(completion_tokens__isnull=True)
)


def _is_of(row: Mapping[str, Any], role: str, endpoint: int) -> bool:
    return bool(row["role"] == role and row["endpoint_id"] == endpoint)


def _spent(role: str, endpoint: Endpoint, rows: Sequence[Mapping[str, Any]]) -> RoleSpent:
    answered = [row for row in rows if not row["trouble"]]
    return RoleSpent(
        role=role,
        endpoint=endpoint,
        n=sum(row["n"] for row in rows),
        n_failed=sum(row["n"] for row in rows if row["trouble"]),
        n_unpriced=sum(row["n"] - row["n_priced"] for row in answered),
        n_estimated=sum(row["n_uncounted"] for row in rows),
        prompt_tokens=sum(row["prompts"] or 0 for row in rows),
        completion_tokens=sum(row["completions"] or 0 for row in rows),
        cost=sum((row["money"] or Decimal(0) for row in rows), Decimal(0)).quantize(EXACT),
        seconds=sum(row["took"] or 0.0 for row in rows),
    )


def _failures(rows: Sequence[Mapping[str, Any]]) -> list[CallFailure]:
    counts: dict[str, int] = {}
    for row in rows:
        if row["trouble"]:
            counts[row["trouble"]] = counts.get(row["trouble"], 0) + row["n"]
    return [CallFailure(*one) for one in sorted(counts.items(), key=lambda one: (-one[1], one[0]))]


def reasons(run: Run) -> list[FailureReason]:
    """Return why steps were set aside, the most frequent reasons first."""
    rows = (
        set_aside(run)
        .order_by()
        .values_list("outcome", "trouble", "problem")
        .annotate(n=Count("pk"))
        .order_by("-n", "outcome", "trouble", "problem")
    )
    return [FailureReason(*row) for row in rows[:REASONS]]


def set_aside(run: Run) -> "QuerySet[Step]":
    """Return the steps of a run that ended without a result."""
    return Step.objects.filter(run=run).exclude(outcome__in=["", Step.Outcome.OK])
