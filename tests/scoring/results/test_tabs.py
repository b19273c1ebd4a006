import pytest

from scoring.results.facts import tabs
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


class TestTabs:
    def test_are_five_and_mark_the_one_that_a_page_stands_below(self):
        round_ = rounds.graded(n_items=0)

        found = tabs(round_.project, round_, "results_plan")

        assert [one["label"] for one in found if one.get("current")] == ["Scores"]
        assert [one["label"] for one in found] == [
            "Scores",
            "Agreement",
            "Disputes",
            "Annotators",
            "Report",
        ]
