"""Files that are made to burst a reader cost neither the memory nor the time of the site."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.bombs import BOMBS

SECONDS, MEGABYTES = 5, 256


@pytest.mark.nightly
@pytest.mark.parametrize("name", BOMBS)
def test_is_refused_in_little_time_and_memory(name: str) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.bombs", name],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )

    assert told.returncode == 0, told.stderr[-2000:]
    seconds, megabytes = told.stdout.split()
    assert float(seconds) <= SECONDS
    assert int(megabytes) <= MEGABYTES
