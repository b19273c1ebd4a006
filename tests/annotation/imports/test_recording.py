import pytest

from annotation.imports import uploading as recording
from annotation.imports.uploading import ConversationRecord
from annotation.systems.models import Item, Response
from tests import make

pytestmark = pytest.mark.django_db
ASKED = {"role": "user", "content": "Where is gate 12?"}
SAID = {"role": "assistant", "content": "Behind the weighbridge."}


def record(*records, release="1"):
    return recording.record_recording(
        project=make.project(),
        release_id=make.release(label=release).pk,
        records=records,
        now=make.NOW,
    )


class TestRecord:
    def test_returns_a_response_for_each_in_order(self):
        keys = record(
            ConversationRecord("a", [ASKED], [ASKED, SAID]), ConversationRecord("b", [], [SAID])
        )

        stored = {one.pk: one for one in Response.objects.select_related("item")}
        assert [stored[pk].item.external_id for pk in keys] == ["a", "b"]
        assert stored[keys[0]].messages == [ASKED, SAID]
        assert {one.origin for one in stored.values()} == {"RECORDED"}

    def test_stores_the_same_once(self):
        one = ConversationRecord("a", [ASKED], [ASKED, SAID])

        assert record(one, one)[0] == record(one)[0]
        assert (Item.objects.count(), Response.objects.count()) == (1, 1)

    def test_of_another_release_hangs_on_the_same_item(self):
        one = ConversationRecord("a", [ASKED], [ASKED, SAID])

        first, second = record(one), record(one, release="2")

        assert first != second
        assert Item.objects.count() == 1

    def test_is_drawn_by_no_round(self):
        record(ConversationRecord("a", [ASKED], [ASKED, SAID]))

        assert not Item.objects.filter(published_at=None).exists()
