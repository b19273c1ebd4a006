"""Rooms stay small enough to be read in one go."""

from tests.architecture import sources

MAX_LINES = 600


class TestModules:
    def test_are_no_longer_than_the_house_allows(self):
        long = {}
        for path in sources.modules(*sources.ROOMS, "tests"):
            name, n_lines = sources.name_of(path), len(path.read_text().splitlines())
            if n_lines > MAX_LINES:
                long[name] = n_lines

        assert long == {}

    def test_bear_a_name_of_the_domain(self):
        nowhere = {"utils", "helpers", "common", "misc", "signals"}

        assert [sources.name_of(path) for path in sources.modules() if path.stem in nowhere] == []
