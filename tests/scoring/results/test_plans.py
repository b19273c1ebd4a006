from scoring.figures import typed
from scoring.results import plan as plans
from scoring.shown.names import Name
from scoring.stats.scores.said import PlanFigure

KESTREL = Name(7, "Kestrel", "1", "Kestrel", 0)
COUNTS = ("n_questions", "n_grades", "n_equal")
FIGURE = {
    "delta": 0.05,
    "power": 0.8,
    "level": 0.05,
    "width": 10.0,
    "reason": None,
    "least_raters": 2,
    "components": None,
    "needs": [
        {"n_raters": 1, **dict.fromkeys(COUNTS), "reason": "only_more_raters"},
        {"n_raters": 3, **dict(zip(COUNTS, (40, 120, 44), strict=True)), "reason": None},
    ],
    "curves": [
        {
            "release": release,
            "n_questions": 20,
            "n_enough": n_enough,
            "reason": None,
            "points": [{"n_questions": n, "width": 2 / n, "enough": False} for n in (10, 20)],
        }
        for release, n_enough in ((7, 35), (8, None))
    ],
}
DATA = typed.read_figure(PlanFigure, FIGURE)


class TestPlan:
    def test_says_where_only_more_annotators_help(self):
        plan = plans.NextRoundPlan(DATA, {7: KESTREL})

        assert plan.only_more_raters
        assert [need.n_grades for need, _why in plan.needs] == [None, 120]
        assert [need.n_equal for need, _why in plan.needs] == [None, 44]
        assert plan.delta == 5

    def test_has_a_course_for_each_system_that_has_a_name(self):
        (course,) = plans.NextRoundPlan(DATA, {7: KESTREL}).courses

        assert (course.now, course.n_more, course.is_enough) == (10, 15, False)

    def test_puts_widths_side_by_side(self):
        plan = plans.NextRoundPlan(DATA, {7: KESTREL, 8: KESTREL})

        assert plan.steps == [(10, [20, 20]), (20, [10, 10])]
        assert plan.courses[1].n_more is None
