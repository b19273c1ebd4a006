"""Signals that nobody has looked into, by round: for a project's home and its curators' daily mail."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Grade, Look, Project, Rater, Round, User
from scoring.models import Figure
from scoring.queries import formulas, watching
from scoring.queries.labels import Labels

#: So many rounds, the newest, are looked through.
MOST = 8


@dataclass(frozen=True)
class Open:
    """A round under way, how many of its annotators need a look and for which signals, as of when."""

    round: Round
    n: int
    at: datetime
    signals: Counter[str]


@dataclass(frozen=True)
class Found:
    """What stands, and the rounds that have been graded in since it was computed."""

    open: list[Open]
    stale: list[Round]


def found(project: Project, reader: User) -> Found:
    """Return what the last figures say of the rounds that people grade in, or reviewers look at.

    Args:
        project: whose rounds.
        reader: who is told; what concerns themselves as an annotator is left out.
    """
    rounds = _rounds(project)
    figures = _figures(rounds)
    looks: dict[int, dict[int, Look]] = defaultdict(dict)
    for look in Look.objects.filter(round__in=rounds).order_by("pk"):
        looks[look.round_id][look.rater_id] = look
    own = set(Rater.objects.filter(project=project, user=reader).values_list("pk", flat=True))
    made = []
    for one in rounds:
        last = figures.get(one.pk)
        if last is None or last.ready_at is None:
            continue
        signals = watching.Signals(last.data or {}, Labels({}, {}, {}), looks[one.pk])
        lines = [line for line in signals.to_look_at if line.rater not in own]
        if lines:
            raised = Counter(word for line in lines for word in line.words)
            made.append(Open(one, len(lines), last.ready_at, raised))
    return Found(made, _stale(rounds, figures))


def stale(project: Project) -> list[Round]:
    """Return the rounds that have been graded in since their signals were computed."""
    rounds = _rounds(project)
    return _stale(rounds, _figures(rounds))


def _rounds(project: Project) -> list[Round]:
    under_way = [Round.State.OPEN, Round.State.REVIEW]
    rows = Round.objects.filter(
        project=project, kind=Round.Kind.PRODUCTION, state__in=under_way
    ).select_related("project")
    return list(rows.order_by("-number")[:MOST])


def _figures(rounds: Sequence[Round]) -> dict[int, Figure]:
    """Return the newest figure of each round that this program computed, by the id of the round."""
    rows = Figure.objects.filter(
        name=watching.FIGURE, round__in=rounds, state=Figure.State.READY
    ).order_by("ready_at")
    return {one.round_id or 0: one for one in rows.filter(params__formula=formulas.fingerprint())}


def _stale(rounds: Sequence[Round], figures: Mapping[int, Figure]) -> list[Round]:
    graded = dict(
        Grade.objects.filter(round__in=rounds, kind=Grade.Kind.GIVEN)
        .order_by()
        .values_list("round")
        .annotate(last=Max("given_at"))
    )
    return [
        one
        for one in rounds
        if one.pk in graded
        and (one.pk not in figures or (figures[one.pk].ready_at or graded[one.pk]) < graded[one.pk])
    ]


def notices(
    *, project: Project, user: User, now: datetime, **_context: Any
) -> list[tuple[str, str, str]]:
    """Return title, text and address of what the daily mail tells somebody of annotators' signals.

    Nobody is named, and no day: a mail says the same again only if something has changed.
    """
    del now
    told = []
    for one in found(project, user).open:
        title = _("%(round)s: signals of annotators") % {"round": one.round.name}
        text = ngettext(
            "%(n)d annotator to look at: %(signals)s.",
            "%(n)d annotators to look at: %(signals)s.",
            one.n,
        )
        signals = ", ".join(f"{word} ({n})" for word, n in sorted(one.signals.items()))
        there = reverse("results_signals", args=[project.slug, one.round.number])
        told.append((title, text % {"n": one.n, "signals": signals}, there))
    return told
