import pytest

from tests import make
from tests.scoring import assisted, connected, judged, measured
from tests.scoring.outcomes.outcomes_world import api_at, page_at

pytestmark = pytest.mark.django_db


def told(client, run):
    found = client.get(api_at(run, "assistant")).json()
    return {one["name"]: one["rows"] for one in found["tables"]}


class TestAssistantOutcome:
    def test_tells_how_scores_are_distributed_by_release(self, as_curator):
        run = judged.done(assisted.over_import(measured.brought().number))

        found = told(as_curator, run)

        counted = {one["system"]: (one["n"], one["without_value"]) for one in found["releases"]}
        assert counted == {"Kestrel · 1": (2, 0), "Harbour · 1": (1, 1)}
        assert [(one["reason"], one["answers"]) for one in found["without_value"]] == [
            ("The answer is empty.", 1)
        ]
        assert len(found["parts"]) == 10
        assert sum(one["n"] for one in found["parts"]) == 3
        page = as_curator.get(page_at(run, "assistant")).content.decode()
        assert "Its declared range: between 0 and 1." in page

    def test_hides_a_round_that_is_not_final(self, as_curator):
        run = assisted.ran(make.open_round())

        page = as_curator.get(page_at(run, "assistant"))

        assert page.status_code == 409
        assert "once the round is final" in page.content.decode()

    def test_says_why_scores_outside_the_range_are_none(self, as_curator):
        connected.endpoint(script={"lift": 2.0})
        run = judged.done(assisted.over_import(measured.brought().number))

        found = told(as_curator, run)

        assert "parts" not in found
        assert any("outside the declared range" in one["reason"] for one in found["without_value"])

    def test_is_none_while_nothing_is_scored(self, as_curator):
        run = assisted.over_import(measured.brought().number)

        page = as_curator.get(page_at(run, "assistant")).content.decode()

        assert "Nothing has been scored yet" in page
