"""What pages say of figures: why there is none, and how they came about.

* Why there is no figure although nothing went wrong: what it is made of is not there yet.
"""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

WHY: dict[str, Any] = {
    "no_grades": _("No valid grades yet."),
    "no_pass_at": _("A criterion lacks a pass mark; set one in its rubric."),
    "open_scale": _("The scale is open or has no width."),
    "no_weight": _("All weights of the graded parts are zero."),
    "not_resampled": _("No interval was asked for."),
    "few_questions": _(
        "No interval: it needs four questions; of several capabilities, three more than these."
    ),
    "under_six": _(
        "No interval: it needs six questions; of several capabilities, five more than these."
    ),
    "few_different": _("No interval: under five questions differ from the commonest result."),
    "few_raters": _("No interval for other annotators: it takes three. Show the one for these."),
    "few_in_group": _("No interval for other annotators: it takes two in each group."),
    "few_texts": _("No interval: it needs four texts of each kind."),
    "no_spread": _("No interval: all questions came out the same."),
    "empty_resamples": _("No interval: too few resamples held a grade."),
    "one_rater": _("It takes at least two annotators."),
    "no_overlap": _("Nothing was graded by two annotators."),
    "under_three": _("It takes at least three annotators."),
    "one_level": _("Everybody used one level: agreement may be chance."),
    "negative_levels": _("Ratios need a scale from 0 up."),
    "few_units": _("It takes two responses that every annotator graded."),
    "not_connected": _(
        "Responses and annotators cannot be told apart. Add anchor items: unchanged "
        "questions and responses."
    ),
    "not_measured": _("It takes marks on a scale; these are labels or texts."),
    "never_lost": _("Some systems never lost to the others."),
    "never_met": _("Some systems never met."),
    "no_pairs": _("It takes two annotators, two systems, the same questions."),
    "no_repeats": _("No repeats. Draw some into the next round."),
    "few_grades": _("Too few grades: it takes eight questions."),
    "no_positions": _("Positions are known for too few questions."),
    "only_more_raters": _("No number of questions is enough with so few annotators."),
    "too_many_questions": _("It would take more than 100,000 questions."),
    "different_parts": _("Not graded on the same parts."),
    "nothing_shared": _("No annotator graded both on one question."),
    "few_pairs": _("Too few common values."),
    "one_system": _("There is one system only."),
    "too_many_grades": _(
        "The model takes up to 1,500 grades. Filter the scores by capability or system."
    ),
    "all_the_same": _("All marks are the same."),
    "not_converged": _("The model could not be fitted."),
    "two_systems": _("No interval: it takes three systems; with two, a correlation is 1 or −1."),
    "constant_judge": _("The judge says the same everywhere."),
    "constant_reference": _("People said the same everywhere."),
    "no_group_varies": _("In no question do both vary."),
    "no_formula": _("There is no usual formula for this."),
    "not_independent": _("No p: responses to one question are not independent."),
    "perfect": _("The formula fails at exactly 1 or −1."),
    "parts_undefined": _("At least one of its parts is undefined."),
    "no_scores": _("The judge has no score for this."),
    "not_random": _("People’s responses were not drawn at random. Draw them by lot."),
    "other_frame": _("People’s responses were drawn from others than these."),
    "few_people": _("This test needs at least three people."),
    "few_shared": _(
        "Too few marked by the judge, this person and another: it takes ten questions."
    ),
    "few_scored": _("No interval: it needs five questions."),
    "few_common": _("No interval: it needs five common questions."),
    "no_lengths": _("Too few known lengths: it takes four."),
    "no_family": _(
        "It needs systems of the judge’s family and others. Families are set at the systems."
    ),
    "no_frame": _("This round was not drawn from a run."),
    "none_named": _("None is ticked for this criterion."),
    "no_criterion": _("It has no such criterion."),
}


def why(code: str | None) -> str:
    """Return the sentence for a reason; nothing for none."""
    if code is None:
        return ""
    return str(WHY[code]) if code in WHY else code


def listed(texts: Sequence[str]) -> str:
    """Return names as a list in words."""
    if len(texts) < 2:
        return "".join(texts)
    return str(_("%(first)s and %(last)s")) % {
        "first": ", ".join(texts[:-1]),
        "last": texts[-1],
    }


def why_of_two(code: str | None) -> str:
    """Return the sentence for a reason where neither of the two sides is people."""
    if code in {"constant_judge", "constant_reference"}:
        return str(_("One of the two says the same everywhere."))
    return why(code)


class NothingYet(ValueError):
    """The ratings say nothing on what was asked; the message says what would.

    A figure that ends so is shown as an empty page, not as a failure: trying again changes nothing, more
    ratings or another choice do.
    """
