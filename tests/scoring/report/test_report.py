import tomllib

import evalsite
from scoring.report.queries import OF_PEOPLE, PICTURES_OF_PEOPLE
from scoring.results.pictures import PICTURES
from scoring.results.sheets import SHEETS
from tests.architecture import sources


class TestReport:
    def test_knows_the_version_that_makes_it(self):
        project = tomllib.loads((sources.ROOT / "pyproject.toml").read_text())["project"]

        assert project["version"] == evalsite.VERSION

    def test_knows_which_tables_and_plots_are_of_single_annotators(self):
        assert set(SHEETS) >= OF_PEOPLE
        assert set(PICTURES) >= PICTURES_OF_PEOPLE
