"""The grading page is light: annotators open it all day, not all of them over a good line."""

import pytest

from tests.e2e.weight import weigh

pytestmark = pytest.mark.e2e
#: The request for the icon, which a browser without a window does not make, is left room for.
MOST_REQUESTS = 12
MOST_BYTES = 150_000


class TestGradingPage:
    def test_brings_few_and_little(self, room):
        here = room("weight", n_releases=4).sit()
        fresh = here.context.browser.new_context(storage_state=here.context.storage_state())

        try:
            found = weigh(fresh.new_page(), here.page.url)
        finally:
            fresh.close()

        assert found.n_requests <= MOST_REQUESTS, sorted(found.brought)
        assert found.n_bytes <= MOST_BYTES, found.brought

    def test_asks_for_nothing_but_itself_the_second_time(self, room):
        here = room("weight-again", n_releases=4).sit()

        found = weigh(here.page, here.page.url)

        assert list(found.brought) == [here.page.url]
