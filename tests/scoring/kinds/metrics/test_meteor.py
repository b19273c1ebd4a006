import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.kinds.metrics import measuring as meteor
from scoring.kinds.metrics.catalogue import MeasuredText, Undefined

sentence = st.lists(
    st.sampled_from(["the", "cat", "sat", "on", "a", "mat"]), min_size=1, max_size=9
)


class Word:
    def __init__(self, name):
        self._name = name

    def name(self):
        return self._name


class Meaning:
    def __init__(self, *names):
        self._names = names

    def lemmas(self):
        return [Word(one) for one in self._names]


class FewWords:
    """A WordNet of one meaning."""

    def synsets(self, word):
        return [Meaning("sofa", "couch")] if word in {"sofa", "couch"} else []


def score(response, *references, many="best", synonyms=None):
    return meteor.meteor_of(MeasuredText(response, references), synonyms or FewWords(), many)


class TestScore:
    def test_is_as_counted_by_hand(self):
        # Five of six words in two pieces: 5/6 each way, less half of (2/5)³.
        found = score("the cat sat on the mat", "the cat lay on the mat")

        assert found == pytest.approx(5 / 6 * (1 - 0.5 * (2 / 5) ** 3))

    def test_knows_stems_and_synonyms(self):
        # Three words of three in one piece.
        assert score("sofas are old", "sofa are old") == pytest.approx(1 - 0.5 / 27)
        assert score("a couch stood", "a sofa stood") == pytest.approx(1 - 0.5 / 27)
        assert score("a bench stood", "a sofa stood") < 0.7

    def test_takes_the_best_reference_or_the_mean(self):
        best = score("the cat", "the cat", "no dog")

        assert score("the cat", "the cat", "no dog", many="mean") == pytest.approx(best / 2)

    @given(sentence, sentence)
    @settings(max_examples=40)
    def test_lies_between_0_and_1(self, one, other):
        assert 0 <= score(" ".join(one), " ".join(other)) <= 1

    def test_refuses_without_wordnet_or_reference(self):
        with pytest.raises(Undefined, match="no_wordnet"):
            meteor.meteor_of(MeasuredText("a", ("a",)), None)
        with pytest.raises(Undefined, match="no_reference"):
            score("a", "!")


class TestWordnet:
    def test_is_what_is_installed_or_nothing(self):
        found = meteor.wordnet()

        assert found is None or found.synsets("sofa")
