import pytest

from annotation.systems.models import Item
from scoring import jobs as scoring_jobs
from scoring.figures import labels, typed
from scoring.results import disputes
from scoring.shown import names
from scoring.stats.people.said import DisputesFigure
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def lonely(system, item, rater):
    return 0 if rater == 0 else 2


def read(round_, **params):
    data = scoring_jobs.compute(name="disputes", round_=round_, params=params)
    return disputes.Disputes(typed.read_figure(DisputesFigure, data), labels.labels_of(round_))


class TestDisputes:
    def test_put_who_stands_alone_most_often_first(self):
        found = read(rounds.graded(n_items=9, marks=lonely))

        assert found.lines[0].label == "Annotator 1"
        assert found.lines[0].whole.value == 1.0
        assert found.lines[0].cells[0].shade == "h4"

    def test_grey_cells_on_few_grades(self):
        assert read(rounds.graded(n_items=2, marks=lonely)).lines[0].whole.shade == "few"

    def test_find_the_places_of_a_rater(self):
        round_ = rounds.graded(n_items=2, marks=lonely)
        found = read(round_)
        alone = found.lines[0].whole.rater

        assert len(found.places(rater=str(alone))) == 4
        assert found.places(rater="0") == []

    def test_say_how_many_questions_are_in_dispute_and_which_one_most(self):
        found = read(rounds.graded(n_items=2, marks=lonely))

        assert found.verdict == f"2 questions are in dispute, {found.questions[0].question} most."

    def test_say_that_no_question_is_in_dispute(self):
        found = read(rounds.graded(n_items=2, marks=lambda *_at: 2))

        assert found.verdict == "No question is in dispute."

    def test_say_what_their_questions_ask(self):
        round_ = rounds.graded(n_items=2, marks=lonely)
        (first, _second) = read(round_).questions

        found = disputes.asked(round_, [first.question])

        assert found == {first.question: Item.objects.get(group=first.question).question}


class TestOpened:
    def test_shows_all_grades_of_a_place(self):
        round_ = rounds.graded(n_items=1, marks=lonely)
        named = labels.labels_of(round_)
        rows = read(round_).places(question="Q1-0")

        places = disputes.opened(round_, rows, named, names.names(round_, shown=True))

        assert len(places) == 2
        assert [grade.mark for grade in places[0].grades] == ["0", "2", "2"]
        assert [grade.alone for grade in places[0].grades] == [True, False, False]

    def test_keeps_the_answers_to_one_question_apart(self):
        round_ = rounds.graded(n_items=2, marks=lonely)
        Item.objects.update(group="one question")
        rows = read(round_).places(question="one question")

        places = disputes.opened(
            round_, rows, labels.labels_of(round_), names.names(round_, shown=True)
        )

        assert [len(place.grades) for place in places] == [3] * 4
        assert {(place.question, place.number) for place in places} == {("Q1-0", 1), ("Q1-1", 2)}
