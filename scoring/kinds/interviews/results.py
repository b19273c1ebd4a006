"""How verdicts become scores, as an address says it: the axes of a profile, and an aspect.

* Who judged the dialogues of a run: its own evaluator, and those that judged them again later.
* The results of a run of interviews as pages and files show them: names in the place of keys.
* What interviews of more systems would cost, from what a run really took. An interview of one system costs the
  same whoever else takes part, so cost grows with their number; only verification is done once for all.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby
from typing import Any, Final, Literal
from urllib.parse import urlencode

from django.db.models import BooleanField, Count, ExpressionWrapper, Q, Sum
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from annotation.people.models import Rater
from evalsite.templatetags import amounts
from scoring.engine.models import LLMCall, Run, Step
from scoring.kinds.interviews.models import Dialogue
from scoring.kinds.interviews.verdicts_v1 import OVERALL
from scoring.kinds.interviews.verdicts_v1 import SCORED as ASPECTS
from scoring.outcomes.kinds import OutcomeChoice
from scoring.outcomes.values import Cell, Column, Estimate, OutcomeWords, Table
from scoring.stats.machines.interviews import (
    LINEAR,
    PROFILES,
    AfterStop,
    Decay,
    Profile,
    Unscored,
    VerdictScale,
)

Words = str | Promise
SCALES: Final[Mapping[str, Words]] = {
    VerdictScale.THIRDS: _("(s − 1) / 3"),
    VerdictScale.QUARTERS: _("s / 4"),
    VerdictScale.RELEASED: _("as released: 10, 30, 70, 100"),
}
DECAYS: Final[Mapping[str, Words]] = {
    Decay.BY_PLANNED: _("falling by exchanges planned"),
    Decay.BY_HELD: _("falling by exchanges held"),
    Decay.FIFTH: _("falling by a fifth, as released"),
    Decay.NONE: _("equal weights"),
}
AFTER: Final[Mapping[str, Words]] = {
    AfterStop.DROPPED: _("what a stop left out is dropped"),
    AfterStop.LOWEST: _("what a stop left out counts as 1"),
    AfterStop.LAST: _("after a stop, the last score repeats"),
}
UNSCORED: Final[Mapping[str, Words]] = {
    Unscored.KEEPS_SLOT: _("without a verdict: keeps its place"),
    Unscored.SHIFTS_UP: _("without a verdict: later ones move up"),
    Unscored.FAILS: _("without a verdict: the dialogue has no score"),
}
STOPPING: Final[Mapping[str, Words]] = {
    "on": _("early stops count"),
    "off": _("early stops do not count"),
}
ASPECT_NAMES: Final[Mapping[str, Words]] = {
    "accuracy": _("Accuracy"),
    "logic": _("Logic"),
    "relevance": _("Relevance"),
    "coherence": _("Coherence"),
    "conciseness": _("Conciseness"),
    OVERALL: _("Overall"),
}
REASONS: Final[Mapping[str, Words]] = {
    "off_topic": _("off the topic"),
    "empty_response": _("nothing said"),
    "rule_violation": _("a rule broken"),
    "repetition": _("repetition"),
    "unpermitted_role_shift": _("spoke for another"),
    "hallucination": _("made up"),
    "none": _("no reason given"),
}
NAMES: Final[Mapping[str, Words]] = {
    "linear": _("linear"),
    "quarters": _("quarters"),
    "released": _("as released"),
    "chosen": _("as chosen"),
}
#: How verdicts become scores, and the aspect that is looked at.
PROFILE: Final = (
    OutcomeChoice("aspect", _("Aspect"), {OVERALL: ASPECT_NAMES[OVERALL], **ASPECT_NAMES}),
    OutcomeChoice("scale", _("Map of a verdict"), SCALES, is_main=False),
    OutcomeChoice("decay", _("Weights"), DECAYS, is_main=False),
    OutcomeChoice("after_stop", _("After an early stop"), AFTER, is_main=False),
    OutcomeChoice("unscored", _("Without a verdict"), UNSCORED, is_main=False),
    OutcomeChoice("stopping", _("Early stopping"), STOPPING, is_main=False),
)
#: How a panel votes.
VOTE: Final = OutcomeChoice(
    "vote",
    _("Vote of the panel"),
    {"mean": _("mean of the evaluators"), "median": _("median of the evaluators")},
    "How a panel votes.",
)


@dataclass(frozen=True)
class InterviewOptions:
    """A profile and the aspect that is looked at."""

    aspect: str
    profile: Profile

    @property
    def params(self) -> dict[str, str]:
        """Return the axes as an address says them."""
        one = self.profile
        return {
            "aspect": self.aspect,
            "scale": str(one.scale),
            "decay": str(one.decay),
            "after_stop": str(one.after_stop),
            "unscored": str(one.unscored),
            "stopping": "on" if one.early_stopping else "off",
        }

    def is_like(self, other: Profile) -> bool:
        return replace(other, name=self.profile.name) == self.profile


def of_params(params: Mapping[str, Any]) -> InterviewOptions:
    """Return what an address or a figure asks for; a value that is none of ours is the usual one."""
    chosen = {one.name: one.of(params) for one in PROFILE}
    made = replace(
        LINEAR,
        name="chosen",
        scale=VerdictScale(chosen["scale"]),
        decay=Decay(chosen["decay"]),
        after_stop=AfterStop(chosen["after_stop"]),
        unscored=Unscored(chosen["unscored"]),
        early_stopping=chosen["stopping"] == "on",
    )
    known = next((one for one in PROFILES if replace(one, name="chosen") == made), made)
    assert chosen["aspect"] in ASPECTS
    return InterviewOptions(chosen["aspect"], known)


def named(options: InterviewOptions) -> list[tuple[str, str, bool]]:
    """Return each profile that has a name: what it is called, its query, whether it is chosen."""
    return [
        (
            str(NAMES[one.name]),
            urlencode(replace(options, profile=one).params),
            options.is_like(one),
        )
        for one in PROFILES
    ]


def vote_of(params: Mapping[str, Any]) -> Literal["mean", "median"]:
    """Return how a panel votes; what is none of ours is the usual way."""
    return "median" if params.get("vote") == "median" else "mean"


@dataclass(frozen=True, slots=True)
class Voice:
    """One evaluator's verdicts on the dialogues of a run. The same one in another run is another voice."""

    rater: int
    run: Run
    name: str
    is_first: bool = False

    @property
    def key(self) -> str:
        return f"{self.run.number}:{self.rater}"


def rater_of(run: Run) -> int:
    """Return the rater whose verdicts a run of interviews has; of dialogues from a file, that of the file.

    Raises:
        ValueError: it has none.
    """
    rater = run.judge.rater_id if run.judge else run.config.get("rater")
    if rater is None:
        raise ValueError("This run of interviews has no evaluator.")
    return int(rater)


def again(run: Run) -> list[Run]:
    """Return the runs in which the dialogues of a run were judged again, in their order."""
    rows = Run.objects.filter(project=run.project_id, kind=Run.Kind.REJUDGE, config__of=run.pk)
    return list(rows.order_by("number"))


def voices_of(run: Run) -> list[Voice]:
    """Return every voice on the dialogues of a run, its own evaluator first."""
    found = [(rater_of(run), run), *((pk, one) for one in again(run) for pk in raters_of(one))]
    names = dict(Rater.objects.filter(pk__in=[pk for pk, _run in found]).values_list("pk", "ref"))
    often = Counter(pk for pk, _run in found)
    return [
        Voice(pk, one, _named(names.get(pk, ""), one, often[pk] > 1), is_first=one.pk == run.pk)
        for pk, one in found
    ]


def version(run: Run) -> str:
    """Return what changes whenever a dialogue of the run is judged again."""
    runs = [one.pk for one in again(run)]
    n_done = Step.objects.filter(run__in=runs, state=Step.State.DONE).count() if runs else 0
    return f", {n_done} judged again in {runs}"


def raters_of(run: Run) -> list[int]:
    """Return the raters of a run that judged dialogues again."""
    chosen: Sequence[Mapping[str, Any]] = run.config["evaluators"]
    return [one["rater"] for one in chosen]


def judge_of(step: Step) -> int:
    """Return the key of the evaluator that a step of such a run asks."""
    return int(step.spec["judge"])


def stops(run: Run) -> dict[tuple[int, int], int | None]:
    """Return where the evaluators of a run that judged again would have stopped, by rater and response."""
    by_judge = {one["judge"]: one["rater"] for one in run.config["evaluators"]}
    done = Step.objects.filter(run=run, state=Step.State.DONE, response__isnull=False)
    rows = done.values_list("spec__judge", "response_id", "result__stopped_at")
    return {(by_judge[judge], response): stopped for judge, response, stopped in rows}


@dataclass(frozen=True, slots=True)
class Second:
    """What another voice says of an exchange."""

    name: str
    scores: Mapping[str, int]
    comments: Mapping[str, str]
    unscored: str
    stop_reason: str


def beside(dialogue: Dialogue, voices: Sequence[Voice]) -> dict[int, list[Second]]:
    """Return what the other voices say of each exchange of a dialogue, by its number."""
    others = {(one.run.pk, one.rater): one for one in voices if not one.is_first}
    runs = {one.run.pk: one.run for one in others.values()}
    steps = Step.objects.filter(run__in=runs, response=dialogue.response_id, state=Step.State.DONE)
    made: dict[int, list[Second]] = {}
    for step in steps.order_by("run", "ordinal"):
        chosen = runs[step.run_id].config["evaluators"]
        rater = next(one["rater"] for one in chosen if one["judge"] == judge_of(step))
        for one in (step.result or {}).get("exchanges", []):
            made.setdefault(one["exchange"], []).append(
                _second(others[step.run_id, rater].name, one)
            )
    return made


def _second(name: str, said: Mapping[str, Any]) -> Second:
    verdict = said["verdict"] or {}
    stops_here = bool(verdict.get("stop"))
    return Second(
        name,
        verdict.get("scores", {}),
        verdict.get("comments", {}),
        "" if verdict else said["unscored"],
        verdict.get("stop_reason", "") if stops_here else "",
    )


def _named(name: str, run: Run, tell_apart: bool) -> str:
    return (
        gettext("%(name)s, run %(run)d") % {"name": name, "run": run.number} if tell_apart else name
    )


#: Numbers of systems that a comparison is reckoned for.
SYSTEMS: Final = (1, 10, 100)
ENDED_STEPS: Final = (Step.State.DONE, Step.State.FAILED)
VERIFICATION: Final = "verification"
ROLES: Final = {
    VERIFICATION: _("Verification, once"),
    "candidate": _("System"),
    "interactor": _("Interviewer"),
    "evaluator": _("Evaluator"),
}
ORDER_OF_ROLES: Final = list(ROLES)


@dataclass(frozen=True, slots=True)
class InterviewShare:
    """What a role takes: of each system, or once for all of them. `cost` is None where prices lack."""

    role: str
    currency: str
    calls: float
    prompt_tokens: float
    completion_tokens: float
    cost: Decimal | None
    is_once: bool = False

    def of(self, n: int) -> Decimal | None:
        """Return the cost of so many systems."""
        if self.cost is None:
            return None
        return self.cost if self.is_once else self.cost * n


def shares(run: Run) -> list[InterviewShare]:
    """Return what each role of a run took, a system; nothing where no interview has ended yet."""
    held = Step.objects.filter(run=run, release__isnull=False)
    n_ended = held.filter(state__in=ENDED_STEPS).count()
    releases = run.config.get("releases") or ()
    if not n_ended or not releases:
        return []
    each = held.count() / len(releases) / n_ended
    rows = sorted(
        _rows(run), key=lambda row: (ORDER_OF_ROLES.index(_role(row)), row["endpoint__currency"])
    )
    return [
        _share(list(same), 1.0 if once else each)
        for (_name, _currency, once), same in groupby(
            rows, lambda row: (_role(row), row["endpoint__currency"], row["once"])
        )
    ]


def _rows(run: Run) -> Sequence[Mapping[str, Any]]:
    once = ExpressionWrapper(Q(step__release__isnull=True), output_field=BooleanField())
    rows = LLMCall.objects.filter(run=run, step__state__in=ENDED_STEPS).order_by()
    by_role = rows.annotate(once=once).values("once", "role", "endpoint__currency")
    found = by_role.annotate(
        n=Count("pk"),
        n_unpriced=Count("pk", filter=Q(trouble="", cost__isnull=True)),
        prompts=Sum("prompt_tokens"),
        completions=Sum("completion_tokens"),
        money=Sum("cost"),
    )
    return list(found)


def _share(rows: Sequence[Mapping[str, Any]], each: float) -> InterviewShare:
    """Return what rows of one role and currency took together, times `each`."""
    first = rows[0]
    once = bool(first["once"])
    total = {
        name: sum(row[name] or 0 for row in rows)
        for name in ("n", "n_unpriced", "prompts", "completions", "money")
    }
    return InterviewShare(
        role=_role(first),
        currency=first["endpoint__currency"],
        calls=total["n"] * each,
        prompt_tokens=total["prompts"] * each,
        completion_tokens=total["completions"] * each,
        cost=None if total["n_unpriced"] else Decimal(total["money"]) * Decimal(str(each)),
        is_once=once,
    )


def _role(row: Mapping[str, Any]) -> str:
    return VERIFICATION if row["once"] else str(row["role"])


def costs_of(given: Sequence[InterviewShare], n: int) -> dict[str, Decimal | None]:
    """Return the cost of so many systems by currency; None where a price is not known."""
    made: dict[str, Decimal | None] = {}
    for one in given:
        mine, so_far = one.of(n), made.get(one.currency, Decimal(0))
        made[one.currency] = None if mine is None or so_far is None else so_far + mine
    return made


def costs_said(given: Sequence[InterviewShare]) -> str:
    """Return the reckoned cost as a line of a terminal; empty where nothing is known."""
    parts = []
    for n in SYSTEMS:
        known = [
            amounts.money(cost, of) for of, cost in costs_of(given, n).items() if cost is not None
        ]
        parts += [f"{n} {'system' if n == 1 else 'systems'}: {' + '.join(known)}"] if known else []
    return "; ".join(parts)


def cost_table(run: Run) -> Iterator[Table]:
    """Yield what each role takes and costs, for one system and for more; nothing where nothing is known."""
    found = shares(run)
    if not found:
        return
    rows = [_cost_row(ROLES[one.role], one.role, one) for one in found]
    for currency in dict.fromkeys(one.currency for one in found):
        own = [one for one in found if one.currency == currency]
        if len(own) > 1:
            rows.append(_total(own, currency))
    yield Table(
        name="cost",
        title=_("Cost of more systems"),
        about=_("This run per system, and more systems at the same prices and questions."),
        folded=True,
        columns=[
            Column("role", _("Role")),
            Column("calls", _("Calls"), 1),
            Column("prompt_tokens", _("Prompt tokens"), 0),
            Column("completion_tokens", _("Completion tokens"), 0),
            *(Column(f"cost_{n}", _of_systems(n)) for n in SYSTEMS),
            Column("currency", _("Currency")),
        ],
        rows=rows,
    )


def _of_systems(n: int) -> str:
    return ngettext("%(n)d system", "%(n)d systems", n) % {"n": n}


def _cost_row(title: Any, key: str, one: InterviewShare) -> list[Cell]:
    return [
        OutcomeWords(str(title), value=key),
        one.calls,
        one.prompt_tokens,
        one.completion_tokens,
        *(_money(one.of(n)) for n in SYSTEMS),
        one.currency,
    ]


def _total(own: Sequence[InterviewShare], currency: str) -> list[Cell]:
    by_n = [costs_of(own, n)[currency] for n in SYSTEMS]
    return [
        OutcomeWords(gettext("Total"), value="total"),
        sum(one.calls for one in own),
        sum(one.prompt_tokens for one in own),
        sum(one.completion_tokens for one in own),
        *map(_money, by_n),
        currency,
    ]


def _money(cost: Decimal | None) -> Cell:
    if cost is None:
        return Estimate(None, why=gettext("An endpoint has no prices."))
    return OutcomeWords(amounts.money(cost), value=float(cost))
