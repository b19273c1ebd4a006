"""The web process stays light: the libraries that compute figures live in the insight worker."""

import json
import subprocess
import sys

import pytest

from tests.architecture import sources

# Dotted names of functions that crawl the site inside the fresh process.
CRAWLS: list[str] = ["tests.scoring.crawl.read_results"]


class TestTheWebProcess:
    @pytest.mark.parametrize(
        "crawls",
        [
            pytest.param([]),
            pytest.param(CRAWLS, marks=[pytest.mark.nightly, pytest.mark.timeout(600)]),
        ],
        ids=["loaded", "crawled"],
    )
    def test_imports_no_analysis_library(self, crawls):
        run = subprocess.run(
            [sys.executable, "-m", "tests.architecture.web_process", *crawls],
            cwd=sources.ROOT,
            capture_output=True,
            text=True,
            check=False,
        )

        assert run.returncode == 0, run.stderr
        found = json.loads(run.stdout)
        assert found["heavy"] == []
        assert found["later"] == []
        assert not found["driver"], "the driver of a database that is not in use"
