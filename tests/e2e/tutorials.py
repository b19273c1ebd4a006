"""Walks through a tutorial of docs/tutorials in a browser, by the marks that stand in its steps.

A step carries what a reader does there as `<!-- do: click Rounds | see draft -->`, which nobody sees who reads it.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from evalsite import env

FOLDER = env.BASE_DIR / "docs/tutorials"
SLOW = 60_000
MARK = re.compile(r"<!-- do: (.+?) -->", re.DOTALL)
PERSON = re.compile(r"<!-- as: (\w+) -->")


@dataclass(frozen=True)
class Step:
    """One deed of a tutorial, and the text of the step it belongs to."""

    deed: str
    what: str
    text: str


@dataclass(frozen=True)
class Tutorial:
    """Who reads it, and what is done in it."""

    person: str
    steps: tuple[Step, ...]


def read(path: Path) -> Tutorial:
    """Return what a tutorial asks for.

    Raises:
        ValueError: it does not say as whom, or a mark cannot be read.
    """
    text = path.read_text()
    person = PERSON.search(text)
    if person is None:
        raise ValueError(f"{path.name} does not say as whom it is followed.")
    steps = []
    start = person.end()
    for mark in MARK.finditer(text):
        told = text[start : mark.start()]
        start = mark.end()
        for one in mark[1].split(" | "):
            deed, _space, what = one.strip().partition(" ")
            if deed not in DEEDS:
                raise ValueError(f"{path.name}: there is no deed {deed!r}.")
            steps.append(Step(deed, what, told))
    return Tutorial(person[1], tuple(steps))


def unnamed(tutorial: Tutorial) -> list[str]:
    """Return what is pressed without that the reader is told its name."""
    return [
        step.what
        for step in tutorial.steps
        if step.deed == "click"
        and not all(word in " ".join(step.text.split()) for word in step.what.split())
    ]


def follow(page: Page, tutorial: Tutorial) -> None:
    """Do every step; a step that cannot be done fails with its name."""
    for step in tutorial.steps:
        try:
            DEEDS[step.deed](page, step.what)
        except Exception as problem:
            raise AssertionError(f"{step.deed} {step.what!r} at {page.url}: {problem}") from problem


def _click(page: Page, what: str) -> None:
    found = _named(page.locator("main"), what).or_(_named(page.locator("body"), what))
    target = _named(page.locator("main"), what)
    expect(found.first).to_be_visible(timeout=SLOW)
    (target if target.count() else found).first.click()
    page.wait_for_load_state()
    _settled(page)


def _named(within: Locator, what: str) -> Locator:
    words = re.compile(r"^\W*" + r"\s+".join(map(re.escape, what.split())))
    either = within.get_by_role("link", name=words).or_(within.get_by_role("button", name=words))
    return either.filter(visible=True)


def _see(page: Page, what: str) -> None:
    expect(page.locator("body")).to_contain_text(what, timeout=SLOW)


def _wait(page: Page, what: str) -> None:
    """Look again until it is there: something is done in the background meanwhile."""
    for _ in range(60):
        if what in page.locator("body").inner_text():
            return
        page.wait_for_timeout(1_000)
    _see(page, what)


def _fill(page: Page, what: str) -> None:
    label, _is, value = what.partition(" = ")
    page.get_by_label(label).first.fill(value)


def _check(page: Page, what: str) -> None:
    page.get_by_label(what).first.check()


def _choose(page: Page, what: str) -> None:
    label, _is, value = what.partition(" = ")
    page.get_by_label(label).first.select_option(label=value)


def _key(page: Page, what: str) -> None:
    key, _space, times = what.partition(" ")
    for _ in range(int(times or 1)):
        page.keyboard.press(key)
        page.wait_for_timeout(150)


def _settled(page: Page) -> None:
    page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')", timeout=SLOW)


DEEDS = {
    "click": _click,
    "see": _see,
    "wait": _wait,
    "fill": _fill,
    "check": _check,
    "choose": _choose,
    "key": _key,
}
