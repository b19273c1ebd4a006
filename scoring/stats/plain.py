"""The one border between results and JSON: no numpy scalar, no NaN, no lost fraction.

* Rounding for display: decimal, half away from zero, from exact fractions.
* Why a figure is undefined: a code for programs and pages, a sentence for people.
"""

import dataclasses
import datetime
import math
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum, StrEnum
from fractions import Fraction
from typing import TypeAlias
from uuid import UUID

import numpy as np

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"


def plain(value: object) -> Plain:
    """Return what `json.dumps(allow_nan=False)` takes; a missing or infinite number is None.

    A Fraction becomes `{"num", "den", "value"}`, a Decimal its text, a dataclass a dict of
    its public fields.

    Raises:
        TypeError: something has no plain form.
    """
    if value is None or isinstance(value, str | bool | int | float | np.generic | Enum):
        return _scalar(value)
    if isinstance(value, Fraction):
        return {"num": value.numerator, "den": value.denominator, "value": float(value)}
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _fields(value)
    return _text(value)


def _scalar(value: object) -> Plain:
    if isinstance(value, Enum):
        return _scalar(value.value)
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, bool) or value is None:
        return value
    return int(value) if isinstance(value, int) else str(value)


def _fields(value: object) -> dict[str, Plain]:
    names = [field.name for field in dataclasses.fields(value)]  # type: ignore[arg-type]
    return {name: plain(getattr(value, name)) for name in names if not name.startswith("_")}


def _key(key: object) -> str:
    if isinstance(key, str | int | UUID) and not isinstance(key, bool):
        return str(key.value if isinstance(key, Enum) else key)
    raise TypeError(f"A key of type {type(key).__name__} has no plain form.")


def _text(value: object) -> str:
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat()
    if isinstance(value, Decimal | UUID):
        return str(value)
    raise TypeError(f"A value of type {type(value).__name__} has no plain form.")


def rounded(value: Fraction, digits: int) -> Decimal:
    """Return the value with so many decimals, halves rounded away from zero."""
    shifted = abs(value) * 10**digits
    whole = (2 * shifted.numerator + shifted.denominator) // (2 * shifted.denominator)
    return Decimal(whole if value >= 0 else -whole).scaleb(-digits)


def percent(value: Fraction, digits: int = 1) -> Decimal:
    """Return a share as a percentage with so many decimals, as tables print it."""
    return rounded(value * 100, digits)


class Reason(StrEnum):
    NO_GRADES = "no_grades"
    NO_THRESHOLD = "no_pass_at"
    OPEN_SCALE = "open_scale"
    NO_WEIGHT = "no_weight"
    NOT_RESAMPLED = "not_resampled"
    FEW_QUESTIONS = "few_questions"
    UNDER_SIX = "under_six"
    FEW_DIFFERENT = "few_different"
    FEW_RATERS = "few_raters"
    FEW_IN_GROUP = "few_in_group"
    UNDER_THREE = "under_three"
    FEW_TEXTS = "few_texts"
    NO_SPREAD = "no_spread"
    EMPTY_RESAMPLES = "empty_resamples"
    DIFFERENT_PARTS = "different_parts"
    NOTHING_SHARED = "nothing_shared"
    ONE_RATER = "one_rater"
    NO_OVERLAP = "no_overlap"
    ONE_LEVEL = "one_level"
    NEGATIVE_LEVELS = "negative_levels"
    FEW_UNITS = "few_units"
    NOT_CONNECTED = "not_connected"
    NO_PAIRS = "no_pairs"
    NEVER_LOST = "never_lost"
    NEVER_MET = "never_met"
    NO_REPEATS = "no_repeats"
    NOT_MET_AGAIN = "not_met_again"
    FEW_GRADES = "few_grades"
    NO_POSITIONS = "no_positions"
    ONLY_MORE_RATERS = "only_more_raters"
    TOO_MANY_QUESTIONS = "too_many_questions"
    FEW_PAIRS = "few_pairs"
    TWO_SYSTEMS = "two_systems"
    ONE_SYSTEM = "one_system"
    TOO_MANY_GRADES = "too_many_grades"
    ALL_THE_SAME = "all_the_same"
    NOT_CONVERGED = "not_converged"
    CONSTANT_JUDGE = "constant_judge"
    CONSTANT_REFERENCE = "constant_reference"
    NO_GROUP_VARIES = "no_group_varies"
    NO_FORMULA = "no_formula"
    PERFECT = "perfect"
    NOT_INDEPENDENT = "not_independent"
    PARTS_UNDEFINED = "parts_undefined"
    NO_SCORES = "no_scores"
    NOT_RANDOM = "not_random"
    OTHER_FRAME = "other_frame"
    FEW_PEOPLE = "few_people"
    FEW_SHARED = "few_shared"
    FEW_SCORED = "few_scored"
    FEW_COMMON = "few_common"
    NO_LENGTHS = "no_lengths"
    NO_FAMILY = "no_family"
    NONE_NAMED = "none_named"
    NO_FRAME = "no_frame"
    NOT_MEASURED = "not_measured"

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
    Reason.FEW_QUESTIONS: (
        "An interval needs at least four questions; over several capabilities, at least three more "
        "than there are capabilities."
    ),
    Reason.UNDER_SIX: (
        "An interval needs at least six questions; over several capabilities, at least five more than "
        "there are capabilities."
    ),
    Reason.FEW_DIFFERENT: (
        "Fewer than five questions came out other than the commonest result, so they cannot show how "
        "sure this is. Grade more questions, or harder ones."
    ),
    Reason.FEW_RATERS: (
        "It takes three annotators to say what others would find: this holds for these annotators."
    ),
    Reason.FEW_IN_GROUP: (
        "It takes two annotators in each group to say what others of these groups would find: this "
        "holds for these annotators."
    ),
    Reason.FEW_TEXTS: "An interval needs at least four texts of each kind.",
    Reason.NO_SPREAD: (
        "All questions came out the same, so resampling them cannot show how sure this is."
    ),
    Reason.EMPTY_RESAMPLES: "Too few of the resamples held any grade of this part.",
    Reason.DIFFERENT_PARTS: "The two were not graded on the same parts.",
    Reason.NOTHING_SHARED: (
        "No annotator graded both on the same question, so they cannot be compared."
    ),
    Reason.ONE_RATER: "Agreement needs at least two raters.",
    Reason.NO_OVERLAP: "No two raters marked the same thing.",
    Reason.ONE_LEVEL: (
        "Everybody used one and the same level, so agreement cannot be told from chance."
    ),
    Reason.UNDER_THREE: "Too few raters marked it: nobody stands alone among fewer than three.",
    Reason.FEW_UNITS: "Fewer than two things were marked by every rater.",
    Reason.NOT_CONNECTED: (
        "Too little stayed the same between the rounds to tell other responses from raters who "
        "grade differently. Add anchor items: unchanged questions and responses, graded again."
    ),
    Reason.NEVER_LOST: (
        "Some systems never lost to the others, not even by half, so their strength would have no end."
    ),
    Reason.NEVER_MET: "They never met: nobody chose between them, or between others that would link them.",
    Reason.NO_PAIRS: (
        "A plan needs a pilot in which at least two raters graded two systems on the same questions."
    ),
    Reason.ONLY_MORE_RATERS: "No number of questions is enough with so few raters: add raters.",
    Reason.TOO_MANY_QUESTIONS: "It would take more than 100,000 questions: look for a larger gap.",
    Reason.NO_REPEATS: "No response was graded twice by the same rater. Draw repeats into the next round.",
    Reason.NOT_MET_AGAIN: (
        "Repeats were drawn, but none was met a second time here: what comes twice was not graded, or "
        "grading stopped before it came again."
    ),
    Reason.FEW_GRADES: "Too few grades in a row to say anything: those of at least eight questions are needed.",
    Reason.NO_POSITIONS: "Positions are known for too few questions, or there is only one.",
    Reason.FEW_PAIRS: "There are too few values that both sides have.",
    Reason.TWO_SYSTEMS: "Over two systems a correlation is always 1 or −1: it takes three to say anything.",
    Reason.ONE_SYSTEM: "There is one system only, and nothing to set it against.",
    Reason.TOO_MANY_GRADES: "There are more grades than the model takes: fitting it takes too long.",
    Reason.ALL_THE_SAME: "All marks are the same, so there is nothing to divide among causes.",
    Reason.NOT_CONVERGED: "The model could not be fitted to these grades.",
    Reason.CONSTANT_JUDGE: (
        "The judge has one and the same value everywhere, so nothing can rise or fall with it."
    ),
    Reason.CONSTANT_REFERENCE: (
        "What the judge is compared with has one and the same value everywhere, so nothing can "
        "rise or fall with it."
    ),
    Reason.NO_GROUP_VARIES: "In no group do both sides have different values.",
    Reason.NO_FORMULA: "There is no usual formula for this. Look at the resampled figure.",
    Reason.NOT_INDEPENDENT: (
        "Several responses to one question rise and fall together, and this formula takes them for "
        "independent. Look at the resampled interval."
    ),
    Reason.PERFECT: "At a correlation of exactly 1 or −1 the formula has nothing to go by.",
    Reason.PARTS_UNDEFINED: "At least one of its parts is undefined.",
    Reason.NO_SCORES: "The judge has no score for this.",
    Reason.NOT_RANDOM: (
        "What people graded was not chosen by lot: at least one response has no inclusion "
        "probability above 0. Draw the responses for people at random, with a chance for each."
    ),
    Reason.OTHER_FRAME: (
        "What people graded was drawn from other responses than these: the weights do not add up to "
        "their number. Choose the responses that the sample was drawn from."
    ),
    Reason.FEW_PEOPLE: "This test needs at least three people.",
    Reason.FEW_SHARED: (
        "Too few responses were marked by the judge, this person and another one: it takes those to ten "
        "questions."
    ),
    Reason.FEW_SCORED: "An interval needs scores of at least five questions.",
    Reason.FEW_COMMON: "An interval needs at least five questions for which both have a score.",
    Reason.NO_LENGTHS: "The length of too few responses is known: four are needed.",
    Reason.NO_FAMILY: (
        "There are no systems of the judge's own family beside others, or the family is not known."
    ),
    Reason.NO_FRAME: "The round was not drawn from outputs of a run, so there is nothing else to speak of.",
    Reason.NOT_MEASURED: (
        "It takes marks on a scale: of labels there are shares and agreement, of texts neither."
    ),
    Reason.NONE_NAMED: "The plan names no assistant for this criterion.",
    Reason.NEGATIVE_LEVELS: "Ratios need a scale that starts at 0 or above.",
}
