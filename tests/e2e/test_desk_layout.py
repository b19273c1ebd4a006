"""The grading page as it is laid out: views, widths, the words of two versions, a flag."""

import re

import pytest

from annotation import models
from tests.e2e import sweeps
from tests.e2e.rooms import announced, await_next, in_focus, keys, ready, saved, select, token

pytestmark = pytest.mark.e2e


def view(page):
    return page.get_attribute("body", "data-view")


def write_long(here, n=400):
    with here.site.database():
        shown = models.RoundResponse.objects.filter(round_item__round=here.round)
        models.Display.objects.filter(pk__in=shown.values("display")).update(
            html="<p>" + "A long answer. " * n + "</p>"
        )


def width(page, selector):
    return round(page.locator(selector).bounding_box()["width"])


class TestReference:
    def test_is_a_sheet_over_the_responses_on_a_phone(self, room):
        page = room("layout-sheet").sit(viewport={"width": 390, "height": 844}).page
        reference = page.locator("#reference")

        assert not reference.is_visible()
        assert page.locator("#A").bounding_box()["y"] < 844
        page.get_by_role("button", name="Standard answer").click()
        assert reference.is_visible()
        page.keyboard.press("Escape")
        assert not reference.is_visible()

    def test_is_closed_by_its_button_and_comes_back_after_the_guide(self, room):
        page = room("layout-close").sit(viewport={"width": 390, "height": 844}).page
        reference = page.locator("#reference")
        page.get_by_role("button", name="Standard answer").click()
        reference.locator("[data-do=guide]").click()
        page.wait_for_selector("#guide-dialog[open]")
        page.keyboard.press("Escape")
        page.wait_for_function(
            "() => document.activeElement.matches('#reference:popover-open [data-do=guide]')"
        )
        reference.get_by_role("button", name="Close").click()
        assert not reference.is_visible()
        assert sweeps.faults(page, narrow=True, dark=False) == []

    def test_stands_beside_them_where_there_is_room(self, room):
        page = room("layout-beside").sit(viewport={"width": 1440, "height": 900}).page

        assert page.locator("#reference").is_visible()
        assert not page.get_by_role("button", name="Standard answer").is_visible()
        assert not page.locator("#reference").get_by_role("button", name="Close").is_visible()


class TestViews:
    def test_follow_the_length_until_somebody_chooses_and_go_with_the_grade(self, room):
        here = room("layout-views")
        who = here.sit()
        page = who.page
        assert view(page) == "columns"
        first = token(page)
        keys(page, "1", "1", "1", "Control+Enter")
        await_next(page, first)
        saved(page)
        write_long(here)
        page.reload()
        ready(who)
        assert view(page) == "stack"
        keys(page, "v", "v")
        assert view(page) == "focus"
        second = token(page)
        keys(page, "1", "1", "1", "Control+Enter")
        await_next(page, second)
        assert view(page) == "focus"
        saved(page)
        with here.site.database():
            views = dict(
                models.Grade.objects.filter(round=here.round).values_list(
                    "assignment__token", "view"
                )
            )
        assert views == {first: "columns", second: "focus"}

    @pytest.mark.parametrize(("n", "columns"), [(2, 2), (3, 3), (4, 2), (5, 3), (6, 3)])
    def test_have_two_or_three_columns(self, room, n, columns):
        page = room(f"layout-{n}", n_releases=n).sit(viewport={"width": 1440, "height": 900}).page
        assert view(page) == ("columns" if n <= 3 else "stack")
        if n > 3:
            keys(page, "v")
        tops = page.eval_on_selector_all(
            ".resp[id]", "all => all.map((one) => Math.round(one.getBoundingClientRect().top))"
        )
        assert tops.count(tops[0]) == columns

    def test_scroll_together_when_switched_on(self, room):
        here = room("layout-together")
        write_long(here)
        who = here.sit(viewport={"width": 1440, "height": 900})
        page = who.page
        keys(page, "v")
        assert view(page) == "columns"
        keys(page, "?")
        page.check("[data-switch=together]")
        keys(page, "Escape")
        page.evaluate("document.querySelector('#A [data-response]').scrollTop = 500")
        page.wait_for_function(
            "() => document.querySelector('#C [data-response]').scrollTop === 500"
        )
        assert sweeps.faults(page, narrow=False, dark=False) == []
        page.reload()
        ready(who)
        assert page.get_attribute("#A [data-response]", "tabindex") == "0"


class TestRail:
    def test_is_widened_by_keys_and_by_mouse_and_stays(self, room):
        who = room("layout-rail").sit(viewport={"width": 1440, "height": 900})
        page = who.page
        handle = page.get_by_role("separator", name="Width of the question")
        before = width(page, ".rail")
        assert handle.get_attribute("aria-valuenow") == str(before)
        handle.focus()
        keys(page, "ArrowRight", "ArrowRight")
        assert width(page, ".rail") == before + 48
        keys(page, "Home")
        assert width(page, ".rail") == 280
        box = handle.bounding_box()
        assert box["width"] >= 24
        page.mouse.move(box["x"] + 4, 400)
        page.mouse.down()
        page.mouse.move(500, 410)
        page.mouse.up()
        assert width(page, ".rail") == 500
        page.reload()
        ready(who)
        assert width(page, ".rail") == 500
        assert handle.get_attribute("aria-valuenow") == "500"

    def test_is_no_handle_on_a_narrow_page(self, room):
        page = room("layout-narrow").sit(viewport={"width": 1024, "height": 800}).page
        assert page.get_by_role("separator").count() == 0


class TestFoot:
    @pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
    def test_stands_at_the_lower_edge_however_short_the_responses_are(self, room, size):
        window = {"width": size[0], "height": size[1]}
        page = room(f"layout-foot-{size[0]}", n_releases=2).sit(viewport=window).page
        keys(page, "v", "v") if view(page) == "columns" else keys(page, "v")
        box = page.locator(".foot").bounding_box()
        assert round(box["y"] + box["height"]) == size[1]


class TestAdvance:
    def test_can_be_switched_off(self, room):
        page = room("layout-advance").sit().page
        keys(page, "?")
        page.uncheck("[data-switch=advance]")
        keys(page, "Escape", "Shift+A", "1")
        assert in_focus(page) == "A"


class TestTwoVersions:
    def test_show_words_and_comments_side_by_side(self, room):
        here = room("layout-merge")
        one, two = here.sit().page, here.sit().page
        select(one, "B", 6)
        keys(one, "e")
        one.click("#A [data-do=comment]")
        one.keyboard.type("Too short.")
        saved(one)
        select(two, "B", 3)
        keys(two, "e")
        two.click("#A [data-do=comment]")
        two.keyboard.type("Long enough.")
        two.wait_for_selector("#merge-dialog[open]")
        shown = two.inner_text("#merge-list")
        for words in ("“Answer”", "“Ans”", "Too short.", "Long enough.", "Here", "The other one"):
            assert words in shown
        assert not re.search(r"\[\[?0,", shown)
        boxes = two.locator("#merge-list fieldset").first.locator("label")
        tops = [boxes.nth(place).bounding_box()["y"] for place in range(2)]
        assert tops[0] == tops[1]
        assert sweeps.faults(two, narrow=True, dark=True) == []


class TestFlag:
    def test_goes_to_the_curator_with_the_grades(self, room):
        here = room("layout-flag")
        page = here.sit().page
        first = token(page)
        keys(page, "f")
        page.keyboard.type("Is 7 right?")
        saved(page)
        assert here.draft(first) == {"flag": "Is 7 right?"}
        keys(page, "Control+Enter")  # stays: nothing is graded
        announced(page, "A, B, C")
        keys(page, "1", "1", "1", "Control+Enter")
        await_next(page, first)
        saved(page)
        with here.site.database():
            flag = models.Remark.objects.flags().get(slot__assignment__token=first)
            assert (flag.text, flag.slot.position) == ("Is 7 right?", 0)


WIDE = (
    '<div class="wide" tabindex="0"><table><tbody><tr>'
    + "<td>Zwischenlagerungsgebühren</td>" * 5
    + "</tr></tbody></table></div>"
)
SCROLL_INTO = """(share) => {
  const one = document.querySelector("#B");
  scrollTo(0, one.offsetTop + share * (one.offsetHeight - innerHeight));
}"""
PLACE = "(name) => document.querySelector(name).getBoundingClientRect().toJSON()"


def write_answers(here, html):
    with here.site.database():
        shown = models.RoundResponse.objects.filter(round_item__round=here.round)
        models.Display.objects.filter(pk__in=shown.values("display")).update(html=html)


class TestAnAnswer:
    @pytest.mark.parametrize("table", [WIDE, re.sub("</?div[^>]*>", "", WIDE)])
    def test_with_a_wide_table_never_widens_a_phone(self, room, table):
        here = room(f"layout-table-{len(table)}")
        write_answers(here, table)
        page = here.sit(viewport={"width": 390, "height": 844}).page

        assert page.evaluate("document.documentElement.scrollWidth") == 390
        submit = page.locator("[data-submit]").bounding_box()
        assert submit["x"] + submit["width"] <= 390

    @pytest.mark.parametrize(("width", "criteria"), [(1440, 1), (1440, 3), (390, 1), (390, 3)])
    def test_that_is_long_keeps_its_marks_in_view(self, room, width, criteria):
        names = ("truth", "style", "tone")[:criteria]
        here = room(f"layout-marks-{width}-{criteria}", criteria=names)
        write_answers(here, "<p>A long answer.</p>" * 200)
        page = here.sit(viewport={"width": width, "height": 844}).page
        assert view(page) == "stack"

        for share in (0.1, 0.5, 0.9):
            page.evaluate(SCROLL_INTO, share)
            marks, foot = page.evaluate(PLACE, "#B .marks"), page.evaluate(PLACE, ".foot")
            assert marks["top"] >= 48
            assert marks["bottom"] <= foot["top"] + 1
            assert page.locator("#B .mark label").first.is_visible()

    def test_keeps_its_marks_in_view_side_by_side(self, room):
        here = room("layout-marks-columns")
        write_answers(here, "<p>A long answer.</p>" * 200)
        page = here.sit(viewport={"width": 1440, "height": 844}).page
        keys(page, "v")
        assert view(page) == "columns"

        page.evaluate("scrollTo(0, 2000)")

        letter, marks = page.evaluate(PLACE, "#B .letter"), page.evaluate(PLACE, "#B .marks")
        assert 48 <= round(letter["top"]) < marks["top"] < marks["bottom"] < 400

    def test_runs_as_its_own_letters_do(self, room):
        here = room("layout-direction")
        write_answers(here, "<p>مرحبا بالعالم</p>")
        page = here.sit().page

        direction = "(one) => getComputedStyle(one).direction"
        assert page.locator("#A [data-response]").evaluate(direction) == "rtl"
        assert page.locator(".ask").first.evaluate(direction) == "ltr"


class TestTheFirstLevel:
    def test_has_no_ring_before_a_key_moves_it(self, room):
        who = room("layout-ring").sit()
        page = who.page
        ring = "() => getComputedStyle(document.activeElement.closest('label')).outlineStyle"

        assert in_focus(page) == "A"
        assert page.evaluate(ring) == "none"
        keys(page, "1")
        assert page.evaluate(ring) == "none"
        keys(page, "ArrowRight")
        assert page.evaluate(ring) == "solid"
        page.reload()
        ready(who)
        assert page.evaluate(ring) == "none"
