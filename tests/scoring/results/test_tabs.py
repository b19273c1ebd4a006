import pytest

from scoring.results.facts import tabs
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


class TestTabs:
    def test_mark_the_page_one_is_on(self):
        round_ = rounds.graded(n_items=0)

        found = tabs(round_.project, round_, "results_plan")

        assert [one["label"] for one in found if one.get("current")] == ["Plan"]
        assert found[-1]["label"] == "Score changes"
