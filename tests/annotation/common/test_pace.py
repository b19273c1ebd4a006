import time

import pytest

from annotation.common.pace import Batches


class TestBatches:
    def test_give_every_row_once_in_order(self):
        batches = list(Batches(start=3).batches(range(50)))

        assert [row for batch in batches for row in batch] == list(range(50))
        assert len(batches[0]) == 3

    def test_give_nothing_of_nothing(self):
        assert list(Batches().batches([])) == []

    def test_leave_the_others_a_moment_if_told_so(self):
        pace = Batches(start=1, most=1, target=0.02, breath=1.0)
        began = time.perf_counter()
        for _batch in pace.batches(range(3)):
            time.sleep(0.02)

        assert time.perf_counter() - began >= 3 * 0.02 + 2 * 0.02


class TestLearn:
    @pytest.mark.parametrize(
        ("seconds", "size"),
        [(0.0, 200), (0.03, 200), (0.12, 100), (0.08, 150), (0.2, 60), (9.0, 50)],
    )
    def test_moves_towards_the_target_by_a_factor_of_two_at_most(self, seconds, size):
        pace = Batches(start=100)
        pace.learn(100, seconds)

        assert pace.size == size

    def test_stays_between_one_and_the_most(self):
        pace = Batches(start=4, most=6)
        pace.learn(4, 0.0)
        assert pace.size == 6
        for _ in range(9):
            pace.learn(pace.size, 60)

        assert pace.size == 1
