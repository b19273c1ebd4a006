"""Decide a trial: who has qualified, who trains again, by the rule it began with."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Qualification, Round, Trial, User
from annotation.operations import audit, qualifying
from annotation.rules import qualification as rules
from annotation.rules.qualification import Event, State, Verdict
from evalsite import errors
from scoring.models import Figure
from scoring.operations import figures
from scoring.queries import trial_reports
from scoring.queries.trial_reports import Line, Report

EVENTS = {
    Verdict.PASSED: Event.PASSED,
    Verdict.FAILED: Event.FAILED,
    Verdict.UNDECIDED: Event.UNDECIDED,
}


class NotClosed(errors.Conflict):
    code = "trial_not_closed"


class DecidedBefore(errors.Conflict):
    code = "trial_decided_before"


class FiguresMoved(errors.Conflict):
    code = "figures_moved"


@dataclass(frozen=True)
class Outcome:
    """How many were decided how; `left_out` have not trained for it, so nothing follows."""

    passed: int
    failed: int
    undecided: int
    aside: int
    left_out: int


def figure_of(trial: Trial, now: datetime) -> Figure:
    """Return the figure of a trial; if it is not there yet, ask for it."""
    wanted = trial_reports.params(trial)
    return figures.get(name=trial_reports.FIGURE, round_=trial.round, params=wanted, now=now)


@transaction.atomic
def decide(*, trial: Trial, seen: int, by: User, now: datetime) -> Outcome:
    """Record for everybody what the trial says; who failed too often stands aside.

    Args:
        trial: closed, so that nobody learns anything while others still grade.
        seen: the key of the figure that the page showed.
        by: who decides.
        now: the clock.

    Raises:
        NotClosed: it is still open.
        DecidedBefore: somebody did.
        FiguresMoved: the grades are not those that the page showed.
    """
    round_ = Round.objects.select_for_update(no_key=True).get(pk=trial.round_id)
    if round_.state not in {Round.State.REVIEW, Round.State.FINAL}:
        raise NotClosed(_("Close the trial for review first; nobody is told anything before."))
    figure = figure_of(trial, now)
    if figure.pk != seen or figure.state != Figure.State.READY:
        raise FiguresMoved(_("The grades have changed since. Look at the report again."))
    return record(report=Report(trial, figure.data or {}), by=by, now=now)


@transaction.atomic
def record(*, report: Report, by: User, now: datetime) -> Outcome:
    """Record for everybody what a report says.

    Raises:
        DecidedBefore: somebody did.
    """
    if report.decided:
        raise DecidedBefore(_("This trial is decided."))
    counts = dict.fromkeys(Verdict, 0)
    aside = left_out = 0
    for line in report.lines:
        if not line.may_be_decided:
            left_out += 1
            continue
        counts[line.judged.verdict] += 1
        aside += _record(report.trial, line, by, now)
    audit.record(
        project=report.round.project,
        actor=by,
        verb="trial.decided",
        subject=f"round:{report.round.number}",
        at=now,
        passed=counts[Verdict.PASSED],
        failed=counts[Verdict.FAILED],
        undecided=counts[Verdict.UNDECIDED],
    )
    return Outcome(
        counts[Verdict.PASSED], counts[Verdict.FAILED], counts[Verdict.UNDECIDED], aside, left_out
    )


def _record(trial: Trial, line: Line, by: User, now: datetime) -> bool:
    """Record one decision. Returns whether they stand aside from now on."""
    given: dict[str, Any] = {"rater": line.rater, "capability": trial.capability}
    made = qualifying.step(
        **given,
        event=EVENTS[line.judged.verdict],
        by=by,
        now=now,
        round_=trial.round,
        figures=trial_reports.figures_of(line, trial.threshold),
    )
    if made.event != Event.FAILED:
        return False
    steps = Qualification.objects.filter(**given).order_by("number")
    events = [Event(one) for one in steps.values_list("event", flat=True)]
    if not rules.stands_aside(trial.threshold, events):
        return False
    said = _("%(n)d trials were not reached; the curator talks with them.")
    reason = said % {"n": trial.threshold.most_failures}
    step = qualifying.step(**given, event=Event.SUSPENDED, by=by, now=now, reason=reason)
    return State(step.state) is State.SUSPENDED
