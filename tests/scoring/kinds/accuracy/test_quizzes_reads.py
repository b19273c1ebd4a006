import pytest

from annotation.systems.models import Item
from scoring.kinds.accuracy import queries as quizzes
from scoring.kinds.accuracy.v1 import Question
from tests import make
from tests.scoring import quizzed

pytestmark = pytest.mark.django_db


def item(**extra):
    return make.item("Q", question="What holds?\nLook twice.", extra=extra)


class TestQuestionOf:
    def test_reads_options_and_the_place_of_the_right_one(self):
        one = item(options={"A": "a rope", "B": "a bell"}, answer_label="B")

        assert quizzes.question_of(one) == Question(
            f"Q/{one.pk}", "What holds?\nLook twice.", ("a rope", "a bell"), 1, ("A", "B")
        )

    @pytest.mark.parametrize(
        "extra",
        [
            {},
            {"options": "A, B", "answer_label": "A"},
            {"options": {"A": "a rope"}, "answer_label": "A"},
            {"options": {"A": "a rope", "B": "a bell"}, "answer_label": "C"},
            {"options": {"A": "a rope", "B": "a bell"}},
        ],
    )
    def test_finds_none_where_no_right_option_is_known(self, extra):
        one = item(**extra)

        assert quizzes.question_of(one) is None
        assert not quizzes.fits(one)


class TestExamples:
    def test_are_of_the_subject_else_of_the_set_else_any(self):
        ropes = quizzed.questions(3, dataset="Quay", subject="ropes")
        cranes = quizzed.questions(3, dataset="Quay", subject="cranes", first=3)
        other = quizzed.questions(2, dataset="Dock", subject="ropes", first=6)
        found = quizzes.examples_of(Item.objects.filter(pk__in=[*ropes, *cranes]), shots=2, seed=1)
        config = {"examples": found, "shots": 2}

        def of(pk):
            return quizzes.examples_for(Item.objects.get(pk=pk), config)

        assert set(of(cranes[0])) <= set(cranes)
        assert set(of(other[0])) <= set(ropes)
        assert len(of(ropes[0])) == 2
        alone = make.item("alone", extra={"dataset": "Far"})
        assert len(quizzes.examples_for(alone, config)) == 2

    def test_are_the_same_for_the_same_seed_only(self):
        rows = Item.objects.filter(pk__in=quizzed.questions(12))

        one, again, other = (quizzes.examples_of(rows, shots=3, seed=s) for s in (1, 1, 2))

        assert one == again
        assert one != other

    def test_are_never_the_question_itself(self):
        (pk,) = quizzed.questions(1)
        one = Item.objects.get(pk=pk)
        config = {"examples": [{"dataset": "Quay", "subject": "", "items": [pk]}], "shots": 1}

        assert quizzes.shown(one, {pk: one}, config) == []


class TestConfigOf:
    def test_takes_the_parameters_of_the_connection_first(self):
        run = {"orders": 2, "language": "auto"}
        own = {"temperature": 0.7, "max_tokens": 9, "system_prompt": "Be brief."}

        found = quizzes.config_of(run, make.item("Q", question="锚在哪里?"), own)

        assert (found.language, found.orders, found.system) == ("zh", 2, "Be brief.")
        assert (found.settings.temperature, found.settings.max_tokens) == (0.7, 9)

    def test_is_greedy_and_brief_where_nothing_is_said(self):
        found = quizzes.config_of({"orders": 1, "language": "en"}, make.item("Q"))

        assert (found.settings.temperature, found.settings.max_tokens) == (0.0, 400)
