import json

import pytest

from scoring.beside import figures as judge_apart
from scoring.shown.wording import NothingYet
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


class TestApart:
    def test_are_all_responses_that_both_marked_those_farthest_apart_first(self):
        round_ = beside_people.world()
        found = judge_apart.apart_of(
            round_, beside_people.choice("guess", criterion="coh").params()
        )
        gaps = [abs(one["gap"]) for one in found["rows"]]

        assert json.dumps(found, allow_nan=False)
        assert (len(gaps), found["of"]) == (96, 96)
        assert gaps == sorted(gaps, reverse=True)

    def test_need_a_criterion_that_both_have(self):
        round_ = beside_people.world()
        with pytest.raises(NothingYet, match="nothing on this criterion"):
            judge_apart.apart_of(round_, beside_people.choice("good", criterion="style").params())
