"""The figure of signals as its page shows it: who needs a look, why, and what was found before."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Max
from django.utils import formats
from django.utils.translation import gettext as _

from annotation.models import Grade, Invalidation, Look, Round, RoundItem
from annotation.queries import gold
from scoring.queries.labels import Labels

FIGURE = "signals"
#: What a good and a careless annotator get right of gold, unless the address says otherwise.
GOOD, CARELESS = 0.85, 0.55
NAMES = ("gold", "drift", "retest", "pace")
Row = Mapping[str, Any]


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
class Line:
    """An annotator: their signals by name (None: too little to tell), and the last look."""

    rater: int
    label: str
    row: Row
    look: Look | None

    @property
    def alarms(self) -> dict[str, int]:
        """Return the signals that are raised, with how much each rests on."""
        return {
            name: self.row[name]["n"]
            for name in NAMES
            if self.row[name] and self.row[name]["alarm"]
        }

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
    def shown(self) -> dict[str, dict[str, Any] | None]:
        """Return the signals with chances in words."""
        return {name: self.row[name] and _shown(self.row[name]) for name in NAMES}

    @property
    def words(self) -> list[str]:
        titles = {
            "gold": _("gold"),
            "drift": _("severity moves"),
            "retest": _("not the same again"),
            "pace": _("fast"),
        }
        return [titles[name] for name in self.alarms]


def _shown(row: Row) -> dict[str, Any]:
    names = ("false_alarm", "se", "caught")
    return {**row, **{name: percent(row[name]) for name in names if name in row}}


def percent(share: float) -> str:
    return _("%(n)s %%") % {"n": formats.number_format(round(100 * share, 1), 1)}


class Signals:
    """Reads the figure; those who need a look come first."""

    def __init__(self, data: Mapping[str, Any], labels: Labels, looks: Mapping[int, Look]) -> None:
        self.data = data
        made = [
            Line(row["rater"], labels.rater(row["rater"]), row, looks.get(row["rater"]))
            for row in data.get("raters", ())
        ]
        self.lines = sorted(made, key=lambda one: (not one.needs_look, not one.alarms, one.label))

    @property
    def settings(self) -> dict[str, str]:
        """Return the shares of the methods, in words."""
        return {name: percent(self.data[name]) for name in ("good", "careless", "alpha", "fast")}

    @property
    def to_look_at(self) -> list[Line]:
        return [one for one in self.lines if one.needs_look]

    @property
    def n_to_look_at(self) -> int:
        return len(self.to_look_at)

    @property
    def has_gold(self) -> bool:
        return any(one.row["gold"] for one in self.lines)

    @property
    def has_repeats(self) -> bool:
        return any(one.row["retest"] for one in self.lines)

    def line(self, rater: int) -> Line | None:
        return next((one for one in self.lines if one.rater == rater), None)


def looks(round_: Round) -> dict[int, Look]:
    """Return the last look at each annotator of a round."""
    rows = Look.objects.filter(round=round_).select_related("by__person").order_by("pk")
    return {one.rater_id: one for one in rows}
