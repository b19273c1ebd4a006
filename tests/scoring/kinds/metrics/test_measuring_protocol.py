import pytest

from scoring.kinds.metrics import catalogue, measuring
from scoring.kinds.metrics.catalogue import MeasuredText, NoMetric

WHOLE = MeasuredText(
    "The ship left the harbour on Monday. It carried grain and steel.",
    ("The ship left port on Monday with grain and steel.", "A ship with grain left on Monday."),
    "On Monday a ship left the harbour. It carried grain and steel for the coast.",
)


def measure(text, *keys, **options):
    return measuring.Measurer(keys or catalogue.METRICS, **options).measure(text)


class TestMeasurer:
    def test_gives_every_metric_a_value_in_its_range(self):
        found = measure(WHOLE)

        assert found.pop("meteor") == NoMetric.NO_WORDNET
        assert list(found) == [key for key in catalogue.METRICS if key != "meteor"]
        for key, value in found.items():
            metric = catalogue.METRICS[key]
            assert isinstance(value, float)
            assert metric.minimum is None or value >= metric.minimum
            assert metric.maximum is None or value <= metric.maximum

    def test_gives_only_what_is_wanted(self):
        assert measure(WHOLE, "words", "rouge2").keys() == {"rouge2", "words"}
        assert measure(WHOLE, "words") == {"words": 12.0}

    def test_takes_the_best_reference_where_it_shall(self):
        assert (
            measure(WHOLE, "rouge1", many="best")["rouge1"]
            > measure(WHOLE, "rouge1", many="mean")["rouge1"]
        )

    def test_reads_overlap_and_novelty_against_what_they_name(self):
        found = measure(WHOLE, "overlap1_source", "novelty1_source", "overlap1_references")

        assert found["overlap1_source"] == pytest.approx(1)
        assert found["novelty1_source"] == pytest.approx(0)
        assert found["overlap1_references"] < 1

    @pytest.mark.parametrize("response", ["", " \n "])
    def test_leaves_an_empty_response_out(self, response):
        assert set(measure(MeasuredText(response, ("a",), "a")).values()) == {NoMetric.EMPTY}

    def test_says_what_is_missing(self):
        found = measure(MeasuredText("A ship."))

        assert (
            found["rouge1"]
            == found["bleu"]
            == found["overlap1_references"]
            == NoMetric.NO_REFERENCE
        )
        assert found["novelty1_source"] == NoMetric.NO_SOURCE
        assert found["words"] == 2
        assert found["repetition3"] == NoMetric.TOO_SHORT

    def test_compares_nothing_that_has_no_word(self):
        found = measure(MeasuredText("😀", ("A ship.",), "A ship."))

        assert found["rouge1"] == found["chrf"] == found["novelty1_source"] == NoMetric.NO_WORDS
        assert found["words"] == 0
        assert found["signs"] == 1

    def test_is_never_nothing_in_chinese(self):
        found = measure(MeasuredText("量子力学研究粒子。", ("量子力学研究微观粒子。",)))

        assert found["rouge1"] > 0.8
        assert found["bleu"] > 20
        assert found["reading_ease"] == NoMetric.NOT_ENGLISH


class TestMeasurerOfHouse:
    def test_looks_for_wordnet_only_where_meteor_is_wanted(self):
        assert measuring.measurer(["words"]).measure(MeasuredText("A ship.")) == {"words": 2.0}
        assert measuring.measurer(["meteor"]).measure(WHOLE).keys() == {"meteor"}
