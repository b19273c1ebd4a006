"""The palette, the menu on a phone, keys and looks: what a person's hands do with the shell."""

import re

import pytest

from tests.e2e.rooms import keys, token

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]


class TestPalette:
    def test_goes_where_one_asks_by_keyboard_alone(self, enter):
        ines = enter("ines")
        page = ines.page

        page.keyboard.press("Control+k")
        field = page.get_by_role("combobox", name="Search or go to")
        field.wait_for()
        page.keyboard.type("NP-00")
        page.get_by_role("option", name=re.compile("^NP-001 What")).wait_for()
        page.keyboard.press("ArrowDown")
        chosen = page.get_by_role("option", selected=True)

        assert field.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
        assert page.get_by_role("option").nth(1).get_attribute("aria-selected") == "true"
        with page.expect_navigation(wait_until="load"):
            page.keyboard.press("Enter")
        assert "/bank/" in ines.path

    def test_closes_and_gives_the_focus_back(self, enter):
        page = enter("ines").page
        button = page.get_by_role("link", name=re.compile("^Search")).first

        button.focus()
        button.press("Enter")
        page.locator("dialog.palette[open]").wait_for()
        page.keyboard.type("zzzzz")
        page.get_by_text("Nothing found that you may see.").wait_for()
        page.keyboard.press("Escape")

        assert page.locator("dialog.palette[open]").count() == 0
        assert page.evaluate("document.activeElement.matches('a[data-palette]')")

    def test_leaves_keys_to_the_field_one_writes_in(self, enter):
        page = enter("ines").go("/p/northport/bank/")

        page.locator("[name=text]").press("Control+k")
        page.wait_for_timeout(300)

        assert page.locator("dialog.palette").count() == 0

    def test_is_fetched_by_the_grading_page_when_asked_for_only(self, enter):
        lena = enter("lena")
        scripts: list[str] = []
        lena.page.on("request", lambda request: scripts.append(request.url))
        lena.page.locator(".btn.go").first.click()
        lena.page.locator("body.with-script").wait_for()
        before = [one for one in scripts if "palette" in one]
        lena.page.keyboard.press("Control+k")
        lena.page.locator("dialog.palette[open]").wait_for()
        graded = lena.page.locator("input[type=radio]:checked").count()
        lena.page.keyboard.type("2 my")
        lena.page.get_by_text("Nothing found that you may see.").wait_for()

        assert before == []
        assert len([one for one in scripts if "palette" in one]) == 1
        assert lena.page.locator("input[type=radio]:checked").count() == graded

    def test_is_a_plain_page_without_scripts(self, enter):
        amara = enter("amara", java_script_enabled=False)

        amara.follow(re.compile("^Search"))
        amara.page.fill("#search-words", "NP-003")
        amara.press("Search")

        assert amara.page.get_by_role("link", name=re.compile("^NP-003")).is_visible()


class TestMenuOnAPhone:
    def test_opens_over_the_page_and_leads_on(self, enter):
        ines = enter("ines", viewport={"width": 390, "height": 844})

        ines.page.get_by_role("button", name="Menu").click()
        ines.follow("Rounds")

        assert ines.path == "/p/northport/rounds/"


class TestPreferences:
    def test_keep_a_key_and_refuse_one_that_is_taken(self, enter):
        mei = enter("mei")
        page = mei.go("/account/preferences/")
        field = page.get_by_label("Key: Next response")

        field.focus()
        field.press("k")
        assert "K is taken: Previous response" in page.get_by_role("alert").inner_text()
        field.press("q")
        page.reload()

        assert page.get_by_label("Key: Next response").input_value() == "Q"
        page.get_by_label("Press a key here").press("q")
        assert page.locator("[data-says]").inner_text() == "Next response"

    def test_switch_keys_off_one_by_one_and_all_together(self, enter):
        page = enter("kofi").go("/account/preferences/")

        page.get_by_role("button", name="Off: Pause").click()
        assert page.get_by_label("Key: Pause").input_value() in {"off", "press a key"}
        page.get_by_label("Single keys").uncheck()
        assert page.evaluate("localStorage.getItem('evalsite-keys')") == "null"
        page.get_by_label("Single keys").check()
        kept = page.evaluate("JSON.parse(localStorage.getItem('evalsite-keys'))")
        assert kept == {"pause": ""}
        page.get_by_role("button", name="Default keys").click()
        assert page.get_by_label("Key: Pause").input_value() == "P"

    def test_set_the_theme_at_once(self, enter):
        page = enter("jonas").go("/account/preferences/")

        page.get_by_label("Dark", exact=True).check()
        page.reload()

        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        assert page.get_by_label("Dark", exact=True).is_checked()

    def test_say_plainly_that_they_need_a_script(self, enter):
        kofi = enter("kofi", java_script_enabled=False)

        page = kofi.go("/account/preferences/")

        assert "These settings need scripts." in page.locator("main").inner_text()
        assert not page.get_by_label("Single keys").is_visible()


class TestWhatADeviceStillKeeps:
    def test_is_sent_from_the_list(self, room):
        here = room("shell-unsent")
        page = here.sit().page
        first = token(page)
        # The line to the server is cut for the page of the question only.
        page.context.route(
            "**/draft/",
            lambda route: route.abort() if first in route.request.frame.url else route.continue_(),
        )
        keys(page, "2")
        page.locator("[data-save][data-state=offline], [data-save][data-state=retrying]").wait_for()
        assert here.draft(first) == {}

        page.goto(re.sub(r"grade/.*", "grade/", page.url))
        page.get_by_text("Everything is sent").wait_for()

        assert here.draft(first) == {"mark/A/grade": "2"}
        page.reload()
        page.wait_for_timeout(500)
        assert page.locator("#unsent").is_hidden()
