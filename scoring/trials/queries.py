"""The report of a trial as its page shows it: who reached the threshold, and what the wording has to do with it.

* Decide a trial: who has qualified, who trains again, by the rule it began with.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.common import texts as faces
from annotation.people import audit
from annotation.people.models import Rater, User
from annotation.qualification import operations as qualifying
from annotation.qualification import queries as qualifications
from annotation.qualification import rules
from annotation.qualification.models import Qualification, Trial
from annotation.qualification.rules import (
    Event,
    JudgedTrial,
    MeasuredAgreement,
    PoolState,
    TrialVerdict,
)
from annotation.rounds.models import Assignment, ClaimEvent, Round, RoundItem
from annotation.rubrics.models import Criterion, RubricVersion
from annotation.systems.models import Response
from annotation.training import queries as trial_results
from evalsite import errors
from evalsite.text import markdown
from scoring.figures import operations as figures
from scoring.figures.models import Figure
from scoring.shown.wording import why

FIGURE = "trial"
#: So many answers are shown where none stands out.
MOST_WRONG = 5
Row = Mapping[str, Any]

WORDS = {
    rules.VerdictReason.REACHED: gettext_lazy("reached"),
    rules.VerdictReason.BELOW_REFERENCE: gettext_lazy("below the threshold against the reference"),
    rules.VerdictReason.BELOW_PEERS: gettext_lazy("below the threshold against the others"),
    rules.VerdictReason.TOO_FEW: gettext_lazy("too few grades to tell"),
    rules.VerdictReason.UNDEFINED: gettext_lazy("an agreement is undefined"),
    rules.VerdictReason.UNSURE: gettext_lazy("high enough, but its interval is not"),
    rules.VerdictReason.UNFINISHED: gettext_lazy("has not graded everything"),
}
CAUSES = {
    "NOBODY": gettext_lazy("Everybody reaches the threshold."),
    "PEOPLE": gettext_lazy(
        "A few annotators: below the threshold even without suspect answers. Train them again."
    ),
    "RUBRIC": gettext_lazy(
        "The rubric or a reference: without suspect answers all pass, or most people fail."
    ),
    "BOTH": gettext_lazy("Both: without suspect answers, some pass and some fail."),
    "UNKNOWN": gettext_lazy("It takes three annotators to tell."),
}


@dataclass(frozen=True, slots=True)
class TrialAnnotator:
    """One annotator of the trial."""

    rater: Rater
    name: str
    row: Row
    judged: JudgedTrial
    n_done: int
    n_seats: int
    state: PoolState

    @property
    def words(self) -> list[str]:
        return [str(WORDS[one]) for one in self.judged.why]

    @property
    def confusions(self) -> list[Row]:
        return [one for one in self.row["confusions"] if one["given"] != one["right"]][:4]

    @property
    def severity(self) -> Row:
        """Return how far they grade above the reference, in points of 100."""
        found: Row = self.row["severity"]
        ends = {name: found[name] for name in ("value", "low", "high")}
        scaled = {name: None if end is None else 100 * end for name, end in ends.items()}
        return {**found, **scaled}

    @property
    def why_no_interval(self) -> str:
        found: Row = self.row["reference"]
        return "" if found["value"] is None else why(found["interval_reason"])

    @property
    def may_be_decided(self) -> bool:
        """Whether a decision follows from where they stand: they have trained for it."""
        return self.state in {PoolState.TRAINED, PoolState.TRIAL}


@dataclass(frozen=True, slots=True)
class Suspect:
    """An answer on a criterion that most people grade otherwise than the reference, as it is read."""

    question: str
    response: str
    criterion: str
    row: Row


def params(trial: Trial) -> dict[str, Any]:
    """Return what the figure of a trial is asked for by."""
    return {
        "statistic": str(trial.statistic),
        "at": trial.threshold.reference_at,
    }


class TrialReport:
    """Reads the figure beside the rule that the trial began with."""

    def __init__(self, trial: Trial, data: Mapping[str, Any]) -> None:
        self.trial = trial
        self.round: Round = trial.round
        self._data = data
        self.cause: str = data["diagnosis"]["cause"]

    @property
    def threshold(self) -> rules.Threshold:
        return self.trial.threshold

    @property
    def statistic(self) -> str:
        return _("share of equal grades") if self.trial.statistic == "RAW" else _("weighted κ")

    @property
    def verdict_of_cause(self) -> str:
        return str(CAUSES[self.cause])

    @property
    def is_wording(self) -> bool:
        return self.cause in {"RUBRIC", "BOTH"}

    @property
    def diagnosis(self) -> Row:
        found: Row = self._data["diagnosis"]
        return found

    @cached_property
    def lines(self) -> list[TrialAnnotator]:
        """Return every annotator of the trial by name; without a grade, without figures."""
        places = self.round.annotators.select_related("rater__user__person")
        rows = {one["rater"]: one for one in self._data["raters"]}
        seats = self._n_seats()
        raters = [one.rater for one in places if one.ended_at is None or one.rater_id in rows]
        ladder = qualifications.Ladder(self.round.project_id)
        states = qualifications.states_of_many(raters)
        made = []
        for rater in raters:
            row = rows.get(rater.pk) or _nothing(rater.pk)
            n_done = seats[rater.pk]
            judged = rules.judge(
                self.threshold,
                _measured(row["reference"]),
                _measured(row["peers"]),
                finished=n_done >= self.n_items,
            )
            state = ladder.state(self.trial.capability_id, states[rater.pk])
            name = str(rater.user.display_name) if rater.user else rater.ref
            made.append(TrialAnnotator(rater, name, row, judged, n_done, self.n_items, state))
        return sorted(made, key=lambda one: one.name.lower())

    @cached_property
    def n_items(self) -> int:
        return self.round.items.count()

    def _n_seats(self) -> Counter[int]:
        """Return how many questions each has settled: graded, or skipped with a reason."""
        submitted = Assignment.objects.filter(
            round=self.round, state=Assignment.State.SUBMITTED, rater__isnull=False
        )
        skipped = ClaimEvent.objects.filter(
            assignment__round=self.round, kind=ClaimEvent.Kind.DECLINED
        )
        pairs = {
            *submitted.values_list("rater_id", "round_item_id"),
            *skipped.values_list("rater_id", "assignment__round_item_id"),
        }
        return Counter(rater or 0 for rater, _item in pairs)

    @cached_property
    def decided(self) -> list[Qualification]:
        """Return what was decided by this trial, if it was."""
        rows = Qualification.objects.filter(round=self.round, event__in=trial_results.DECIDED)
        return list(rows.select_related("rater__user__person").order_by("pk"))

    @property
    def may_decide(self) -> bool:
        closed = self.round.state in {Round.State.REVIEW, Round.State.FINAL}
        return closed and not self.decided and any(one.may_be_decided for one in self.lines)

    @cached_property
    def suspects(self) -> list[Suspect]:
        """Return the answers that are suspect, those on which most err first.

        Where most people are below the threshold and no answer stands out, those on which most err.
        """
        rows = [one for one in self.diagnosis["units"] if one["suspect"]]
        if not rows and self.is_wording:
            worst = sorted(self.diagnosis["units"], key=lambda row: -row["n_wrong"])
            rows = worst[:MOST_WRONG]
        responses = Response.objects.select_related("item").in_bulk(
            [one["response"] for one in rows]
        )
        criteria = Criterion.objects.in_bulk([one["criterion"] for one in rows])
        return [
            Suspect(
                markdown.plain(faces.conversation(responses[one["response"]].item.messages)),
                markdown.plain(faces.conversation(responses[one["response"]].messages)),
                criteria[one["criterion"]].name,
                one,
            )
            for one in sorted(rows, key=lambda row: (-row["n_wrong"], row["unit"]))
        ]

    @cached_property
    def rubric(self) -> RubricVersion | None:
        """Return the version the trial is graded by."""
        item = RoundItem.objects.filter(round=self.round).first()
        return item.rubric_version if item else None


def _nothing(rater: int) -> Row:
    empty = {
        "value": None,
        "low": None,
        "high": None,
        "n": 0,
        "n_questions": 0,
        "reason": "no_grades",
        "interval_reason": "no_grades",
    }
    parts = ("reference", "peers", "severity")
    return {"rater": rater, "confusions": [], **dict.fromkeys(parts, empty)}


def _measured(row: Row) -> MeasuredAgreement:
    return MeasuredAgreement(row["value"], row["low"], row["n"])


def figures_of(line: TrialAnnotator, threshold: rules.Threshold) -> dict[str, Any]:
    """Return what is kept with a decision: what was measured, and what was asked for."""
    found = line.row["reference"]
    return {
        "value": found["value"],
        "low": found["low"],
        "high": found["high"],
        "n": found["n"],
        "at": threshold.reference_at,
        "peers": line.row["peers"]["value"],
        "peers_at": threshold.peers_at,
        "why": [str(one) for one in line.judged.why],
    }


EVENTS = {
    TrialVerdict.PASSED: Event.PASSED,
    TrialVerdict.FAILED: Event.FAILED,
    TrialVerdict.UNDECIDED: Event.UNDECIDED,
}


class NotClosed(errors.Conflict):
    code = "trial_not_closed"


class DecidedBefore(errors.Conflict):
    code = "trial_decided_before"


class FiguresMoved(errors.Conflict): ...


@dataclass(frozen=True)
class TrialOutcome:
    """How many were decided how; `left_out` have not trained for it, so nothing follows."""

    passed: int
    failed: int
    undecided: int
    aside: int
    left_out: int


def figure_of(trial: Trial, now: datetime) -> Figure:
    """Return the figure of a trial; if it is not there yet, ask for it."""
    wanted = params(trial)
    return figures.get(name=FIGURE, round_=trial.round, params=wanted, now=now)


@transaction.atomic
def decide(*, trial: Trial, seen: int, by: User, now: datetime) -> TrialOutcome:
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
    return record(report=TrialReport(trial, figure.data or {}), by=by, now=now)


@transaction.atomic
def record(*, report: TrialReport, by: User, now: datetime) -> TrialOutcome:
    """Record for everybody what a report says.

    Raises:
        DecidedBefore: somebody did.
    """
    if report.decided:
        raise DecidedBefore(_("This trial is decided."))
    counts = dict.fromkeys(TrialVerdict, 0)
    aside = left_out = 0
    for line in report.lines:
        if not line.may_be_decided:
            left_out += 1
            continue
        counts[line.judged.verdict] += 1
        aside += _record(report.trial, line, by, now)
    audit.done(
        report.round,
        "trial.decided",
        by,
        now,
        passed=counts[TrialVerdict.PASSED],
        failed=counts[TrialVerdict.FAILED],
        undecided=counts[TrialVerdict.UNDECIDED],
    )
    return TrialOutcome(
        counts[TrialVerdict.PASSED],
        counts[TrialVerdict.FAILED],
        counts[TrialVerdict.UNDECIDED],
        aside,
        left_out,
    )


def _record(trial: Trial, line: TrialAnnotator, by: User, now: datetime) -> bool:
    """Record one decision. Returns whether they stand aside from now on."""
    given: dict[str, Any] = {"rater": line.rater, "capability": trial.capability}
    made = qualifying.step(
        **given,
        event=EVENTS[line.judged.verdict],
        by=by,
        now=now,
        round_=trial.round,
        figures=figures_of(line, trial.threshold),
    )
    if made.event != Event.FAILED:
        return False
    steps = Qualification.objects.filter(**given).order_by("number")
    events = [Event(one) for one in steps.values_list("event", flat=True)]
    if not rules.stands_aside(trial.threshold, events):
        return False
    said = _("%(n)d trials not passed.")
    reason = said % {"n": trial.threshold.most_failures}
    step = qualifying.step(**given, event=Event.SUSPENDED, by=by, now=now, reason=reason)
    return PoolState(step.state) is PoolState.SUSPENDED
