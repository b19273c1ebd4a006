import pytest
from django.db import DatabaseError, transaction

from annotation.systems.models import Item, Response
from scoring.kinds.suites.conversations import operations as conversations
from scoring.kinds.suites.conversations.operations import SetWish
from scoring.kinds.suites.models import Conversation, ConversationBatch
from tests import make
from tests.scoring import suites

pytestmark = pytest.mark.django_db


class TestBringFile:
    def test_stores_the_opening_apart_from_the_whole(self):
        suites.brought()

        gate = Conversation.objects.get(external_id="gate")
        assert [one["role"] for one in gate.item.messages] == ["system", "user"]
        assert gate.response.messages == suites.TALKS[0]["messages"]
        assert gate.response.origin == Response.Origin.RECORDED
        assert (gate.n_turns, gate.n_messages, gate.n_tool_calls) == (3, 3, 0)

    def test_of_two_releases_has_the_same_items(self):
        suites.brought()
        suites.brought(release="2")

        assert (Item.objects.count(), Response.objects.count()) == (2, 4)

    def test_goes_on_where_it_was_stopped(self):
        suites.brought()
        ConversationBatch.objects.update(state="STAGED")
        hidden = Conversation.objects.seen().count()

        suites.brought()

        assert (hidden, Conversation.objects.seen().count()) == (0, 2)

    @pytest.mark.parametrize("given", [{"set_name": " "}, {"system": ""}])
    def test_needs_names(self, given):
        wish = SetWish(**{"set_name": "x", "system": "y", **given})

        with pytest.raises(conversations.NoName):
            conversations.bring_file(
                project=make.project(),
                wish=wish,
                open_file=lambda: [suites.lines()],
                by=suites.owner(),
                now=make.NOW,
            )

    def test_refuses_an_id_without_measure(self):
        with pytest.raises(conversations.BadConversations, match="longer than 200"):
            suites.brought(suites.lines([{**suites.TALKS[0], "id": "x" * 201}]))


class TestConversation:
    def test_stays_as_it_came_in(self):
        suites.brought()

        with pytest.raises(DatabaseError, match="stays as it came in"), transaction.atomic():
            Conversation.objects.update(text="another")
