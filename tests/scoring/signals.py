"""A figure of signals, as the insight worker would have left it."""

from annotation.people.models import Rater
from annotation.rounds.models import Round
from scoring.figures import operations as formulas
from scoring.figures.models import Figure
from scoring.watching import queries as watching
from tests import make

CHANCES = {"false_alarm": 0.01, "se": 0.001, "caught": 0.9}
#: Of the tests that raise signals.
SETTINGS = {"alpha": 0.01, "good": 0.85, "careless": 0.55, "fast": 0.33, "drift_alpha": 0.05}


def raised(round_: Round, *, minutes: float = 10_000) -> Rater:
    """Compute nothing: keep a figure in which the first annotator of the round has a signal."""
    first, second = make.annotators(round_)[:2]
    quiet = {"drift": None, "retest": None, "pace": None}
    gold = {"n": 12, "n_right": 3, "at": 5, "alarm": True, **CHANCES}
    Figure.objects.create(
        name=watching.FIGURE,
        params={"formula": formulas.fingerprint()},
        params_sha="a",
        ratings_sha="b",
        round=round_,
        state=Figure.State.READY,
        data={
            "raters": [
                {"rater": first.pk, "gold": gold, **quiet},
                {"rater": second.pk, "gold": None, **quiet},
            ],
            **SETTINGS,
        },
        wanted_at=make.NOW,
        ready_at=make.at(minutes),
    )
    return first
