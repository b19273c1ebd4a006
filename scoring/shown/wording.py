"""What pages say of figures: why there is none, and how they came about.

* Why there is no figure although nothing went wrong: what it is made of is not there yet.
"""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

WHY: dict[str, Any] = {
    "no_grades": _("There are no valid grades for this yet."),
    "no_pass_at": _("A criterion here starts above 0 and has no pass mark; set one in its rubric."),
    "open_scale": _("The scale is open or has no width, so there is no share of it."),
    "no_weight": _("All weights of the graded parts are zero."),
    "not_resampled": _("No interval was asked for."),
    "few_questions": _(
        "No interval: it needs four questions or more; over several capabilities, three more than "
        "there are capabilities."
    ),
    "under_six": _(
        "No interval: it needs six questions or more; over several capabilities, five more than "
        "there are capabilities."
    ),
    "few_different": _(
        "No interval: fewer than five questions came out other than the commonest result."
    ),
    "few_raters": _(
        "No interval for other annotators: it takes three who graded this. Show the one for these."
    ),
    "few_texts": _("No interval: it needs four texts or more of each kind."),
    "no_spread": _("No interval: all questions came out the same."),
    "empty_resamples": _("No interval: too few resamples held a grade of this part."),
    "one_rater": _("It takes at least two annotators."),
    "no_overlap": _("No two annotators graded the same thing."),
    "under_three": _("Nobody can stand alone among fewer than three annotators."),
    "one_level": _("Everybody used one and the same level, so agreement is not told from chance."),
    "negative_levels": _("Ratios need a scale that starts at 0 or above."),
    "few_units": _("Fewer than two things were graded by every annotator."),
    "not_connected": _(
        "Too little stayed the same between the rounds to tell other responses from annotators "
        "who grade differently. Add anchor items: unchanged questions and responses."
    ),
    "no_pairs": _("It takes two annotators who graded two systems on the same questions."),
    "no_repeats": _(
        "No response was graded twice by the same person. Draw repeats into the next round."
    ),
    "few_grades": _("Too few grades in a row: those of at least eight questions are needed."),
    "no_positions": _("Positions are known for too few questions."),
    "only_more_raters": _("No number of questions is enough with so few annotators."),
    "too_many_questions": _("It would take more than 100,000 questions."),
    "different_parts": _("The two were not graded on the same parts."),
    "nothing_shared": _(
        "No annotator graded both systems on the same question, so they cannot be compared."
    ),
    "few_pairs": _("Too few values that both sides have."),
    "one_system": _("There is one system only, and nothing to set it against."),
    "too_many_grades": _(
        "The model takes up to 1,500 grades, and here are more: fitting it would take too long. Filter the "
        "scores, by a capability or by systems, and come back from there."
    ),
    "all_the_same": _("All marks are the same, so there is nothing to divide among causes."),
    "not_converged": _("The model could not be fitted to these grades."),
    "two_systems": _(
        "No interval: over two systems a correlation is always 1 or −1. It takes three to say anything."
    ),
    "constant_judge": _("The judge says one and the same everywhere, so nothing goes with it."),
    "constant_reference": _("People said one and the same everywhere, so nothing goes with it."),
    "no_group_varies": _("In no question do both sides have different values."),
    "no_formula": _("There is no usual formula for this."),
    "not_independent": _("No p: responses to one question are not independent."),
    "perfect": _("At a correlation of exactly 1 or −1 the formula has nothing to go by."),
    "parts_undefined": _("At least one of its parts is undefined."),
    "no_scores": _("The judge has no score for this."),
    "not_random": _(
        "What people graded was not chosen by lot: at least one response has no chance of being "
        "drawn. Draw the responses for people at random."
    ),
    "other_frame": _(
        "What people graded was drawn from other responses than these: the weights do not add up "
        "to their number."
    ),
    "few_people": _("This test needs at least three people."),
    "few_shared": _(
        "Too few responses were marked by the judge, this person and another one: it takes those to ten "
        "questions."
    ),
    "few_scored": _("No interval: it needs scores of five questions or more."),
    "few_common": _("No interval: it needs five questions for which both have a score."),
    "no_lengths": _("The length of too few responses is known: four are needed."),
    "no_family": _(
        "No systems of the judge’s own family stand beside others, or its family or theirs is not "
        "told: say it where systems are edited."
    ),
    "no_frame": _(
        "This round was not drawn from what a run put out: it speaks of its own questions."
    ),
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
        return str(_("One of the two says one and the same everywhere, so nothing goes with it."))
    return why(code)


class NothingYet(ValueError):
    """The ratings say nothing on what was asked; the message says what would.

    A figure that ends so is shown as an empty page, not as a failure: trying again changes nothing, more
    ratings or another choice do.
    """
