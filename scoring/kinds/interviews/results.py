"""How verdicts become scores, as an address says it: the axes of a profile, and an aspect.

* Who judged the dialogues of a run: its own evaluator, and those that judged them again later.
* The results of a run of interviews as pages and files show them: names in the place of keys.
* Tables of the results of interviews as lines of CSV: pairs, profiles, ablation, and how dialogues went.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.people.models import Rater
from scoring.engine.models import Run, Step
from scoring.kinds.interviews.models import Dialogue
from scoring.kinds.interviews.verdicts_v1 import OVERALL
from scoring.kinds.interviews.verdicts_v1 import SCORED as ASPECTS
from scoring.outcomes.kinds import Choice
from scoring.stats.machines.interviews import (
    LINEAR,
    PROFILES,
    AfterStop,
    Decay,
    Profile,
    Scale,
    Unscored,
)

Words = str | Promise
SCALES: Final[Mapping[str, Words]] = {
    Scale.THIRDS: _("(s − 1) / 3"),
    Scale.QUARTERS: _("s / 4"),
    Scale.RELEASED: _("as released: 10, 30, 70, 100"),
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
    AfterStop.LAST: _("what a stop left out repeats the last score"),
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
    Choice("aspect", _("Aspect"), {OVERALL: ASPECT_NAMES[OVERALL], **ASPECT_NAMES}),
    Choice("scale", _("Map of a verdict"), SCALES, is_main=False),
    Choice("decay", _("Weights"), DECAYS, is_main=False),
    Choice("after_stop", _("After an early stop"), AFTER, is_main=False),
    Choice("unscored", _("Without a verdict"), UNSCORED, is_main=False),
    Choice("stopping", _("Early stopping"), STOPPING, is_main=False),
)
#: How a panel votes.
VOTE: Final = Choice(
    "vote",
    _("Vote of the panel"),
    {"mean": _("mean of the evaluators"), "median": _("median of the evaluators")},
    "How a panel votes.",
)


@dataclass(frozen=True)
class Options:
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


def of_params(params: Mapping[str, Any]) -> Options:
    """Return what an address or a figure asks for; a value that is none of ours is the usual one."""
    chosen = {one.name: one.of(params) for one in PROFILE}
    made = replace(
        LINEAR,
        name="chosen",
        scale=Scale(chosen["scale"]),
        decay=Decay(chosen["decay"]),
        after_stop=AfterStop(chosen["after_stop"]),
        unscored=Unscored(chosen["unscored"]),
        early_stopping=chosen["stopping"] == "on",
    )
    known = next((one for one in PROFILES if replace(one, name="chosen") == made), made)
    assert chosen["aspect"] in ASPECTS
    return Options(chosen["aspect"], known)


def named(options: Options) -> list[tuple[str, str, bool]]:
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


def of(run: Run) -> list[Voice]:
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
