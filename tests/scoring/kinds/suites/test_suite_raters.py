import pytest

from annotation.rubrics.models import Criterion
from scoring.endpoints.models import Judge
from scoring.kinds.suites import raters as suite_raters
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.definition import Entry, Rubric
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db
ENTRY = Entry("function", "is_role", Level.TURN, {"role": "user"})


class TestMetric:
    def test_is_one_rater_for_the_same_arguments(self):
        home = make.project()

        first, again = (suite_raters.metric(home, ENTRY, make.NOW) for _ in range(2))
        other = suite_raters.metric(home, Entry("function", "is_role", Level.TURN), make.NOW)

        assert first == again != other


class TestCriteria:
    def test_stay_while_others_come(self):
        rater = suite_raters.metric(make.project(), ENTRY, make.NOW)

        first = suite_raters.criteria(rater, ["a", "b"], None, make.NOW)
        later = suite_raters.criteria(rater, ["b", "c" * 500, ""], None, make.NOW)

        assert later["b"] == first["b"]
        assert len(Criterion.objects.get(pk=later["c" * 500]).name) <= 120
        assert Criterion.objects.get(pk=later[""]).name == "(nothing)"


class TestJudge:
    def judge(self, **choices):
        endpoint = connected.endpoint("Judge")
        rubric = Rubric("{content}", choices)
        return suite_raters.judge(make.project(), "kind", rubric, endpoint, None, make.NOW)

    def test_is_another_one_for_another_rubric_of_the_same_name(self):
        one, _criterion = self.judge(YES=1, NO=0)
        same, _criterion = self.judge(YES=1, NO=0)
        other, _criterion = self.judge(YES=2, NO=0)

        assert one == same
        assert {row.name for row in Judge.objects.all()} == {one.name, other.name}
        assert other.name.startswith("kind · Judge 1 (")

    def test_has_levels_for_its_choices(self):
        _judge, pk = self.judge(YES=1, MAYBE=0.33333333, NO=0, NEVER=0)
        levels = Criterion.objects.get(pk=pk).levels.values_list("value", "label")

        assert [(float(value), label) for value, label in levels] == [
            (0.0, "NO / NEVER"),
            (0.3333, "MAYBE"),
            (1.0, "YES"),
        ]
