"""What is claimed of scores and differences holds in rounds whose truth is known."""

from dataclasses import replace

import numpy as np
import pytest
from django.utils import timezone

from benchmarks import coverage
from benchmarks.coverage import Design, Row

DAILY = (
    Design((12,), 3, 1.0, 0.5, 0.3),
    Design((30,), 5, 0.6, 0.9, 0.3),
    Design((20, 2), 3, 1.0, 0.5, 0.3),
    Design((12,), 3, 1.0, 0.5, 0.3, n_systems=2),
)
WELL = dict.fromkeys(coverage.NAMES, (0.95, 1000))


class TestClaims:
    @pytest.mark.parametrize("design", DAILY)
    def test_hold_in_a_few_rounds_of_some_designs(self, design):
        found = coverage.row(design, trials=100)

        assert found.faults == []
        assert all(n for _share, n in found.held.values())

    @pytest.mark.nightly
    @pytest.mark.timeout(1800)
    def test_hold_in_many_rounds_of_designs_drawn_today(self):
        today = timezone.now().toordinal()
        whole = list(coverage.designs())
        some = np.random.default_rng(today).permutation(len(whole))[:60]

        found = [coverage.row(whole[n], trials=1000, seed=today) for n in some]

        assert [(str(one.design), one.faults) for one in found if one.faults] == []


class TestRow:
    def test_of_claims_that_hold_has_no_fault(self):
        assert Row(DAILY[0], 1000, WELL, 0.05).faults == []

    @pytest.mark.parametrize("name", coverage.NAMES)
    def test_names_an_interval_that_holds_the_truth_too_seldom(self, name):
        # 2.6 standard errors below .92, of a thousand rounds, is .898.
        assert Row(DAILY[0], 1000, {**WELL, name: (0.899, 1000)}, 0.05).faults == []
        assert Row(DAILY[0], 1000, {**WELL, name: (0.897, 1000)}, 0.05).faults == [
            f"{name}: 0.897 of 1000"
        ]

    def test_bears_more_false_alarms_of_two_systems_alone(self):
        found = Row(DAILY[0], 1000, WELL, 0.09)
        alone = replace(found, design=DAILY[3])

        assert (found.faults, alone.faults) == (["false: 0.090"], [])

    def test_is_kept_and_read_again(self, tmp_path):
        made, path = coverage.row(DAILY[0], trials=10), tmp_path / "kept.jsonl"
        coverage.keep(made, path)

        assert coverage.kept(path) == {DAILY[0].key: made}

    def test_stands_in_the_table_with_the_least_and_the_most(self):
        rows = [
            Row(DAILY[0], 1000, dict.fromkeys(coverage.NAMES, (share, 1000)), 0.04)
            for share in (0.93, 0.96)
        ]

        assert list(coverage.table(rows))[2] == (
            "| 12 | 0.5 | 0.93–0.96 | 0.93–0.96 | 0.93–0.96 | 0.93–0.96 | 4.0 % |"
        )
