"""The report of a trial as its page shows it: who reached the threshold, and what the wording has to do with it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import (
    Assignment,
    ClaimEvent,
    Criterion,
    Qualification,
    Rater,
    Response,
    Round,
    RoundItem,
    RubricVersion,
    Trial,
)
from annotation.queries import qualifications, trial_results
from annotation.rules import faces
from annotation.rules import qualification as rules
from annotation.rules.qualification import Judged, Measured, State
from evalsite import markdown
from scoring.queries.wording import why

FIGURE = "trial"
#: So many answers are shown where none stands out.
MOST_WRONG = 5
Row = Mapping[str, Any]

WORDS = {
    rules.Why.REACHED: gettext_lazy("reached"),
    rules.Why.BELOW_REFERENCE: gettext_lazy("below the threshold against the reference"),
    rules.Why.BELOW_PEERS: gettext_lazy("below the threshold against the others"),
    rules.Why.TOO_FEW: gettext_lazy("too few grades to tell"),
    rules.Why.UNDEFINED: gettext_lazy("an agreement is undefined"),
    rules.Why.UNSURE: gettext_lazy("high enough, but the interval reaches below the threshold"),
    rules.Why.UNFINISHED: gettext_lazy("has not graded everything"),
}
CAUSES = {
    "NOBODY": gettext_lazy("Everybody reaches the threshold."),
    "PEOPLE": gettext_lazy(
        "It is a few annotators: they stay below the threshold even without the answers on which "
        "most people err. Train them again."
    ),
    "RUBRIC": gettext_lazy(
        "It is the rubric’s wording, or a reference: without the answers on which the best err like "
        "everybody else the threshold is reached, or most people are below it."
    ),
    "BOTH": gettext_lazy(
        "It is both: some would reach the threshold without the answers on which the best err like "
        "everybody else, others would not."
    ),
    "UNKNOWN": gettext_lazy("With fewer than three annotators this cannot be told."),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One annotator of the trial."""

    rater: Rater
    name: str
    row: Row
    judged: Judged
    n_done: int
    n_seats: int
    state: State

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
        return self.state in {State.TRAINED, State.TRIAL}


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


class Report:
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
    def lines(self) -> list[Line]:
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
            made.append(Line(rater, name, row, judged, n_done, self.n_items, state))
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


def _measured(row: Row) -> Measured:
    return Measured(row["value"], row["low"], row["n"])


def figures_of(line: Line, threshold: rules.Threshold) -> dict[str, Any]:
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
