"""A hand at the desks: keys or clicks, travel, scrolls and seconds for a question with four answers.

The same hand as `benchmarks.desk_effort`, in Chromium at 1440 × 900, each program as it comes; where it lets
one choose the keys of its choices, each of the twelve has one.
"""

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass

from playwright.sync_api import Browser, Error, Page, sync_playwright

from benchmarks import desk_effort, grading_cpu
from benchmarks.desk_effort import Effort, Hand
from benchmarks.peers import label_studio, potato
from benchmarks.peers.desks import ANSWERS, LEVELS, Place
from benchmarks.peers.installed import Failed
from benchmarks.peers.results import Row

WAYS = {"keyboard": "keys", "mouse": "clicks"}
LEVEL = 1
#: What is counted of a way, its unit, and what a person would call it.
COUNTED = (
    ("keyboard", "presses", "", "keys for a question with four answers, submitted"),
    ("keyboard", "seconds", "s", "the same, from first paint to submit"),
    ("mouse", "presses", "", "clicks for a question with four answers, submitted"),
    ("mouse", "scrolls", "", "scrolls meanwhile"),
    ("mouse", "travel", "px", "way of the pointer meanwhile"),
    ("mouse", "seconds", "s", "the same, from first paint to submit, by mouse"),
)
NOTE = (
    "A hand at a fixed pace (0.28 s a key, 1.3 s to point and click, 0.5 s a turn of the wheel); "
    "what is read does not count"
)


@dataclass(frozen=True)
class Desk:
    """The grading page of another program: where it is, and what a hand presses there.

    `levels` is a selector of what is clicked for the level, once for each answer; `keys` are those of the same.
    """

    address: str
    levels: str
    keys: str
    submit: str
    submit_keys: str


DESKS = {
    "label-studio": Desk(
        f"http://127.0.0.1:{label_studio.PORT}/projects/1/data?labeling=1",
        f"input.ant-checkbox-input[name='{LEVEL}']",
        "1234567890qw"[LEVEL::LEVELS],  # given out by itself, in this order
        "button[name=submit]",
        "Control+Enter",
    ),
    "potato": Desk(
        f"http://127.0.0.1:{potato.PORT}/annotate",
        f"input[type=radio][value='{LEVEL}']",
        potato.KEYS[LEVEL::LEVELS],
        "#next-btn",
        "ArrowRight",
    ),
}
#: Names what is clicked by the answer it belongs to; says which question stands there once all of them do.
READY = """
([levels, letters]) => {
  const found = [...document.querySelectorAll(levels)].filter((one) => one.checkVisibility());
  found.forEach((one, place) => { one.dataset.hand = letters[place]; });
  return found.length === letters.length && document.body.innerText.match(/Question (\\d+):/)?.[1];
}
"""
SITES: Mapping[str, Callable[[int], AbstractContextManager[Place]]] = {
    "label-studio": label_studio.site,
    "potato": potato.site,
}


def rows(*, small: bool = False) -> list[Row]:
    """Let the hand grade at ours and at both others; `small` changes nothing, a question is a question."""
    with _browser() as browser:
        ours = _ours(browser)
        theirs = {key: _theirs(browser, key) for key in SITES}
    made = []
    for way, name, unit, what in COUNTED:
        peers = {
            key: found if isinstance(found, str) else float(asdict(found[way])[name])
            for key, found in theirs.items()
        }
        made.append(Row(what, unit, float(asdict(ours[way])[name]), peers=peers, note=NOTE))
    return made


@contextlib.contextmanager
def _browser() -> Iterator[Browser]:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as tools:
        yield tools.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )


def _ours(browser: Browser) -> dict[str, Effort]:
    with grading_cpu.site(20) as here:
        return {way: desk_effort.measured(browser, here, way) for way in WAYS}


def _theirs(browser: Browser, key: str) -> dict[str, Effort] | str:
    """Return what each way costs at another program, or in words why that is not known."""
    try:
        with SITES[key](12) as place:
            return {
                way: _graded(browser, place, DESKS[key], way, number)
                for number, way in enumerate(WAYS)
            }
    except Failed as why:
        return str(why)


def _graded(browser: Browser, place: Place, desk: Desk, way: str, number: int) -> Effort:
    """Grade one question to get used to the page, and count at the second."""
    width, height = desk_effort.WIDE
    context = browser.new_context(viewport={"width": width, "height": height})
    for name, value in place.sit(number).web.cookies.items():
        context.add_cookies([{"name": name, "value": value, "domain": "127.0.0.1", "path": "/"}])
    page = context.new_page()
    page.goto(desk.address)
    before = ""
    for _question in range(2):
        before = _next(page, desk, before)
        counted = Hand(page, way)
        _grade(counted, desk)
    _next(page, desk, before)
    context.close()
    return counted.effort


def _next(page: Page, desk: Desk, before: str) -> str:
    """Wait for another question than this; return which.

    Raises:
        Failed: none comes.
    """
    for _turn in range(600):
        found = None
        with contextlib.suppress(Error):  # the page is just leaving
            found = page.evaluate(READY, [desk.levels, ANSWERS])
        if found and found != before:
            return str(found)
        page.wait_for_timeout(100)
    raise Failed("failed: no other question came")


def _grade(hand: Hand, desk: Desk) -> None:
    began = time.perf_counter()
    for letter, key in zip(ANSWERS, desk.keys, strict=True):
        if hand.way == "keyboard":
            hand.press(key)
        else:
            hand.touch(f"[data-hand={letter}]")
    if hand.way == "keyboard":
        hand.press(desk.submit_keys)
    else:
        hand.touch(desk.submit)
    hand.effort.seconds = time.perf_counter() - began
