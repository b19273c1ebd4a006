import csv
import io

import pytest

from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring.kinds.interviews import figure as interview_figures
from scoring.kinds.interviews import results
from scoring.kinds.interviews.results import Board, of_params
from tests import make
from tests.scoring import interviewed

pytestmark = pytest.mark.django_db


@pytest.fixture
def board():
    run = interviewed.held(n=4, mark_but_continue=True)
    reader = Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))
    reading = results.allowed(reader, run.number)
    options = of_params({})
    return Board(interview_figures.compute(run, options.params), options, reading)


def rows(board, table):
    text = "".join(results.csv_lines(board, table))
    return list(csv.DictReader(io.StringIO(text)))


class TestCsvLines:
    def test_of_pairs_say_difference_interval_and_both_p(self, board):
        (one,) = rows(board, "pairs")
        known = board.data["pairs"][0]

        assert (one["left"], one["right"]) == tuple(board.names)
        assert float(one["difference"]) == known["value"]
        assert int(one["n"]) == known["n"]
        assert one["choices"].startswith("aspect=overall; scale=thirds")

    def test_of_profiles_have_each_system_under_each_profile(self, board):
        found = rows(board, "profiles")

        assert len(found) == len(board.data["profiles"]) * 2
        assert found[0]["profile"] == "linear"
        assert {one["early_stopping"] for one in found} == {"true"}
        assert float(found[0]["score"]) == board.data["profiles"][0]["values"][0]

    def test_of_the_ablation_have_all_four_ways(self, board):
        found = rows(board, "ablation")

        ways = {(one["decaying_weights"], one["early_stopping"]) for one in found}
        assert len(ways) == 4
        assert len(found) == 8

    def test_of_dialogues_count_every_reason_to_stop(self, board):
        found = rows(board, "dialogues")

        for one, known in zip(found, board.data["facts"], strict=True):
            counted = {key: int(n) for key, n in one.items() if key.startswith("stopped_")}
            assert sum(counted.values()) == sum(known["reasons"].values())
            assert int(one["n"]) == 4
