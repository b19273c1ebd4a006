import pytest

from annotation.rules import sheets


class TestSafe:
    @pytest.mark.parametrize("sign", sheets.FORMULA)
    def test_disarms_what_looks_like_a_formula(self, sign):
        assert sheets.safe(f"{sign}1") == f"'{sign}1"

    def test_leaves_other_texts(self):
        assert sheets.safe("Air freight") == "Air freight"
