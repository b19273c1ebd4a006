"""The grading page for everybody: any width, any size of text, by keyboard, by its names alone."""

import re

import pytest

from tests.e2e import sweeps
from tests.e2e.rooms import announced, keys

pytestmark = pytest.mark.e2e

NAMES = """() => [...document.querySelectorAll("fieldset.mark")].map((one) =>
  one.querySelector("legend").textContent)"""


class TestAccess:
    def test_no_fault_in_any_dialog_width_or_theme(self, room):
        page = room("desk-axe", criteria=("truth", "style")).sit().page
        found = {}
        for dialog in ("", "keys", "guide", "diff", "pause", "refused"):
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

    @pytest.mark.parametrize("size", [(1440, 900), (390, 844), (320, 640)])
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

    def test_tree_names_every_group_and_the_status(self, room):
        page = room("desk-tree", criteria=("truth", "style")).sit().page
        seen = page.locator("main").aria_snapshot()
        for letter in "ABC":
            assert f'article "Response {letter}"' in seen
            for name in ("truth", "style"):
                assert re.search(rf'group "{letter}: {name}"', seen, re.IGNORECASE), seen
        assert page.get_by_role("radio").count() == 3 * 2 * 3
        nameless = [
            one for one in page.get_by_role("radio").all() if one.aria_snapshot() == "- radio"
        ]
        assert nameless == []
        assert page.get_by_role("status").count() >= 2
        keys(page, "1")
        announced(page, "A: 1")


#: The element in focus, if a bar covers it wholly or nothing shows that it has the focus.
COVERED = """
() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const shown = one.closest("label") ?? one;
  const box = shown.getBoundingClientRect();
  const said = one.outerHTML.slice(0, 120);
  if (one.closest(".skip")) return null;
  const y = Math.min(Math.max(box.top + box.height / 2, 0), innerHeight - 1);
  const points = [box.top + 2, box.top + box.height / 2, box.bottom - 2]
    .filter((at) => at >= 0 && at < innerHeight);
  const x = Math.min(Math.max(box.left + box.width / 2, 1), innerWidth - 2);
  const free = points.some((at) => {
    const top = document.elementFromPoint(x, at);
    return top && (shown.contains(top) || top.contains(shown));
  });
  if (!free) return "covered: " + said + JSON.stringify(box);
  const styles = [one, shown, one.nextElementSibling].filter(Boolean).map((each) => getComputedStyle(each));
  if (!styles.some((style) => style.outlineStyle !== "none" || style.boxShadow !== "none"))
    return "not seen: " + said;
  return null;
}
"""
