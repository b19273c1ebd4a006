import uuid

import pytest

from annotation.grading import operations as grading
from annotation.grading import worklist
from annotation.grading.models import FlagAnswer, Remark
from annotation.home import queries as home
from annotation.people.models import AuditEvent
from annotation.rounds import queries as reads
from annotation.rounds.models import Round
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

        with pytest.raises(flags.TextNamesSystem) as caught:
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


class TestWrite:
    def test_is_a_flag_of_the_round_and_its_answer_comes_back(self):
        round_ = make.open_round()
        rater = make.annotators(round_)[0]

        message = flags.write(
            round_=round_, rater=rater, text=" Half of it is about Monday. ", now=make.NOW
        )

        assert reads.tally(round_) == reads.Tally(1, 1)
        [line], _page = reads.flags_page(round_)
        assert (line.item, line.text) == ("", "Half of it is about Monday.")
        assert [one.text for one in worklist.asked(rater)] == [line.text]
        [look] = [one for one in home.looks(round_.project, make.at(2)) if "messages" in one.title]
        assert (look.page, look.text) == ("round_flags", "1 awaits an answer.")

        answer(message, round_, "It is meant so.")

        told = worklist.list_messages(round_.project, rater, make.at(10))
        assert "The curator has answered" in [one.title for one in told]
        assert not worklist.asked(rater)

    def test_sent_twice_is_kept_once(self):
        round_ = make.open_round()
        given = {"round_": round_, "rater": make.annotators(round_)[0], "text": "Why so long?"}

        assert flags.write(**given, now=make.NOW) == flags.write(**given, now=make.at(1))

    def test_refuses_nothing_and_what_nobody_would_read(self):
        round_ = make.open_round()
        rater = make.annotators(round_)[0]

        with pytest.raises(flags.AnswerMissing):
            flags.write(round_=round_, rater=rater, text=" ", now=make.NOW)
        Round.objects.update(state=Round.State.FINAL)
        round_.refresh_from_db()
        with pytest.raises(flags.NobodyReads):
            flags.write(round_=round_, rater=rater, text="Late.", now=make.NOW)

        assert not Remark.objects.exists()
