import csv
import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.kinds.metrics.catalogue import MeasuredText, NoMetric, Undefined
from scoring.kinds.metrics.measuring import Rouge

TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
#: Columns of the file are rounded to five decimals.
ROUNDED = 5.1e-6
sentence = st.lists(
    st.sampled_from(["the", "cat", "sat", "on", "a", "mat", "猫", "坐"]), min_size=2, max_size=9
)


def scores(response, *references, many="mean"):
    return Rouge(TYPES, many).scores(MeasuredText(response, references))


class TestRouge:
    def test_gives_the_example_of_its_paper(self):
        # Lin (2004), section 3.1: police killed the gunman.
        first = scores("police kill the gunman", "police killed the gunman")
        second = scores("the gunman kill police", "police killed the gunman")

        # "kill" is "killed" by its stem, so that the first is the reference itself.
        assert first["rougeL"] == 1
        assert second["rougeL"] == pytest.approx(2 / 4)
        assert second["rouge2"] == pytest.approx(1 / 3)

    def test_unites_the_sentences_for_lsum_as_its_paper_does(self):
        # Lin (2004), section 3.2: w1…w5 against w1 w2 w6 w7 w8 and w1 w3 w8 w9 w5, recall 4/5.
        found = scores("w1 w2 w6 w7 w8.\nw1 w3 w8 w9 w5.", "w1 w2 w3 w4 w5")

        recall, precision = 4 / 5, 4 / 10
        assert found["rougeLsum"] == pytest.approx(2 * recall * precision / (recall + precision))

    def test_of_chinese_is_not_nothing(self):
        found = scores("量子力学研究粒子", "量子力学研究微观粒子")

        # Eight signs, all in the reference of ten.
        assert found["rouge1"] == pytest.approx(2 * 8 / (8 + 10))
        assert found["rougeL"] == pytest.approx(2 * 8 / (8 + 10))
        assert found["rouge2"] == pytest.approx(2 * 6 / (7 + 9))

    def test_takes_the_mean_of_the_references_or_the_best(self):
        given_ = ("the cat sat", "the cat sat", "a dog ran")

        assert scores(*given_)["rouge1"] == pytest.approx(1 / 2)
        assert scores(*given_, many="best")["rouge1"] == 1

    @given(sentence, sentence)
    @settings(max_examples=60)
    def test_lies_between_0_and_1_and_is_the_same_both_ways(self, one, other):
        one, other = " ".join(one), " ".join(other)
        there, back = scores(one, other), scores(other, one)

        assert all(0 <= value <= 1 for value in there.values())
        assert there["rouge1"] == pytest.approx(back["rouge1"])
        assert there["rougeL"] == pytest.approx(back["rougeL"])
        assert scores(one, one)["rougeLsum"] == pytest.approx(1)

    def test_of_pairs_is_undefined_without_a_pair(self):
        assert scores("Paris", "in Paris")["rouge2"] == NoMetric.TOO_SHORT
        assert scores("in Paris", "Paris")["rouge2"] == NoMetric.SHORT_REFERENCE
        assert scores("Paris", "in Paris")["rouge1"] == pytest.approx(2 / 3)

    def test_refuses_without_a_reference(self):
        with pytest.raises(Undefined, match="no_reference"):
            scores("Paris", "…")


@pytest.mark.nightly
@pytest.mark.timeout(240)
class TestSummeval:
    def test_columns_come_out_of_the_texts(self, golden):
        folder = golden / "summeval"
        with (folder / "summeval_metrics.csv").open() as file:
            published = {(row["doc"], row["system"]): row for row in csv.DictReader(file)}
        rouge = Rouge(("rouge1", "rouge2", "rougeLsum"))

        wrong = []
        with gzip.open(folder / "summeval_texts.jsonl.gz", "rt") as lines:
            for doc in map(json.loads, lines):
                for system, summary in doc["summaries"].items():
                    row = published.pop((doc["doc"], system))
                    for name, value in rouge.scores(
                        MeasuredText(summary, doc["references"])
                    ).items():
                        if abs(value - float(row[f"{name}_stem_f"])) > ROUNDED:
                            wrong.append((doc["doc"], system, name))

        assert wrong == []
        assert published == {}
