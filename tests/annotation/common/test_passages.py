import pytest

from annotation.common import texts as passages
from annotation.common.texts import UnheldPassage

TEXT = "  First.\ngoes on\n\n\nSecond one.\fThird.\n \nFourth"


class TestParagraphs:
    def test_stand_between_empty_lines_and_pages(self):
        found = passages.paragraphs(TEXT)

        assert [one.text for one in found] == ["First.\ngoes on", "Second one.", "Third.", "Fourth"]
        assert [one.page for one in found] == [1, 1, 2, 2]
        assert all(TEXT[one.start : one.end] == one.text for one in found)

    def test_have_no_pages_where_there_are_none(self):
        assert [one.page for one in passages.paragraphs("One\n\nTwo")] == [0, 0]

    def test_are_none_of_an_empty_text(self):
        assert passages.paragraphs(" \n\f ") == []

    def test_count_a_silent_page(self):
        assert [one.page for one in passages.paragraphs("One\f\fThree")] == [1, 3]


class TestTrimmed:
    def test_leaves_out_the_spaces_at_both_ends(self):
        assert passages.trimmed(" ab ", 0, 4) == (1, 3)

    @pytest.mark.parametrize(
        ("start", "end", "why"),
        [(0, 99, "outside"), (-1, 2, "outside"), (2, 2, "outside"), (0, 2, "empty")],
    )
    def test_refuses_what_is_no_passage(self, start, end, why):
        with pytest.raises(UnheldPassage, match=why):
            passages.trimmed("  ab", start, end)

    def test_refuses_what_is_too_long(self):
        with pytest.raises(UnheldPassage, match="long"):
            passages.trimmed("x" * 5000, 0, 5000)


class TestPlace:
    def test_names_page_and_paragraphs(self):
        start = TEXT.index("Second")

        place = passages.place(TEXT, start, TEXT.index("Third") + 6)

        assert (place.page, place.first, place.last, place.whole) == (1, 2, 3, True)

    def test_says_if_it_is_a_part(self):
        assert not passages.place(TEXT, 2, 5).whole


class TestPieces:
    def test_are_cut_where_passages_begin_and_end(self):
        [one] = passages.paragraphs("abcdef")

        assert passages.pieces(one, [(1, 3), (2, 4)]) == (
            ("a", False),
            ("b", True),
            ("c", True),
            ("d", True),
            ("ef", False),
        )

    def test_are_one_without_passages(self):
        [one] = passages.paragraphs("abc")

        assert passages.pieces(one, [(7, 9)]) == (("abc", False),)


class TestHolds:
    def test_does_not_mind_how_lines_are_broken(self):
        assert passages.holds("a\nb  c d", "b c")
        assert not passages.holds("a b d", "b c")
