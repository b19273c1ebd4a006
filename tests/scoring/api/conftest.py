"""Whatever the API answers in these tests is as its document promises."""

import pytest

from tests import answers


@pytest.fixture(autouse=True)
def held(monkeypatch):
    answers.hold(monkeypatch)
