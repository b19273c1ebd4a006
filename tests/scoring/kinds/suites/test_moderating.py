import pytest

from scoring.engine.models import Judgment
from scoring.kinds.suites.completing import NoSuchEndpoint
from tests import make
from tests.scoring import connected, suites
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db
SUITE = """
name: Safe
metrics:
  function:
    - {name: moderation, metric_level: Turn, kwargs: {endpoint: House}}
gates: [{metric: moderation, value: violence, max: 0.5}]
"""
TALKS = [
    {
        "messages": [
            {"role": "user", "content": "I hit the truck."},
            {"role": "assistant", "content": "Oh."},
        ]
    },
    {"messages": [{"role": "user", "content": "Where is it?"}]},
]


def brought():
    return suites.brought(suites.lines(TALKS))


class TestRuns:
    def test_store_every_category_as_a_value_of_the_turn(self):
        connected.endpoint("House", script={"seed": 3})

        run = suites.done(suites.requested(suites.saved(SUITE), brought()))

        assert run.state == "DONE"
        assert run.estimate["calls"] == 3
        rows = Judgment.objects.filter(run=run, criterion__name="violence")
        assert sorted(round(one.value) for one in rows) == [0, 0, 1]
        assert {one.rater.kind for one in rows} == {"METRIC"}
        assert Judgment.objects.filter(run=run).count() == 9

    def test_ask_an_endpoint_over_http(self, settings):
        settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
        with serving.in_thread({"seed": 3}) as server:
            connected.endpoint("House", kind="SERVER", url=server.url, model_name="guard")
            run = suites.done(suites.requested(suites.saved(SUITE), brought()))
            n = server.counts()["calls"]

        assert (run.state, n) == ("DONE", 3)
        assert Judgment.objects.filter(run=run, outcome="SCORED").count() == 9

    def test_are_refused_where_no_endpoint_has_the_name(self):
        with pytest.raises(NoSuchEndpoint, match="House"):
            suites.requested(suites.saved(SUITE), brought())

        assert not make.project().runs.exists()
