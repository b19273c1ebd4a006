import pytest

from scoring.results import asked


class TestOfDisputes:
    def test_has_the_usual_rules(self):
        found = asked.of_disputes({}).params

        assert (found["rater"], found["question"], found["w1"]) == ("alone", "near_half", "1/2")

    @pytest.mark.parametrize(
        "query",
        [
            {"rater_rule": "x"},
            {"question_rule": "x"},
            {"far": "nan"},
            {"span": "-1"},
            {"share": "1.1"},
            {"w1": "1/0"},
            {"w2": "-1"},
            {"w2": "1" * 13},
        ],
    )
    def test_refuses_what_cannot_be_used(self, query):
        with pytest.raises(asked.BadSetting):
            asked.of_disputes(query)

    def test_reads_a_weight_exactly(self):
        assert asked.of_disputes({"w1": "0.3"}).params["w1"] == "3/10"


class TestOfPlan:
    @pytest.mark.parametrize("query", [{"delta": "0"}, {"delta": "101"}, {"power": "1"}])
    def test_refuses_what_is_out_of_reach(self, query):
        with pytest.raises(asked.BadSetting):
            asked.of_plan(query, None)
