"""What the demo has of summaries: those of five notices, with grades by criteria and scores, brought in."""

import csv
from collections.abc import Callable
from datetime import datetime
from typing import Final

from annotation.models import ImportBatch, ImportKind, Project, User
from annotation.rules.tabular.machines import METRIC, Machine
from annotation.rules.tabular.mappings import (
    AnswerMapping,
    GradeMapping,
    NewRubric,
    Place,
)
from annotation.rules.tabular.score_mappings import CRITERION, ScoreMapping
from annotation.rules.tabular.targets import Target
from scoring.operations import demo_files

ROUND: Final = "Summaries of notices"
RUBRIC: Final = NewRubric(ROUND, "1", "5", "1")
#: Brought in like scores of anybody's evaluator; the second is no share, so that ranges differ.
ASSISTANTS: Final = (
    Machine("ROUGE-1", METRIC, "0", "1"),
    Machine("ROUGE-L", METRIC, "0", "1"),
    Machine("Supported share", METRIC, "0", "1"),
    Machine("Ease of reading", METRIC, "0", "100"),
)
ANSWERS: Final = (
    Target.EXTERNAL_ID,
    Target.QUESTION,
    Target.STANDARD_ANSWER,
    Target.SYSTEM,
    Target.RELEASE,
    Target.RESPONSE,
)
WHERE: Final = (Target.ITEM, Target.SYSTEM, Target.RELEASE)


def bring(*, project: Project, by: User, now: datetime) -> ImportBatch:
    """Bring in the summaries, what three people gave them, and two evaluators' scores; return the first.

    Raises:
        errors.Refusal: they are there already.
    """
    answers = AnswerMapping(tuple(Place(one, one) for one in ANSWERS))
    brought = demo_files.bring(
        project=project,
        kind=ImportKind.ANSWERS,
        name="summaries.jsonl",
        mapping=answers,
        by=by,
        now=now,
    )
    table = "summary_grades.csv"
    grades = GradeMapping(_wide(table, _grade), ROUND, new_rubric=RUBRIC)
    demo_files.bring(
        project=project, kind=ImportKind.GRADES, name=table, mapping=grades, by=by, now=now
    )
    table = "summary_scores.csv"
    scores = ScoreMapping(_wide(table, _score), ASSISTANTS)
    demo_files.bring(
        project=project, kind=ImportKind.SCORES, name=table, mapping=scores, by=by, now=now
    )
    return brought


def _grade(column: str) -> Place:
    """Return the place of a column such as “Grader 1_fluency”."""
    rater, _line, criterion = column.partition("_")
    return Place(column, Target.GRADE, rater=rater, criterion=criterion)


def _score(column: str) -> Place:
    return Place(column, Target.SCORE, rater=column, criterion=CRITERION)


def _wide(name: str, place: Callable[[str], Place]) -> tuple[Place, ...]:
    """Return where the columns of a table go: those that say whose answer it is, then the rest."""
    with (demo_files.FOLDER / name).open(encoding="utf-8") as file:
        columns = next(csv.reader(file))
    return tuple(Place(one, one) if one in WHERE else place(one) for one in columns)
