import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import texts as tokens

SECRET = b"a secret of thirty-two bytes ..."


class TestSeatToken:
    @given(st.binary(min_size=16), st.integers(0, 10**9), st.integers(0, 10**6))
    def test_has_one_length_and_no_sign_to_misread(self, secret, ordinal, claim):
        assert re.fullmatch(r"[0-9a-hjkmnp-tv-z]{26}", tokens.seat_token(secret, ordinal, claim))

    def test_differs_by_secret_seat_and_claim(self):
        made = {
            tokens.seat_token(secret, ordinal, claim)
            for secret in (SECRET, SECRET[::-1])
            for ordinal in range(30)
            for claim in range(30)
        }

        assert len(made) == 2 * 30 * 30

    def test_is_the_same_again(self):
        assert tokens.seat_token(SECRET, 3, 1) == tokens.seat_token(SECRET, 3, 1)

    def test_refuses_a_short_secret(self):
        with pytest.raises(ValueError, match="16 bytes"):
            tokens.seat_token(b"short", 1, 1)


class TestLetter:
    def test_names_each_position(self):
        assert "".join(tokens.letter(place) for place in range(8)) == tokens.LETTERS

    @pytest.mark.parametrize("place", [-1, 8])
    def test_refuses_a_position_that_is_not_there(self, place):
        with pytest.raises(ValueError, match="0 to 7"):
            tokens.letter(place)


class TestPosition:
    def test_is_where_the_letter_stands(self):
        assert [tokens.position(letter) for letter in tokens.LETTERS] == list(range(8))

    @pytest.mark.parametrize("letter", ["", "I", "a", "AB", "Ａ"])
    def test_refuses_anything_else(self, letter):
        with pytest.raises(ValueError, match="from A to H"):
            tokens.position(letter)
