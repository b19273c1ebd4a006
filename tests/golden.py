"""Known answers that live outside the repository, found through EVALSITE_GOLDEN."""

import os
from pathlib import Path

import pytest


def folder() -> Path:
    """Return the folder of known answers: skip where none is named, fail where it is gone."""
    named = os.environ.get("EVALSITE_GOLDEN")
    if not named:
        pytest.skip("EVALSITE_GOLDEN is not set: known answers are elsewhere.")
    path = Path(named)
    if not path.is_dir():
        pytest.fail("EVALSITE_GOLDEN names a folder that does not exist.")
    return path
