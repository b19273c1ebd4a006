"""What was found in the texts of systems that could sway a judge: counted for a run, and for a judge.

A flag says that something was found, never that somebody meant it. It is made harmless before a
judge sees it, whatever it is.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext_lazy as _

from scoring.models import Run, Step
from scoring.protocols.untrusted import Flag

LABELS: Mapping[str, Any] = {
    Flag.DELIMITER: _("imitates a delimiter"),
    Flag.TURN: _("imitates a turn of the chat"),
    Flag.VERDICT: _("brings a verdict of its own"),
    Flag.HIDDEN: _("holds signs that are not seen"),
    Flag.INSTRUCTION: _("gives the judge instructions"),
}


@dataclass(frozen=True)
class Found:
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
    found: Sequence[Found] = ()

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
    return Flagged(total, [Found(one, counts[one]) for one in order if counts[one]])
