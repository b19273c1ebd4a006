"""A key stands for one request of one person, and one answer."""

import uuid
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from annotation.people import tokens as operations
from annotation.people.models import KeptAnswer
from annotation.people.tokens import ToldAnswer
from tests import make

DONE = ToldAnswer(201, {"Content-Type": "application/json"}, b'{"id": 1}')


def take(user=None, key="k-1", of="a" * 64, now=make.NOW):
    user = user or make.user("ravi")
    return operations.take(user=user, key=key, request_sha=of, claim=uuid.uuid4(), now=now)


@pytest.mark.django_db
class TestTake:
    def test_takes_a_new_key_on(self):
        assert take().answer is None

    def test_gives_the_answer_again(self):
        operations.keep(claim=take(), answer=DONE, now=make.at(1))

        assert take(now=make.at(2)).answer == DONE

    def test_refuses_while_the_first_is_worked_on(self):
        take()

        with pytest.raises(operations.InProgress):
            take(now=make.at(1))

    def test_refuses_the_key_for_another_request(self):
        operations.keep(claim=take(), answer=DONE, now=make.at(1))

        with pytest.raises(operations.KeyReused):
            take(of="b" * 64, now=make.at(2))

    def test_keeps_people_apart(self):
        operations.keep(claim=take(), answer=DONE, now=make.at(1))

        assert take(make.user("lena"), of="b" * 64).answer is None

    def test_begins_again_when_the_first_has_died(self):
        first = take()

        second = take(now=make.NOW + operations.ABANDONED)

        assert second.answer is None
        with pytest.raises(operations.InProgress):
            operations.keep(claim=first, answer=DONE, now=make.at(9))
        operations.keep(claim=second, answer=DONE, now=make.at(9))

    def test_begins_again_after_a_day_even_if_nothing_was_swept(self):
        operations.keep(claim=take(), answer=DONE, now=make.at(1))

        again = take(of="b" * 64, now=make.NOW + operations.KEPT)

        assert again.answer is None

    def test_begins_again_with_a_key_that_was_given_back(self):
        operations.drop(claim=take())

        assert take(of="b" * 64).answer is None


@pytest.mark.django_db
class TestKeep:
    def test_keeps_the_first_answer(self):
        claim = take()
        operations.keep(claim=claim, answer=DONE, now=make.at(1))

        with pytest.raises(operations.InProgress):
            operations.keep(claim=claim, answer=ToldAnswer(200, {}, b"other"), now=make.at(2))
        operations.drop(claim=claim)

        assert take(now=make.at(3)).answer == DONE


@pytest.mark.django_db
class TestForget:
    def test_removes_what_is_a_day_old_and_nothing_else(self):
        operations.keep(claim=take(key="old"), answer=DONE, now=make.at(1))
        operations.keep(claim=take(key="new", now=make.at(60)), answer=DONE, now=make.at(61))

        n = operations.forget(now=make.NOW + timedelta(hours=24, minutes=30))

        assert n == 1
        assert KeptAnswer.objects.get().begun_at == make.at(60)


class Model:
    """What ought to be known of a key."""

    def __init__(self):
        self.of, self.answer, self.begun = None, None, None


#: Minutes that pass, which key, which request, and what becomes of it.
STEPS = st.lists(
    st.tuples(
        st.sampled_from([0, 1, 4, 6, 700]),
        st.sampled_from("xy"),
        st.sampled_from("ab"),
        st.sampled_from(["answers", "gives back", "dies"]),
    ),
    max_size=12,
)


class TestAnyOrder(TestCase):
    @given(STEPS)
    def test_answers_each_request_as_it_was_answered_first(self, steps):
        """Whatever comes: an answer is only ever given again to its own request, within its day."""
        known, now = {"x": Model(), "y": Model()}, make.NOW
        for minutes, key, of, fate in steps:
            now += timedelta(minutes=minutes)
            model = known[key]
            limit = operations.ABANDONED if model.answer is None else operations.KEPT
            free = model.of is None or now - model.begun >= limit
            try:
                claim = take(key=key, of=of * 64, now=now)
            except operations.KeyReused:
                assert not free
                assert model.of != of
                continue
            except operations.InProgress:
                assert not free
                assert model.of == of
                assert model.answer is None
                continue
            if claim.answer is not None:
                assert not free
                assert model.of == of
                assert claim.answer == model.answer
                continue
            assert free
            model.of, model.begun, model.answer = of, now, None
            if fate == "answers":
                model.answer = ToldAnswer(200, {}, f"{of}{now}".encode())
                operations.keep(claim=claim, answer=model.answer, now=now)
            if fate == "gives back":
                operations.drop(claim=claim)
                model.of = None
