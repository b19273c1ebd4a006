"""What somebody asks of a figure in the address of its page: rules, weights, sizes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Project, Round
from annotation.queries import settings
from annotation.rules.settings import Section
from evalsite import errors
from scoring.queries import disputes, plans, weights


class BadSetting(errors.Invalid):
    code = "bad_setting"


@dataclass(frozen=True)
class Asked:
    """Settings as the figure takes them; `typed` is what stands in the form."""

    params: Mapping[str, Any]
    typed: Mapping[str, str] = field(default_factory=dict)


#: The usual rules of disputes, where a project has set none.
DISPUTES = {
    "rater": "alone",
    "question": "near_half",
    "far": "2",
    "share": "0.4",
    "span": "2",
    "w1": "1/2",
    "w2": "1/2",
}


def of_disputes(query: Mapping[str, str], project: Project | None = None) -> Asked:
    """Return the rules of disputes: as asked for, else as the project has set them, else the usual ones.

    Raises:
        BadSetting: a rule is unknown, or a number cannot be used.
    """
    usual = {**DISPUTES, **(settings.body_of(project, Section.DISPUTES) if project else {})}
    said = {"rater": "rater_rule", "question": "question_rule"}
    typed = {name: query.get(said.get(name, name), usual[name]) for name in DISPUTES}
    if typed["rater"] not in disputes.RATER_RULES:
        raise BadSetting(_("Choose one of the rules for annotators."))
    if typed["question"] not in disputes.QUESTION_RULES:
        raise BadSetting(_("Choose one of the rules for questions."))
    params: dict[str, Any] = {**typed}
    for name in ("far", "share", "span"):
        params[name] = _number(typed[name], name, most=1 if name == "share" else 1000)
    for name in ("w1", "w2"):
        params[name] = str(_fraction(typed[name], name))
    return Asked(params, typed)


def of_plan(query: Mapping[str, str], round_: Round) -> Asked:
    """Return the difference and the power to plan with, and the width that is narrow enough.

    Raises:
        BadSetting: one of them is no number, or out of reach.
    """
    usual = {"delta": "5", "power": "0.8", "width": plans.WIDTH}
    typed = {name: query.get(name, value) for name, value in usual.items()}
    params = {
        "delta": _number(typed["delta"], _("The difference"), most=100),
        "power": _number(typed["power"], _("The power"), most=0.999),
        "width": _number(typed["width"], _("The width"), most=100),
        **weights.of(round_).params,
    }
    return Asked(params, typed)


def _number(text: str, name: str, *, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= most:  # NaN too
        raise BadSetting(
            _("%(name)s must be a number above 0 and at most %(most)s, such as %(example)s.")
            % {"name": name, "most": f"{most:g}", "example": "0.5"}
        )
    return value


def _fraction(text: str, name: str) -> Fraction:
    try:
        value = Fraction(text) if len(text) <= 12 else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        value = Fraction(-1)
    if not 0 <= value <= 1000:
        raise BadSetting(
            _("%(name)s must be a number from 0 up, such as 0.5 or 1/2.") % {"name": name}
        )
    return value
