"""A person with a browser: signs in, looks at pages, and everything that goes wrong is noted."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import (
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Request,
    Response,
    WebError,
)

from tests.e2e.site import Site

RESULTS = Path("test-results")

#: Runs before every page's own scripts.
REPORT_POLICY = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error("policy: " + event.violatedDirective + " " + event.blockedURI));
"""

#: What no text may bring into a page.
FOREIGN = r"""
() => {
  const found = [];
  const own = (url) => new URL(url, location.href).origin === location.origin;
  // The site's own icon stands in the head, as data.
  const icon = document.querySelector('head > link[rel="icon"]');
  for (const element of document.querySelectorAll("*")) {
    if (element === icon) continue;
    const name = element.localName;
    const said = element.outerHTML.slice(0, 160);
    if (["iframe", "object", "embed", "base", "applet", "frame", "frameset"].includes(name))
      found.push("element: " + said);
    if (name === "script" && element.type !== "application/json" &&
        !(element.src && own(element.src) && new URL(element.src).pathname.startsWith("/static/")))
      found.push("script: " + said);
    if (name === "style" && element.textContent) found.push("style: " + said);
    if (["img", "video", "audio", "source", "link", "image"].includes(name)) {
      const url = element.src || element.href?.baseVal || element.href;
      if (url && !(own(url) && new URL(url).pathname.startsWith("/static/")))
        found.push("load: " + said);
    }
    for (const attribute of element.attributes) {
      const key = attribute.name.toLowerCase();
      const value = attribute.value.replace(/[\u0000-\u0020]/g, "").toLowerCase();
      // A button that leads back to a place of its own page sends it nowhere else.
      if (key === "formaction" && value.startsWith("#")) continue;
      if (/^(on|formaction$|srcdoc$|ping$|background$)/.test(key))
        found.push("attribute: " + said);
      // What plotly draws wears styles that it sets through the CSSOM.
      if (key === "style" && value && !element.closest("[data-figure], #js-plotly-tester"))
        found.push("style: " + said);
      if (/^(href|src|action|xlink:href|poster|data)$/.test(key) &&
          /^(javascript|vbscript|data|blob|file):/.test(value))
        found.push("address: " + said);
      if (/^hx-/.test(key) && /^(https?:)?\/\//.test(value) && !own(value))
        found.push("fetch: " + said);
    }
  }
  return found;
}
"""


class Answer(NamedTuple):
    """What stands at an address: "page", "file", "elsewhere", "nothing" or "POSTs only"."""

    kind: str
    text: str = ""


@dataclass
class Visitor:
    """One person in one browser context, and what went wrong there."""

    site: Site
    context: BrowserContext
    name: str = ""
    faults: list[str] = field(default_factory=list)
    page: Page = field(init=False)

    def __post_init__(self) -> None:
        self.context.set_default_timeout(60_000)  # milliseconds, on a busy machine
        self.context.add_init_script(REPORT_POLICY)
        self.context.on("console", self._console)
        self.context.on("dialog", self._dialog)
        self.context.on("request", self._request)
        self.context.on("response", self._response)
        self.context.on("weberror", self._weberror)
        self.page = self.context.new_page()

    def sign_in(self, name: str, password: str = "") -> "Visitor":
        self.name = name
        self.go("/login/")
        self.page.fill("[name=username]", name)
        self.page.fill("[name=password]", password or self.site.password)
        self.press("Sign in")
        assert "/login/" not in self.page.url, f"{name} could not sign in"
        return self

    def forget(self) -> None:
        """Leave the page and lose every cookie, also those that a late answer to it sets."""
        self.page.goto("about:blank")
        for _once in range(20):
            self.context.clear_cookies()
            self.page.wait_for_timeout(300)
            if not self.context.cookies():
                return

    def go(self, path: str, status: int = 200) -> Page:
        """Open a page of the site, and expect this status."""
        try:
            answer = self.page.goto(self.site.url + path, wait_until="load")
        except Error as error:
            # A page that waits for figures loads itself anew once they are there, even as one leaves.
            if not any(one in str(error) for one in ("ERR_ABORTED", "interrupted by another")):
                raise
            answer = self.page.goto(self.site.url + path, wait_until="load")
        answer = answer or self.page.reload(
            wait_until="load"
        )  # it was there, at a place of the page
        assert answer is not None, path
        assert answer.status == status, f"{path} answered {answer.status} to {self.name}"
        return self.page

    def ask(self, path: str) -> "Answer":
        """Find out what stands at an address for this person, without the browser.

        A page that chooses what it shows, and says so in its own address, stands there.
        """
        answer = self.context.request.get(self.site.url + path, max_redirects=0)
        assert answer.status in {200, 302, 404, 405}, f"{path} answered {answer.status}"
        if answer.status == 302:
            chosen = urlsplit(answer.headers["location"])
            if chosen.path == urlsplit(path).path and chosen.query != urlsplit(path).query:
                return self.ask(f"{chosen.path}?{chosen.query}")
        kind = {302: "elsewhere", 404: "nothing", 405: "POSTs only"}.get(answer.status, "file")
        if answer.status == 200 and "html" in answer.headers["content-type"]:
            return Answer("page", answer.text())
        return Answer(kind)

    def look(self, path: str) -> bool:
        """Open a page if there is one for this person at the address."""
        if self.ask(path).kind != "page":
            return False
        self.go(path)
        return True

    def press(self, name: str | re.Pattern[str]) -> None:
        """Press the button of this name and wait for the page it leads to."""
        button = self.page.get_by_role("button", name=name, exact=isinstance(name, str)).first
        with self.page.expect_navigation(wait_until="load"):
            button.click()

    def follow(self, name: str | re.Pattern[str]) -> None:
        link = self.page.get_by_role("link", name=name, exact=isinstance(name, str)).first
        with self.page.expect_navigation(wait_until="load"):
            link.click()

    @property
    def path(self) -> str:
        return urlsplit(self.page.url).path

    def foreign(self) -> list[str]:
        """Return what stands in the page and did not come from the site's own hand."""
        try:
            found: list[str] = self.page.evaluate(FOREIGN)
        except Error:  # the page has just loaded itself anew, with figures that came meanwhile
            self.page.wait_for_load_state("load")
            found = self.page.evaluate(FOREIGN)
        return found

    def picture(self, name: str) -> None:
        RESULTS.mkdir(exist_ok=True)
        safe = re.sub(r"[^\w.-]+", "-", name).strip("-")[:120]
        self.page.screenshot(path=RESULTS / f"{safe}-{self.name or 'nobody'}.png", full_page=True)

    def close(self) -> None:
        self.context.close()

    def _note(self, kind: str, words: str) -> None:
        where = urlsplit(self.page.url).path if hasattr(self, "page") else ""
        self.faults.append(f"{self.name or 'nobody'} at {where}: {kind}: {words}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type not in {"error", "warning"}:
            return
        # A page that answers 404 or 422 is told of by its status; what it loads, by _response.
        # A page that is left while it still asks breaks the asking off, and htmx says so.
        if not message.text.startswith(
            ("Failed to load resource", "htmx:sendAbort", "htmx:afterRequest")
        ):
            self._note("console", message.text)

    def _dialog(self, dialog: Dialog) -> None:
        self._note("dialog", dialog.message)
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.site.url, "data:image/", "blob:")):
            self._note("request", request.url)

    def _response(self, response: Response) -> None:
        # What a page says with a 4xx it shows; the scripts of the grading desk read it.
        is_page = response.request.resource_type in {"document", "fetch", "xhr"}
        if response.status >= 500 or (response.status >= 400 and not is_page):
            self._note("response", f"{response.status} {response.url}")

    def _weberror(self, error: WebError) -> None:
        self._note("script", str(error.error))
