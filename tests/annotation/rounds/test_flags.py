import pytest

from annotation.rounds import queries as flags
from annotation.running import operations
from tests import make
from tests.annotation.running.test_flags import answer, flag

pytestmark = pytest.mark.django_db


class TestPageOf:
    def test_shows_what_awaits_an_answer_and_on_demand_all(self):
        round_ = make.open_round()
        one, two = flag(round_, "One"), flag(round_, "Two")
        answer(one, round_, "So.")
        answer(one, round_, "Rather so.")

        assert [line.pk for line in flags.flags_page(round_)[0]] == [two.pk]
        every, _page = flags.flags_page(round_, every=True)
        assert {line.text: line.answer for line in every} == {"One": "Rather so.", "Two": ""}
        assert every[0].asked_by
        assert every[0].item
        assert flags.tally(round_) == flags.Tally(n=2, n_open=1)

    def test_is_empty_without_flags(self):
        round_ = make.open_round()

        assert flags.flags_page(round_)[0] == []
        assert flags.tally(round_) == flags.Tally(0, 0)
        assert operations.LONGEST == 1000
