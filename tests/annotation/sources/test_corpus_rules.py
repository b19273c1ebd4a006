from annotation.sources import rules as corpus


class TestSeesAll:
    def test_is_for_those_who_keep_inspect_or_analyse(self):
        assert corpus.sees_all({"DESIGNER", "INSPECTOR"})
        assert not corpus.sees_all({"DESIGNER"})


class TestTidy:
    def test_keeps_one_kind_of_line_break_and_composed_letters(self):
        assert corpus.tidy("a\r\nb\rc\x00 e\u0301") == "a\nb\nc é"
