from scoring.kinds.accuracy import outcome
from scoring.kinds.accuracy.outcome import AccuracyOptions


class TestOfParams:
    def test_reads_what_stands_in_an_address(self):
        assert outcome.of_params({"rule": "strict", "unread": "left_out"}) == AccuracyOptions(
            "strict", "left_out"
        )

    def test_takes_the_usual_for_anything_else(self):
        assert outcome.of_params({"rule": "' or 1=1", "unread": ""}) == AccuracyOptions(
            "mean", "wrong"
        )
