import json

import pytest
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client

from annotation import models
from annotation.grading import seating
from annotation.people import audit, operations
from annotation.people.models import AuditEvent, Role
from annotation.rounds.models import Assignment, ClaimEvent
from annotation.running import operations as leaving
from evalsite import errors
from scoring import jobs as scoring_jobs
from scoring.figures import snapshots as ratings
from scoring.results import exports as exporting
from scoring.results import insights
from scoring.results import queries as results
from scoring.shown import names
from scoring.watching import queries as watching
from tests import make

pytestmark = pytest.mark.django_db


def owner() -> models.User:
    make.project()
    return make.user("northport-owner")


def leave(rater: models.Rater, reason: str = "ill") -> leaving.Left:
    return leaving.leave_rounds(
        project=make.project(), rater=rater, by=owner(), reason=reason, now=make.at(5)
    )


def erased(user: models.User, by: models.User | None = None) -> models.User:
    leaving.erase(user=user, name_typed=user.username, by=by, now=make.at(9))
    user.refresh_from_db()
    return user


class TestLeaveRounds:
    def test_hands_what_is_held_to_the_others_and_keeps_what_was_submitted(self):
        round_ = make.open_round(n_items=2)
        done, held = make.claim(round_), make.claim(round_)
        make.submit(done)
        done.refresh_from_db()
        rater = make.holder(done)
        held = make.claim(round_, rater)

        left = leave(rater)

        assert left == leaving.Left(n_rounds=1, n_seats=1)
        held.refresh_from_db()
        done.refresh_from_db()
        assert (held.state, held.rater) == (Assignment.State.FREE, None)
        assert (done.state, done.rater) == (Assignment.State.SUBMITTED, rater)
        event = ClaimEvent.objects.filter(assignment=held, rater=rater).latest("pk")
        assert (event.kind, event.reason) == ("REASSIGNED", "ill")
        assert round_.annotators.get(rater=rater).ended_at == make.at(5)

    def test_counts_neither_drafts_nor_what_only_waits_to_be_shown(self):
        round_ = make.open_round(n_items=3)
        rater = make.holder(make.claim(round_))
        ahead = seating.claim_ahead(round_=round_, rater=rater, now=make.NOW)
        make.draft_round(n_items=3, seed="another")

        left = leave(rater)

        assert len(ahead) == 2
        assert left == leaving.Left(n_rounds=1, n_seats=1)
        assert not models.RoundAnnotator.objects.filter(rater=rater, ended_at=None).exists()
        assert not Assignment.objects.filter(rater=rater).exists()

    def test_keeps_what_was_begun(self):
        seat = make.claim(make.open_round())
        rater = make.holder(seat)
        models.Draft.objects.create(
            assignment=seat, rater=rater, rev=3, marks=[["A", "x", "1"]], saved_at=make.NOW
        )

        leave(rater)

        kept = ClaimEvent.objects.get(assignment=seat, kind="REASSIGNED").kept
        assert kept == {"rev": 3, "marks": [["A", "x", "1"]]}

    def test_is_written_down_with_its_reason(self):
        rater = make.holder(make.claim(make.open_round()))

        leave(rater, "a new job")

        event = AuditEvent.objects.get(verb="annotator.left_rounds")
        assert (event.note, event.data) == ("a new job", {"rounds": 1, "seats": 1})

    @pytest.mark.parametrize("reason", ["", "  "])
    def test_asks_why(self, reason):
        rater = make.holder(make.claim(make.open_round()))

        with pytest.raises(errors.ReasonNeeded):
            leave(rater, reason)

        assert make.open_round().annotators.filter(ended_at__isnull=False).count() == 0

    def test_says_that_there_is_nothing_to_leave(self):
        rater = make.rater(make.member(Role.ANNOTATOR))

        with pytest.raises(leaving.NothingToLeave):
            leave(rater)


def files(round_: models.Round) -> dict[str, str]:
    """Return the files of grades and ratings of a round, and every table that is made of a figure."""
    systems = names.names(round_, shown=True)
    made = {form: "".join(lines(round_, systems)) for form, (lines, _) in exporting.FORMS.items()}
    for name in ("scores", "agreement", "disputes", "raters", "signals"):
        params = results.params(round_) if name == "scores" else watching.params(round_)
        made[name] = json.dumps(scoring_jobs.compute(name=name, round_=round_, params=params))
    return made


class TestErase:
    def test_leaves_nothing_that_names_the_person(self):
        user = make.member(Role.ANNOTATOR, username="lena")
        models.Person.objects.filter(user=user).update(name="Lena Falk", email="lena@example.org")

        user = erased(user, by=user)

        assert not models.Person.objects.filter(user=user).exists()
        assert user.username == f"erased-{user.public_id.hex[:12]}"
        assert not user.is_active
        assert not user.has_usable_password()
        assert not models.Membership.objects.active().filter(user=user).exists()
        told = [f"{one.data} {one.note} {one.subject}" for one in AuditEvent.objects.all()]
        assert not any("lena" in one.lower() for one in told)

    def test_leaves_every_figure_as_it_was(self):
        round_ = make.open_round(n_items=3)
        for value in range(3):
            for rater in make.annotators(round_)[:3]:
                make.submit(make.claim(round_, rater), value)
        before = insights.agreement_of(round_, {})
        user = make.account(make.annotators(round_)[0])
        ratings.forget()

        erased(user, by=user)

        assert insights.agreement_of(round_, {}) == before
        assert models.Grade.objects.filter(rater__user=user).count() > 0

    @pytest.mark.parametrize("who", range(3))
    def test_leaves_every_line_of_every_file_where_it_was(self, who):
        round_ = make.open_round(n_items=3)
        for value in range(3):
            for rater in make.annotators(round_)[:3]:
                make.submit(make.claim(round_, rater), value)
        users = [make.account(rater) for rater in make.annotators(round_)[:3]]
        for user, name in zip(users, ["adele", "zora", "kofi"], strict=True):
            models.User.objects.filter(pk=user.pk).update(username=name)
        users[who].refresh_from_db()
        name, before = users[who].username, files(round_)
        ratings.forget()

        user = erased(users[who])

        after = {form: text.replace(user.username, name) for form, text in files(round_).items()}
        assert after == before
        assert name in before["table.csv"]

    def test_frees_what_they_hold(self):
        seat = make.claim(make.open_round())
        user = make.account(make.holder(seat))

        erased(user)

        seat.refresh_from_db()
        assert seat.state == Assignment.State.FREE

    def test_ends_their_sessions_and_nobody_elses(self):
        lena, kofi = make.member(Role.ANALYST, username="lena"), make.member(Role.ANALYST)
        for one in (lena, lena, kofi):
            Client().force_login(one)

        erased(lena)

        users = [one.get_decoded()["_auth_user_id"] for one in Session.objects.all()]
        assert users == [str(kofi.pk)]

    def test_keeps_the_chain_of_events_whole(self):
        user = make.member(Role.ANNOTATOR)
        audit.seal()

        erased(user)

        audit.seal()
        assert audit.broken_link(make.project()) is None
        assert audit.broken_link(None) is None

    def test_refuses_whoever_did_not_make_the_account(self):
        user = make.member(Role.ANNOTATOR)

        with pytest.raises(operations.NotYourAccount):
            erased(user, by=owner())

        assert models.Person.objects.filter(user=user).exists()

    def test_refuses_another_name(self):
        user = make.member(Role.ANNOTATOR)

        with pytest.raises(leaving.NameDiffers, match="exactly"):
            leaving.erase(user=user, name_typed="lenna", by=user, now=make.NOW)

    def test_refuses_to_leave_a_project_without_owner(self):
        with pytest.raises(leaving.OwnsAlone, match="Northport"):
            erased(owner(), by=owner())


class TestErasePerson:
    def test_erases_on_the_command_line(self, capsys):
        user = make.member(Role.ANNOTATOR, username="lena")

        call_command("erase_person", "lena", "--yes", "lena")

        assert str(user.public_id) in capsys.readouterr().out
        assert not models.User.objects.filter(username="lena").exists()

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["nobody"], "Nobody has"),
            (["lena"], "add: --yes lena"),
            (["lena", "--yes", "x"], "exactly"),
        ],
    )
    def test_says_what_is_missing(self, arguments, said):
        make.member(Role.ANNOTATOR, username="lena")

        with pytest.raises(CommandError, match=said):
            call_command("erase_person", *arguments)
