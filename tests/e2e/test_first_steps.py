"""The guided first visit, by keyboard alone."""

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

HOME = "/p/northport/"
AMONG = "!!document.activeElement.closest('[data-first-steps]')"
MOST_TABS = 60


def reach(page, there: str) -> None:
    """Go on with Tab until the focus is there."""
    for _tab in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate(there):
            return
    raise AssertionError(f"Tab does not lead to {there}")


def press_enter(page) -> None:
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press("Enter")


class TestFirstSteps:
    def test_are_put_away_with_escape_and_brought_back_from_the_menu(self, enter):
        ravi = enter("ravi")
        page = ravi.go(HOME)
        reach(page, AMONG)

        with page.expect_navigation(wait_until="load"):
            page.keyboard.press("Escape")
        put_away = page.locator("#first-steps").count() == 0
        reach(page, "document.activeElement.href?.endsWith('/first-steps/')")
        press_enter(page)
        reach(page, "document.activeElement.textContent.includes('Show on Home')")
        press_enter(page)

        assert put_away
        assert ravi.path == HOME
        assert page.locator("#first-steps").is_visible()

    def test_lead_to_a_page_and_say_there_what_to_look_at(self, enter):
        ravi = enter("ravi")
        page = ravi.go(HOME)

        reach(page, "document.activeElement.textContent.startsWith('Inspection')")
        press_enter(page)
        said = page.get_by_role("status").filter(has_text="See the queue.")
        said_there = said.is_visible()
        ravi.go(f"{HOME}first-steps/")

        # He has inspected and checked before: this was all that was left.
        assert said_there
        assert page.get_by_text("All done.").is_visible()

    def test_leave_escape_alone_where_the_focus_is_elsewhere(self, enter):
        tilde = enter("tilde")
        page = tilde.go(HOME)

        page.keyboard.press("Escape")
        page.wait_for_timeout(300)
        tilde.go(HOME)

        assert page.locator("#first-steps").is_visible()

    def test_have_no_key_on_the_grading_page(self, enter):
        lena = enter("lena")
        lena.page.locator(".btn.go").first.click()
        lena.page.locator("body.with-script").wait_for()

        assert lena.page.locator("#first-steps, script[src*=first_steps]").count() == 0

    def test_tell_the_loop_of_the_demo_and_every_part_is_there(self, enter):
        noor = enter("noor")
        page = noor.go(HOME)
        parts = page.locator(".story a")
        told = parts.all_inner_texts()
        addresses = parts.evaluate_all("all => all.map((one) => one.getAttribute('href'))")

        for address in addresses:
            noor.go(address)

        assert told == [
            "The bank",
            "A round, graded blind",
            "Disputes, settled",
            "Why scores moved",
            "Systems, interviewed",
            "People rate the same",
            "Judges with assistants",
            "Judges vs people",
            "A suite and its gates",
        ]
