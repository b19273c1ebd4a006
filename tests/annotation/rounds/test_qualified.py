import pytest

from annotation.people.models import AuditEvent
from annotation.rounds import drafting, opening
from annotation.rounds.models import Round
from tests import make
from tests.annotation import qualified as people

pytestmark = pytest.mark.django_db


def configure(round_: Round, *, by_owner: bool, why: str | None, asks: bool = True) -> None:
    settings = drafting.RoundSettings(
        name=round_.name, asks_qualification=asks, qualified_override=why
    )
    drafting.configure(
        round_=round_,
        settings=settings,
        by=people.owner(round_.project),
        by_owner=by_owner,
        now=make.NOW,
    )
    round_.refresh_from_db()


class TestTooFewMay:
    def test_is_said_by_an_owner_and_goes_on_record(self):
        round_ = make.draft_round()

        configure(round_, by_owner=True, why="  The trial is  next week. ")

        assert round_.qualified_override == "The trial is next week."
        event = AuditEvent.objects.filter(verb="round.configured").latest("pk")
        assert event.note == "The trial is next week."

    def test_is_refused_to_anybody_else(self):
        round_ = make.draft_round()

        with pytest.raises(drafting.OverrideNeeded):
            configure(round_, by_owner=False, why="I think so.")

        round_.refresh_from_db()
        assert round_.qualified_override is None

    def test_stands_when_somebody_else_saves_the_other_settings(self):
        round_ = make.draft_round()
        configure(round_, by_owner=True, why="The trial is next week.")

        configure(round_, by_owner=False, why="The trial is next week.")
        configure(round_, by_owner=False, why=None)

        assert round_.qualified_override == "The trial is next week."

    def test_goes_with_the_question_it_answers(self):
        round_ = make.draft_round()
        configure(round_, by_owner=True, why="The trial is next week.")

        configure(round_, by_owner=True, why="The trial is next week.", asks=False)

        assert round_.qualified_override is None


class TestOpening:
    def test_is_refused_while_too_few_have_qualified(self):
        round_ = make.draft_round()
        round_.items.first().item.__class__.objects.update(capability=make.capability())
        Round.objects.update(qualified_only_since=make.NOW)
        round_.refresh_from_db()

        with pytest.raises(opening.RoundNotReady, match="Too few have qualified"):
            opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)

        Round.objects.update(qualified_override="The trial is next week.")
        opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)
        assert opening.open_round(round_=round_, now=make.NOW)
