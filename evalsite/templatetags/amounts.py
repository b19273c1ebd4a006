"""How templates write money, spells of time and large counts."""

from decimal import ROUND_HALF_UP, Decimal

from django import template
from django.utils import formats
from django.utils.translation import gettext as _

register = template.Library()

NOTHING = "–"
SHORT, MINUTE, HOUR, DAY = 0.05, 60, 3600, 86400


@register.filter
def money(amount: Decimal | float | str | None, currency: str = "") -> str:
    """Write an amount in a currency: two decimals, and more where two would say nothing."""
    if amount is None or amount == "":
        return NOTHING
    exact = Decimal(str(amount))
    places = 2
    while places < 8 and exact and abs(exact) < Decimal(10) ** (1 - places):
        places += 1
    rounded = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    text = formats.number_format(rounded, decimal_pos=places)
    return f"{text}\u00a0{currency}" if currency else text


@register.filter
def spell(seconds: float | None) -> str:
    """Write how long something takes, in the two largest units that matter."""
    if seconds is None:
        return NOTHING
    if 0 < seconds < SHORT:
        return _("under 0.1 s")
    if seconds < 10:
        return _("%(n)s s") % {"n": formats.number_format(round(seconds, 1))}
    whole = round(seconds)
    if whole < 2 * MINUTE:
        return _("%(n)d s") % {"n": whole}
    if whole < 2 * HOUR:
        return _("%(n)d min") % {"n": round(whole / MINUTE)}
    if whole < 2 * DAY:
        hours, rest = divmod(round(whole / MINUTE), 60)
        return _("%(h)d h %(m)d min") % {"h": hours, "m": rest}
    days, rest = divmod(round(whole / HOUR), 24)
    return _("%(d)d d %(h)d h") % {"d": days, "h": rest}


@register.filter
def whole(count: int | None) -> str:
    """Write a count with thin gaps between thousands, so that it can be read at a glance."""
    if count is None:
        return NOTHING
    return f"{count:,}".replace(",", "\u202f")
