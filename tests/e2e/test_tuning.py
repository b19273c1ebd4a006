"""A judge is tuned on part of a final round of the demo, locked, and measured once on the rest."""

import pytest

from tests.e2e import sweeps
from tests.e2e.deeds import LONG

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
AT = "/p/northport/judges/tune/"
PHONE = {"viewport": {"width": 390, "height": 844}}


def figure(who, version):
    """Wait until a version stands in the table with its agreement; return it."""
    row = who.page.locator(
        "#versions tr", has=who.page.get_by_role("link", name=f"v{version}", exact=True)
    )
    cell = row.locator("td b")
    cell.wait_for(timeout=LONG * 1000)
    return float(cell.inner_text().replace("−", "-"))


class TestTuning:
    def test_goes_from_the_split_to_one_fair_figure(self, enter):
        curator = enter("amara")
        page = curator.page
        curator.go(f"{AT}new/")
        page.get_by_label("Round", exact=True).select_option(label="Spring comparison")
        curator.press("Choose")
        page.get_by_label("Name", exact=True).fill("Port reader")
        page.get_by_label("Endpoint", exact=True).select_option("Scripted")
        page.get_by_label("Questions set aside, in percent").fill("50")
        curator.press("Split the round and begin")
        assert page.get_by_text("6 questions are set aside").is_visible()

        curator.press("Try it")
        page.locator("article.case").first.wait_for(timeout=LONG * 1000)
        figure(curator, 1)
        assert "on the practice answers" in page.inner_text("h1")

        case = page.locator("article.case").first
        title = case.locator("header b").inner_text()
        page.get_by_label("Instructions").fill("Be strict about amounts.")
        with page.expect_navigation(wait_until="load"):
            case.get_by_role("button", name="Use as an example").click()
        assert page.get_by_label("Instructions").input_value() == "Be strict about amounts."
        page.locator("label[for^=reason-]", has_text=title).wait_for()
        n_left = page.locator("article.case").count()
        with page.expect_navigation(wait_until="load"):
            page.get_by_role("button", name="The judge is right").first.click()
        assert page.locator("article.case").count() == n_left - 1
        assert page.get_by_role("link", name="Set aside 1").is_visible()

        page.get_by_label("What changed").fill("Amounts count")
        curator.press("Save and try")
        figure(curator, 2)
        page.reload()
        curator.press("Finish with version 2 and measure")
        for _look in range(60):
            if page.get_by_role("heading", name="Measured").count():
                break
            page.wait_for_timeout(2000)
            page.reload()

        assert "on questions it was not tuned on" in page.inner_text("h1")
        assert page.get_by_text("Optimism of practice").is_visible()
        assert page.get_by_text("Opened 1 time.").is_visible()
        assert page.get_by_role("button", name="Use as an example").count() == 0
        assert curator.foreign() == []

        curator.follow("Judge vs people")
        page.locator("#figures[aria-busy]").wait_for(state="detached", timeout=LONG * 1000)
        assert page.get_by_text("Without questions it was tuned on.").is_visible()

    def test_can_be_used_by_all(self, enter):
        """The demo has one that is being tuned, with two versions."""
        curator = enter("amara", **PHONE)
        page = curator.page
        curator.go(f"{AT}1/")
        figure(curator, 2)
        page.reload()

        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert sweeps.faults(page, narrow=True, dark=False) == []
        assert sweeps.faults(page, narrow=False, dark=True) == []
