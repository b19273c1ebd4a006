"""Rounds whose criteria ask for more than levels: yes or no, labels, a number, a text."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from annotation import models
from annotation.common import scales
from tests import make
from tests.scoring import rounds

TONES = ("Warm", "Plain", "Curt")
FAULTS = ("Invented", "Left out", "Unclear")
#: By key: kind of mark, lowest, highest, step, pass mark, labels.
CRITERIA: Mapping[str, tuple[str, int, int | None, int | None, int | None, Sequence[str]]] = {
    "grade": ("LEVELS", 0, 2, 1, 1, ("Bad", "Fair", "Good")),
    "safe": ("YES_NO", 0, 1, 1, 1, ("No", "Yes")),
    "minutes": ("NUMBER", 0, 30, None, None, ()),
    "tone": ("LABEL", 1, 3, 1, None, TONES),
    "faults": ("LABELS", 0, 7, None, None, FAULTS),
    "better": ("TEXT", 0, None, None, None, ()),
}
PLAIN = ("grade", "safe", "minutes")


def marks(system: int, item: int, rater: int) -> dict[str, rounds.Mark]:
    """The first system is warm, the second curt; the third annotator often sees it otherwise."""
    other = rater == 2 and item % 3 == 0
    tone = 1 if system == 0 else 3
    faults = [1] if system == 1 and item % 2 else [2, 3] if item % 3 == 0 else []
    return {
        "grade": rounds.steady(system, item, rater),
        "safe": int((item + system) % 4 > 0 or other),
        "minutes": 3 + (7 * item + rater) % 20,
        "tone": 2 if other or item % 5 == 0 else tone,
        "faults": int(scales.one_number([*faults, *([1] if other else [])])),
        "better": "The base carries the goods.",
    }


def graded(criteria: Sequence[str] = tuple(CRITERIA), **settings: Any) -> models.Round:
    """Return a graded round by some of these criteria."""
    home = settings.pop("in_", None) or make.project()
    rubric = models.Rubric.objects.create(
        project=home, key="factuality", name="Factuality", created_at=make.NOW
    )
    version = models.RubricVersion.objects.create(
        rubric=rubric, number=1, principle="Wrong is 0.", created_at=make.NOW
    )
    for position, key in enumerate(criteria):
        mark, low, high, step, passes, labels = CRITERIA[key]
        criterion = models.Criterion.objects.create(
            rubric_version=version,
            key=key,
            name=key.title(),
            mark=mark,
            position=position,
            minimum=low,
            maximum=high,
            step=step,
            pass_at=passes,
        )
        for value, label in enumerate(labels, start=1 if mark in {"LABEL", "LABELS"} else 0):
            models.Level.objects.create(criterion=criterion, value=Decimal(value), label=label)
    settings = {"n_items": 12, "marks": marks, **settings}
    return rounds.graded(in_=home, criteria=tuple(criteria), **settings)
