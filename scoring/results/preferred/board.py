"""The results of a round of pairs as its pages show them: strengths, who wins against whom, checks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from annotation.common.sentences import gettext as _
from evalsite.templatetags.ui import interval, score
from scoring.charts import plot
from scoring.charts.plot import Axis, Whisker
from scoring.figures import typed
from scoring.figures.cells import NOWHERE, Notes, RankRange, ScoreCell
from scoring.figures.labels import NONE
from scoring.results.asked import Cut
from scoring.results.board import (
    FEW,
    ROWS,
    HeatRow,
    RankedPlace,
    Shade,
    Switch,
    drawn_safely,
    rank,
)
from scoring.results.preferred.verdicts import (
    EVEN,
    SETTLED,
    STEP,
    Check,
    ComparedPair,
    again_check,
    bad_check,
    circles_check,
    ends_of,
    percent_of,
    rounded_share,
    side_check,
    verdict,
    won_by,
)
from scoring.results.queries import PREFERENCES
from scoring.shown.names import Name
from scoring.shown.wording import listed, why
from scoring.stats.claims import Certainty, Claim, ClaimEstimate
from scoring.stats.plain import Reason, percent, rounded
from scoring.stats.preferences.said import (
    AnnotatorChoices,
    CriterionPreferences,
    PreferencePart,
    PreferencesFigure,
    SystemPair,
    SystemRate,
)

WHOLE = Axis(0, 100, (0, 25, 50, 75, 100), " %")
SMALL = Axis(0, 100, (0, 50, 100), " %")
#: So many pairs are named in a sentence.
MOST_TOLD = 3


@dataclass(frozen=True, slots=True)
class Won:
    """A field of the win matrix; of a system beside itself there is none."""

    pair: SystemPair | None
    value: Decimal | None
    shade: str
    at: str
    said: str


class PreferenceBoard:
    """Arranges the preferences of a round; `query` holds what else than the cut the address asks for."""

    figure = PREFERENCES

    def __init__(
        self, cut: Cut, data: Mapping[str, Any], query: Mapping[str, str], claim: Claim
    ) -> None:
        self.data = typed.read_figure(PreferencesFigure, data)
        self._cut, self._asked = cut, query
        known = {one.criterion: one for one in self.data.criteria}
        asked = query.get("criterion", "")
        self.criterion = asked if asked in known else next(iter(known), "")
        self.of: CriterionPreferences | None = known.get(self.criterion)
        self.widest = self.of.claim if self.of else Claim.THESE
        self.claim = min(claim, self.widest, key=list(Claim).index)
        self.notes = Notes()

    @property
    def is_empty(self) -> bool:
        return self.of is None or not self.of.n

    @property
    def criterion_title(self) -> str:
        return self._cut.labels.criterion(self.criterion)

    @property
    def n_questions(self) -> int:
        return self.of.n_questions if self.of else 0

    @property
    def result(self) -> "PreferenceBoard":
        """Return what the parts of pages that grades have, too, read the same things from."""
        return self

    @cached_property
    def names(self) -> list[Name]:
        """Return the systems from the strongest down; those without a choice come last."""
        known = self._cut.names
        order = [one.release for one in self.systems]
        return [known[pk] for pk in order] + [one for pk, one in known.items() if pk not in order]

    @cached_property
    def systems(self) -> list[SystemRate]:
        rows = self.of.systems if self.of else ()
        return [one for one in rows if one.release in self._cut.names]

    @cached_property
    def _by_key(self) -> dict[int, Name]:
        return {name.release: name for name in self.names}

    def _claimed(self, row: SystemRate | SystemPair) -> ClaimEstimate:
        return row.others if self.claim is Claim.OTHERS else row.these

    # ------------------------------------------------------------------ switches
    @property
    def criterion_switches(self) -> list[Switch]:
        """Return the criteria, each alone; nothing where there is only one."""
        keys = [one.criterion for one in self.data.criteria]
        if len(keys) < 2:
            return []
        return [
            Switch(
                self._cut.labels.criterion(key), self._query(criterion=key), key == self.criterion
            )
            for key in keys
        ]

    @property
    def row_switches(self) -> list[Switch]:
        return [Switch(str(ROWS[by]), self._query(by=by), by == self.by) for by in self._divisions]

    def _query(self, **chosen: str) -> str:
        kept = {name: self._asked.get(name, "") for name in ("criterion", "by", "claim")}
        asked = {**kept, **chosen}
        return urlencode([*self._cut.pairs, *((key, text) for key, text in asked.items() if text)])

    # ------------------------------------------------------------------ strength
    @property
    def axis(self) -> Axis:
        return WHOLE

    @property
    def ruler(self) -> SafeString:
        return drawn_safely(plot.ruler(WHOLE))

    @cached_property
    def places(self) -> list[RankedPlace]:
        """Return the systems from the strongest down, each with its place and how sure that is."""
        found = []
        for row in self.systems:
            name, cell = self._by_key[row.release], self._cell(row)
            mark = Whisker(_number(cell.value), cell.low, cell.high, name.mark)
            drawing = plot.row(mark, WHOLE, label=_said(name, cell), zero=EVEN)
            found.append(RankedPlace(name, cell, *self._rank(row), drawn_safely(drawing)))
        return found

    def _cell(self, row: SystemRate) -> ScoreCell:
        shown = self._claimed(row)
        value = None if shown.value is None else percent(shown.value)
        return ScoreCell(
            value,
            *ends_of(shown),
            row.n,
            shown.n,
            0,
            why(shown.reason),
            "" if shown.reason else why(shown.interval_reason),
            (),
            "",
            these=ends_of(row.these),
            others=ends_of(row.others),
        )

    def _rank(self, row: SystemRate) -> tuple[str, Certainty]:
        """Return the place of a system in words, with the widest claim that settles it."""
        these, others = row.ranks_these, row.ranks_others
        if len(set(these)) == 1:
            is_clear = others == these and self.widest is Claim.OTHERS
            return rank(RankRange(*these)), Certainty.CLEAR if is_clear else Certainty.LIKELY
        found = others if self.claim is Claim.OTHERS else these
        near = [one for one in self._pairs if row.release in (one.left, one.right)]
        unsure = [one for one in near if one.certainty in (Certainty.OPEN, Certainty.EQUAL)]
        is_equal = bool(unsure) and all(one.certainty is Certainty.EQUAL for one in unsure)
        certainty = Certainty.EQUAL if is_equal else Certainty.OPEN
        return (rank(RankRange(*found)) if found else ""), certainty

    @property
    def reasons(self) -> list[str]:
        """Return why lines of the ranking have no whisker, each reason once."""
        found = [place.cell.why_no_interval for place in self.places]
        return [text for text in dict.fromkeys(found) if text]

    @property
    def margin(self) -> float:
        return 100 * self.data.margin

    # ------------------------------------------------------------------ pairs
    @property
    def _pairs(self) -> Sequence[SystemPair]:
        rows = self.of.pairs if self.of else ()
        return [one for one in rows if {one.left, one.right} <= self._cut.names.keys()]

    @cached_property
    def pairs(self) -> list[ComparedPair]:
        return [self._compared(one) for one in self._pairs]

    def _compared(self, one: SystemPair) -> ComparedPair:
        left, right = self._by_key[one.left], self._by_key[one.right]
        shown, value = self._claimed(one), None
        if shown.value is not None:
            value = rounded(shown.value * 100, 0)
        ends = ends_of(shown)
        words = {"left": left.text, "right": right.text, "value": percent_of(value)}
        label = _("%(left)s against %(right)s: %(value)s") % words
        if ends[0] is not None:
            label = f"{label}, {interval(*ends)}"
        mark = Whisker(_number(value), *ends, left.mark)
        drawing = plot.row(mark, WHOLE, label=label, height=36, zero=EVEN) if one.n else ""
        return ComparedPair(
            left,
            right,
            one,
            value,
            ends,
            shown.p_holm,
            drawn_safely(drawing),
            why(shown.reason or shown.interval_reason),
        )

    @cached_property
    def matrix(self) -> list[tuple[Name, list[Won]]]:
        """Return a line for each system with a field for each: row against column."""
        known = {(one.left, one.right): one for one in self._pairs}
        return [
            (row, [self._won(known, row, column) for column in self.names]) for row in self.names
        ]

    def _won(self, known: Mapping[tuple[int, int], SystemPair], row: Name, column: Name) -> Won:
        pair = known.get((row.release, column.release)) or known.get((column.release, row.release))
        if pair is None or not pair.n:
            return Won(None, None, "na", "", "")
        won = pair.won if pair.left == row.release else pair.lost
        value = rounded_share(2 * won + pair.tied, 2 * pair.n)
        places = self._cut.selection.ground.places()
        numbers = {pk: n for n, pk in places.items()}
        at = [("release", numbers[one.release]) for one in (row, column)]
        said = ngettext("%(n)d choice", "%(n)d choices", pair.n) % {"n": pair.n}
        shade = f"h{min(int(value) // STEP, 4)}"
        return Won(pair, value, shade, urlencode([*at, ("at_criterion", self.criterion)]), said)

    # ------------------------------------------------------------------ parts
    @property
    def _divisions(self) -> list[str]:
        return list(dict.fromkeys(one.by for one in (self.of.parts if self.of else ())))

    @cached_property
    def by(self) -> str:
        asked = self._asked.get("by", "")
        return asked if asked in self._divisions else next(iter(self._divisions), "")

    @property
    def title_of_rows(self) -> str:
        return str(ROWS[self.by])

    @cached_property
    def rows(self) -> list[HeatRow]:
        """Return the capabilities or topics, in the order of the project."""
        found = [one for one in (self.of.parts if self.of else ()) if one.by == self.by]
        if self.by == "capability":
            order = self._cut.labels.in_order(one.capability for one in found)
            found.sort(key=lambda one: order.index(one.capability))
        else:
            found.sort(key=lambda one: (not one.area, one.area))
        return [self._row(one) for one in found]

    def _row(self, one: PreferencePart) -> HeatRow:
        known = {row.release: self._cell(row) for row in one.systems}
        cells = {name: known.get(name.release, NOWHERE) for name in self.names}
        title = self._title(one)
        is_few = one.n_questions < FEW
        lead = one.lead
        said = ", ".join(f"{name.text} {score(cell.value)}" for name, cell in cells.items())
        marks = [
            Whisker(_number(cell.value), cell.low, cell.high, name.mark)
            for name, cell in cells.items()
        ]
        return HeatRow(
            title,
            tuple(
                Shade(name, cell, _shade(cell.value, is_few=is_few), self._at(one, name))
                for name, cell in cells.items()
            ),
            one.n_questions,
            "" if lead is None or is_few else self._ahead(lead),
            None if lead is None or is_few else lead.certainty,
            drawn_safely(plot.panel(marks, SMALL, label=f"{title}: {said}")),
            "" if any(cell.value is not None for cell in cells.values()) else _nothing(one),
        )

    def _at(self, one: PreferencePart, name: Name) -> str:
        """Return the part of an address that opens the choices behind a field."""
        ground = self._cut.selection.ground
        numbers = {pk: n for n, pk in ground.places().items()}
        at = {"at_criterion": self.criterion, "at_release": numbers[name.release]}
        if one.by == "capability":
            at["at_node"] = f"c-{NONE if one.capability is None else one.capability}"
        else:
            keys = {branch.title: branch.key for branch in reversed(ground.domains.branches)}
            at["at_domain"] = keys.get(one.area, NONE)
        return urlencode(at)

    def _title(self, one: PreferencePart) -> str:
        if one.by == "capability":
            return self._cut.labels.capability(one.capability)
        return one.area or _("Without a topic")

    def _ahead(self, pair: SystemPair) -> str:
        rate = pair.rate or 0.5
        if rate == 0.5:
            return _("Level")
        first = self._by_key.get(pair.left if rate > 0.5 else pair.right)
        share = score(Decimal(str(100 * max(rate, 1 - rate))), 0)
        return f"{first.text} {share} %" if first else ""

    @property
    def range(self) -> tuple[int, int]:
        return 0, 100

    # ------------------------------------------------------------------ checks
    @property
    def checks(self) -> list[Check]:
        """Return what tells whether the choices can be trusted."""
        of = self.of
        if of is None or not of.n:
            return []
        return [
            one
            for one in (side_check(of), again_check(of), circles_check(of), bad_check(of))
            if one
        ]

    @property
    def people(self) -> list[tuple[str, AnnotatorChoices]]:
        """Return how each annotator chose."""
        rows = self.of.raters if self.of else ()
        return [(self._cut.labels.rater(one.rater), one) for one in rows]

    # ------------------------------------------------------------------ words
    @property
    def title(self) -> str:
        """Return who is preferred, and what the pairs allow to say of that."""
        if self.of and self.of.reason:
            return f"{_('There is no ranking yet.')} {why(self.of.reason)}"
        if self.is_empty or not self.pairs:
            return ""
        first = self.systems[0].release
        mine = [one for one in self.pairs if first in (one.pair.left, one.pair.right)]
        return verdict(self.places, mine, self.margin)

    @property
    def subtitle(self) -> str:
        """Return which pairs are too close to call, and what all of it is based on."""
        of = self.of
        if of is None or not of.n:
            return ""
        told = [self._open(), self._settled()] if len(self.pairs) > 1 else []
        return " ".join([text for text in told if text] + [f"{self.based_on}."])

    def _open(self) -> str:
        """Return which pairs are too close to call, the leader's among them."""
        found = [
            one for one in self.pairs if one.pair.certainty is Certainty.OPEN and one.pair.n > 0
        ]
        if not found:
            return ""
        if len(found) > MOST_TOLD:
            words = {"n": len(found), "all": len(self.pairs)}
            return _("Too close to call: %(n)d of %(all)d pairs.") % words
        pairs = listed([f"{one.left.text} – {one.right.text}" for one in found])
        return _("Too close to call: %(pairs)s.") % {"pairs": pairs}

    def _settled(self) -> str:
        """Return which pairs are clear among those that the title does not tell of: the followers'."""
        first = self.systems[0].release
        found = [
            one
            for one in self.pairs
            if one.pair.certainty in SETTLED and first not in (one.pair.left, one.pair.right)
        ]
        if not found or len(found) > MOST_TOLD:
            return ""
        over = [
            _("%(left)s over %(right)s") % {"left": won.text, "right": lost.text}
            for won, lost in (won_by(one) for one in found)
        ]
        if all(one.pair.certainty is Certainty.CLEAR for one in found):
            return _("Clear: %(pairs)s.") % {"pairs": listed(over)}
        return _("Clear for these annotators: %(pairs)s.") % {"pairs": listed(over)}

    @property
    def based_on(self) -> str:
        """Return how much was chosen by how many."""
        of = self.of
        n, raters = (of.n, of.n_raters) if of else (0, 0)
        return _("%(choices)s by %(raters)s") % {
            "choices": ngettext("%(n)d choice", "%(n)d choices", n) % {"n": n},
            "raters": ngettext("%(n)d annotator", "%(n)d annotators", raters) % {"n": raters},
        }

    @property
    def covered(self) -> tuple[int, int] | None:
        """Return how many of the choices that were planned there are; None where nobody planned."""
        of = self.of
        if of is None or of.wanted is None:
            return None
        return min(of.n + of.n_cannot, of.wanted), of.wanted


def _nothing(part: PreferencePart) -> str:
    """Return why a part has no figure at all."""
    codes = [part.reason, *(row.these.reason for row in part.systems), Reason.NO_GRADES]
    return why(next(code for code in codes if code))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _said(name: Name, cell: ScoreCell) -> str:
    words = {"name": name.text, "value": percent_of(cell.value)}
    if cell.value is None:
        return _("%(name)s: no figure") % words
    if cell.low is None:
        return _("%(name)s: %(value)s, no interval") % words
    return _("%(name)s: %(value)s, %(interval)s") % {
        **words,
        "interval": interval(cell.low, cell.high),
    }


def _shade(value: Decimal | None, *, is_few: bool) -> str:
    if value is None:
        return "na"
    return "few" if is_few else f"h{min(int(value) // STEP, 4)}"
