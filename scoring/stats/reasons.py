"""Why a figure is undefined: a code for programs and pages, a sentence for people."""

from enum import StrEnum


class Reason(StrEnum):
    NO_GRADES = "no_grades"
    NO_THRESHOLD = "no_pass_at"
    OPEN_SCALE = "open_scale"
    NO_WEIGHT = "no_weight"
    NOT_RESAMPLED = "not_resampled"
    FEW_QUESTIONS = "few_questions"
    NO_SPREAD = "no_spread"
    EMPTY_RESAMPLES = "empty_resamples"
    DIFFERENT_PARTS = "different_parts"
    ONE_RATER = "one_rater"
    NO_OVERLAP = "no_overlap"
    ONE_LEVEL = "one_level"
    NEGATIVE_LEVELS = "negative_levels"
    FEW_UNITS = "few_units"
    NOT_CONNECTED = "not_connected"
    NO_PAIRS = "no_pairs"
    NO_REPEATS = "no_repeats"
    FEW_GRADES = "few_grades"
    NO_POSITIONS = "no_positions"
    ONLY_MORE_RATERS = "only_more_raters"
    TOO_MANY_QUESTIONS = "too_many_questions"

    @property
    def sentence(self) -> str:
        return SENTENCES[self]


SENTENCES = {
    Reason.NO_GRADES: "There are no valid grades for this yet.",
    Reason.NO_THRESHOLD: (
        "A criterion whose scale does not start at 0 has no pass mark. Set one in its rubric."
    ),
    Reason.OPEN_SCALE: "The scale is open or has no width, so there is no share of it.",
    Reason.NO_WEIGHT: "All weights of the parts that were graded are zero.",
    Reason.NOT_RESAMPLED: "No interval was asked for.",
    Reason.FEW_QUESTIONS: "An interval needs at least two questions in each part.",
    Reason.NO_SPREAD: (
        "All questions came out the same, so resampling them cannot show how sure this is."
    ),
    Reason.EMPTY_RESAMPLES: "Too few of the resamples held any grade of this part.",
    Reason.DIFFERENT_PARTS: "The two were not graded on the same parts.",
    Reason.ONE_RATER: "Agreement needs at least two raters.",
    Reason.NO_OVERLAP: "No two raters marked the same thing.",
    Reason.ONE_LEVEL: (
        "Everybody used one and the same level, so agreement cannot be told from chance."
    ),
    Reason.FEW_UNITS: "Fewer than two things were marked by every rater.",
    Reason.NOT_CONNECTED: (
        "Too little stayed the same between the rounds to tell other responses from raters who "
        "grade differently. Add anchor items: unchanged questions and responses, graded again."
    ),
    Reason.NO_PAIRS: (
        "A plan needs a pilot in which at least two raters graded two systems on the same questions."
    ),
    Reason.ONLY_MORE_RATERS: "No number of questions is enough with so few raters: add raters.",
    Reason.TOO_MANY_QUESTIONS: "It would take more than 100,000 questions: look for a larger gap.",
    Reason.NO_REPEATS: "They graded nothing twice. Draw repeats into the next round.",
    Reason.FEW_GRADES: "Too few grades in a row to say anything: at least eight are needed.",
    Reason.NO_POSITIONS: "Positions are known for too few questions, or there is only one.",
    Reason.NEGATIVE_LEVELS: "Ratios need a scale that starts at 0 or above.",
}
