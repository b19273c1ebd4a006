"""The words for what is wrong with a file of scores, or with a grade that is written in words."""

from django.utils.translation import gettext_noop as _

TEXTS = {
    "no_score": (
        _("“%(found)s” is no score."),
        _(
            "Write a number with a point; leave the cell empty where there is none; or give the "
            "word its number under “Words that stand for numbers”."
        ),
    ),
    "out_of_range": (
        _("The score %(found)s of %(name)s does not lie %(range)s, as its range says."),
        _("Correct it, or declare another range for %(name)s and check again."),
    ),
    "scored_without_score": (
        _("The outcome says that there is a score, and there is none."),
        _("Write the score, or another outcome: refused, error or skipped."),
    ),
    "score_of_failure": (
        _("The score %(found)s stands beside an outcome that is no score; it is left out."),
        _("Correct the outcome if the score is right."),
    ),
    "unknown_outcome": (
        _("“%(found)s” is no outcome."),
        _("Write scored, refused, error or skipped."),
    ),
    "judged_twice": (
        _("%(found)s has scored this on the same criterion in line %(first)s."),
        _("Keep one of the two, or map a column to the number of the sample."),
    ),
    "judged_before": (
        _("An earlier import holds another score by %(found)s of the same answer: %(before)s."),
        _("Undo that import first, or call this judge or metric something else."),
    ),
    "undeclared_machine": (
        _("Nothing is declared of “%(found)s” yet."),
        _("Say whether it is a judge or a metric, and its range, under “Judges and metrics”."),
    ),
    "machine_twice": (
        _("“%(found)s” is declared twice."),
        _("Give the columns the same name only if they are the same judge or metric."),
    ),
    "two_kinds": (
        _("“%(found)s” is declared as a judge and as a metric."),
        _("Say the same of it for all its criteria."),
    ),
    "range_known": (
        _(
            "“%(found)s” is known here with the range %(other)s for %(criterion)s; this file would "
            "have it lie %(range)s."
        ),
        _("Declare the range that is right for this criterion, or confirm this one."),
    ),
    "range_of_rubric": (
        _(
            "The rubric's scale for %(criterion)s is %(other)s; the range of “%(found)s” is to lie "
            "%(range)s (scores from %(low)s to %(high)s)."
        ),
        _("Declare the range that is right for this criterion, or confirm this one."),
    ),
    "range_of_rubrics": (
        _("Several rubrics have %(criterion)s, on different scales: %(other)s."),
        _("Declare on which one “%(found)s” scored, or confirm that it is %(range)s."),
    ),
    "range_little_used": (
        _(
            "%(n)s scores by “%(found)s” for %(criterion)s go only from %(low)s to %(high)s, far from "
            "filling the rubric's scale (%(range)s)."
        ),
        _("Declare another range if it scored on another scale, or confirm this one."),
    ),
    "range_guessed": (
        _(
            "The range of “%(found)s” for %(criterion)s is a guess (%(range)s): its scores go from "
            "%(low)s to %(high)s."
        ),
        _("Declare its lowest and highest possible score, or confirm these."),
    ),
    "unknown_kind": (_("“%(found)s” is neither judge nor metric."), _("Choose one of the two.")),
    "bad_range": (_("The range of “%(found)s” cannot be used."), _("%(reason)s")),
    "no_score_column": (
        _("No column holds scores."),
        _("Map one to the score, or each column of scores to its judge or metric."),
    ),
    "no_machine_column": (
        _("It is not said which judge or metric gave the scores."),
        _("Map a column to the judge or metric, or name one for the whole file."),
    ),
    "detail_in_wide_table": (
        _("In a wide table an outcome, a reason or a text belongs to no single score."),
        _("Ignore the column, or bring in a long table with one score in each row."),
    ),
    "score_twice": (_("Two columns hold scores of %(found)s."), _("Correct one of them.")),
    "word_without_number": (
        _("The word “%(found)s” stands for no number yet."),
        _("Write its number behind the equals sign, or remove the line."),
    ),
    "word_off_scale": (
        _("The number of “%(found)s” is not on the scale."),
        _("%(reason)s"),
    ),
    "raters_numbered": (
        _("Some answers have several grades, and no column names the raters."),
        _("They are counted as raters %(found)s, %(found)s 2, %(found)s 3 and so on."),
    ),
    "no_grade_here": (
        _("There is no grade in this row; nothing is counted for it."),
        _("Nothing needs to be done if it was never given."),
    ),
}
