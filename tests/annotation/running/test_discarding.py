import pytest

from annotation import models
from annotation.grading import worklist
from annotation.imports import undoing
from annotation.people.models import AuditEvent, Role
from annotation.rounds import beginning, drafting, drawing, opening, states
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round
from annotation.running import discarding
from annotation.running import operations as seats
from evalsite import errors, queue
from scoring.engine.models import Run
from tests import imports, make
from tests.annotation import qualified
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db


def discard(round_, reason="Wrong questions.", by=None):
    round_.refresh_from_db()
    discarding.discard(round_=round_, by=by or round_.created_by, now=make.at(60), reason=reason)


class TestDiscard:
    def test_deletes_a_draft_with_what_it_drew(self):
        round_ = make.draft_round()
        items = models.Item.objects.count()

        discard(round_, reason="")

        assert not Round.objects.exists()
        assert not rounds.rounds_of(make.project()).exists()
        for model in (
            models.RoundItem,
            models.RoundResponse,
            models.RoundSystem,
            models.RoundRubric,
            models.RoundAnnotator,
            models.IdentityHit,
        ):
            assert not model.objects.exists(), model
        assert models.Item.objects.count() == items
        event = AuditEvent.objects.get(verb="round.deleted")
        assert (event.subject, event.data["name"]) == ("round:1", "A round")

    def test_keeps_its_number_taken(self):
        discard(make.draft_round())

        assert make.draft_round(seed="another").number == 2

    def test_frees_what_the_draft_held_so_that_its_import_can_be_undone(self):
        batch = imports.apply(imports.answers())
        given = {"by": batch.created_by, "now": make.NOW}
        round_ = drafting.create_round(
            project=batch.project, name="R", seed="s", secret=make.SECRET, **given
        )
        releases = list(models.SystemRelease.objects.all())
        drafting.choose_releases(round_=round_, releases=releases, **given)
        drawing.prepare(round_=round_, now=make.NOW)
        assert round_.items.exists()

        discard(round_)
        done = undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)

        assert done.state == "UNDONE"
        assert not models.Item.objects.exists()

    def test_takes_an_opened_round_away_whose_annotators_read_why(self):
        round_ = make.open_round()
        rater = make.annotators(round_)[0]
        make.claim(round_, rater)

        discard(round_)

        assert not models.Assignment.objects.exists()
        assert worklist.list_work(rater, make.at(61)) == []
        [told] = worklist.list_messages(make.project(), rater, make.at(61))
        assert told.title == "A round was discarded"
        assert "Wrong questions." in told.text
        event = AuditEvent.objects.get(verb="round.discarded")
        assert (event.note, event.data["n_held"]) == ("Wrong questions.", 1)
        assert len(event.data["annotators"]) == 3
        assert event.data["manifest"]

    def test_keeps_who_has_seen_its_names(self):
        round_ = make.open_round()
        seen = make.account(make.annotators(round_)[0])
        models.Unblinding.objects.create(round=round_, user=seen, at=make.NOW)
        made = beginning.copy(
            round_=round_,
            questions=beginning.Questions.SAME,
            seed="s",
            secret=make.SECRET,
            by=round_.created_by,
            by_owner=True,
            now=make.NOW,
        )

        discard(round_)

        assert models.Unblinding.objects.get().user == seen
        made.refresh_from_db()
        assert rounds.have_seen(made, [seen]) == {seen.pk}

    def test_refuses_where_anything_was_graded_and_says_how_much(self):
        round_ = make.open_round(n_releases=2)
        make.submit(make.claim(round_))

        with pytest.raises(discarding.HasGrades, match="2 grades were given"):
            discard(round_)

        assert discarding.why_not(round_)
        assert models.Assignment.objects.count() == 6
        states.close(round_=round_, by=round_.created_by, now=make.at(61))
        with pytest.raises(discarding.HasGrades):
            discard(round_)

    def test_takes_away_what_was_closed_without_a_grade(self):
        round_ = make.open_round()
        states.close(round_=round_, by=round_.created_by, now=make.at(1))

        discard(round_)

        assert not Round.objects.exists()

    def test_asks_why_once_the_round_was_open_and_lets_no_system_be_named(self):
        round_ = make.open_round()

        with pytest.raises(errors.ReasonNeeded):
            discard(round_, reason=" ")
        with pytest.raises(seats.TextNamesSystem):
            discard(round_, reason="Heron answered badly.")

        assert Round.objects.get().state == "OPEN"

    def test_refuses_what_a_run_stands_on(self):
        round_ = make.open_round()
        run_rows.run(round=round_)

        with pytest.raises(discarding.RoundStillUsed, match="1 stand"):
            discard(round_)

        assert Run.objects.get().round == round_

    def test_refuses_what_is_being_opened_and_what_is_gone(self):
        round_ = make.draft_round()
        opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)

        with pytest.raises(discarding.CannotDiscard, match="Withdraw"):
            discard(round_)
        states.withdraw_opening(round_=round_, by=round_.created_by, now=make.NOW)
        discard(round_)
        with pytest.raises(discarding.CannotDiscard, match="stays as it is"):
            discarding.discard(round_=round_, by=round_.created_by, now=make.at(61))

    def test_takes_no_grade_any_more(self):
        round_ = make.open_round()
        discard(round_)

        with pytest.raises(drafting.NotADraft):
            drafting.touch(Round.everything.get())

    def test_lets_its_people_take_another_trial(self):
        round_ = qualified.draft_trial()
        discard(round_)

        steps = models.Qualification.objects.filter(round=round_).order_by("pk")
        assert {one.event for one in steps} == {"INVITED", "WITHDRAWN"}
        assert {one.state for one in steps if one.event == "WITHDRAWN"} == {"TRAINED"}

    def test_is_finished_by_a_worker_where_it_was_stopped(self, django_capture_on_commit_callbacks):
        round_ = make.draft_round(n_items=3)
        Round.everything.filter(pk=round_.pk).update(discarded_at=make.NOW)

        with django_capture_on_commit_callbacks(execute=True):
            discarding.sweep(make.NOW)
        queue.burst()

        assert not models.RoundItem.objects.exists()
        assert not models.IdentityHit.objects.exists()


class TestRoles:
    def test_is_for_curators(self, client):
        make.draft_round()
        client.force_login(make.member(Role.ANALYST))

        answer = client.post("/api/v1/projects/northport/rounds/1/discard/")

        assert answer.status_code == 403
        assert Round.objects.exists()
