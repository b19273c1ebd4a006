import pytest

from annotation import models
from annotation.operations.demo import loading
from evalsite import env
from tests import make


@pytest.mark.django_db
class TestSketch:
    def test_leaves_a_draft_drawn_by_stratum_with_anchors_and_repeats(self):
        loading.load(
            fixtures=env.BASE_DIR / "fixtures",
            password=make.PASSWORD,
            secrets=(b"first round's secret", b"other round's secret", b"third round's secret"),
            now=make.NOW,
        )

        draft = models.Round.objects.get(number=3)

        assert draft.state == models.Round.State.DRAFT
        purposes = set(draft.items.values_list("purpose", flat=True))
        assert purposes == {"NORMAL", "ANCHOR", "REPEAT"}
        assert len(draft.draw["prepared"]["strata"]) > 5
