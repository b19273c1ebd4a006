"""What pages say of figures: why there is none, and how they came about."""

from typing import Any

from django.utils.translation import gettext_lazy as _

WHY: dict[str, Any] = {
    "no_grades": _("There are no valid grades for this yet."),
    "no_pass_at": _("A criterion here starts above 0 and has no pass mark; set one in its rubric."),
    "open_scale": _("The scale is open or has no width, so there is no share of it."),
    "no_weight": _("All weights of the graded parts are zero."),
    "not_resampled": _("No interval was asked for."),
    "few_questions": _("No interval: it needs two questions or more in each part."),
    "no_spread": _("No interval: all questions came out the same."),
    "empty_resamples": _("No interval: too few resamples held a grade of this part."),
    "different_parts": _("The two were not graded on the same parts."),
}


def why(code: str | None) -> str:
    """Return the sentence for a reason; nothing for none."""
    if code is None:
        return ""
    return str(WHY[code]) if code in WHY else code
