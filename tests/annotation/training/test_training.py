from decimal import Decimal

import pytest

from annotation.qualification import operations as qualifying
from annotation.qualification.models import Practice, Qualification, TrainingExample
from annotation.qualification.rules import Event, PoolState
from annotation.rubrics.models import Level
from annotation.training import operations as training
from annotation.training import queries as reads
from annotation.training.records import ExampleText
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


def text(**given):
    usual = {
        "use": "PRACTISE",
        "question": "What is a pallet?",
        "response": "A base.",
        "explanation": "Correct, but says little.",
        "grades": {"grade": Decimal(1)},
    }
    return ExampleText(**{**usual, **given})


def add(**given):
    about = make.capability()
    return training.add_example(
        project=about.project,
        capability=about,
        version=training.newest_version(about),
        text=text(**given),
        by=qualified.curator(about.project),
        now=make.NOW,
    )


def state_of(rater):
    return reads.course(rater, make.capability()).state


class TestAddExample:
    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"response": " "}, "response"),
            ({"explanation": ""}, "explanation"),
            ({"question": ""}, "question"),
            ({"grades": {}}, "grade-grade"),
            ({"grades": {"grade": Decimal(7)}}, "grade-grade"),
            ({"grades": {"tone": Decimal(1)}}, "grades"),
            ({"use": "LEARN", "grades": {}}, "grades"),
            ({"use": "SING"}, "use"),
        ],
    )
    def test_says_what_is_wrong_where(self, given, field):
        with pytest.raises(training.ExampleInvalid) as caught:
            add(**given)

        assert field in caught.value.fields
        assert not TrainingExample.objects.exists()

    def test_keeps_an_example_to_learn_by_without_a_question(self):
        made = add(use="LEARN", question="")

        assert (made.number, made.grades) == (1, {"grade": "1"})


class TestAdoptLevels:
    def test_takes_the_examples_of_the_rubric_over_once(self):
        about = make.capability()
        level = Level.objects.get(criterion__rubric_version__rubric=about.rubric, value=2)
        level.examples = ["All of it is said."]
        level.save(update_fields=["examples"])
        given = {"capability": about, "by": qualified.curator(about.project), "now": make.NOW}

        made = training.adopt_levels(**given)

        assert [(one.use, one.response, one.grades) for one in made] == [
            ("LEARN", "All of it is said.", {"grade": "2"})
        ]
        assert training.adopt_levels(**given) == []

    def test_refuses_a_rubric_without_examples(self):
        about = make.capability()

        with pytest.raises(training.NoRubric):
            training.adopt_levels(
                capability=about, by=qualified.curator(about.project), now=make.NOW
            )


class TestPractise:
    def test_leads_from_the_first_example_to_ready_for_a_trial(self):
        learn, first, second = (
            qualified.example("LEARN"),
            qualified.example(right=2),
            qualified.example(right=0, response="A kind of ship."),
        )
        rater = qualified.annotator()

        training.note_read(example=learn, rater=rater, now=make.at(1))
        assert state_of(rater) == PoolState.TRAINING
        qualified.practise(first, rater, 2)
        qualified.practise(second, rater, 2)
        assert state_of(rater) == PoolState.TRAINING  # one of two is too few
        made = qualified.practise(second, rater, 0)

        assert (made.n_right, made.n) == (1, 1)
        assert state_of(rater) == PoolState.TRAINED

    def test_begins_anew_after_a_failed_trial(self):
        only = qualified.example()
        rater = qualified.annotator()
        qualified.practise(only, rater)
        qualifying.step(
            rater=rater, capability=make.capability(), event=Event.FAILED, by=None, now=make.at(5)
        )

        before = reads.course(rater, make.capability())
        qualified.practise(only, rater, minutes=6)

        assert (before.state, before.progress.n_done) == (PoolState.RETRAINING, 0)
        assert state_of(rater) == PoolState.TRAINED

    def test_refuses_a_missing_grade_and_one_off_the_scale(self):
        only, rater = qualified.example(), qualified.annotator()

        for grades in ({}, {"grade": Decimal(9)}):
            with pytest.raises(training.NotGraded) as caught:
                training.practise(example=only, rater=rater, grades=grades, now=make.NOW)
            assert "grade" in caught.value.fields
        assert not Practice.objects.exists()

    def test_refuses_what_was_withdrawn_and_whoever_stands_aside(self):
        only, rater = qualified.example(), qualified.annotator()
        qualifying.step(
            rater=rater,
            capability=make.capability(),
            event=Event.SUSPENDED,
            by=None,
            now=make.NOW,
            reason="A pause.",
        )

        with pytest.raises(training.StandsAside):
            qualified.practise(only, rater)
        training.withdraw(example=only, by=qualified.curator(make.project()), now=make.NOW)
        only.refresh_from_db()
        with pytest.raises(training.ExampleWithdrawn):
            qualified.practise(only, qualified.annotator("ann-2"))
        assert Qualification.objects.count() == 1


class TestFace:
    def test_tells_what_is_right_only_after_it_was_graded(self):
        only, rater = qualified.example(), qualified.annotator()
        course = reads.course(rater, make.capability())
        before = reads.face(only, rater, course.steps[0][1])

        qualified.practise(only, rater, 1)
        after = reads.face(only, rater, reads.course(rater, make.capability()).steps[0][1])

        assert (before.rights, before.explanation) == ([], "")
        assert [(one.given, one.right, one.is_right) for one in after.rights] == [("1", "2", False)]
        assert "all that matters" in after.explanation
