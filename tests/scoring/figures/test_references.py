import itertools

from scoring.figures.cells import BANDS


class TestBands:
    def test_follow_each_other_up_to_one(self):
        for convention in BANDS.values():
            for low, high in itertools.pairwise(convention.bands):
                assert low.end == high.start
            assert convention.bands[-1].end == 1
            assert convention.source
