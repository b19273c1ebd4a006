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
}
