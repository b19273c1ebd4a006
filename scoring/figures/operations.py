"""The judgments of machines as plain columns: the other half of the one table of ratings.

* By which formulas figures are computed: a stored one knows, and is computed anew by others.
* Figures are asked for by pages and computed by the insight worker, once for the same ratings.
"""

import functools
import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Q, QuerySet
from django.utils.translation import gettext as _

import scoring
from annotation.common import beats
from annotation.common import texts as contents
from annotation.grading import facts as grade_table
from annotation.people.models import Rater
from annotation.rounds.models import Round
from annotation.systems.models import System
from evalsite import queue
from scoring.engine.models import Judgment, Machine, Run
from scoring.figures.models import Figure
from scoring.kinds.interviews.models import Dialogue

PAGE = 20_000

#: Columns of the ratings frame, and where a judgment has them.
FIELDS: dict[str, str] = {
    "item": "response__item_id",
    "group": "response__item__group",
    "capability": "response__item__capability_id",
    "difficulty": "response__item__difficulty",
    "domain": "response__item__domain__name",
    "priority": "response__item__domain__priority",
    "system": "response__release__system__name",
    "release": "response__release_id",
    "response": "response_id",
    "criterion": "criterion__key",
    "rater": "rater_id",
    "rater_kind": "rater__kind",
    "target_level": "target_level",
    "target_index": "target_index",
    "repeat": "repeat",
    "value": "value",
    "scale_min": "criterion__minimum",
    "scale_max": "criterion__maximum",
    "mark": "criterion__mark",
    "text": "text",
    "label": "label",
    "outcome": "outcome",
    "at": "at",
}
_RUBRIC = ("criterion__rubric_version__rubric__key", "criterion__rubric_version__number")
#: Texts that are nothing when they are empty.
_MAY_LACK = frozenset({"difficulty", "domain", "priority", "text", "label"})


def judgments_of(raters: Sequence[int]) -> "QuerySet[Judgment]":
    """Return the judgments of machines that count: of imports, and of the last run over each round."""
    return Judgment.objects.counted().filter(rater__in=raters)


def columns(raters: Sequence[int]) -> dict[str, list[Any]]:
    """Return every judgment of these machines as columns of the ratings frame.

    An imported one stands where an imported grade stands: the default filter takes it.
    """
    made: dict[str, list[Any]] = {name: [] for name in (*FIELDS, "rubric_version")}
    appends: list[tuple[Callable[[Any], None], bool]] = [
        (made[name].append, name in _MAY_LACK) for name in FIELDS
    ]
    rubric = made["rubric_version"].append
    for row in _rows(raters):
        for (append, may_lack), value in zip(appends, row[1:], strict=False):
            append(None if may_lack and not value else value)
        rubric(f"{row[-2]} v{row[-1]}")
    n = len(made["item"])
    return {**made, "round_kind": ["IMPORTED"] * n, "grade_kind": ["GIVEN"] * n}


def version(raters: Sequence[int]) -> str:
    """Return what changes whenever the judgments of these machines do, or what is said of them."""
    counted = judgments_of(raters).aggregate(top=Max("pk"), n=Count("pk"))
    families = Machine.objects.filter(rater__in=raters).order_by("rater").values_list("family")
    said = ",".join(family for (family,) in families)
    names = ",".join(str(one) for one in sorted(raters))
    return f"j{names}:{counted['n']}.{counted['top'] or 0}:{said}:{_kin(raters)}"


def _kin(raters: Sequence[int]) -> str:
    """Return the families of the systems, where any is known: they say whom a judge may favour."""
    homes = Rater.objects.filter(pk__in=raters).values("project")
    known = System.objects.filter(project__in=homes).exclude(family="").order_by("pk")
    return ",".join(f"{pk}={family}" for pk, family in known.values_list("pk", "family"))


def _rows(raters: Sequence[int]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows page by page, so that no cursor stays open."""
    table = judgments_of(raters).order_by("pk")
    last = 0
    while found := list(
        table.filter(pk__gt=last).values_list("pk", *FIELDS.values(), *_RUBRIC)[:PAGE]
    ):
        yield from found
        last = found[-1][0]
        if len(found) < PAGE:
            return


#: Where a figure's numbers come from, and in these folders what only shows or takes in.
ROOMS = ("annotation", "scoring")
DOORS = frozenset({"admin", "api", "api_urls", "apps", "forms", "jobs", "pages", "urls"})
ASIDE = frozenset({"demo", "llm", "management", "migrations"})


@functools.cache
def fingerprint() -> str:
    """Return what changes whenever the program computes a figure, or tells it, in another way.

    It is of the source, so that nobody has to remember it; a few milliseconds, once a process.
    """
    return fingerprint_of(Path(scoring.__file__).parents[1])


def fingerprint_of(home: Path) -> str:
    """Return the fingerprint of the rooms in this folder, which holds the packages."""
    found = hashlib.sha256()
    for room in ROOMS:
        for source in sorted((home / room).rglob("*.py")):
            name = source.relative_to(home)
            if source.stem not in DOORS and not ASIDE.intersection(name.parts):
                found.update(f"\0{name.as_posix()}\0".encode())
                found.update(source.read_bytes())
    return found.hexdigest()[:16]


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
    wanted = {**params, "formula": fingerprint()}
    ratings_sha, params_sha = _sha(_version(round_, params)), _sha(wanted)
    mine = Figure.objects.filter(name=name, params_sha=params_sha, round=round_)
    if found := mine.filter(ratings_sha=ratings_sha).first():
        if found.state == Figure.State.WANTED:
            _ring(found)
        return found
    if round_.state == Round.State.OPEN and (latest := _recent(mine, now)):
        return latest
    return _want(name, round_, wanted, params_sha, ratings_sha, now)


def of_runs(*, name: str, round_: Round, runs: Sequence[int], now: datetime) -> dict[int, Figure]:
    """Return a figure for each of these finished runs over a round; what is not there is asked for."""
    formula, ratings_sha = fingerprint(), _sha(_version(round_, {}))
    wanted = {run: {"run": run, "formula": formula} for run in runs}
    shas = {_sha(params): run for run, params in wanted.items()}
    mine = Figure.objects.filter(name=name, round=round_, ratings_sha=ratings_sha)
    found = {shas[one.params_sha]: one for one in mine.filter(params_sha__in=list(shas))}
    for sha, run in shas.items():
        if run not in found:
            found[run] = _want(name, round_, wanted[run], sha, ratings_sha, now)
        elif found[run].state == Figure.State.WANTED:
            _ring(found[run])
    return found


def standing(round_: Round) -> list[Figure]:
    """Return the figures of a round that are ready, for the ratings and the formulas as they are now."""
    ready = Figure.objects.filter(
        round=round_, state=Figure.State.READY, params__formula=fingerprint()
    )
    known: dict[str, str] = {}

    def is_new(one: Figure) -> bool:
        read = contents.canonical([one.params.get(name) for name in _READ]).decode()
        if read not in known:
            known[read] = _sha(_version(round_, one.params))
        return one.ratings_sha == known[read]

    return [one for one in ready.order_by("name", "params_sha") if is_new(one)]


#: Parameters that say which ratings a figure reads besides those of its round.
_READ = ("rounds", "before", "judges")


def _version(round_: Round, params: Mapping[str, Any]) -> str:
    """Return what changes whenever the ratings that a figure reads do.

    Those are the round's own, those of the rounds that its parameters name (`rounds`, `before`), and
    the judgments of the machines in `judges`.
    """
    numbers = {*params.get("rounds", ()), params.get("before", round_.number)} - {round_.number}
    others = Round.objects.filter(project=round_.project_id, number__in=numbers).order_by("number")
    both = [round_, *others]
    known = grade_table.versions(both)
    parts = [known[one.pk] for one in both]
    if named := params.get("judges"):
        parts.append(version(named))
    return "+".join(parts)


def of_run(
    *, name: str, run: Run, params: Mapping[str, Any], now: datetime, version: str = ""
) -> Figure:
    """Return a figure of a run's interviews as far as they are held; if it is not there, ask for it.

    While the run is at work, a figure of less than a minute is returned as it is. `version` changes
    whenever something else does that the figure reads.
    """
    wanted = {**params, "run": run.pk, "formula": fingerprint()}
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
    """Take a figure to compute it; None if it is done, gone, in somebody's hands, or given up.

    It is given up where three workers ended over it.
    """
    free = Figure.objects.filter(pk=figure_id, state=Figure.State.WANTED).filter(
        Q(lease_until__isnull=True) | Q(lease_until__lt=now)
    )
    if free.filter(tries__lt=beats.TRIES).update(lease_until=now + LEASE, tries=F("tries") + 1):
        return Figure.objects.select_related("round").get(pk=figure_id)
    for figure in free:
        said = _("Its worker ended three times. Try again, or ask the operator.")
        fail(figure=figure, problem=said)
    return None


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
        state=Figure.State.WANTED, problem="", tries=0, wanted_at=now
    )
    for figure in failed:
        _ring(figure)
    return len(failed)
