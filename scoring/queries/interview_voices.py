"""Who judged the dialogues of a run: its own evaluator, and those that judged them again later."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Rater
from scoring.models import Dialogue, Run, Step

#: The figure of several evaluators side by side (scoring.queries.interview_panels).
PANEL: Final = "interview_panel"
#: How a panel votes; the first is the usual one.
VOTES: Final[Mapping[str, Any]] = {
    "mean": gettext_lazy("mean of the evaluators"),
    "median": gettext_lazy("median of the evaluators"),
}


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
    return _("%(name)s, run %(run)d") % {"name": name, "run": run.number} if tell_apart else name
