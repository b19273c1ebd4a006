import pytest

from scoring.endpoints import queries as connections
from scoring.kinds.judging import queries as judging_queries
from tests import make
from tests.scoring import connected, judged

pytestmark = pytest.mark.django_db


class TestUsable:
    def test_are_those_whose_endpoint_is_in_use(self):
        kept = judged.judge("Kept")
        gone = judged.judge("Gone", endpoint=connected.endpoint("Other"))
        gone.endpoint.retired_at = make.NOW
        gone.endpoint.save(update_fields=["retired_at"])

        assert list(judging_queries.usable(make.project())) == [kept]
        assert judging_queries.judges_of(make.project()).count() == 2
        assert [one.name for one in connections.endpoints_of(make.project())] == ["Scripted"]


class TestRoundsOf:
    def test_are_those_that_are_no_drafts(self):
        make.draft_round()

        assert not judging_queries.rounds_of(make.project()).exists()
        make.open_round()
        assert judging_queries.rounds_of(make.project()).count() == 1
