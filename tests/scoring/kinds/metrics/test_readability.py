import json
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.kinds.metrics import catalogue as readability
from scoring.kinds.metrics.catalogue import TextCounts, Undefined

words = st.lists(
    st.sampled_from(["ship", "cargo", "harbour", "document", "inspection"]), min_size=1
)


class TestCounts:
    def test_are_as_counted_by_hand(self):
        found = readability.counts("The cat sat on the mat. It was happy there!")

        assert found == TextCounts(n_words=10, n_sentences=2, n_syllables=11)

    def test_do_not_take_an_exclamation_for_a_sentence(self):
        assert readability.counts("Thanks! That was very kind.").n_sentences == 1

    def test_refuse_what_has_no_word_or_is_not_latin(self):
        with pytest.raises(Undefined, match="no_words"):
            readability.counts("… !")
        with pytest.raises(Undefined, match="not_english"):
            readability.counts("量子力学研究粒子。")


class TestReadingEase:
    def test_is_the_formula_of_its_paper(self):
        # Ten words, two sentences, eleven syllables.
        text = "The cat sat on the mat. It was happy there!"

        assert readability.reading_ease(text) == pytest.approx(206.835 - 1.015 * 5 - 84.6 * 1.1)
        assert readability.grade_level(text) == pytest.approx(0.39 * 5 + 11.8 * 1.1 - 15.59)

    @given(words)
    def test_falls_with_the_length_of_sentences(self, some):
        long = " ".join(some * 2) + "."
        short = " ".join(some) + ". "

        if len(some) > readability.MOST_WORDS_OF_A_PIECE:
            assert readability.reading_ease(long) < readability.reading_ease(short * 2)
            assert readability.grade_level(long) > readability.grade_level(short * 2)

    def test_is_near_what_a_pronouncing_dictionary_gives(self, golden):
        folder = golden / "flexeval"
        said = {}
        for line in (folder / "own_fixture.jsonl").read_text().splitlines():
            conversation = json.loads(line)
            spoken = [one for one in conversation["input"] if one["role"] != "system"]
            said |= {(conversation["id"], k): one["content"] for k, one in enumerate(spoken)}
        rows = json.loads((folder / "own_expected.json").read_text())["rows"]

        apart = []
        for row in rows:
            text = said.get((row["conv"], row["message"]), "")
            if row["name"] == "flesch_reading_ease" and text and row["conv"] != "cjk":
                apart.append(abs(readability.reading_ease(text) - row["value"]))

        assert len(apart) >= 15
        assert statistics.mean(apart) <= 4


class TestSyllables:
    @pytest.mark.parametrize(
        ("word", "n"),
        [
            ("cat", 1),
            ("people", 2),
            ("created", 3),
            ("science", 2),
            ("nation", 2),
            ("documents", 3),
            ("loved", 1),
            ("wanted", 2),
            ("being", 2),
            ("usual", 3),
            ("table", 2),
            ("careful", 2),
            ("something", 2),
            ("society", 4),
            ("houses", 2),
            ("rhythm's", 1),
            ("1000", 1),
        ],
    )
    def test_are_those_of_the_spelling(self, word, n):
        assert readability.syllables(word) == n
