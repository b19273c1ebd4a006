"""Look at one page as the rules for everybody ask: width, theme, access."""

import json
from functools import cache
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

WIDE, NARROW = (1440, 900), (390, 844)
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

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


def faults(page: Page, *, narrow: bool, dark: bool) -> list[str]:
    """Return what is wrong with the page in this width and theme."""
    width, height = NARROW if narrow else WIDE
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="reduce")
    too_wide: list[str] = page.evaluate(TOO_WIDE)
    return [f"too wide: {one}" for one in too_wide] + _axe(page)


def _axe(page: Page) -> list[str]:
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found: list[dict[str, Any]] = page.evaluate(_question())
    return [
        f"{one['id']}: {node['html'][:140]} ({node['failureSummary'].splitlines()[-1].strip()})"
        for one in found
        for node in one["nodes"][:3]
    ]


@cache
def _question() -> str:
    options = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}
    return f"axe.run({json.dumps(options)}).then((result) => result.violations)"
