"""Figures are asked for by pages and computed by the insight worker, once for the same ratings."""

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.models import Round
from annotation.queries import grade_table
from annotation.rules import contents
from evalsite import queue
from scoring.models import Dialogue, Figure, Run
from scoring.queries import formulas, judgments, results

JOB = "scoring.jobs.compute_figure"
#: A worker that has not finished after so long has died; another one may compute.
LEASE = timedelta(minutes=5)
#: While a round is open its figures may be so old before they are computed again.
FRESH = timedelta(seconds=60)
#: So many figures of one name are kept for a round; older ones are computed again when asked for.
MOST_KEPT = 60


def _sha(value: object) -> str:
    return hashlib.sha256(contents.canonical(value)).hexdigest()


def get(*, name: str, round_: Round, params: Mapping[str, Any], now: datetime) -> Figure:
    """Return the figure for the ratings as they are; if it is not there yet, ask for it.

    A figure of an open round that is less than a minute old is returned as it is: its page
    says as of when. One that another version of the program computed is computed anew.
    The caller looks at `state`: READY has `data`, FAILED has `problem`.
    """
    wanted = {**params, "formula": formulas.fingerprint()}
    ratings_sha, params_sha = _sha(_version(round_, params)), _sha(wanted)
    mine = Figure.objects.filter(name=name, params_sha=params_sha, round=round_)
    if found := mine.filter(ratings_sha=ratings_sha).first():
        if found.state == Figure.State.WANTED:
            _ring(found)
        return found
    if round_.state == Round.State.OPEN and (latest := _recent(mine, now)):
        return latest
    return _want(name, round_, wanted, params_sha, ratings_sha, now)


def _version(round_: Round, params: Mapping[str, Any]) -> str:
    """Return what changes whenever the ratings that a figure reads do.

    Those are the round's own, those of the rounds that its parameters name (`rounds`, `before`), and
    the judgments of the machines in `judges`.
    """
    numbers = {*params.get("rounds", ()), params.get("before", round_.number)} - {round_.number}
    others = Round.objects.filter(project=round_.project_id, number__in=numbers).order_by("number")
    parts = [grade_table.version(one) for one in (round_, *others)]
    if named := params.get("judges"):
        parts.append(judgments.version(named))
    return "+".join(parts)


def of_run(
    *, name: str, run: Run, params: Mapping[str, Any], now: datetime, version: str = ""
) -> Figure:
    """Return a figure of a run's interviews as far as they are held; if it is not there, ask for it.

    While the run is at work, a figure of less than a minute is returned as it is. `version` changes
    whenever something else does that the figure reads.
    """
    wanted = {**params, "run": run.pk, "formula": formulas.fingerprint()}
    held = Dialogue.objects.filter(run=run).count()
    mine = Figure.objects.filter(name=name, params_sha=_sha(wanted), round=None)
    ratings_sha = _sha(f"run {run.pk}, {held} dialogues{version}")
    if found := mine.filter(ratings_sha=ratings_sha).first():
        if found.state == Figure.State.WANTED:
            _ring(found)
        return found
    if run.state == Run.State.RUNNING and (latest := _recent(mine, now)):
        return latest
    return _want(name, None, wanted, _sha(wanted), ratings_sha, now)


def _recent(mine: "QuerySet[Figure]", now: datetime) -> Figure | None:
    told = (Figure.State.READY, Figure.State.EMPTY)
    recent = mine.filter(state__in=told, ready_at__gt=now - FRESH)
    return recent.order_by("-ready_at").first()


def scores_of(*, round_: Round, now: datetime) -> Figure:
    """Return the figure behind the results of a round, with weights as they are stored."""
    return get(name=results.FIGURE, round_=round_, params=results.params(round_), now=now)


@transaction.atomic
def _want(
    name: str,
    round_: Round | None,
    params: Mapping[str, Any],
    params_sha: str,
    ratings_sha: str,
    now: datetime,
) -> Figure:
    figure, _created = Figure.objects.get_or_create(
        name=name,
        params_sha=params_sha,
        ratings_sha=ratings_sha,
        defaults={"params": dict(params), "round": round_, "wanted_at": now},
    )
    _ring(figure)
    return figure


def _ring(figure: Figure) -> None:
    """Ring for a worker; if the queue is down, the sweeper rings again."""
    try:
        queue.enqueue(
            JOB,
            queue="insight",
            key=f"figure-{figure.pk}",
            turn=f"round-{figure.round_id}" if figure.round_id else "",
            figure_id=figure.pk,
        )
    except queue.QueueDown:
        return


def ring_for_waiting(now: datetime) -> int:
    """Ring for figures nobody is computing; return how many. Called by the sweeper."""
    waiting = Figure.objects.filter(state=Figure.State.WANTED).filter(
        Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    )
    late = list(waiting.filter(wanted_at__lt=now - timedelta(seconds=20))[:50])
    for figure in late:
        _ring(figure)
    return len(late)


def lease(*, figure_id: int, now: datetime) -> Figure | None:
    """Take a figure to compute it; None if it is done, gone or in somebody's hands."""
    taken = (
        Figure.objects.filter(pk=figure_id, state=Figure.State.WANTED)
        .filter(Q(lease_until__isnull=True) | Q(lease_until__lt=now))
        .update(lease_until=now + LEASE)
    )
    return Figure.objects.select_related("round").get(pk=figure_id) if taken else None


def store(*, figure: Figure, data: Any, now: datetime) -> None:
    """Keep what was computed, and drop what it replaces."""
    _keep(figure, now, state=Figure.State.READY, data=data)


def leave_empty(*, figure: Figure, reason: str, now: datetime) -> None:
    """Keep why there is nothing to compute from these ratings; other ratings make another figure."""
    _keep(figure, now, state=Figure.State.EMPTY, problem=reason[:500])


def fail(*, figure: Figure, problem: str) -> None:
    """Keep why a figure could not be computed; the page shows it."""
    Figure.objects.filter(pk=figure.pk).update(
        state=Figure.State.FAILED, problem=problem[:500], lease_until=None
    )


@transaction.atomic
def _keep(figure: Figure, now: datetime, **found: Any) -> None:
    Figure.objects.filter(pk=figure.pk).update(ready_at=now, lease_until=None, **found)
    older = Figure.objects.filter(
        name=figure.name, params_sha=figure.params_sha, round=figure.round
    ).exclude(pk=figure.pk)
    older.filter(wanted_at__lt=figure.wanted_at).delete()
    _drop_all_but_newest(figure)


def _drop_all_but_newest(figure: Figure) -> None:
    """Keep the newest figures of a name in a round: every weight that is tried makes another one.

    Those that another version of the program computed go: nobody asks for them any more.
    """
    mine = Figure.objects.filter(name=figure.name, round=figure.round, ready_at__isnull=False)
    if figure.round is None:
        mine = mine.filter(params__run=figure.params.get("run"))
    of_others = mine.exclude(params__formula=figure.params.get("formula"))
    of_others.filter(wanted_at__lt=figure.wanted_at).delete()
    newest = mine.order_by("-ready_at", "-pk").values_list("pk", flat=True)
    if too_old := list(newest[MOST_KEPT:]):
        Figure.objects.filter(pk__in=too_old).delete()


def ask_again(*, round_: Round, now: datetime) -> int:
    """Try the figures of a round that failed once more; return how many there are."""
    return _want_again(Figure.objects.filter(round=round_), now)


def ask_again_of_run(*, run: Run, now: datetime) -> int:
    """Try the figures of a run that failed once more; return how many there are."""
    return _want_again(Figure.objects.filter(round=None, params__run=run.pk), now)


def _want_again(mine: "QuerySet[Figure]", now: datetime) -> int:
    failed = list(mine.filter(state=Figure.State.FAILED))
    Figure.objects.filter(pk__in=[one.pk for one in failed]).update(
        state=Figure.State.WANTED, problem="", wanted_at=now
    )
    for figure in failed:
        _ring(figure)
    return len(failed)
