from decimal import Decimal

import pytest

from annotation.domains.models import Capability
from annotation.grading import seating
from annotation.grading.models import Grade
from annotation.qualification import answers as reads
from annotation.qualification import operations as qualifying
from annotation.qualification import queries as qualifications
from annotation.qualification.models import Qualification
from annotation.qualification.rules import Event, PoolState
from annotation.rounds import opening, readiness, states
from annotation.rounds.models import Assignment, Round
from annotation.rounds.rules import RoundNeed
from annotation.training import operations as training
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


class TestBegin:
    def test_puts_everybody_who_has_trained_before_every_question(self):
        round_ = qualified.draft_trial(("ann-1", "ann-2"), n_items=3)

        assert (round_.kind, round_.n_seats, round_.items.count()) == (Round.Kind.TRIAL, 2, 3)
        assert round_.trial.capability == make.capability()
        assert {one.state for one in Qualification.objects.filter(event="INVITED")} == {
            PoolState.TRIAL
        }

    def test_refuses_whoever_has_not_trained(self):
        about = make.capability()
        qualified.bank(1, about)
        rater = qualified.annotator()
        plan = training.TrialPlan(
            name="Too early",
            capability=about,
            releases=[make.release()],
            users=[make.account(rater)],
        )

        with pytest.raises(training.TrialInvalid, match="not ready"):
            training.begin(
                project=about.project,
                plan=plan,
                seed="a",
                secret=qualified.SECRET,
                by=qualified.curator(about.project),
                now=make.NOW,
            )

        assert not Round.objects.exists()

    def test_asks_about_the_capabilities_below_by_one_rubric_and_qualifies_for_them(self):
        about = make.capability()
        below = Capability.objects.create(project=about.project, parent=about, name="Law")
        qualified.bank(2, about)
        asked = make.item("L01", capability_=below, question="Which law?")
        for name in make.SYSTEMS[:2]:
            make.response(asked, make.release(name), f"A law, says {len(name)}.")

        round_ = qualified.draft_trial(("ann-1",), n_items=3)

        assert {one.item.capability for one in round_.items.all()} == {about, below}
        assert len({one.rubric_version_id for one in round_.items.all()}) == 1
        rater = make.annotators(round_)[0]
        qualifying.step(rater=rater, capability=about, event=Event.PASSED, by=None, now=make.NOW)
        assert qualifications.is_qualified(rater, below)

    def test_opens_only_when_it_is_known_what_is_right(self):
        round_ = qualified.draft_trial()
        need = next(one for one in readiness.needs(round_) if one.key is RoundNeed.REFERENCES)

        with pytest.raises(opening.RoundNotReady, match="Reference grades missing: 6"):
            opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)
        qualified.refer(round_)

        assert not need.met
        assert all(one.met for one in readiness.needs(round_))

    def test_is_graded_like_any_round(self):
        round_ = qualified.open_trial(("ann-1",), n_items=2)
        rater = make.annotators(round_)[0]

        qualified.take(round_, rater, [2, 1])

        with pytest.raises(seating.NoSeat, match="All done"):
            make.claim(round_, rater)
        assert Assignment.objects.filter(round=round_, state="SUBMITTED").count() == 2


class TestGive:
    def test_keeps_what_was_said_before(self):
        round_ = qualified.draft_trial(("ann-1",), n_items=1)
        qualified.refer(round_, 2)
        place = min(reads.wanted(round_))
        by = qualified.curator(round_.project)

        changed = training.give(
            round_=round_,
            values={place: Decimal(1)},
            why={place[0]: "It leaves the weekend out."},
            by=by,
            now=make.at(1),
        )

        rows = Grade.objects.filter(kind="REFERENCE", response=place[0]).order_by("revision")
        assert changed == 1
        assert [(one.value, one.is_current) for one in rows] == [(2, False), (1, True)]
        assert reads.values(round_)[place] == 1
        assert (
            training.give(round_=round_, values={place: Decimal(1)}, why={}, by=by, now=make.at(2))
            == 0
        )

    def test_refuses_what_is_off_the_scale_or_elsewhere(self):
        round_ = qualified.draft_trial(("ann-1",), n_items=1)
        place = min(reads.wanted(round_))
        given = {"round_": round_, "why": {}, "by": round_.created_by, "now": make.NOW}

        with pytest.raises(states.OffScale):
            training.give(values={place: Decimal(9)}, **given)
        with pytest.raises(states.NotOfThisRound):
            training.give(values={(0, 0): Decimal(1)}, **given)
        assert not Grade.objects.exists()
