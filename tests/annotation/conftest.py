"""Whatever the API answers in these tests is as its document promises."""

import pytest

from tests import answers


@pytest.fixture(autouse=True)
def held(request, monkeypatch):
    if request.path.stem.endswith("_api"):
        answers.hold(monkeypatch)
