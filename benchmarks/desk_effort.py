"""What one question with four answers costs an annotator: `python -m benchmarks.desk_effort`.

By keyboard and mouse at 1440 × 900 and by thumb at 390 × 844, by one criterion and by two, in
Chromium, at a site as `manage.py up` serves it. Counted from the question on the screen until the
next one stands there: keys or clicks, what the pointer travels between the targets, and scrolls
(by most of a window, whenever the next target is not in sight between bar and foot), and the seconds
from its first paint until it is submitted, by a hand that moves at the pace of the keystroke-level
model (Card, Moran and Newell, 1980). Reading is not counted: it is the same everywhere.
"""

import math
import os
import shutil
import time
from dataclasses import dataclass

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.grading_cpu import Line, Person, Site, say, site

WIDE, PHONE = (1440, 900), (390, 844)
LETTERS = "ABCD"
#: Keys or clicks by way and criteria; scrolls and travel stay below what they once were.
MOST = {"keyboard": (5, 9), "mouse": (5, 9), "phone": (5, 9)}
MOST_SCROLLS, MOST_TRAVEL = {"keyboard": 0, "mouse": 4, "phone": 4}, 980
#: Seconds of the hand: to press a key, to point at something and click, to turn the wheel.
KEY, POINT, SCROLLED = 0.28, 1.3, 0.5


@dataclass
class Effort:
    presses: int = 0
    travel: float = 0.0
    scrolls: int = 0
    seconds: float = 0.0


def main() -> None:
    named = map(shutil.which, ("chromium", "chromium-headless-shell"))
    chromium = os.environ.get("CHROMIUM") or next(filter(None, named), None)
    with sync_playwright() as tools:
        browser = tools.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for n_criteria in (1, 2):
            with site(20, n_criteria=n_criteria) as here:
                for way in MOST:
                    tell(way, n_criteria, measured(browser, here, way))
        browser.close()


def measured(browser: Browser, here: Site, way: str) -> Effort:
    """Grade one question to get used to the page, and count at the second."""
    person = here.people[list(MOST).index(way)]
    width, height = PHONE if way == "phone" else WIDE
    context = browser.new_context(viewport={"width": width, "height": height})
    session = {"name": "sessionid", "value": person.session, "domain": "localhost", "path": "/"}
    context.add_cookies([session])  # type: ignore[list-item]
    page = context.new_page()
    page.goto(f"http://localhost:{here.port}{first(here, person)}")
    page.wait_for_selector("body.with-script")
    Hand(page, way).grade()
    counted = Hand(page, way)
    counted.grade()
    context.close()
    return counted.effort


def first(here: Site, person: Person) -> str:
    return Line(here, person).form("/p/bench/grade/rounds/1/next/")


class Hand:
    """Somebody at a desk, from one question to the next."""

    def __init__(self, page: Page, way: str) -> None:
        self.page, self.way, self.effort = page, way, Effort()
        self.at: tuple[float, float] | None = None

    def grade(self) -> None:
        before, began = self.page.url, time.perf_counter()
        n_criteria = self.page.locator("#A [data-criterion]").count()
        for letter in LETTERS:
            for place in range(n_criteria):
                if self.way == "keyboard":
                    self.press("1")
                else:
                    self.touch(
                        f"#{letter} [data-criterion]:nth-of-type({place + 1}) label:has([value='1'])"
                    )
        if self.way == "keyboard":
            self.press("Control+Enter")
        else:
            self.touch("[data-submit]")
        self.effort.seconds = time.perf_counter() - began
        self.page.wait_for_url(lambda url: url != before)
        self.page.wait_for_selector("body.with-script .grade:not([aria-busy])")

    def press(self, keys: str) -> None:
        self.page.wait_for_timeout(KEY * 1000)
        self.page.keyboard.press(keys)
        self.effort.presses += 1

    def touch(self, target: str) -> None:
        """Scroll until the target is in sight, go there and press."""
        for _turn in range(20):
            if self.page.evaluate(IN_SIGHT, target):
                break
            self.page.wait_for_timeout(SCROLLED * 1000)
            self.page.evaluate(SCROLL, target)
            self.effort.scrolls += 1
        else:
            raise SystemExit(f"{target} does not come into sight.")
        box = self.page.locator(target).bounding_box()
        assert box is not None
        there = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        if self.at is not None:
            self.effort.travel += math.dist(self.at, there)
        self.at = there
        self.page.wait_for_timeout(POINT * 1000)
        self.page.mouse.click(*there)
        self.effort.presses += 1


#: Whether a target would be hit where it stands.
IN_SIGHT = """
(target) => {
  const one = document.querySelector(target);
  const box = one.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const hit = document.elementFromPoint(x, y);
  return Boolean(hit && (one.contains(hit) || hit.contains(one) && one.closest(".foot")));
}
"""
SCROLL = """
(target) => {
  const one = document.querySelector(target);
  const below = one.getBoundingClientRect().top > innerHeight / 2;
  let pane = one.parentElement;
  while (pane && !(pane.scrollHeight > pane.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(pane).overflowY)))
    pane = pane.parentElement;
  (pane ?? window).scrollBy({top: (below ? 0.8 : -0.8) * innerHeight, behavior: "instant"});
}
"""


def tell(way: str, n_criteria: int, effort: Effort) -> None:
    travel = (
        ""
        if way == "keyboard"
        else f", {effort.travel:.0f} px of travel (below {MOST_TRAVEL * n_criteria})"
    )
    say(
        f"{way}, 4 answers × {n_criteria}: {effort.presses} presses "
        f"(at most {MOST[way][n_criteria - 1]}), {effort.scrolls} scrolls "
        f"(at most {MOST_SCROLLS[way]}){travel}; {effort.seconds:.1f} s from paint to submit"
    )


if __name__ == "__main__":
    main()
