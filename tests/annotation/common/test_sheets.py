import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import texts as sheets

TEXTS = st.text() | st.text(alphabet="'=+-@\t\r\n＝a问 ")


class TestNeutral:
    @given(TEXTS)
    def test_never_begins_a_formula(self, text):
        assert not sheets.neutral(text).startswith(sheets.FORMULA)

    @pytest.mark.parametrize("text", ["", "plain", "'quoted'", "1 - 2", "问题"])
    def test_leaves_other_texts_alone(self, text):
        assert sheets.neutral(text) == text


class TestRestored:
    @given(TEXTS)
    def test_gives_every_text_back(self, text):
        assert sheets.restored(sheets.neutral(text)) == text
