"""The movement of a score in two or three sentences, above its picture and its table."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evalsite.templatetags.ui import interval, score
from scoring.queries.movement import Cause, Shown


def sentences(shown: Shown) -> list[str]:
    """Return which way the score went, which causes stand out, and what the system itself did."""
    causes = [one for one in shown.causes if one.points[0] is not None]
    told = (_moved(shown), _standing_out(causes), _own(shown))
    return [sentence for sentence in told if sentence]


def _moved(shown: Shown) -> str:
    if not shown.change:
        return _(
            "Over all grades together the score is the same in both rounds, to a tenth of a point."
        )
    words = {"points": score(abs(shown.change))}
    low, high = shown.change_ends
    if low is None or high is None:
        if shown.change > 0:
            return _("Over all grades together the score rose by %(points)s points.") % words
        return _("Over all grades together the score fell by %(points)s points.") % words
    words["interval"] = interval(low, high)
    if shown.change > 0:
        return (
            _(
                "Over all grades together the score rose by %(points)s points (95 %% interval of the "
                "change: %(interval)s)."
            )
            % words
        )
    return (
        _(
            "Over all grades together the score fell by %(points)s points (95 %% interval of the "
            "change: %(interval)s)."
        )
        % words
    )


def _standing_out(causes: list[Cause]) -> str:
    known = [one for one in causes if one.low is not None and one.high is not None]
    if not known:
        return _("No cause has an interval here, so none can be told from chance.")
    clear = [one for one in known if not (one.low or 0) <= 0 <= (one.high or 0)]
    if not clear:
        return _("No cause stands out: the 95 % interval of each holds 0.")
    names = ", ".join(f"{one.title} ({_signed(one)})" for one in clear)
    return ngettext(
        "One cause stands out, its 95 %% interval leaves out 0: %(names)s.",
        "%(n)d causes stand out, their 95 %% intervals leave out 0: %(names)s.",
        len(clear),
    ) % {"n": len(clear), "names": names}


def _own(shown: Shown) -> str:
    """Return the part of the system: of its other responses, unless drift is mixed into it."""
    if shown.is_mixed:
        return _("What the system itself did cannot be told from how its annotators changed.")
    own, pairs = shown.own, shown.pairs
    if own.points[0] is None or not pairs["common"]:
        return ""
    if pairs["common"] == pairs["same_responses"]:
        return _("The system itself moved nothing: no response to a common question changed.")
    words = {"points": _signed(own)}
    if own.low is None or own.high is None:
        return _("The system itself, by other responses to the same questions: %(points)s.") % words
    words["interval"] = interval(own.low, own.high)
    return (
        _("The system itself, by other responses to the same questions: %(points)s (%(interval)s).")
        % words
    )


def _signed(cause: Cause) -> str:
    points = cause.points[0] or 0
    return f"+{score(points)}" if points > 0 else score(points)
