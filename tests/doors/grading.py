"""The annotator's pages."""

from annotation.grading import seating
from tests.doors.rounds import of_open
from tests.doors.row import ANNOTATORS, Row, row

GRADING: dict[str, Row] = {
    "grading": row(ANNOTATORS, ANNOTATORS),
    "grade_next": of_open(ANNOTATORS, ANNOTATORS, got=[], done=[302]),
    "grade_none": of_open(ANNOTATORS, why=lambda world: next(iter(seating.WHY))),
    "grade_sheet": of_open(ANNOTATORS),
    "grade": row(ANNOTATORS, ANNOTATORS, token=lambda world: world.seat.token),
    "grade_draft": row(ANNOTATORS, ANNOTATORS, got=[], token=lambda world: world.seat.token),
    "grade_submit": row(ANNOTATORS, ANNOTATORS, got=[], token=lambda world: world.seat.token),
    "grade_state": row(ANNOTATORS, token=lambda world: world.seat.token),
    "grade_renew": row(
        ANNOTATORS, ANNOTATORS, got=[], done=[200], token=lambda world: world.seat.token
    ),
    "grade_ahead": row(
        ANNOTATORS, ANNOTATORS, got=[], done=[200], token=lambda world: world.seat.token
    ),
    "sign_in_again": Row(public=True, got=frozenset(), done=frozenset({422})),
    "grade_back": row(
        ANNOTATORS, ANNOTATORS, got=[], done=[302], token=lambda world: world.seat.token
    ),
}
