import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

from scoring.kinds.metrics import measuring as sequences
from scoring.kinds.metrics.catalogue import MeasuredText, Undefined

sentence = st.lists(
    st.sampled_from(["the", "cat", "sat", "on", "a", "mat"]), min_size=1, max_size=9
)


def score(name, response, *references):
    return sequences.score(name, MeasuredText(response, references))


class TestScore:
    def test_gives_bleu_as_counted_by_hand(self):
        # Words 5/6, pairs 3/5, triples 1/4; no quadruple of three, which counts as half of one.
        found = score("bleu", "the cat sat on the mat", "the cat lay on the mat")

        by_hand = math.exp(sum(map(math.log, (5 / 6, 3 / 5, 1 / 4, 1 / 6))) / 4)
        assert found == pytest.approx(100 * by_hand)

    def test_punishes_shortness(self):
        found = score("bleu", "the cat sat", "the cat sat on the mat")

        assert found == pytest.approx(100 * math.exp(1 - 6 / 3))

    def test_clips_against_all_references(self):
        # Papineni et al. (2002), example 2: seven times "the", of which two are allowed.
        single = BLEU(max_ngram_order=1, smooth_method="none")

        assert single.sentence_score(
            "the the the the the the the",
            ["the cat is on the mat", "there is a cat on the mat"],
        ).score == pytest.approx(100 * 2 / 7)

    def test_is_what_sacrebleu_gives_a_sentence(self):
        given_ = ("the cat sat on the mat", ["the cat lay on the mat", "a cat was on a mat"])

        ours = [score(name, given_[0], *given_[1]) for name in sequences.NAMES]

        theirs = (BLEU(effective_order=True), CHRF(), CHRF(word_order=2))
        assert ours == [pytest.approx(one.sentence_score(*given_).score) for one in theirs]

    def test_gives_chrf_as_counted_by_hand(self):
        # Signs of "abc" against "abd": 2 of 3, pairs 1 of 2, no triple; F2 of equal shares is the share.
        assert score("chrf", "abc", "abd") == pytest.approx(100 * (2 / 3 + 1 / 2 + 0) / 3)

    def test_divides_chinese_as_sacrebleu_does(self):
        ours = score("bleu", "量子力学研究微观粒子的运动。", "量子力学研究粒子的运动规律。")
        theirs = BLEU(tokenize="zh", effective_order=True).sentence_score(
            "量子力学研究微观粒子的运动。", ["量子力学研究粒子的运动规律。"]
        )

        assert ours == pytest.approx(theirs.score)
        assert ours > 20

    @pytest.mark.parametrize("name", sequences.NAMES)
    @given(sentence, sentence)
    @settings(max_examples=30)
    def test_lies_between_0_and_100_and_another_reference_never_harms_chrf(self, name, one, other):
        text, reference = " ".join(one), " ".join(other)

        assert 0 <= score(name, text, reference) <= 100 + 1e-9
        assert score(name, text, text) == pytest.approx(100)
        if name != "bleu":
            assert score(name, text, reference, "a dog") >= score(name, text, reference) - 1e-9

    @pytest.mark.parametrize("name", sequences.NAMES)
    def test_refuses_without_a_reference(self, name):
        with pytest.raises(Undefined, match="no_reference"):
            score(name, "the cat", " ")


class TestCorpusScore:
    def test_sums_counts_over_responses(self):
        texts = [MeasuredText("a b c d", ("a b c d",)), MeasuredText("e f g h", ("e f g x",))]

        # Words 7/8, pairs 5/6, triples 3/4, quadruples 1/2.
        by_hand = math.exp(sum(map(math.log, (7 / 8, 5 / 6, 3 / 4, 1 / 2))) / 4)
        assert sequences.corpus_score("bleu", texts) == pytest.approx(100 * by_hand)

    @pytest.mark.parametrize("name", sequences.NAMES)
    def test_takes_numbers_of_references_that_differ_and_leaves_out_what_has_none(self, name):
        both = [MeasuredText("a b c d", ("a b c d", "x")), MeasuredText("e f g h", ("e f g h",))]
        more = [*both, MeasuredText("", ("e",)), MeasuredText("y", ())]

        assert sequences.corpus_score(name, both) == pytest.approx(100)
        assert sequences.corpus_score(name, more) == pytest.approx(100)

    def test_refuses_when_nothing_is_left(self):
        with pytest.raises(Undefined, match="no_reference"):
            sequences.corpus_score("bleu", [MeasuredText("a", ())])
