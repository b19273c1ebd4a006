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
    "one_rater": _("Agreement needs at least two annotators."),
    "no_overlap": _("No two annotators graded the same thing."),
    "one_level": _("Everybody used one and the same level, so agreement is not told from chance."),
    "negative_levels": _("Ratios need a scale that starts at 0 or above."),
    "few_units": _("Fewer than two things were graded by every annotator."),
    "not_connected": _(
        "Too little stayed the same between the rounds to tell other responses from annotators "
        "who grade differently. Add anchor items: unchanged questions and responses."
    ),
    "no_pairs": _("It takes two annotators who graded two systems on the same questions."),
    "no_repeats": _("They graded nothing twice. Draw repeats into the next round."),
    "few_grades": _("Too few grades in a row: at least eight are needed."),
    "no_positions": _("Positions are known for too few questions."),
    "only_more_raters": _("No number of questions is enough with so few annotators."),
    "too_many_questions": _("It would take more than 100,000 questions."),
    "different_parts": _("The two were not graded on the same parts."),
}


def why(code: str | None) -> str:
    """Return the sentence for a reason; nothing for none."""
    if code is None:
        return ""
    return str(WHY[code]) if code in WHY else code
