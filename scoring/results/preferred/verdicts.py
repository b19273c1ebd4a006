"""What the pairs of preferences allow to say: the verdict on the first system, and whether to trust it."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from django.utils.safestring import SafeString

from annotation.common.sentences import gettext as _
from evalsite.templatetags.ui import interval, score
from scoring.results.board import RankedPlace
from scoring.shown.names import Name
from scoring.shown.wording import listed, why
from scoring.stats.claims import Certainty, ClaimEstimate
from scoring.stats.plain import Reason, rounded
from scoring.stats.preferences.said import CriterionPreferences, SystemPair

EVEN = 50
#: The shades of a win matrix: so many points wide each.
STEP = 20
#: Without a circle in so many triples, a chooser by chance is left out (0.75^10 is 6 %).
FEW_TRIADS = 10
SETTLED = (Certainty.CLEAR, Certainty.LIKELY)


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """A line of the pairs: how often the left one was preferred, and the shares behind it."""

    left: Name
    right: Name
    pair: SystemPair
    value: Decimal | None
    ends: tuple[float | None, float | None]
    p: float | None
    drawing: SafeString | str
    why: str

    @property
    def shares(self) -> list[Decimal]:
        """Return in percent: won, the same, both bad, lost."""
        one = self.pair
        parts = (one.won, one.tied - one.both_bad, one.both_bad, one.lost)
        return [rounded_share(part, one.n) for part in parts]


@dataclass(frozen=True, slots=True)
class Check:
    """Something that tells whether preferences can be trusted; `state` is ok, warn or nothing."""

    title: str
    state: str
    word: str
    text: str


def rounded_share(part: int, n: int) -> Decimal:
    """Return a part of a number in whole percent."""
    return rounded(Fraction(100 * part, n), 0) if n else Decimal()


def won_by(one: ComparedPair) -> tuple[Name, Name]:
    """Return who was preferred, and to whom."""
    is_left = one.value is None or one.value >= EVEN
    return (one.left, one.right) if is_left else (one.right, one.left)


def verdict(places: Sequence[RankedPlace], pairs: Sequence[ComparedPair], margin: float) -> str:
    """Return the sentence that the pairs of the first system allow; each of them is looked at."""
    first, cell = places[0].name, places[0].cell
    won = [one for one in pairs if one.pair.certainty in SETTLED and won_by(one)[0] == first]
    lost = [one for one in pairs if one.pair.certainty in SETTLED and one not in won]
    unsure = [one for one in pairs if one.pair.certainty not in SETTLED]
    behind = [one for one in unsure if won_by(one)[0] != first]
    told = (sorted(lost, key=_is_clear)[::-1] or behind or unsure or sorted(won, key=_is_clear))[0]
    rate = told.value or Decimal()
    words = {
        "left": first.text,
        "right": (told.right if told.left == first else told.left).text,
        "rate": percent_of(rate if told.left == first else 100 - rate),
        "value": percent_of(cell.value),
        "margin": score(Decimal(str(margin)), 0),
        "won": listed([won_by(one)[1].text for one in won]),
    }
    if lost or not unsure:
        return _settled_verdict(told, len(pairs), is_lost=bool(lost)) % words
    if behind:
        return _("%(left)s is highest with %(value)s, but more chose %(right)s over it.") % words
    if won and all(map(_is_clear, won)):
        said = _("%(left)s comes first with %(value)s; only its lead over %(won)s is clear.")
        return said % words
    if won:
        said = _("%(left)s comes first with %(value)s; these annotators prefer it only to %(won)s.")
        return said % words
    if places[1].cell.value == cell.value:
        words["right"] = places[1].name.text
    return _open_verdict(unsure, is_level=places[1].cell.value == cell.value) % words


def _open_verdict(unsure: Sequence[ComparedPair], *, is_level: bool) -> str:
    """Return the sentence where the first system won no pair for sure."""
    if all(one.pair.certainty is Certainty.EQUAL for one in unsure):
        return _("%(left)s and %(right)s are preferred equally, within %(margin)s points.")
    if is_level:
        return _("%(left)s and %(right)s are level at %(value)s.")
    if all(one.ends[0] is None for one in unsure):
        return _("%(left)s is highest with %(value)s. Too little was chosen to say more.")
    if len(unsure) > 1:
        return _("No system is clearly ahead; %(left)s is highest with %(value)s.")
    return _("%(left)s is highest with %(value)s, but %(right)s is too close to call.")


def _settled_verdict(told: ComparedPair, n: int, *, is_lost: bool) -> str:
    """Return the sentence where a pair was lost for sure, or all were won."""
    is_clear = _is_clear(told)
    if is_lost and is_clear:
        return _("%(left)s is highest with %(value)s, though %(right)s wins against it.")
    if is_lost:
        return _("%(left)s is highest with %(value)s, though these annotators prefer %(right)s.")
    if not is_clear:
        return _("These annotators prefer %(left)s; to %(right)s in %(rate)s.")
    if n == 1:
        return _("People prefer %(left)s to %(right)s, in %(rate)s.")
    return _("People prefer %(left)s to every other system.")


def _is_clear(one: ComparedPair) -> bool:
    return one.pair.certainty is Certainty.CLEAR


def side_check(of: CriterionPreferences) -> Check | None:
    if of.side is None or of.side.these.value is None:
        return None
    value = rounded(of.side.these.value * 100, 0)
    counts = of.side.certainty in (Certainty.CLEAR, Certainty.LIKELY)
    shares = {"a": percent_of(value), "b": percent_of(100 - value)}
    text = _("A was preferred in %(a)s, B in %(b)s, ties counted half") % shares
    ends = ends_of(of.side.these)
    if ends[0] is not None:
        text = f"{text}; {interval(*ends, 0)}"
    return _check(_("Side"), not counts, text)


def again_check(of: CriterionPreferences) -> Check:
    if not of.n_again:
        return Check(_("Same pair again"), "", "", why(Reason.NO_REPEATS))
    words = {"same": of.n_same, "n": of.n_again}
    text = _("%(same)d of %(n)d repeated pairs were chosen alike") % words
    return _check(_("Same pair again"), 3 * of.n_same >= 2 * of.n_again, text)


def circles_check(of: CriterionPreferences) -> Check | None:
    if not of.n_triads:
        return None
    words = {"n": of.n_circular, "all": of.n_triads}
    if of.n_triads < FEW_TRIADS:
        few = _("%(n)d of %(all)d triples go in a circle: too few to say") % words
        return Check(_("Circles"), "", "", few)
    text = _("%(n)d of %(all)d triples go in a circle; by chance a quarter") % words
    return _check(_("Circles"), 10 * of.n_circular <= of.n_triads, text)


def bad_check(of: CriterionPreferences) -> Check | None:
    if not of.n_both_bad:
        return None
    share = rounded_share(of.n_both_bad, of.n)
    text = _("%(share)s of the choices: both bad") % {"share": percent_of(share)}
    return _check(_("Both bad"), share < STEP, text)


def _check(title: str, is_fine: bool, text: str) -> Check:
    return Check(title, "ok" if is_fine else "warn", _("fine") if is_fine else _("check"), text)


def ends_of(of: ClaimEstimate) -> tuple[float | None, float | None]:
    if of.low is None or of.high is None:
        return None, None
    return 100 * of.low, 100 * of.high


def percent_of(value: Decimal | None) -> str:
    return "–" if value is None else f"{score(value, 0)} %"
