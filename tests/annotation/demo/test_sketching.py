import pytest

from annotation import models
from tests import loaded


@pytest.mark.django_db
class TestSketch:
    def test_leaves_a_draft_drawn_by_stratum_with_anchors_and_repeats(self):
        loaded.load((*loaded.SECRETS, b"third round's secret"))

        draft = models.Round.objects.get(number=3)

        assert draft.state == models.Round.State.DRAFT
        purposes = set(draft.items.values_list("purpose", flat=True))
        assert purposes == {"NORMAL", "ANCHOR", "REPEAT"}
        assert len(draft.draw["prepared"]["strata"]) > 5
