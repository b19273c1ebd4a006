"""An analyst explores tables of a round; the policy of the site holds, and the figure is drawn."""

import pytest

from tests.e2e import deeds, sweeps

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
ROUND = "/p/northport/rounds/1/"
EXPLORE = f"{ROUND}results/explore/"


def opened(who, query=""):
    who.go(f"{EXPLORE}{query}")
    who.page.locator("#figures[aria-busy]").wait_for(state="detached", timeout=240_000)
    who.page.wait_for_load_state()
    who.page.locator("[data-figure] .main-svg").first.wait_for()
    return who.page


class TestExplore:
    def test_draws_what_is_chosen_and_keeps_it_in_the_address(self, enter):
        analyst = enter("noor")
        deeds.wait_for_results(analyst, ROUND)
        page = opened(analyst)
        assert page.locator(".scatterlayer .trace").count() > 1

        page.get_by_label("Draw").select_option("mean")
        page.get_by_label("Only").select_option("system")
        page.locator("[name=value]").select_option(index=1)

        assert page.locator(".barlayer .trace").count() == 1
        assert "kind=mean" in page.url
        assert "where=system" in page.url
        assert analyst.foreign() == []

        page.reload()
        page.locator(".barlayer .trace").first.wait_for()
        assert page.get_by_label("Draw").input_value() == "mean"

    def test_saves_pictures(self, enter):
        analyst = enter("noor")
        page = opened(analyst, "?table=grades&kind=box")

        for form in ("svg", "png"):
            with page.expect_download() as saving:
                page.get_by_role("button", name=form.upper()).click()
            assert saving.value.suggested_filename == f"grades.{form}"

    def test_can_be_used_by_all(self, enter):
        analyst = enter("noor")
        page = opened(analyst)

        assert sweeps.faults(page, narrow=False, dark=False) == []
        assert sweeps.faults(page, narrow=True, dark=True) == []

    def test_shows_the_table_without_scripts(self, enter):
        visitor = enter("noor", java_script_enabled=False)
        visitor.go(f"{EXPLORE}?table=grades")

        assert visitor.page.get_by_text("The figure needs JavaScript").is_visible()
        assert visitor.page.locator("table.values tbody tr").count() > 10
