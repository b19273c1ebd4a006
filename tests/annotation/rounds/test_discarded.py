import pytest

from annotation.rounds import queries as discarded
from annotation.running import discarding
from tests import make

pytestmark = pytest.mark.django_db


class TestWhy:
    def test_tells_it_to_who_had_the_question_and_to_nobody_else(self):
        round_ = make.open_round()
        mine, other = make.annotators(round_)[:2]
        token = make.claim(round_, mine).token
        assert discarded.why(token, mine) is None
        discarding.discard(
            round_=round_, by=round_.created_by, now=make.at(1), reason="Wrong questions."
        )

        assert discarded.why(token, mine) == "Wrong questions."
        assert discarded.why(token, other) is None
        assert discarded.why("0" * 26, mine) is None
