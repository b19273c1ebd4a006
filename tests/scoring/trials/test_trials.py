import pytest

from annotation.qualification import operations as qualifying
from annotation.qualification.models import Qualification
from annotation.qualification.rules import Event
from scoring.trials import figure
from scoring.trials import queries as trials
from tests import make
from tests.annotation import qualified
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db


def decided(round_):
    trial = round_.trial
    trials.figure_of(trial, make.at(61))
    compute()
    figure = trials.figure_of(trial, make.at(62))
    return trials.decide(
        trial=trial, seen=figure.pk, by=qualified.curator(round_.project), now=make.at(63)
    )


class TestDecide:
    def test_lets_somebody_stand_aside_who_failed_too_often(self):
        round_ = qualified.open_trial(("ann-1",), n_items=6)
        rater = make.annotators(round_)[0]
        for event in (Event.FAILED, Event.PRACTISED, Event.FAILED, Event.PRACTISED):
            qualifying.step(
                rater=rater, capability=make.capability(), event=event, by=None, now=make.NOW
            )
        qualified.take(round_, rater, [0] * 6)

        outcome = decided(qualified.close(round_))

        last = Qualification.objects.filter(rater=rater).first()
        assert (outcome.failed, outcome.aside) == (1, 1)
        assert (last.state, last.event) == ("SUSPENDED", "SUSPENDED")

    def test_decides_nothing_of_whoever_did_not_finish(self):
        round_ = qualified.open_trial(("ann-1", "ann-2"), n_items=6)
        one, two = make.annotators(round_)
        qualified.take(round_, one, [2] * 6)
        qualified.take(round_, two, [2, 2])

        outcome = decided(qualified.close(round_))

        assert (outcome.passed, outcome.undecided) == (1, 1)
        assert Qualification.objects.filter(rater=two).first().state == "TRAINED"

    def test_leaves_out_whoever_has_moved_on_meanwhile(self):
        round_ = qualified.open_trial(("ann-1",), n_items=6)
        rater = make.annotators(round_)[0]
        qualified.take(round_, rater, [2] * 6)
        qualified.qualified(rater)

        outcome = decided(qualified.close(round_))

        assert (outcome.passed, outcome.left_out) == (0, 1)


class TestLabels:
    def test_are_told_apart_by_their_names(self):
        make.rubric_version(criteria=("slip",))
        round_ = qualified.open_trial(("ann-1",), n_items=3)
        qualified.take(round_, make.annotators(round_)[0], [1, 2, 3])

        found = figure.trial_of(qualified.close(round_), trials.params(round_.trial))

        confusions = found["raters"][0]["confusions"]
        assert {(one["given"], one["right"], one["n"]) for one in confusions} == {
            ("Fact", "Beside", 2),
            ("Beside", "Beside", 2),
            ("Unclear", "Beside", 2),
        }
        assert {one["right"] for one in found["diagnosis"]["units"]} == {"Beside"}
        assert {one["value"] for unit in found["diagnosis"]["units"] for one in unit["given"]} <= {
            "Fact",
            "Unclear",
        }
