from scoring.queries import plans


class TestPlan:
    def test_says_where_only_more_annotators_help(self):
        plan = plans.Plan(
            {
                "delta": 0.05,
                "reason": None,
                "least_raters": 2,
                "components": None,
                "needs": [
                    {"n_raters": 1, "n_questions": None, "reason": "only_more_raters"},
                    {"n_raters": 3, "n_questions": 40, "reason": None},
                ],
            }
        )

        assert plan.only_more_raters
        assert [need.n_grades for need in plan.needs] == [None, 120]
        assert plan.delta == 5
