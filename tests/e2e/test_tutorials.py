"""The tutorials can be followed: each step, in the order it is written, on a demo nobody has touched."""

import pytest

from tests.e2e import tutorials
from tests.e2e.site import Site, free_port

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

PAGES = sorted(path for path in tutorials.FOLDER.glob("*.md") if "<!-- as:" in path.read_text())
#: Waits for many figures, and is followed at night.
LONG = {"analyst"}


@pytest.fixture(scope="module")
def untouched(tmp_path_factory, demo):
    """A site of its own: tutorials change the demo, and expect it as it comes."""
    site = Site(tmp_path_factory.mktemp("tutorials"), free_port())
    site.fill(demo)
    with site.running():
        yield site


class TestFollowing:
    @pytest.mark.parametrize(
        "path",
        [
            pytest.param(one, marks=[pytest.mark.nightly] if one.stem in LONG else [], id=one.stem)
            for one in PAGES
        ],
    )
    def test_works_to_the_end(self, path, untouched, chromium):
        tutorial = tutorials.read(path)
        context = chromium.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.set_default_timeout(tutorials.SLOW)
        page.goto(f"{untouched.url}/login/")
        page.fill("input[name=username]", tutorial.person)
        page.fill("input[name=password]", untouched.password)
        page.press("input[name=password]", "Enter")
        page.wait_for_url(lambda there: "/login" not in there)
        try:
            tutorials.follow(page, tutorial)
        finally:
            context.close()

        assert untouched.errors() == []
