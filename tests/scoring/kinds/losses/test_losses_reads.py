import pytest

from scoring.kinds.losses import queries as losses
from tests import make

pytestmark = pytest.mark.django_db


class TestTextOf:
    def test_is_the_question_with_its_options_and_the_right_one(self):
        extra = {"options": {"A": "a tug", "B": "a barge"}, "answer_label": "B"}
        one = make.item("Q", question="What is moored?", extra=extra)

        assert losses.text_of(one) == "What is moored?\nA. a tug\nB. a barge\nAnswer: B"

    def test_is_the_question_and_its_standard_answer_where_there_are_no_options(self):
        one = make.item("Q", question="What is moored?", reference="A barge.")

        assert losses.text_of(one) == "What is moored?\nA barge."
        assert losses.fits(one)

    def test_has_more_than_one_word(self):
        assert not losses.fits(make.item("Q", question="Why?", reference=""))


class TestSplitOf:
    def test_tells_both_kinds_apart(self):
        assert losses.split_of({"train": [1], "test": [2, 3]}) == {
            1: "train",
            2: "test",
            3: "test",
        }
