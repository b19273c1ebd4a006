import pytest

from annotation.sources import rules as excerpts

TEXT = "Before it. " * 100 + "The set point  stays\nas it is." + " After it." * 100


class TestAround:
    @pytest.mark.parametrize(
        "locator", ["set point stays", "“Set point stays”", "SET POINT  stays."]
    )
    def test_cuts_out_what_stands_at_the_place(self, locator):
        found = excerpts.around(TEXT, locator, size=20)

        assert found.place == "set point  stays"
        assert (found.before, found.after) == ("it. Before it. The ", "\nas it is. After it.")
        assert found.cut_before
        assert found.cut_after

    def test_says_when_nothing_was_cut(self):
        found = excerpts.around("A handbook of ours.", "handbook")

        assert (found.before, found.place, found.after) == ("A ", "handbook", " of ours.")
        assert not found.cut_before
        assert not found.cut_after

    @pytest.mark.parametrize("locator", ["", "p. 3", "§ 7.3", "nowhere at all", "7"])
    def test_shows_the_beginning_of_what_it_cannot_find(self, locator):
        found = excerpts.around(TEXT, locator, size=20)

        assert (found.before, found.place) == (TEXT[:39], "")
        assert not TEXT[39].strip()
        assert found.cut_after
        assert not found.cut_before

    def test_finds_a_locator_that_is_long_enough_to_be_no_mere_number(self):
        assert excerpts.around("See UN 3480 there.", "UN 3480").place == "UN 3480"


class TestCut:
    def test_gives_what_stands_around_two_places(self):
        found = excerpts.cut("abcdef", 2, 4, 1)

        assert (found.before, found.place, found.after) == ("b", "cd", "e")
        assert found.cut_before
        assert found.cut_after

    def test_begins_and_ends_with_a_whole_word(self):
        found = excerpts.cut("Item 7.2 says when it holds.", 9, 13, size=3)

        assert (found.before, found.place, found.after) == ("", "says", "")
        assert excerpts.cut("Item 7.2 says when it holds.", 9, 13, size=4).before == "7.2 "

    def test_keeps_a_text_without_spaces_as_it_is_cut(self):
        found = excerpts.cut("一二三四五六七八九十" * 20, 100, 110, size=60)

        assert (len(found.before), len(found.after)) == (60, 60)
