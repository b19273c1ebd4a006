"""Somebody who was trained and tried, in the worlds of tests/blind_worlds.py: the same in all of them."""

from decimal import Decimal
from typing import Any

from annotation import models
from annotation.qualification import answers as references
from annotation.qualification import operations as qualifying
from annotation.qualification.rules import Event
from annotation.rounds import opening, states
from annotation.training import operations as training
from tests import make
from tests.annotation import qualified


def teach(
    home: models.Project,
    owner: models.User,
    releases: list[models.SystemRelease],
    pupil: models.User,
) -> None:
    """Let somebody have practised, taken a trial (the next round) and learned how it went."""
    about = make.capability(in_=home)
    rater = make.rater(pupil, in_=home)
    for use in ("LEARN", "PRACTISE"):
        qualified.example(use, capability=about)
    qualified.trained(rater, about)
    models.Item.objects.filter(project=home, external_id__in=["Q1", "Q2"]).update(capability=about)
    made: dict[str, Any] = {"by": owner, "now": make.NOW}
    plan = training.TrialPlan(
        "Trial", about, releases, [make.account(rater)], external_ids=["Q1", "Q2"]
    )
    secret = b"the same secret of the trial in all worlds"
    trial = training.begin(project=home, plan=plan, seed="seed 6", secret=secret, **made)
    trial.identity_hits.update(decision="MASK")
    right = dict.fromkeys(references.wanted(trial), Decimal(1))
    training.give(round_=trial, values=right, why={}, **made)
    opening.request_opening(round_=trial, **made)
    opening.open_round(round_=trial, now=make.NOW)
    for value in (1, 2):
        make.submit(make.claim(trial, rater), value, now=make.NOW)
    states.close(round_=trial, **made)
    qualifying.step(
        rater=rater, capability=about, event=Event.FAILED, round_=trial, figures={"n": 6}, **made
    )
