"""What templates draw with: icons, marks of systems, whiskers, figures and times."""

import math
import re
from collections.abc import Iterable
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction

from django import template
from django.template import Context
from django.utils import formats, timesince, timezone
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from evalsite.outside import pictures
from evalsite.text import drawings, markdown
from evalsite.web import guides, languages

register = template.Library()

Figure = float | int | str | Decimal | Fraction | None
NOTHING = "–"
_DATED = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2})?")


@register.simple_tag
def icon(name: str) -> SafeString:
    """Draw one icon; it says nothing to a screen reader, so a word must stand beside it."""
    return format_html(
        '<svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path d="{}"/></svg>',
        drawings.ICONS[name],
    )


@register.simple_tag(takes_context=True)
def language_switch(context: template.Context) -> languages.LanguageSwitch | None:
    """Return what the switch of languages offers; nothing on a page that is made without a request."""
    request = context.get("request")
    return languages.switch(request) if request is not None else None


@register.simple_tag
def comma() -> str:
    """Write what stands between the things of a list, as the reader's language has it."""
    return languages.comma()


@register.filter
def listed(things: Iterable[object]) -> str:
    """Write several things one after the other."""
    return languages.listed(things)


@register.simple_tag
def pause() -> str:
    """Write what stands between the parts of a sentence."""
    return pgettext("between parts of a sentence", ", ")


@register.simple_tag(takes_context=True)
def help_mark(context: template.Context) -> SafeString:
    """Draw the mark that leads to where the page is explained."""
    match = getattr(context.get("request"), "resolver_match", None)
    if match is None or not match.url_name or match.url_name.startswith("help"):
        return SafeString()
    return format_html(
        '<a class="btn bare help" href="{}" title="{}"><span aria-hidden="true">?</span><span class="sr">{}</span></a>',
        guides.explained(match.url_name),
        _("Help"),
        _("Help on this page"),
    )


@register.simple_tag(takes_context=True)
def shown(context: Context, page_text: str) -> SafeString:
    """Write page text that the renderer made, with the pictures that the project allows."""
    text = conditional_escape(page_text or "")
    scope = context.get("scope")
    if scope and scope.project.picture_hosts:
        of = scope.project
        seen = pictures.shown(text, slug=of.slug, hosts=of.picture_hosts, user=scope.user.pk)
        text = mark_safe(seen)  # noqa: S308 - all that is added is escaped
    return text


@register.filter
def rendered(text: str, longest: int = 900) -> SafeString:
    """Return the beginning of a text as answers are read everywhere: its Markdown made safe page text."""
    return mark_safe(markdown.render(Truncator(text).chars(longest)))  # noqa: S308 - made clean there


@register.filter
def plain(text: str, longest: int = 160) -> str:
    """Return the beginning of a Markdown text on one line, without its signs."""
    return Truncator(" ".join(markdown.plain(text[: 4 * longest]).split())).chars(longest)


@register.simple_tag
def logo() -> SafeString:
    return mark_safe(drawings.LOGO)  # noqa: S308 - a constant of ours


@register.simple_tag
def system_mark(ordinal: int) -> SafeString:
    """Draw a system's sign, by its ordinal from 0: the same colour and shape on every page."""
    return format_html(
        '<svg class="mk s{}" viewBox="-8 -8 16 16" aria-hidden="true">'
        '<path fill="currentColor" d="{}"/></svg>',
        drawings.colour_of(ordinal),
        drawings.MARKS[drawings.shape_of(ordinal)],
    )


@register.simple_tag
def whisker(
    value: Figure,
    low: Figure = None,
    high: Figure = None,
    *,
    start: float = 0,
    end: float = 100,
    ordinal: int | None = None,
    digits: int = 1,
) -> SafeString:
    """Draw an estimate with its interval between two ends of an axis, as the width allows.

    Without an `ordinal` it is a tick in the accent colour: a quantity that is no system's.
    """
    if _decimal(value) is None:
        return format_html('<span class="muted">{}</span>', NOTHING)
    line: SafeString | str = ""
    if _decimal(low) is not None and _decimal(high) is not None:
        line = format_html(
            '<line class="ci" x1="{}%" x2="{}%" y1="10" y2="10"/>',
            _share(low, start, end),
            _share(high, start, end),
        )
    return format_html(
        '<svg class="plot whisker" height="20" role="img" aria-label="{}">'
        '<line class="grid" x1="0%" x2="0%" y1="0" y2="20"/>'
        '<line class="grid" x1="100%" x2="100%" y1="0" y2="20"/><g class="{}">{}'
        '<svg x="{}%" y="10" overflow="visible"><path class="pt" d="{}"/></svg></g></svg>',
        _spoken(value, low, high, digits),
        f"s{drawings.colour_of(ordinal)}" if ordinal is not None else "ac",
        line,
        _share(value, start, end),
        drawings.TICK if ordinal is None else drawings.MARKS[drawings.shape_of(ordinal)],
    )


@register.inclusion_tag("includes/progress.html")
def progress(done: int, total: int, label: str, *, words: bool = True) -> dict[str, object]:
    """Show how far something is; with `words`, the count stands beside the bar."""
    return {"done": done, "total": total, "most": max(total, 1), "label": label, "words": words}


@register.filter
def score(value: Figure, digits: int = 1) -> str:
    """Write a figure with a fixed number of decimals, halves away from zero; a dash for none."""
    number = _decimal(value)
    if number is None:
        return NOTHING
    rounded = number.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    text = formats.number_format(abs(rounded), decimal_pos=digits)
    return f"−{text}" if rounded < 0 else text


@register.filter
def points(share: float | None, digits: int = 1) -> str:
    """Write a share in points of percent; a dash for none."""
    return score(None if share is None else 100 * share, digits)


@register.simple_tag
def interval(low: Figure, high: Figure, digits: int = 1) -> str:
    """Write an interval in words: a minus sign and a dash would look alike."""
    if _decimal(low) is None or _decimal(high) is None:
        return NOTHING
    return _("%(low)s to %(high)s") % {"low": score(low, digits), "high": score(high, digits)}


@register.filter
def moment(when: datetime | None) -> SafeString | str:
    """Write a day and a time in the reader's zone, for machines too."""
    if when is None:
        return NOTHING
    local = timezone.localtime(when)
    shown = formats.date_format(local, pgettext("date", "j F Y, H:i"))
    return format_html('<time datetime="{}">{}</time>', local.isoformat(), shown)


@register.filter
def day(when: date | datetime | None) -> SafeString | str:
    if when is None:
        return NOTHING
    local = timezone.localtime(when) if isinstance(when, datetime) else when
    shown = formats.date_format(local, pgettext("date", "j F Y"))
    return format_html('<time datetime="{}">{}</time>', f"{local:%Y-%m-%d}", shown)


@register.filter
def short_day(when: date) -> str:
    """Write a day without its year, for the head of a column."""
    return formats.date_format(when, pgettext("date", "j M"))


@register.filter
def dated(written: str) -> SafeString | str:
    """Write a day or a month that was given in figures, such as 2026-03-31, in words; leave other texts."""
    if not _DATED.fullmatch(written):
        return written
    try:
        if len(written) > len("2026-03"):
            return day(date.fromisoformat(written))
        return formats.date_format(date.fromisoformat(f"{written}-01"), pgettext("date", "F Y"))
    except ValueError:
        return written


@register.filter
def ago(when: datetime | None) -> SafeString | str:
    """Write how long ago something was; the exact time is in the tooltip."""
    if when is None:
        return NOTHING
    local = timezone.localtime(when)
    seconds = (timezone.now() - when).total_seconds()
    spell = timesince.timesince(when, depth=1)
    text = _("just now") if seconds < 60 else _("%(spell)s ago") % {"spell": spell}
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        local.isoformat(),
        formats.date_format(local, pgettext("date", "j F Y, H:i")),
        text,
    )


@register.filter
def here(when: datetime | None, what: str = "moment") -> SafeString | str:
    """Write a time in UTC; a page with `lib/times.js` shows it in the zone of whoever reads it.

    Args:
        what: "time" for hours and minutes alone, "moment" with the day.
    """
    if when is None:
        return NOTHING
    local = timezone.localtime(when)
    form = "H:i" if what == "time" else pgettext("date", "j F, H:i")
    shown = formats.date_format(local, form)
    return format_html(
        '<time datetime="{}" data-local="{}">{} UTC</time>', local.isoformat(), what, shown
    )


@register.filter
def until(when: datetime | None, zone: str = "") -> SafeString | str:
    """Write how long it is until something, then when that is; with "here" as `here` writes it."""
    if when is None:
        return NOTHING
    spell = timesince.timeuntil(when, depth=1)
    if (days := (when - timezone.now()).days) > 0:  # two weeks and six days are not two weeks
        said = ngettext("%(n)s day", "%(n)s days", days) % {"n": days}
        spell = said.replace(" ", "\N{NO-BREAK SPACE}")
    if zone == "here":
        return (
            format_html(_("in %s, {}") % spell, here(when)) if when > timezone.now() else here(when)
        )
    local = timezone.localtime(when)
    shown = formats.date_format(local, pgettext("date", "j F, H:i"))
    if when > timezone.now():
        shown = _("in %(spell)s, %(date)s") % {"spell": spell, "date": shown}
    return format_html('<time datetime="{}">{}</time>', local.isoformat(), shown)


def _decimal(value: Figure) -> Decimal | None:
    if value is None or value == "" or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / value.denominator
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _share(value: Figure, start: float, end: float) -> str:
    share = (float(value or 0) - start) / (end - start) * 100
    return f"{min(max(share, 0), 100):.2f}"


def _spoken(value: Figure, low: Figure, high: Figure, digits: int) -> str:
    if _decimal(low) is None or _decimal(high) is None:
        return _("%(value)s, no interval") % {"value": score(value, digits)}
    return _("%(value)s, interval %(interval)s") % {
        "value": score(value, digits),
        "interval": interval(low, high, digits),
    }
