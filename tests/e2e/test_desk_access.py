"""The grading page for everybody: any width, any size of text, by keyboard, by its names alone."""

import re

import pytest

from tests.e2e import sweeps
from tests.e2e.access import COVERED, WHERE
from tests.e2e.rooms import announced, keys, token

pytestmark = pytest.mark.e2e
AT_NIGHT = pytest.mark.nightly

NAMES = """() => [...document.querySelectorAll("fieldset.mark")].map((one) =>
  one.querySelector("legend").textContent)"""


class TestAccess:
    def test_no_fault_in_any_dialog_width_or_theme(self, room):
        page = room("desk-axe", criteria=("truth", "style")).sit().page
        found = {}
        for dialog in ("", "keys", "guide", "pause", "refused"):
            if dialog:
                page.evaluate("(id) => document.getElementById(id).showModal()", f"{dialog}-dialog")
            for narrow in (False, True):
                for dark in (False, True):
                    if bad := sweeps.faults(page, narrow=narrow, dark=dark):
                        found[dialog, narrow, dark] = bad
            if dialog:
                keys(page, "Escape")
        assert found == {}

    @pytest.mark.parametrize("view", ["stack", "columns", "focus"])
    def test_fits_any_width(self, room, view):
        page = room(f"desk-fit-{view}").sit().page
        while page.get_attribute("body", "data-view") != view:
            keys(page, "v")
        # The last is 1280 × 1024 enlarged to 400 %.
        for width, height in ((1440, 900), (390, 844), (320, 640), (320, 256)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate(sweeps.TOO_WIDE) == [], (width, height)

    @pytest.mark.parametrize(
        "size",
        [
            (1440, 900),
            pytest.param((390, 844), marks=AT_NIGHT),
            pytest.param((320, 640), marks=AT_NIGHT),
            (320, 256),
        ],
    )
    def test_focus_is_seen_and_not_covered(self, room, size):
        page = room(f"desk-focus-{size[0]}-{size[1]}", n_releases=6).sit().page
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        hidden = []
        for _step in range(70):
            keys(page, "Tab")
            if bad := page.evaluate(COVERED):
                hidden.append(bad)
        for _step in range(70):
            keys(page, "Shift+Tab")
            if bad := page.evaluate(COVERED):
                hidden.append(bad)
        for _step in range(6):
            keys(page, "j")
            if bad := page.evaluate(COVERED):
                hidden.append(bad)
        assert hidden == []

    def test_focus_goes_through_and_out_again(self, room):
        page = room("desk-trap", n_releases=2).sit().page
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        seen = []
        for _step in range(120):
            keys(page, "Tab")
            seen.append(page.evaluate(WHERE))
            if seen.count(seen[0]) == 2:
                break
        assert seen[-1] == seen[0], seen[-5:]  # round once, past the end of the page
        stops = (
            'class="rail"',
            "mark-A-grade",
            "mark-B-grade",
            'popovertarget="skip"',
            "data-submit",
        )
        ring = seen[:-1]  # Tab goes on from where the focus was
        first = next(n for n, one in enumerate(ring) if stops[0] in one)
        ring = ring[first:] + ring[:first]
        places = [next(n for n, one in enumerate(ring) if inside in one) for inside in stops]
        assert places == sorted(places)  # as they are read

    def test_every_target_is_large_enough(self, room):
        page = room("desk-targets", criteria=("truth", "style"), n_releases=4).sit().page
        for size in ((1440, 900), (390, 844)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            assert page.evaluate(SMALL) == [], size

    def test_text_can_be_four_times_as_large(self, room):
        page = room("desk-zoom").sit(viewport={"width": 1280, "height": 1024}).page
        page.evaluate("document.documentElement.style.fontSize = '64px'")
        page.set_viewport_size({"width": 1280, "height": 1023})
        page.wait_for_selector("body[data-low]")  # the page has seen how high its bars are now
        assert page.evaluate(sweeps.TOO_WIDE) == []
        keys(page, "1")
        assert page.evaluate(COVERED) is None

    def test_tree_names_every_group_and_the_status(self, room):
        page = room("desk-tree", criteria=("truth", "style")).sit().page
        seen = page.locator("main").aria_snapshot()
        for letter in "ABC":
            assert f'article "Response {letter}"' in seen
            for name in ("truth", "style"):
                assert re.search(rf'group "{letter}: {name}"', seen, re.IGNORECASE), seen
        assert page.get_by_role("radio").count() == 3 * 2 * 3
        named = re.findall(r'radio "(\d \D[^"]*)"', page.get_by_role("main").aria_snapshot())
        assert len(named) == 3 * 2 * 3  # each says its number and its word
        assert {one[:9] for one in named} == {"0 Level 0", "1 Level 1", "2 Level 2"}
        assert page.get_by_role("status").count() >= 2
        keys(page, "1")
        announced(page, "A: 1")


#: What can be pressed and is smaller than 24 by 24 px (WCAG 2.2, 2.5.8), links in text apart.
SMALL = """
() => [...document.querySelectorAll("button, a, select, input, textarea, summary, [role=separator]")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }))
  .filter((one) => !one.closest(".skip, .sr, .prose, dialog:not([open])"))
  .map((one) => [one, (one.closest("label") ?? one).getBoundingClientRect()])
  .filter(([one, box]) => box.width && (box.width < 24 || box.height < 24))
  .map(([one, box]) => one.outerHTML.slice(0, 100) + " " + Math.round(box.width) + "x" + Math.round(box.height))
"""


class TestTwelveByFour:
    N_ITEMS, LETTERS = 12, "ABCD"

    def values(self, turn):
        return [(turn + place) % 3 for place in range(4)]

    def expected(self, tokens):
        return {
            (one, letter, value, False): 1
            for turn, one in enumerate(tokens)
            for letter, value in zip(self.LETTERS, self.values(turn), strict=True)
        }

    def graded(self, here, page, grade):
        """Grade everything there is; return the addresses in the order they came."""
        seen = []
        for turn in range(self.N_ITEMS):
            seen.append(token(page))
            grade(page, self.values(turn))
            page.wait_for_url(lambda url, last=seen[-1]: last not in url)
        page.wait_for_url("**/all_done/")
        return seen

    def test_by_keyboard_alone(self, room):
        here = room("desk-keyboard", n_items=self.N_ITEMS, n_releases=4)

        def grade(page, values):
            keys(page, *map(str, values), "Enter")

        seen = self.graded(here, here.sit().page, grade)
        assert here.grades() == self.expected(seen)

    def test_by_roles_and_names_alone(self, room):
        here = room("desk-roles", n_items=self.N_ITEMS, n_releases=4)

        def grade(page, values):
            main = page.get_by_role("main")
            for letter, value in zip(self.LETTERS, values, strict=True):
                response = main.get_by_role("article", name=f"Response {letter}", exact=True)
                group = response.get_by_role("group", name=re.compile(f"^{letter}: "))
                group.get_by_role("radio", name=re.compile(rf"^{value}\b")).check()
            page.get_by_role("button", name=re.compile("^Submit and next")).press("Enter")

        seen = self.graded(here, here.sit().page, grade)
        assert here.grades() == self.expected(seen)
