"""The pages that people print: whole tables, and nothing that can only be pressed."""

import pytest

from tests.e2e import deeds
from tests.e2e.test_scores import ROUND, computed

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
#: A sheet of A4 within its margins.
SHEET = {"width": 686, "height": 1000}
PRESSED = ".side, .crumb, .tabs, .pager, .filters, .btn, .drop, .files, .peek"
CUT_OFF = """
[...document.querySelectorAll("main .scroll, main table")]
  .filter((one) => one.offsetParent && one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => one.ariaLabel || one.className)
"""


class TestPaper:
    @pytest.mark.parametrize("path", ["", "bank/", "rounds/1/results/", "judges/people/"])
    def test_holds_whole_tables_without_what_is_pressed(self, enter, path):
        analyst = enter("noor")
        deeds.wait_for_results(analyst, ROUND)
        page = analyst.go(f"/p/northport/{path}")
        if "results" in path or "judges" in path:
            computed(analyst)
        page.set_viewport_size(SHEET)
        page.emulate_media(media="print")

        assert not [one for one in page.locator(PRESSED).all() if one.is_visible()]
        assert page.evaluate(CUT_OFF) == []
