"""Signals that nobody has looked into, by round: what the home of a project shows its curators."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max

from annotation.models import Grade, Look, Project, Round
from scoring.models import Figure
from scoring.queries import watching
from scoring.queries.labels import Labels

#: So many rounds, the newest, are looked through.
MOST = 8


@dataclass(frozen=True)
class Open:
    """A round under way and how many of its annotators need a look, as of when."""

    round: Round
    n: int
    at: datetime


@dataclass(frozen=True)
class Found:
    """What stands, and the rounds that have been graded in since it was computed."""

    open: list[Open]
    stale: list[Round]


def found(project: Project) -> Found:
    """Return what the last figures say of the rounds that people grade in, or reviewers look at."""
    rounds = list(
        Round.objects.filter(
            project=project,
            kind=Round.Kind.PRODUCTION,
            state__in=[Round.State.OPEN, Round.State.REVIEW],
        ).order_by("-number")[:MOST]
    )
    graded = dict(
        Grade.objects.filter(round__in=rounds, kind=Grade.Kind.GIVEN)
        .order_by()
        .values_list("round")
        .annotate(last=Max("given_at"))
    )
    figures: dict[int, Figure] = {}
    rows = Figure.objects.filter(
        name=watching.FIGURE, round__in=rounds, state=Figure.State.READY
    ).order_by("ready_at")
    for figure in rows.filter(params__shape=watching.SHAPE):
        figures[figure.round_id or 0] = figure
    looks: dict[int, dict[int, Look]] = defaultdict(dict)
    for look in Look.objects.filter(round__in=rounds).order_by("pk"):
        looks[look.round_id][look.rater_id] = look
    made = []
    for one in rounds:
        last = figures.get(one.pk)
        if last is None or last.ready_at is None:
            continue
        signals = watching.Signals(last.data or {}, Labels({}, {}, {}), looks[one.pk])
        if signals.n_to_look_at:
            made.append(Open(one, signals.n_to_look_at, last.ready_at))
    stale = [
        one
        for one in rounds
        if one.pk in graded
        and (one.pk not in figures or (figures[one.pk].ready_at or graded[one.pk]) < graded[one.pk])
    ]
    return Found(made, stale)
