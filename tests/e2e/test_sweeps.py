"""What looks at pages sees what is wrong with them."""

import pytest

from tests.e2e import sweeps

pytestmark = pytest.mark.e2e

PAGE = """<!doctype html><html lang="en"><title>Quay</title><body style="margin: 0"><main><h1>Quay</h1>
<p>{buttons}</p></main></body></html>"""
BUTTON = '<button style="{style}">{name}</button>'


@pytest.fixture
def looked_at(chromium):
    """Return what is wrong with a page of these buttons."""
    page = chromium.new_page()

    def look(style):
        buttons = "".join(BUTTON.format(style=style, name=name) for name in "AB")
        page.set_content(PAGE.format(buttons=buttons))
        return sweeps.faults(page, narrow=False, dark=False)

    yield look
    page.close()


class TestFaults:
    def test_name_a_target_that_is_too_small(self, looked_at):
        found = looked_at(
            "width: 12px; height: 12px; padding: 0; margin: 0; border: 0; font-size: 8px"
        )

        assert [one for one in found if one.startswith("target-size")]

    def test_name_what_makes_the_page_wider(self, looked_at):
        assert looked_at("width: 1500px; height: 40px")[0].startswith("too wide")
