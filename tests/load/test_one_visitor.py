"""One visitor stops nobody: slow ones and files at the limit, beside somebody with 100 rows."""

import pytest

from benchmarks import one_visitor
from evalsite.front.incoming import HEAD_SECONDS

pytestmark = [pytest.mark.load, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def found():
    with one_visitor.site() as here:
        yield one_visitor.measured(here, mb=250, n_slow=40)


class TestSlowVisitors:
    def test_leave_the_page_to_sign_in_to_others(self, found):
        # Whoever stood behind a slow visitor would wait until that one is given up. How long it does take is
        # measured (`python -m benchmarks.one_visitor`), on a machine that does nothing else.
        assert max(found.slow) < HEAD_SECONDS


class TestEightFilesAtTheLimit:
    def test_are_taken_on_and_wait(self, found):
        assert found.answers == [202] * one_visitor.N_FILES
        assert found.still_waiting > 0

    def test_leave_the_page_to_sign_in_to_others(self, found):
        assert max(found.files) < HEAD_SECONDS

    def test_leave_the_worker_to_others(self, found):
        assert found.rows <= one_visitor.ROWS_S
        assert found.large <= one_visitor.ROWS_S
