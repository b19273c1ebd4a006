import uuid

import pytest

from annotation.grading import operations as grading
from annotation.grading.models import FlagAnswer, Remark
from annotation.people.models import AuditEvent
from annotation.running import operations as flags
from tests import make

pytestmark = pytest.mark.django_db


def flag(round_, text="Is the date right?", *, seat=None, base_rev=0):
    """Let ann-1 submit a seat with a flag; return the flag."""
    seat = seat or make.claim(round_)
    grading.submit_grades(
        token=seat.token,
        rater=make.holder(seat),
        marks=make.marks(seat),
        comments={},
        flag=text,
        base_rev=base_rev,
        op_id=uuid.uuid4(),
        now=make.at(1 + base_rev),
    )
    return Remark.objects.filter(kind="FLAG").order_by("pk").last()


def answer(of, round_, text):
    return flags.answer(flag=of, round_=round_, text=text, by=round_.created_by, now=make.at(9))


class TestAnswer:
    def test_is_kept_beside_the_flag_and_in_the_audit(self):
        round_ = make.open_round()
        asked = flag(round_)

        made = answer(asked, round_, "  Yes, it is. ")

        assert (made.text, made.flag) == ("Yes, it is.", asked)
        event = AuditEvent.objects.get(verb="flag.answered")
        assert (event.note, event.data) == ("Yes, it is.", {"flag": asked.pk})

    @pytest.mark.parametrize("text", ["", "   ", "x" * 1001])
    def test_refuses_nothing_and_too_much(self, text):
        round_ = make.open_round()
        asked = flag(round_)

        with pytest.raises(flags.AnswerMissing):
            answer(asked, round_, text)

        assert not FlagAnswer.objects.exists()

    @pytest.mark.parametrize("name", ["ChatGPT", "the system of this round"])
    def test_refuses_to_tell_who_is_judged(self, name):
        round_ = make.open_round()
        asked = flag(round_)
        if name.startswith("the"):
            name = round_.systems.first().release.system.name

        with pytest.raises(flags.NamesASystem) as caught:
            answer(asked, round_, f"That is how {name} writes it.")

        assert name in caught.value.message
        assert not FlagAnswer.objects.exists()


class TestFlags:
    def test_stand_as_last_said(self):
        round_ = make.open_round()
        first = flag(round_, "First")
        seat = first.slot.assignment
        assert list(Remark.objects.flags()) == [first]

        second = flag(round_, "Second", seat=seat, base_rev=1)
        assert list(Remark.objects.flags()) == [second]

        flag(round_, "", seat=seat, base_rev=2)
        assert list(Remark.objects.flags()) == []
