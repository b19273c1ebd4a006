import itertools

from scoring.figures.cells import BANDS, band_of


class TestBands:
    def test_follow_each_other_up_to_one(self):
        for convention in BANDS.values():
            for low, high in itertools.pairwise(convention.bands):
                assert low.end == high.start
            assert convention.bands[-1].end == 1
            assert convention.source

    def test_name_a_value(self):
        assert band_of(0.7, BANDS["krippendorff"]) == "tentative"
        assert band_of(0.61, BANDS["landis_koch"]) == "substantial"
        assert band_of(-0.1, BANDS["landis_koch"]) == ""
