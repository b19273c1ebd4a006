import pytest

from evalsite import errors
from scoring.endpoints import operations
from scoring.engine.models import Run, Step
from scoring.kinds.accuracy import operations as quizzes
from scoring.kinds.interviews import operations as interviewing
from tests import imports, make
from tests.scoring import connected, interviewed, quizzed

pytestmark = pytest.mark.django_db


class TestStart:
    def test_draws_by_lot_what_interviews_with_this_seed_draw_first(self):
        items = quizzed.questions(8)

        run = quizzed.requested(questions=3)

        assert run.config["items"] == interviewing.draw(items, 7)[:3]
        assert (run.kind, run.protocol) == (Run.Kind.QUIZ, "accuracy/v1")

    def test_is_one_run_however_often_it_is_asked_for(self):
        quizzed.questions(2)
        releases = [one.pk for one in interviewed.candidates()]

        assert quizzed.requested(releases=releases) == quizzed.requested(releases=releases)
        assert Run.objects.count() == 1

    def test_takes_examples_from_another_source_and_asks_all_of_this_one(self):
        batch = imports.apply(imports.choices())
        wanted = imports.apply(
            imports.choices(imports.CHOICES.replace("What", "And what"), "more.csv", dataset="Dock")
        )

        run = quizzed.requested(
            over=f"import:{wanted.number}", shots=2, examples_over=f"import:{batch.number}"
        )

        taken = {pk for one in run.config["examples"] for pk in one["items"]}
        assert taken == set(batch.items.values_list("pk", flat=True))
        assert set(run.config["items"]) == set(wanted.items.values_list("pk", flat=True))

    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"orders": 0}, "orders"),
            ({"orders": 9}, "orders"),
            ({"shots": 11}, "shots"),
            ({"language": "de"}, "language"),
            ({"questions": 7}, "questions"),
            ({"over": "round:99"}, "over"),
            ({"shots": 1, "examples_over": "import:99"}, "examples_over"),
            ({"shots": 10}, "questions"),
        ],
    )
    def test_says_which_setting_cannot_be_used(self, given, field):
        quizzed.questions(4)

        with pytest.raises(errors.Invalid) as refused:
            quizzed.requested(**given)

        assert field in refused.value.fields
        assert not Run.objects.exists()

    def test_refuses_questions_without_options(self):
        make.item("free")

        with pytest.raises(quizzes.BadQuiz, match="options"):
            quizzed.requested()

    def test_refuses_a_system_nobody_answers_as(self):
        quizzed.questions(1)

        with pytest.raises(operations.ReleaseNotConnected):
            quizzed.requested(releases=[make.release("Alone").pk])


class TestCheck:
    def test_tells_calls_and_questions_and_writes_nothing(self):
        quizzed.questions(3)
        make.item("free")

        wish = quizzed.wish(orders=2)
        estimate, asked = connected.reckoned(quizzes.KIND, make.project(), wish)

        assert estimate.calls == 12
        assert asked.told == {"questions": 3, "without_options": 1}
        assert not Step.objects.exists()
