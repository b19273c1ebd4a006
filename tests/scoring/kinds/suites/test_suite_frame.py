import pytest

from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.queries import Frame, MetricSeries
from tests.scoring import connected, suites

pytestmark = pytest.mark.django_db
TEXT = """
metrics:
  function:
    - {name: count_tool_calls, metric_level: Message}
    - {name: count_numeric_tool_call_params_by_name, metric_level: ToolCall}
    - {name: count_turns, metric_level: Thread}
"""


class TestFrame:
    def test_knows_role_and_turn_of_every_part(self):
        run = suites.done(suites.requested(suites.saved(TEXT)))

        found = {
            (one.series.name, one.place, one.role, one.turn, one.value)
            for one in Frame(run).rows()
            if one.value
        }

        assert found == {
            ("count_tool_calls", 1, "assistant", 1, 1),
            ("knots", 0, "assistant", 1, 1),
            ("count_turns", 0, "", None, 3),
            ("count_turns", 0, "", None, 2),
        }

    def test_names_a_series_by_metric_value_and_judge(self):
        for name in ("Judge", "Other"):
            connected.endpoint(name)
        text = suites.JUDGED.replace("[{endpoint: Judge}]", "[Judge, Other]")
        run = suites.requested(suites.saved(text))
        frame = Frame(run)
        rater = run.config["raters"]["1"]

        assert frame.named(MetricSeries(rater, "assistant", Level.TURN)) == (
            "is_role(role='assistant') · assistant"
        )
        assert {frame.named(MetricSeries(one, "kind", Level.TURN)) for one in frame.judges} == {
            "kind · Judge",
            "kind · Other",
        }
