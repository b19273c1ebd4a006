"""What interview scores are set against, as an address says it, and what there is to choose from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count
from django.utils.translation import gettext as _

from annotation.people.models import Project
from scoring.engine.models import Run, Step
from scoring.kinds.contamination.models import BenchmarkFigure
from scoring.kinds.interviews import results as interview_profiles
from scoring.kinds.interviews.models import Dialogue
from scoring.kinds.interviews.results import InterviewOptions

FIRST, RUN, FIGURE = "first", "run:", "figure:"
#: Uploaded figures of these names are set off against each other: what was seen against what was not.
TRAIN_LOSS, TEST_LOSS = "train loss", "test loss"
MOST: Final = 200


@dataclass(frozen=True)
class ContaminationOptions:
    """`axis` is "first" (right first answers), "run:7" (a run of accuracy) or "figure:NAME"."""

    axis: str
    profile: InterviewOptions


def axes(project: Project) -> list[tuple[str, str]]:
    """Return what interview scores can be set against: for programs, and in words."""
    runs = Run.objects.filter(project=project, kind=Run.Kind.QUIZ).order_by("-number")
    measured = [
        (
            f"{RUN}{number}",
            _("accuracy of run %(number)d, %(name)s") % {"number": number, "name": name},
        )
        for number, name in runs.values_list("number", "name")[:MOST]
    ]
    brought = [(f"{FIGURE}{name}", name) for name in names(project)]
    return [(FIRST, _("right first answers of these interviews")), *measured, *brought]


def names(project: Project) -> list[str]:
    """Return what was measured elsewhere, by name."""
    rows = BenchmarkFigure.objects.filter(release__system__project=project, batch__state="APPLIED")
    return sorted(set(rows.values_list("name", flat=True)))[:MOST]


def of_params(params: Mapping[str, Any]) -> ContaminationOptions:
    """Return what an address or a figure asks for; what is none of ours is the usual one."""
    axis = str(params.get("axis") or FIRST)[:130]
    known = axis == FIRST or axis.startswith((RUN, FIGURE))
    return ContaminationOptions(axis if known else FIRST, interview_profiles.of_params(params))


def usual_axis(run: Run) -> str:
    """Return what interviews are set against unless somebody says.

    Right first answers where any is known to be right or wrong; else what most of its systems have.

    Only figures that cover all data sets count, since every interview can be set against those.
    """
    if Dialogue.objects.filter(run=run, right__isnull=False).exists():
        return FIRST
    interviewed = [one["release"] for one in run.config.get("releases", [])]
    brought = BenchmarkFigure.objects.filter(
        release__in=interviewed, batch__state="APPLIED", dataset=""
    )
    covering = brought.values("name").annotate(systems=Count("release", distinct=True))
    name = covering.order_by("-systems", "name").values_list("name", flat=True).first()
    return FIRST if name is None else f"{FIGURE}{name}"


def version(run: Run, axis: str) -> str:
    """Return what changes whenever that against which the interviews are set does."""
    rows = BenchmarkFigure.objects.filter(
        release__system__project=run.project_id, batch__state="APPLIED"
    )
    parts = [f"{rows.count()} {rows.order_by('-pk').values_list('pk', flat=True).first()}"]
    number = axis.removeprefix(RUN)
    if axis.startswith(RUN) and number.isdecimal() and len(number) < 10:
        ended = Step.objects.filter(
            run__project=run.project_id, run__number=int(number), finished_at__isnull=False
        )
        parts.append(str(ended.count()))
    return " ".join(parts)
