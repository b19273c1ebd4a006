"""Look at pages as the rules for everybody ask: width, theme, access."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Error, Page

from tests.e2e.addresses import Address
from tests.e2e.visitor import Answer, Visitor

WIDE, NARROW = (1440, 900), (390, 844)
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
#: What can differ between two themes: they are other values of the same colours.
OF_COLOUR = ["color-contrast", "link-in-text-block"]
#: What can differ between two widths as well.
OF_WIDTH = [*OF_COLOUR, "target-size", "scrollable-region-focusable", "label", "link-name"]

TAG = re.compile(r"<([a-z][\w-]*)([^<>]*)>")
KIND = re.compile(r'\b(?:class|role|type|aria-current|disabled|hidden|open)(?:="[^"]*")?')

#: Boxes that stick out of the page without a box of their own that scrolls.
TOO_WIDE = """
() => {
  const room = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= room) return [];
  const out = [...document.querySelectorAll("body *")].filter((element) => {
    if (element.getBoundingClientRect().right <= room + 1) return false;
    for (let up = element.parentElement; up; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== "visible") return false;
    return true;
  });
  return ["page is " + document.documentElement.scrollWidth + " wide",
          ...out.slice(0, 3).map((element) => element.outerHTML.slice(0, 120))];
}
"""


#: A bar at the foot covers what has not been scrolled yet; a target is judged where it can be reached.
STILL_SMALL = """
async (target) => {
  document.querySelector(target)?.scrollIntoView({block: "center", behavior: "instant"});
  const rules = {runOnly: {type: "rule", values: ["target-size"]}, resultTypes: ["violations"]};
  const found = await axe.run(target, rules);
  return found.violations.length > 0;
}
"""


class Look(NamedTuple):
    """A width and a theme."""

    narrow: bool
    dark: bool

    def __str__(self) -> str:
        return f"{390 if self.narrow else 1440} {'dark' if self.dark else 'light'}"


WIDE_LIGHT, NARROW_DARK = Look(False, False), Look(True, True)
#: The two of a width follow each other.
ALL = (WIDE_LIGHT, Look(False, True), NARROW_DARK, Look(True, False))
USUAL = (WIDE_LIGHT, NARROW_DARK)


def faults(
    page: Page, *, narrow: bool, dark: bool, same_width: bool = False, seen: bool = False
) -> list[str]:
    """Return what is wrong with the page in this width and theme.

    Args:
        same_width: it was looked at in this width before, in the other theme.
        seen: it was looked at with every rule in another width.
    """
    width, height = NARROW if narrow else WIDE
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
    if same_width:
        return _axe(page, "rule", OF_COLOUR)
    too_wide: list[str] = page.evaluate(TOO_WIDE)
    bad = _axe(page, "rule", OF_WIDTH) if seen else _axe(page, "tag", TAGS)
    return [f"too wide: {one}" for one in too_wide] + bad


def _once_settled(page: Page, look: Look, **rules: bool) -> list[str]:
    """Return what is wrong; a page that loads itself anew meanwhile is looked at again."""
    try:
        return faults(page, narrow=look.narrow, dark=look.dark, **rules)
    except Error as error:
        if "context was destroyed" not in str(error):
            raise
        page.wait_for_load_state("load")
        return faults(page, narrow=look.narrow, dark=look.dark, **rules)


def _axe(page: Page, kind: str, values: Sequence[str]) -> list[str]:
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[dict[str, Any]] = page.evaluate(_question(kind, tuple(values)))
    return [
        f"{one['id']}: {node['html'][:140]} ({node['failureSummary'].splitlines()[-1].strip()})"
        for one in found
        for node in one["nodes"][:3]
        if one["id"] != "target-size" or page.evaluate(STILL_SMALL, node["target"][0])
    ]


@cache
def _question(kind: str, values: tuple[str, ...]) -> str:
    options = {"runOnly": {"type": kind, "values": values}, "resultTypes": ["violations"]}
    return f"axe.run({json.dumps(options)}).then((result) => result.violations)"


class Sweep:
    """Looks at pages, and at none twice: neither at a content nor at a frame around it.

    Pages of two people often differ by the menu alone. A page is left out if its content was seen
    in this look, and so was what stands around it, on another page. With `new_kinds`, it is left out
    as well if it holds no kind of element that its route did not show before: a second row like the
    first one cannot break what the first one kept.
    """

    def __init__(self, *, new_kinds: bool = False) -> None:
        self._new_kinds = new_kinds
        self._seen: set[tuple[Look, str]] = set()
        self.n_looks = 0
        #: What each route answered to anybody: tests/e2e/test_every_page.py asks.
        self.answers: dict[str, set[str]] = {}

    def over(
        self, visitor: Visitor, addresses: Iterable[Address], looks: Sequence[Look]
    ) -> list[str]:
        """Look at every page of these that this person has; return what is wrong."""
        found = []
        for address in addresses:
            answer = visitor.ask(address.path)
            self.answers.setdefault(address.name, set()).add(answer.kind)
            if answer.kind == "page":
                wanted = self._unseen(address.name, answer.text, looks)
                found += self._at(visitor, address, wanted) if wanted else []
        return found

    def _unseen(self, route: str, html: str, looks: Sequence[Look]) -> list[Look]:
        content, around = _parts(html)
        parts = {_sha(content), _sha(around)}
        if self._new_kinds:
            parts = {f"{route} {kind}" for kind in _kinds(content)} | _kinds(around)
        wanted = [look for look in looks if any((look, part) not in self._seen for part in parts)]
        self._seen |= {(look, part) for look in looks for part in parts}
        return wanted

    def _at(self, visitor: Visitor, address: Address, looks: Sequence[Look]) -> list[str]:
        found = []
        visitor.go(address.path)
        before: Look | None = None
        for look in looks:
            same_width = before is not None and before.narrow == look.narrow
            seen = before is not None and tuple(looks) == USUAL
            rules = {"same_width": same_width, "seen": seen and self._new_kinds}
            bad = _once_settled(visitor.page, look, **rules)
            found += [f"{visitor.name} {address.path} {look}: {one}" for one in bad]
            before = look
            self.n_looks += 1
        visitor.page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
        found += [f"{visitor.name} {address.path}: {one}" for one in visitor.foreign()]
        return found


def content_of(answer: Answer) -> str:
    """Return a sign of what a page holds, the same for two people whose menus differ; "" if none."""
    return _sha(_parts(answer.text)[0]) if answer.kind == "page" else ""


def _parts(html: str) -> tuple[str, str]:
    """Return the content of a page, and what stands around it."""
    plain = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", html)
    head, _sign, rest = plain.partition("<main")
    body, _sign, foot = rest.partition("</main>")
    around = re.sub(r"<title>.*?</title>", "", head + foot, flags=re.S)
    return body, around


def _kinds(html: str) -> set[str]:
    """Return the kinds of elements: tag, classes, role and kind of field, whatever they say."""
    return {
        " ".join([tag, *sorted(KIND.findall(attributes))]) for tag, attributes in TAG.findall(html)
    }


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
