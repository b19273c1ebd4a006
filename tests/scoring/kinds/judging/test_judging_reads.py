import pytest

from annotation.rounds.models import RoundItem
from scoring.engine.models import Run
from scoring.kinds.judging import queries as judging
from tests import make

pytestmark = pytest.mark.django_db


class TestPlaces:
    def test_are_the_answers_of_the_round_page_by_page(self):
        round_ = make.open_round(n_items=4, n_releases=2)

        found = list(judging.places(Run(round=round_)))

        assert [len(page) for page in judging.pages(Run(round=round_), size=3)] == [3, 3, 2]
        drawn = round_.items.order_by("ordinal").values_list("item__external_id", flat=True)
        assert [one.external_id for one in found] == [one for one in drawn for _twice in range(2)]
        assert judging.n_places(round_) == len({one.response for one in found}) == 8

    def test_leave_out_gold_items_and_repeats(self):
        round_ = make.open_round(n_items=3, n_releases=1)
        for ordinal, purpose in enumerate(("GOLD", "REPEAT", "ANCHOR")):
            RoundItem.objects.filter(round=round_, ordinal=ordinal).update(purpose=purpose)

        assert judging.n_places(round_) == 1


class TestTexts:
    def test_takes_the_same_few_queries_for_any_page(self, django_assert_num_queries):
        page = list(judging.places(Run(round=make.open_round(n_items=4, n_releases=2))))

        with django_assert_num_queries(3):
            found = judging.texts(page)

        assert set(found) == {one.pk for one in page}


class TestChoicesOf:
    def test_names_each_criterion_once_with_its_rubrics(self):
        round_ = make.open_round(criteria=("facts", "style"))
        other = make.rubric_version("more", criteria=("facts",))
        RoundItem.objects.filter(round=round_, ordinal=1).update(rubric_version=other)

        found = judging.choices_of(round_)

        assert {one.key: len(one.rubrics) for one in found} == {"facts": 2, "style": 1}


class TestTask:
    def task(self, item, **given):
        shown = {"reference": True, "language": "en", "principle": "Of the rubric.", **given}
        response = make.response(item, make.release())
        return judging.task(item=item, response=response, shown=None, criteria=(), **shown)

    def test_has_the_principle_of_the_question_before_that_of_the_rubric(self):
        own = make.item("Q1")
        own.extra = {"principle": "Of its own."}

        assert self.task(own).principle == "Of its own."
        assert self.task(make.item("Q2")).principle == "Of the rubric."

    def test_leaves_reference_and_points_out_if_told_so(self):
        item = make.item("Q1", key_points=["carries goods"])

        assert self.task(item).key_points == ("carries goods",)
        hidden = self.task(make.item("Q2", key_points=["flat"]), reference=False)
        assert (hidden.reference, hidden.key_points) == ("", ())
