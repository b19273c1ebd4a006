from decimal import Decimal

import pytest

from annotation.rubrics.models import Rubric
from scoring.publishing import suites as suite_rubrics
from tests import make
from tests.scoring import connected, suites, suites_published

pytestmark = pytest.mark.django_db


def offered(scores):
    connected.endpoint("Judge", script={"seed": 3})
    text = suites.JUDGED.replace("{KIND: 1, UNKIND: 0}", scores)
    return list(suite_rubrics.offered(suites.requested(suites.saved(text))).values())


class TestOffered:
    def test_has_the_choices_as_levels_and_the_question_without_placeholders(self):
        (one,) = offered("{KIND: 1, UNKIND: 0}")

        (criterion,) = one.wording.criteria
        assert [(level.value, level.label) for level in criterion.levels] == [
            (0, "UNKIND"),
            (1, "KIND"),
        ]
        assert (criterion.key, criterion.minimum, criterion.maximum) == ("kind", 0, 1)
        assert criterion.description.startswith("Is the answer kind?")
        assert "[the answer]" in criterion.description
        assert "{" not in criterion.description
        assert one.label == "kind: UNKIND, KIND"

    @pytest.mark.parametrize(
        ("scores", "step"),
        [
            ("{A: 0, B: 0.5, C: 1}", Decimal("0.5")),
            ("{A: 1, B: 4, C: 10}", Decimal(3)),
            ("{A: 0, B: 0.0001, C: 1}", None),
        ],
    )
    def test_steps_so_that_every_choice_is_met(self, scores, step):
        (one,) = offered(scores)

        assert one.wording.criteria[0].step == step

    def test_puts_choices_of_the_same_worth_on_one_level(self):
        (one,) = offered("{A: 0, B: 1, C: 1}")

        assert [level.label for level in one.wording.criteria[0].levels] == ["A", "B / C"]

    def test_leaves_out_a_rubric_whose_choices_are_worth_the_same(self):
        assert offered("{A: 1, B: 1}") == []


class TestMet:
    def test_writes_the_rubric_once_and_meets_it_in_later_runs(self):
        run = suites_published.judged(n=1)
        home = make.project()
        (key,) = suite_rubrics.offered(run)

        versions = [
            suite_rubrics.met(
                project=home, run=run, key=key, by=connected.owner(home), now=make.NOW
            )
            for _ in range(2)
        ]

        assert versions[0] == versions[1]
        assert Rubric.objects.get(key=key).name == "kind"

    def test_knows_no_rubric_of_another_suite(self):
        run = suites_published.judged(n=1)

        with pytest.raises(KeyError):
            suite_rubrics.met(
                project=make.project(),
                run=run,
                key="elsewhere",
                by=connected.owner(make.project()),
                now=make.NOW,
            )
