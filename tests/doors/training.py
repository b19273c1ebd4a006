"""Training, trials and qualification: the annotator's pages and those of curators."""

from annotation.people.models import Role
from tests.annotation import qualified
from tests.doors.rounds import of_draft
from tests.doors.row import ANNOTATORS, CURATORS, Row, row
from tests.who_may_world import World


def learned(world: World) -> int:
    return qualified.example(capability=world.capability).number


def opened_trial(world: World) -> int:
    return world.trial.number


def _capability(world: World) -> int:
    return world.capability.pk


def _annotator(world: World) -> object:
    return world.people[Role.ANNOTATOR].public_id


TRAINING: dict[str, Row] = {
    "training": row(ANNOTATORS),
    # An empty request grades nothing.
    "training_example": row(ANNOTATORS, ANNOTATORS, number=learned),
    # Nobody has taken a trial that is decided.
    "training_trial": row(ANNOTATORS, got=[404], number=lambda world: 1),
    "pool": row(CURATORS),
    # An empty request says that somebody knows about nothing.
    "pool_person": row(CURATORS, CURATORS, done=[302], person=_annotator),
    "pool_say": row(CURATORS, CURATORS, person=_annotator, pk=_capability),
    "pool_rules": row(CURATORS, CURATORS),
    "pool_rule": row(CURATORS, CURATORS, pk=_capability),
    "examples": row(CURATORS),
    "example_new": row(CURATORS, CURATORS, pk=_capability),
    # Its rubric has no examples; the page says so.
    "example_adopt": row(CURATORS, CURATORS, got=[], done=[302], pk=_capability),
    "example_withdraw": row(CURATORS, CURATORS, got=[], done=[302], number=learned),
    "trials": row(CURATORS),
    "trial_new": row(CURATORS, CURATORS),
    # An empty request gives no reference.
    "trial_report": row(CURATORS, number=opened_trial),
    # It is still open; the page says so.
    "trial_decide": row(CURATORS, CURATORS, got=[], done=[302], number=opened_trial),
    "round_references": of_draft(CURATORS, CURATORS, done=[302]),
}
