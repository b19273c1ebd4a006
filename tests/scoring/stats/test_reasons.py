import pytest

from scoring.stats.plain import SENTENCES, Reason


class TestReason:
    @pytest.mark.parametrize("reason", list(Reason))
    def test_says_itself_in_a_sentence(self, reason):
        assert reason.sentence[0].isupper()
        assert reason.sentence.endswith(".")

    def test_has_a_sentence_of_its_own(self):
        assert len(set(SENTENCES.values())) == len(Reason)
