import pytest

from annotation import models
from annotation.people import operations as people
from annotation.people.models import AuditEvent, Role
from annotation.rounds import beginning, drafting, drawing, readiness
from annotation.rounds.models import Round
from annotation.rounds.rules import Draw
from annotation.running import discarding
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db
Questions = beginning.Questions


def copy(round_, questions=Questions.SAME, *, by=None, by_owner=True, **more):
    return beginning.copy(
        round_=round_,
        questions=questions,
        seed="another seed",
        secret=make.SECRET,
        by=by or round_.created_by,
        by_owner=by_owner,
        now=make.at(10),
        **more,
    )


def drawn(round_) -> list[str]:
    drawing.prepare(round_=round_, now=make.at(11))
    return sorted(round_.items.values_list("item__external_id", flat=True))


class TestCopy:
    def test_takes_everything_over_into_a_draft_that_can_be_opened(self):
        round_ = make.open_round(n_items=4, n_releases=3, lease_minutes=45)
        Round.objects.update(instructions="Mind the units.", uniform_rendering=True)
        round_.refresh_from_db()

        made = copy(round_)

        assert (made.number, made.name, made.state) == (2, "Copy of A round", "DRAFT")
        assert (made.n_seats, made.lease_minutes, made.instructions) == (3, 45, "Mind the units.")
        assert made.uniform_rendering
        for name, field in (
            ("systems", "release"),
            ("annotators", "rater"),
            ("rubrics", "rubric_version"),
        ):
            before = set(getattr(round_, name).values_list(field, flat=True))
            assert set(getattr(made, name).values_list(field, flat=True)) == before
        drawn(made)
        assert all(need.met for need in readiness.needs(made))
        assert AuditEvent.objects.get(verb="round.copied").data["source"] == 1

    def test_asks_the_same_questions(self):
        round_ = make.open_round(n_items=4)
        for name in ("Q91", "Q92", "Q93"):
            item = make.item(name)
            make.response(item, make.release("Heron"))
            make.response(item, make.release("Kestrel"))

        made = copy(round_)

        before = sorted(round_.items.values_list("item__external_id", flat=True))
        assert drawn(made) == before

    def test_draws_anew_by_the_same_wishes_from_its_own_seed(self):
        round_ = make.draft_round(n_items=8)
        drafting.choose_draw(
            round_=round_, draw=Draw(n_items=3, repeats=20), by=round_.created_by, now=make.NOW
        )
        drawing.prepare(round_=round_, now=make.NOW)

        made = copy(round_, Questions.NEW, name="Once more")

        assert (made.name, made.seed) == ("Once more", "another seed")
        wishes = Draw.from_json(made.draw)
        assert (wishes.n_items, wishes.repeats, wishes.external_ids) == (3, 20, [])
        assert len(drawn(made)) == 3

    def test_leaves_a_closing_time_that_is_over(self):
        round_ = make.open_round()
        Round.objects.update(deadline=make.at(5))
        round_.refresh_from_db()

        assert copy(round_).deadline is None

    def test_keeps_to_what_a_curator_may_allow(self):
        round_ = make.open_round(n_seats=2)
        curator = make.member(Role.CURATOR)
        seeing = make.annotators(round_)[0]
        people.grant(
            project=round_.project,
            user=make.account(seeing),
            role=Role.ANALYST,
            by=round_.created_by,
            now=make.NOW,
        )
        round_.annotators.filter(rater=seeing).update(override="Nobody else knows it.")

        by_owner, by_curator = copy(round_), copy(round_, by=curator, by_owner=False)

        assert (by_owner.n_seats, by_owner.annotators.count()) == (2, 3)
        assert by_owner.annotators.get(rater=seeing).override == "Nobody else knows it."
        assert (by_curator.n_seats, by_curator.annotators.count()) == (3, 2)

    def test_leaves_out_who_is_no_annotator_any_more(self):
        round_ = make.open_round()
        gone = make.annotators(round_)[0]
        models.Membership.objects.filter(user=make.account(gone)).update(ended_at=make.at(1))

        assert copy(round_).annotators.count() == 2

    def test_is_of_production_only(self):
        with pytest.raises(beginning.CannotCopy):
            copy(qualified.draft_trial())

    @pytest.mark.parametrize("questions", list(Questions))
    def test_leaves_out_who_has_seen_names_of_the_original(self, questions):
        round_ = make.open_round()
        seen = make.annotators(round_)[0]
        models.Unblinding.objects.create(round=round_, user=make.account(seen), at=make.NOW)

        made = copy(round_, questions)
        again = copy(made, questions)

        assert made.annotators.count() == again.annotators.count() == 2
        assert not made.annotators.filter(rater=seen).exists()
        given = {"users": [make.account(seen)], "by": round_.created_by, "now": make.NOW}
        for one in (made, again):
            with pytest.raises(drafting.OverrideNeeded):
                drafting.invite(round_=one, by_owner=True, override="", **given)
        drafting.invite(round_=made, by_owner=True, override="Nobody else can.", **given)
        assert made.annotators.get(rater=seen).override == "Nobody else can."

    def test_shows_no_names_of_the_original_to_who_grades_in_it(self):
        round_ = make.open_round()
        rater = make.annotators(round_)[0]
        made = copy(round_)
        round_.annotators.filter(rater=rater).update(ended_at=make.NOW)

        with pytest.raises(drafting.StillBlind):
            drafting.show_names(round_=round_, by=make.account(rater), now=make.NOW)

        discarding.discard(round_=made, by=round_.created_by, now=make.at(20))
        drafting.show_names(round_=round_, by=make.account(rater), now=make.NOW)

    def test_is_not_of_what_was_published_from_a_run(self):
        round_ = make.draft_round()
        draw = {**round_.draw, "published": {"1": {"chance": 0.5}}}
        Round.objects.filter(pk=round_.pk).update(draw=draw)
        round_.refresh_from_db()

        with pytest.raises(beginning.CannotCopy, match="Publish the run again"):
            copy(round_)

        assert Round.objects.count() == 1

    def test_sets_what_would_not_be_taken_today_to_its_default_and_says_so(self):
        round_ = make.open_round(n_seats=2)
        old = {"lease_minutes": 0, "seats_override": "", "deadline": make.at(5)}
        Round.objects.update(**old)
        round_.refresh_from_db()

        made = copy(round_)

        assert (made.lease_minutes, made.n_seats, made.deadline) == (30, 3, None)
        assert beginning.left_behind(round_, made) == [
            "annotators per question",
            "minutes a seat is held",
            "closes",
        ]
        assert beginning.left_behind(made, copy(made)) == []

    def test_shortens_a_name_that_is_too_long(self):
        round_ = make.draft_round()
        Round.objects.update(name="x" * 200)
        round_.refresh_from_db()

        assert len(copy(round_).name) == 200
