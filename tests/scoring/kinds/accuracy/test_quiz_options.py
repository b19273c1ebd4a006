from scoring.kinds.accuracy import queries as quiz_options
from scoring.kinds.accuracy.queries import Options


class TestOfParams:
    def test_reads_what_stands_in_an_address(self):
        assert quiz_options.of_params({"rule": "strict", "unread": "left_out"}) == Options(
            "strict", "left_out"
        )

    def test_takes_the_usual_for_anything_else(self):
        found = quiz_options.of_params({"rule": "' or 1=1", "unread": ""})

        assert found.params == {"rule": "mean", "unread": "wrong"}
