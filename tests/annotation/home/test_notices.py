import pytest

from annotation.home import queries as notices
from annotation.people import operations as people
from annotation.people.models import Role
from annotation.qualification import operations as qualifying
from annotation.qualification.rules import Event
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


def note(text: str, minute: float = 0) -> None:
    people.tell_annotators(
        project=make.project(), note=text, by=make.user("northport-owner"), now=make.at(minute)
    )


class TestDigest:
    def test_is_nothing_for_somebody_in_no_project(self):
        assert not notices.digest(make.user("lena"), None, "", make.NOW)

    def test_holds_what_came_since_and_nothing_older(self):
        lena = make.member(Role.ANNOTATOR, username="lena")
        note("Old.", minute=0)

        assert notices.digest(lena, make.at(-1), "", make.at(5))
        assert not notices.digest(lena, make.at(1), "", make.at(5))

    def test_tells_an_annotator_nothing_that_waits_for_curators(self):
        lena = make.member(Role.ANNOTATOR, username="lena")
        note("Old.", minute=0)

        told = notices.digest(lena, None, "", make.at(5))

        assert told.waiting_sha == ""
        assert [one.title for _project, all_ in told.projects for one in all_] == [
            "A note from the owners"
        ]

    def test_tells_somebody_how_their_trial_went(self):
        rater = qualified.annotator()
        for event in (Event.PRACTISED, Event.PASSED):
            qualifying.step(
                rater=rater,
                capability=make.capability(),
                event=event,
                by=None,
                now=make.NOW,
                reason="",
            )

        told = notices.digest(make.account(rater), None, "", make.at(1))

        assert [one.title for _project, all_ in told.projects for one in all_] == [
            "You have qualified in Factuality"
        ]
