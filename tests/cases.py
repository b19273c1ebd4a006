"""Small files as people have them, outside the repository, found through EVALSITE_CASES."""

import os
from pathlib import Path

import pytest


def folder() -> Path:
    """Return the folder of files: skip where none is named, fail where it is gone."""
    named = os.environ.get("EVALSITE_CASES")
    if not named:
        pytest.skip("EVALSITE_CASES is not set: the files as people have them are elsewhere.")
    path = Path(named) / "files"
    if not path.is_dir():
        pytest.fail("EVALSITE_CASES names a folder without files/.")
    return path


def file(name: str) -> Path:
    """Return one of the files by its name."""
    return folder() / name
