"""The figure of signals as its page shows it: who needs a look, why, and what was found before.

* Signals that nobody has looked into, by round: for a project's home and its curators' daily mail.
* Have the signals computed that daily mails tell of, where no page has asked for them.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, TypeAlias

from django.db.models import Max, QuerySet
from django.urls import reverse
from django.utils import formats
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.grading.models import Grade, Invalidation
from annotation.people.models import Membership, Project, Rater, Role, User
from annotation.qualification import answers as gold
from annotation.review.models import Look
from annotation.rounds.models import Round, RoundItem
from scoring.figures import operations as figures
from scoring.figures import operations as formulas
from scoring.figures import typed
from scoring.figures.labels import Labels
from scoring.figures.models import Figure
from scoring.stats.people.said import SignalHits
from scoring.stats.told import RaterKey, Told

FIGURE = "signals"
#: What a good and a careless annotator get right of gold, unless the address says otherwise.
GOOD, CARELESS = 0.85, 0.55
NAMES = ("gold", "drift", "retest", "pace")


@dataclass(frozen=True, slots=True)
class GoldSignal:
    """Wald's test on gold; `caught` is the chance that a careless annotator is."""

    n: int
    n_right: int
    at: int | None
    alarm: bool
    false_alarm: float
    se: float
    caught: float


@dataclass(frozen=True, slots=True)
class DriftSignal:
    """The CUSUM of deviations from the others over `n` blocks of questions.

    `chance` is how often steady annotators have one so high, corrected for their number, and
    `false_alarm` how often a round has the signal of any of them.
    """

    n: int
    cusum: float
    chance: float
    at: int | None
    alarm: bool
    is_kinder: bool
    false_alarm: float


Signal: TypeAlias = GoldSignal | DriftSignal | SignalHits


@dataclass(frozen=True, slots=True)
class AnnotatorSignals:
    rater: RaterKey
    gold: GoldSignal | None
    drift: Annotated[DriftSignal | None, Told("Null where nothing can be said.")]
    retest: SignalHits | None
    pace: SignalHits | None

    @property
    def by_name(self) -> dict[str, Signal]:
        """Return the signals that there is enough for."""
        found = {name: getattr(self, name) for name in NAMES}
        return {name: one for name, one in found.items() if one}


@dataclass(frozen=True, slots=True)
class SignalsFigure:
    """The signals of everybody, and the settings of the tests that raise them."""

    raters: tuple[AnnotatorSignals, ...]
    alpha: float
    good: float
    careless: float
    fast: float
    drift_alpha: float


def params(round_: Round) -> dict[str, Any]:
    """Return what the figure depends on besides the grades of its round: known grades, those struck."""
    project = round_.project_id
    known = Grade.objects.filter(round__project=project, kind__in=gold.KINDS)
    has_gold = RoundItem.objects.filter(round=round_, purpose=RoundItem.Purpose.GOLD).exists()
    last = known.aggregate(last=Max("pk"))["last"] if has_gold else None
    struck = Invalidation.objects.filter(round__project=project, grade__kind__in=gold.KINDS)
    ended = struck.aggregate(last=Max("pk"))["last"] if has_gold else None
    return {
        "good": GOOD,
        "careless": CARELESS,
        "known": last,
        "struck": ended,
    }


@dataclass(frozen=True, slots=True)
class WatchedLine:
    """An annotator: their signals by name (None: too little to tell), and the last look."""

    rater: int
    label: str
    row: AnnotatorSignals
    look: Look | None

    @property
    def alarms(self) -> dict[str, int]:
        """Return the signals that are raised, with how much each rests on."""
        return {name: one.n for name, one in self.row.by_name.items() if one.alarm}

    @property
    def needs_look(self) -> bool:
        """Whether a signal is raised that nobody has looked into since."""
        seen = self.look.because if self.look else {}
        return bool(self.alarms.keys() - seen.keys())

    @property
    def because(self) -> str:
        """Return the raised signals as the form sends them back."""
        return ",".join(f"{name}:{n}" for name, n in self.alarms.items())

    @property
    def shown(self) -> dict[str, dict[str, Any]]:
        """Return the signals with chances in words."""
        return {name: _shown(one) for name, one in self.row.by_name.items()}

    @property
    def words(self) -> list[str]:
        titles = {
            "gold": _("gold"),
            "drift": _("severity moves"),
            "retest": _("not the same again"),
            "pace": _("fast"),
        }
        return [titles[name] for name in self.alarms]


def _shown(signal: Signal) -> dict[str, Any]:
    row, names = asdict(signal), ("false_alarm", "se", "caught", "chance")
    return {**row, **{name: percent(row[name]) for name in names if name in row}}


def percent(share: float) -> str:
    return _("%(n)s %%") % {"n": formats.number_format(round(100 * share, 1), 1)}


class Signals:
    """Reads the figure; those who need a look come first."""

    def __init__(self, data: object, labels: Labels, looks: Mapping[int, Look]) -> None:
        self.figure = typed.read_figure(SignalsFigure, data)
        made = [
            WatchedLine(row.rater, labels.rater(row.rater), row, looks.get(row.rater))
            for row in self.figure.raters
        ]
        self.lines = sorted(made, key=lambda one: (not one.needs_look, not one.alarms, one.label))

    @property
    def settings(self) -> dict[str, str]:
        """Return the shares of the methods, in words."""
        return {
            name: percent(getattr(self.figure, name))
            for name in ("good", "careless", "alpha", "drift_alpha", "fast")
        }

    @property
    def to_look_at(self) -> list[WatchedLine]:
        return [one for one in self.lines if one.needs_look]

    @property
    def n_to_look_at(self) -> int:
        return len(self.to_look_at)

    @property
    def has_gold(self) -> bool:
        return any(one.row.gold for one in self.lines)

    @property
    def has_repeats(self) -> bool:
        return any(one.row.retest for one in self.lines)

    def line(self, rater: int) -> WatchedLine | None:
        return next((one for one in self.lines if one.rater == rater), None)


def looks(round_: Round) -> dict[int, Look]:
    """Return the last look at each annotator of a round."""
    rows = Look.objects.filter(round=round_).select_related("by__person").order_by("pk")
    return {one.rater_id: one for one in rows}


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
class WatchedRounds:
    """What stands, and the rounds that have been graded in since it was computed."""

    open: list[Open]
    stale: list[Round]


def watched_rounds(project: Project, reader: User) -> WatchedRounds:
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
        signals = Signals(last.data, Labels({}, {}, {}), looks[one.pk])
        lines = [line for line in signals.to_look_at if line.rater not in own]
        if lines:
            raised = Counter(word for line in lines for word in line.words)
            made.append(Open(one, len(lines), last.ready_at, raised))
    return WatchedRounds(made, _stale(rounds, figures))


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
    rows = Figure.objects.filter(name=FIGURE, round__in=rounds, state=Figure.State.READY).order_by(
        "ready_at"
    )
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
    for one in watched_rounds(project, user).open:
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


#: So old may be what a mail says: signals are not computed anew after every grade.
EVERY = timedelta(hours=1)
_looked: datetime | None = None


def sweep(now: datetime) -> int:
    """Ask for the signals of rounds that were graded in since; return for how many.

    Only of projects in which somebody who may see signals gets the daily mail; at most once an hour.
    """
    global _looked
    if _looked is not None and _looked <= now < _looked + EVERY:
        return 0
    _looked = now
    return sum(_ask(project, now) for project in read_by_mail())


def read_by_mail() -> "QuerySet[Project]":
    """Return the projects of which an owner or curator gets the daily mail."""
    readers = Membership.objects.with_role([Role.OWNER, Role.CURATOR]).filter(
        user__is_active=True, user__person__daily_mail=True
    )
    mailed = readers.exclude(user__person__email="")
    return Project.objects.filter(pk__in=mailed.values("project")).order_by("pk")


def _ask(project: Project, now: datetime) -> int:
    old = stale(project)
    for one in old:
        figures.get(name=FIGURE, round_=one, params=params(one), now=now)
    return len(old)
