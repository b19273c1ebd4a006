import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.search import rules as searching


class TestFolded:
    @pytest.mark.parametrize(
        ("text", "plain"),
        [
            ("Bill  of\nLADING", "bill of lading"),
            ("ＦＣＡ　２０２０", "fca 2020"),
            ("Straße", "strasse"),
            ("海运提单", "海运提单"),
            (" ", ""),
        ],
    )
    def test_leaves_out_what_does_not_count(self, text, plain):
        assert searching.folded(text) == plain

    @given(st.text())
    def test_spaces_do_not_come_back(self, text):
        assert searching.folded(" " + searching.folded(text)) == searching.folded(
            searching.folded(text)
        )


class TestWordsOf:
    def test_has_the_id_every_turn_and_the_answer(self):
        said = searching.words_of("Q7", ["What is FCA?", "And  DAP?"], "Free carrier.")

        assert said.splitlines() == ["q7", "what is fca?", "and dap?", "free carrier."]

    def test_is_never_longer_than_what_is_searched(self):
        assert len(searching.words_of("Q7", ["x" * 2 * searching.MOST], "")) == searching.MOST
