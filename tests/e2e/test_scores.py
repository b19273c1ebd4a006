"""An analyst changes a weight, filters, opens a figure, and comes back to where they were."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from tests.e2e import deeds, sweeps
from tests.e2e.deeds import LONG

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

ROUND = "/p/northport/rounds/1/"
AT = f"{ROUND}results/"
SIZES = {True: (390, 844), False: (1440, 900)}


def query(page):
    return parse_qsl(urlsplit(page.url).query)


def computed(who):
    """Wait for the tables of the page; it loads itself again when they are there."""
    who.page.wait_for_selector("section.sec :is(.rank, table)", timeout=LONG * 1000)


def overall(page):
    return page.locator(".rank b.v > a").all_inner_texts()


class TestScores:
    def test_are_weighed_filtered_opened_and_come_back_to(self, enter):
        analyst = enter("noor")
        page = analyst.page
        deeds.wait_for_results(analyst, ROUND)
        before = overall(page)

        page.locator("details.weights > summary").click()
        page.get_by_label("Weight of General").fill("3")
        page.locator("details.weights").get_by_role("button", name="Apply").click()
        computed(analyst)

        assert query(page) == [("w.g-GENERAL", "3")]
        assert page.get_by_text("Weights changed.").first.is_visible()
        assert overall(page) != before

        page.locator("summary", has_text="Difficulty").click()
        page.get_by_label("intermediate").check()
        page.keyboard.press("Enter")
        page.wait_for_url("**difficulty=INTERMEDIATE**")
        computed(analyst)
        page.get_by_role("link", name="Breakdown", exact=True).click()
        computed(analyst)

        chosen = [("w.g-GENERAL", "3"), ("difficulty", "INTERMEDIATE")]
        assert query(page) == chosen
        assert page.get_by_role("link", name="Without Difficulty: intermediate").is_visible()

        fold = page.get_by_role("button", name="Parts of Logical reasoning", exact=True)
        parts = page.locator("tr[data-kind=difficulty]:visible")
        assert parts.count() == 0
        fold.focus()
        page.keyboard.press("ArrowRight")
        assert parts.count() == 1

        parts.first.locator("td a").first.click()
        page.wait_for_selector("section.graded")
        assert page.inner_text("h1") == "Logical reasoning · intermediate"
        assert page.locator("section.graded").count() == 1
        analyst.follow("Back")
        computed(analyst)

        assert urlsplit(page.url).path == f"{AT}breakdown/"
        assert query(page) == chosen
        assert parts.count() == 1  # what was open is open again

        page.get_by_role("link", name="Reset", exact=True).click()
        page.wait_for_url(lambda url: "w.g-GENERAL" not in url)
        computed(analyst)
        assert query(page) == chosen[1:]

    def test_that_cannot_be_weighed_so_say_why(self, enter):
        analyst = enter("noor")
        page = analyst.page
        deeds.wait_for_results(analyst, ROUND)

        page.locator("details.weights > summary").click()
        page.get_by_label("Weight of General").fill("-1")
        page.locator("details.weights").get_by_role("button", name="Apply").click()
        computed(analyst)

        assert "“-1” is no weight" in page.get_by_role("alert").inner_text()
        assert page.get_by_label("Weight of General").input_value() == "-1"

    @pytest.mark.parametrize("narrow", [True, False])
    @pytest.mark.parametrize(
        "path",
        [
            f"{AT}?difficulty=SIMPLE&w.g-GENERAL=0.5",
            pytest.param(f"{AT}?w.g-GENERAL=x", marks=pytest.mark.nightly),
            pytest.param(f"{AT}breakdown/", marks=pytest.mark.nightly),
            f"{AT}breakdown/?difficulty=DIFFICULT&priority=P3",
            f"{AT}items/?at_release=1",
        ],
    )
    def test_can_be_used_by_all(self, enter, path, narrow):
        width, height = SIZES[narrow]
        analyst = enter("noor", viewport={"width": width, "height": height}, color_scheme="dark")
        page = analyst.go(path)
        page.locator("[aria-busy=true]").wait_for(state="detached", timeout=LONG * 1000)
        page.wait_for_load_state("load")

        # A menu lies over what is below it.
        folded = page.locator("details:not(.drop)")
        folded.evaluate_all("all => all.forEach((one) => { one.open = true })")

        assert sweeps.faults(page, narrow=narrow, dark=True) == []
