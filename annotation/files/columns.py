"""Where a column may go, by kind of file."""

from dataclasses import dataclass
from enum import StrEnum


class Target(StrEnum):
    """What a column holds."""

    IGNORE = "ignore"
    EXTERNAL_ID = "external_id"
    QUESTION = "question"
    MESSAGES = "messages"
    STANDARD_ANSWER = "standard_answer"
    KEY_POINTS = "key_points"
    CAPABILITY = "capability"
    DIFFICULTY = "difficulty"
    DOMAIN = "domain"
    TYPE = "type"
    AS_OF = "as_of"
    LANGUAGE = "language"
    GROUP = "group"
    FINGERPRINT = "fingerprint"  # of the wording that was answered
    REFERENCES = "references"  # several texts that an answer may resemble
    QUESTION_DETAILS = "question_details"
    SYSTEM = "system"
    RELEASE = "release"
    RESPONSE = "response"
    SAMPLE_NO = "sample_no"
    RESPONSE_DETAILS = "response_details"
    ANSWER = "answer"  # the answers of one system, in a column of their own
    ITEM = "item"
    CRITERION = "criterion"
    RATER = "rater"
    VALUE = "value"
    AT = "at"
    COMMENT = "comment"
    GRADE = "grade"  # the grades of one rater on one criterion, in a column of their own
    PRINCIPLE = "principle"
    VALID_UNTIL = "valid_until"
    TAGS = "tags"
    SOURCES = "sources"
    SOURCE_TITLE = "source_title"
    SOURCE_ADDRESS = "source_address"
    SOURCE_PLACE = "source_place"
    NOTE = "note"
    OUTCOME = "outcome"
    REASON = "reason"
    TEXT = "text"
    SCORE = "score"  # the scores of one judge or metric, in a column of their own
    OPTION = "option"  # the text of one option, in a column of its own
    RIGHT = "right"  # which option is the right one
    SUBJECT = "subject"
    EXPLANATION = "explanation"
    DATASET = "dataset"
    FIGURE = "figure"  # what was measured elsewhere, such as a benchmark's score
    SYSTEM_A = "system_a"
    SYSTEM_B = "system_b"
    RELEASE_A = "release_a"
    RELEASE_B = "release_b"
    SAMPLE_A = "sample_a"
    SAMPLE_B = "sample_b"
    ANSWER_A = "answer_a"
    ANSWER_B = "answer_b"
    CHOICE = "choice"  # which of the two is better


ANSWERS = tuple(Target)[: tuple(Target).index(Target.ITEM)]
GRADES = (
    Target.IGNORE,
    Target.ITEM,
    Target.SYSTEM,
    Target.RELEASE,
    Target.SAMPLE_NO,
    *tuple(Target)[tuple(Target).index(Target.CRITERION) : tuple(Target).index(Target.PRINCIPLE)],
)
#: What a file of questions for the bank may hold, in the order in which it is offered.
QUESTIONS = (
    *tuple(Target)[: tuple(Target).index(Target.AS_OF) + 1],
    Target.VALID_UNTIL,
    Target.TAGS,
    Target.LANGUAGE,
    *tuple(Target)[tuple(Target).index(Target.SOURCES) : tuple(Target).index(Target.NOTE)],
    Target.PRINCIPLE,
    Target.NOTE,
)
#: What a file of scores of judges and metrics may hold.
SCORES = (
    Target.IGNORE,
    Target.ITEM,
    Target.SYSTEM,
    Target.RELEASE,
    Target.SAMPLE_NO,
    Target.RATER,
    Target.CRITERION,
    Target.VALUE,
    Target.OUTCOME,
    Target.REASON,
    Target.TEXT,
    Target.AT,
    Target.SCORE,
)
#: What a table of questions of multiple choice may hold.
CHOICES = (
    Target.IGNORE,
    Target.EXTERNAL_ID,
    Target.QUESTION,
    Target.OPTION,
    Target.RIGHT,
    Target.SUBJECT,
    Target.EXPLANATION,
    Target.QUESTION_DETAILS,
)
#: What a table of figures of other benchmarks may hold.
FIGURES = (
    Target.IGNORE,
    Target.SYSTEM,
    Target.RELEASE,
    Target.DATASET,
    Target.FIGURE,
    Target.VALUE,
)
#: What a file may hold that says which of two answers is better.
PAIRS = (
    Target.IGNORE,
    Target.EXTERNAL_ID,
    Target.GROUP,
    Target.QUESTION,
    Target.MESSAGES,
    Target.STANDARD_ANSWER,
    *tuple(Target)[tuple(Target).index(Target.SYSTEM_A) :],
    Target.RATER,
    Target.CRITERION,
    Target.AT,
    Target.COMMENT,
    Target.QUESTION_DETAILS,
)
#: Targets that several columns may have.
REPEATABLE = frozenset(
    {
        Target.IGNORE,
        Target.ANSWER,
        Target.GRADE,
        Target.SCORE,
        Target.OPTION,
        Target.QUESTION_DETAILS,
        Target.RESPONSE_DETAILS,
    }
)


@dataclass(frozen=True, slots=True)
class Guess:
    """A suggestion; an empty target means that a person has to choose.

    One that is not `sure` is only offered to somebody who looks at it.
    """

    target: str = ""
    system: str = ""
    rater: str = ""
    criterion: str = ""
    sure: bool = True

    @property
    def written(self) -> str:
        """How a program writes it: grade:RATER:CRITERION:SYSTEM without the ends that are empty."""
        marks = (self.rater, self.criterion, self.system)
        named = (self.system,) if self.target == Target.ANSWER else marks
        return ":".join((self.target, *named)).rstrip(":")
