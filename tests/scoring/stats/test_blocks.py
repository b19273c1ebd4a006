import numpy as np
import pytest

from scoring.stats.judges import blocks
from scoring.stats.judges import coefficients as correlation
from scoring.stats.judges import intervals as correlation_intervals
from scoring.stats.judges.blocks import BlockSettings
from scoring.stats.plain import Reason
from tests.scoring import judged_beside as beside

SETTINGS = BlockSettings(("pearson", "kendall_b"), "both", 100, 0.95, 3)


class TestBlock:
    def test_holds_points_and_resamples(self):
        of = beside.pairs_of(*beside.noisy())

        one = blocks.block(of, "system", SETTINGS)

        assert one.points == correlation.correlations(of, "system", names=SETTINGS.names)
        assert {name: len(found) for name, found in one.found.items()} == {
            "pearson": 100,
            "kendall_b": 100,
        }
        assert one.parts == (of.systems, of.groups)

    def test_gives_the_intervals_of_its_resamples(self):
        of = beside.pairs_of(*beside.noisy())

        found = blocks.intervals(blocks.block(of, "system", SETTINGS), SETTINGS)

        known = correlation_intervals.resampled(
            of, "system", names=SETTINGS.names, resamples=100, seed=3
        )
        assert found == list(known)

    def test_has_none_where_none_was_asked_for(self):
        settings = BlockSettings(("pearson",), "both", 0, 0.95, 0)
        one = blocks.block(beside.pairs_of(*beside.noisy()), "item", settings)

        assert (one.found, blocks.intervals(one, settings)) == ({}, [None])

    def test_says_why_nothing_can_be_drawn(self):
        one = blocks.block(beside.pairs_of([[1, 2, 3]], [[1, 3, 2]]), "pooled", SETTINGS)

        (bounds, _) = blocks.intervals(one, SETTINGS)

        assert (one.found, bounds.low, bounds.reason) == ({}, None, Reason.FEW_QUESTIONS)

    def test_gives_the_interval_of_any_figure_of_its_resamples(self):
        one = blocks.block(beside.pairs_of(*beside.noisy()), "system", SETTINGS)

        found = blocks.interval_of(one, "pearson", np.linspace(0, 1, 101), SETTINGS)

        assert (found.low, found.high) == (pytest.approx(0.025), pytest.approx(0.975))
