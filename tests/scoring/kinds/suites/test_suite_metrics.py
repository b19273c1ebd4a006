import sys
import types

import pytest

from scoring.kinds.suites import keeping as suite_metrics
from scoring.kinds.suites import queries as suite_catalogue


@pytest.fixture
def own(settings):
    """A module of an organisation's own, named in the settings."""

    def shouts(text: str) -> bool:
        """Return whether the text is in capitals."""
        return text.isupper()

    def string_length(text: str) -> int:
        return 0

    made = types.ModuleType("own_metrics")
    for one in (shouts, string_length):
        one.__module__ = made.__name__
        setattr(made, one.__name__, one)
    sys.modules[made.__name__] = made
    settings.METRIC_MODULES = ["own_metrics", "not_there"]
    suite_metrics.forget()
    yield
    suite_metrics.forget()
    del sys.modules[made.__name__]


class TestAvailable:
    def test_holds_an_organisations_own_beside_the_built_in_ones(self, own):
        found = suite_metrics.available()

        assert suite_metrics.own() == {"shouts"}
        assert found["shouts"].about == "Return whether the text is in capitals."
        assert not found["string_length"].takes_text  # one of its own never replaces a built-in one

    def test_says_what_is_wrong_with_modules_that_cannot_be_used(self, own):
        left_out, missing = suite_metrics.problems()

        assert "“string_length” of “own_metrics” is left out" in left_out
        assert "“not_there” cannot be used: No module named" in missing

    def test_takes_those_of_an_installed_package(self, tmp_path, monkeypatch):
        (tmp_path / "house_metrics.py").write_text(
            "def whispers(text: str) -> bool:\n    'Say whether a text is in small letters.'\n"
            "    return text.islower()\n"
        )
        told = tmp_path / "house_metrics-1.0.dist-info"
        told.mkdir()
        (told / "METADATA").write_text("Metadata-Version: 2.1\nName: house-metrics\nVersion: 1.0\n")
        (told / "entry_points.txt").write_text("[evalsite.metrics]\nhouse = house_metrics\n")
        monkeypatch.syspath_prepend(tmp_path)
        suite_metrics.forget()

        found = suite_metrics.own()
        suite_metrics.forget()

        assert found == {"whispers"}


class TestLines:
    def test_end_with_those_of_the_organisation(self, own):
        last = suite_catalogue.lines()[-1]

        assert (last.metric.name, last.is_own, last.given) == ("shouts", True, "")
        assert last.yaml == "- {name: shouts, metric_level: Message}"


class TestGrouped:
    def test_has_every_metric_once_and_those_of_the_organisation_at_the_end(self, own):
        found = suite_catalogue.grouped()

        names = [one.metric.name for _title, lines in found for one in lines]
        assert sorted(names) == sorted(suite_metrics.available())
        assert found[-1][0] == "Of your organisation"

    def test_knows_where_each_built_in_one_belongs(self):
        placed = {name for _title, names in suite_catalogue.GROUPS for name in names}

        assert set(suite_metrics.available()) <= placed
