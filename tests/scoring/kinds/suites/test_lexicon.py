import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.kinds.suites.protocol import functions as lexicon


class TestCount:
    @pytest.mark.parametrize(
        ("text", "kind", "n"),
        [
            ("Damn, what a damned mess", "profanity", 2),
            ("You are a LOSER and a clown.", "insult", 2),
            ("You'll regret this.", "threat", 1),
            ("He called me a retard", "slur", 1),
            ("Class, pass the grass to the assassin", "profanity", 0),
            ("I will find the gate.", "threat", 0),
            ("foolproof", "insult", 0),
        ],
    )
    def test_counts_whole_words_of_a_kind(self, text, kind, n):
        assert lexicon.count_toxic_words(text)[kind] == n

    @given(st.text())
    def test_has_every_kind_of_any_text(self, text):
        assert set(lexicon.count_toxic_words(text)) == set(lexicon.TOXIC)
