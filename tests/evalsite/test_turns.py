import pytest

from evalsite import queue as turns


def order(*whose):
    """Return in which order jobs stand that came in this one."""
    line = []
    for n, one in enumerate(whose):
        line.insert(turns.place([who for who, _n in line], one), (one, n))
    return "".join(one or "-" for one, _n in line)


class TestPlace:
    @pytest.mark.parametrize(
        ("came", "stand"),
        [
            ("aaaab", "abaaa"),
            ("aaabb", "ababa"),
            ("aabbcc", "abcabc"),
            ("aaaa", "aaaa"),
            ("abab", "abab"),
            ("aaaabbc", "abcabaa"),
        ],
    )
    def test_gives_everybody_a_turn(self, came, stand):
        assert order(*came) == stand

    def test_puts_nobodys_last(self):
        assert order("a", "a", "", "b", "") == "aba--"
