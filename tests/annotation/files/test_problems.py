from annotation.files.cells import BadFile, FileProblem, excerpt


class TestProblem:
    def test_survives_being_stored(self):
        problem = FileProblem("two_versions", 3, "a", "Q1", {"first": "2"}, warning=True)

        assert FileProblem.from_dict(problem.as_dict()) == problem

    def test_is_carried_by_what_stops_reading(self):
        assert BadFile("broken_list", 7, ["x"], n="1").problem == FileProblem(
            "broken_list", 7, found="['x']", facts={"n": "1"}
        )


class TestExcerpt:
    def test_is_short_and_printable(self):
        assert excerpt("a\x00b\n") == "a�b "
        assert excerpt("x" * 100) == "x" * 80 + "…"
        assert excerpt(["a"]) == "['a']"
