"""What a browser is asked about a page besides axe: focus, targets, text that is cut off."""

from playwright.sync_api import Page

#: Presses of Tab after which a page is taken for a trap.
MOST_STOPS = 400
#: A date is several stops in one field.
FIELDS = 6

#: What has the focus, told apart from everything else on the page.
WHERE = """
() => {
  const one = document.activeElement;
  if (one === document.body) return "body";
  const all = [...document.querySelectorAll("*")];
  return all.indexOf(one) + " " + one.outerHTML.slice(0, 160);
}
"""

#: The element in focus, if a bar covers it wholly or nothing shows that it has the focus.
COVERED = """
() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const shown = one.closest("label") ?? one;
  const box = shown.getBoundingClientRect();
  const said = one.outerHTML.slice(0, 120);
  if (one.closest(".skip")) return null;
  const points = [box.top + 2, box.top + box.height / 2, box.bottom - 2]
    .filter((at) => at >= 0 && at < innerHeight);
  // Of a long line that is cut off, one end is seen.
  const across = [box.left + box.width / 2, box.left + 4, box.right - 4]
    .map((at) => Math.min(Math.max(at, 1), innerWidth - 2));
  const free = points.some((at) => across.some((x) => {
    const top = document.elementFromPoint(x, at);
    return top && (shown.contains(top) || top.contains(shown));
  }));
  if (!free) return "covered: " + said + JSON.stringify(box);
  // In the part of a field for dates that opens the calendar the browser shows the focus itself.
  if (one.matches("[type=date], [type=time], [type=datetime-local]") && !one.matches(":focus-visible"))
    return null;
  const styles = [one, shown, one.nextElementSibling].filter(Boolean).map((each) => getComputedStyle(each));
  if (!styles.some((style) => style.outlineStyle !== "none" || style.boxShadow !== "none"))
    return "not seen: " + said;
  return null;
}
"""

#: What can be pressed, is smaller than 24 by 24 px, and has another one nearer than that (WCAG 2.2,
#: 2.5.8). A link inside a sentence is as high as its line; a box is as large as its label.
SMALL = """
() => {
  const pressed = "button, a[href], select, input:not([type=hidden]), textarea, summary, " +
    "[role=separator][tabindex], [role=button], [role=tab], [role=option]";
  const boxOf = (one) => {
    const label = one.closest("label") ?? one.labels?.[0];
    const own = one.getBoundingClientRect();
    const more = label && ["checkbox", "radio"].includes(one.type) ? label.getBoundingClientRect() : own;
    const left = Math.min(own.left, more.left), top = Math.min(own.top, more.top);
    return new DOMRect(left, top, Math.max(own.right, more.right) - left,
                       Math.max(own.bottom, more.bottom) - top);
  };
  const inSentence = (one) => {
    if (one.localName !== "a" || getComputedStyle(one).display !== "inline") return false;
    const beside = [...one.parentElement.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join("");
    return beside.trim().length > 0;
  };
  const all = [...document.querySelectorAll(pressed)]
    .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((one) => !one.closest(".skip, .sr, dialog:not([open])") && !one.disabled)
    .map((one) => ({ one, box: boxOf(one) }))
    .filter(({ box }) => box.width && box.height);
  const isSmall = ({ box }) => box.width < 24 || box.height < 24;
  const near = (small, other) => {
    if (small.one.contains(other.one) || other.one.contains(small.one)) return false;
    const x = small.box.left + small.box.width / 2, y = small.box.top + small.box.height / 2;
    if (isSmall(other)) {
      const dx = other.box.left + other.box.width / 2 - x, dy = other.box.top + other.box.height / 2 - y;
      return Math.hypot(dx, dy) < 24;
    }
    const dx = Math.max(other.box.left - x, 0, x - other.box.right);
    const dy = Math.max(other.box.top - y, 0, y - other.box.bottom);
    return Math.hypot(dx, dy) < 12;
  };
  return all
    .filter((each) => isSmall(each) && !inSentence(each.one))
    .filter((each) => all.some((other) => other !== each && near(each, other)))
    .map(({ one, box }) => "small: " + one.outerHTML.slice(0, 120) + " " +
      box.width.toFixed(1) + "x" + box.height.toFixed(1));
}
"""

#: Text that a box cuts off, with no way to the rest of it: nothing scrolls, no title says it, and it
#: is no line with an ellipsis that leads to the whole.
CUT = """
() => [...document.querySelectorAll("main *, header *, nav *")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
  .filter((one) => !one.closest(".sr, .skip, [aria-hidden=true], svg, .js-plotly-plot"))
  .filter((one) => {
    const style = getComputedStyle(one);
    const across = ["hidden", "clip"].includes(style.overflowX) && one.scrollWidth > one.clientWidth + 1;
    const down = ["hidden", "clip"].includes(style.overflowY) && one.scrollHeight > one.clientHeight + 1;
    const short = style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
    if (short && (one.closest("a[href]") || one.querySelector("a[href]")))
      return false;
    return (across || down) && one.clientWidth > 1 && one.innerText?.trim() && !one.closest("[title]");
  })
  .map((one) => "cut off: " + one.outerHTML.slice(0, 160))
"""


def along(page: Page) -> list[str]:
    """Go through the page with Tab to its end; return what could not be seen, or where it is caught."""
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    found: list[str] = []
    seen: list[str] = []
    for _step in range(MOST_STOPS):
        page.keyboard.press("Tab")
        where = page.evaluate(WHERE)
        if seen and (where == seen[0] or where == "body"):
            return found
        if seen[-FIELDS:] == [where] * FIELDS:
            return [*found, f"caught: {where}"]
        seen.append(where)
        if bad := page.evaluate(COVERED):
            found.append(bad)
    return [*found, f"no end after {MOST_STOPS} stops: {seen[-1]}"]
