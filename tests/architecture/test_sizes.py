"""Rooms stay small enough to be read in one go."""

import pytest

from tests.architecture import sources

MAX_LINES = 400
MAX_TEST_LINES = 600  # a module's tests stand in one file, whatever their number


class TestModules:
    @pytest.mark.parametrize("path", sources.modules(*sources.ROOMS, "tests"), ids=sources.name_of)
    def test_are_no_longer_than_the_house_allows(self, path):
        n_lines = len(path.read_text().splitlines())

        assert n_lines <= (
            MAX_TEST_LINES if sources.name_of(path).startswith("tests/") else MAX_LINES
        )

    def test_bear_a_name_of_the_domain(self):
        nowhere = {"utils", "helpers", "common", "misc", "signals"}

        assert [sources.name_of(path) for path in sources.modules() if path.stem in nowhere] == []
