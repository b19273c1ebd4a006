import pytest

from annotation import models
from annotation.people import operations as people
from annotation.people import tokens as personal_tokens
from annotation.people.models import AuditEvent, Role
from annotation.rounds.models import Assignment
from annotation.sources import operations as collections
from tests import make

pytestmark = pytest.mark.django_db


def end(user: models.User, *, keep: tuple[Role, ...] = ()) -> None:
    people.set_roles(
        project=make.project(),
        user=user,
        roles=keep,
        by=make.user("northport-owner"),
        now=make.at(5),
    )


def token(user: models.User, project: models.Project | None) -> str:
    made = personal_tokens.make(
        user=user, name="a", given=["read"], days=9, project=project, now=make.NOW
    )
    return made.secret


def works(secret: str) -> bool:
    return personal_tokens.known(secret=secret, now=make.at(9)) is not None


class TestTheLastRole:
    def test_takes_the_tokens_for_the_project_along(self):
        user = make.member(Role.ANALYST)
        here, everywhere = token(user, make.project()), token(user, None)

        end(user)

        assert (works(here), works(everywhere)) == (False, True)

    def test_is_not_any_role(self):
        user = make.member(Role.ANALYST)
        people.grant(project=make.project(), user=user, role=Role.DESIGNER, by=user, now=make.NOW)
        here = token(user, make.project())

        end(user, keep=(Role.DESIGNER,))

        assert works(here)


class TestTheRoleOfADesigner:
    def test_takes_appointments_to_collections_along(self):
        home, by = make.project(), make.user("northport-owner")
        user = make.member(Role.DESIGNER)
        made = collections.create_collection(
            project=home, name="Closed", note="", by=by, now=make.NOW
        )
        collections.appoint(collection=made, user=user, by=by, now=make.NOW)

        end(user)

        people.grant(project=home, user=user, role=Role.DESIGNER, by=by, now=make.at(6))
        assert not made.appointments.filter(ended_at=None).exists()
        assert AuditEvent.objects.filter(verb="collection.ended").exists()


class TestTheRoleOfAnAnnotator:
    def test_gives_seats_and_places_in_rounds_to_the_others(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        rater = make.holder(seat)

        end(make.account(rater))

        seat.refresh_from_db()
        assert (seat.state, seat.rater) == (Assignment.State.FREE, None)
        assert round_.annotators.get(rater=rater).ended_at == make.at(5)
        event = AuditEvent.objects.get(verb="annotator.left_rounds")
        assert event.data == {"rounds": 1, "seats": 1}

    def test_keeps_what_was_submitted(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        make.submit(seat)
        rater = make.holder(seat)

        end(make.account(rater), keep=(Role.ANALYST,))

        seat.refresh_from_db()
        assert (seat.state, seat.rater) == (Assignment.State.SUBMITTED, rater)
