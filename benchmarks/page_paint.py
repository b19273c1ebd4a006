"""When the main pages have painted, and the scripts they load: `python -m benchmarks.page_paint`.

Home, the scores of a round, the judges and the bank of the demo in Chromium, the site served as
`manage.py up` serves it, by a browser that was never here. Painted is the largest contentful paint,
counted from the click: medians of five. Scripts are counted as they come over the line.

    --site URL --password WORDS   a demo that runs already, instead of one of its own
"""

import argparse
import contextlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from benchmarks.grading_cpu import BATCHES, ROOT, environment, say, yardstick_ms

PORT = 18791
MOST_S, MOST_BYTES = 0.7, 30_000
#: Each page, and what stands on it once its figures are computed.
PAGES = {
    "home": ("/p/northport/", ".facts"),
    "scores": ("/p/northport/rounds/1/results/", ".rank"),
    "judges": ("/p/northport/judges/people/", "table.long-names"),
    "bank": ("/p/northport/bank/", "#bank"),
}
WATCH = """
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) globalThis.paintedAt = entry.startTime;
}).observe({ type: "largest-contentful-paint", buffered: true });
"""
SCRIPTS = """
performance.getEntriesByType("resource")
  .filter((one) => /\\.js$/.test(new URL(one.name).pathname))
  .map((one) => [new URL(one.name).pathname, one.encodedBodySize])
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", default="")
    parser.add_argument("--password", default="")
    options = parser.parse_args()
    named = map(shutil.which, ("chromium", "chromium-headless-shell"))
    chromium = os.environ.get("CHROMIUM") or next(filter(None, named), None)
    given = contextlib.nullcontext((options.site, options.password))
    with given if options.site else demo() as (url, password), sync_playwright() as tools:
        browser = tools.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        signed_in = sign_in(browser, url, password)
        for name, (path, there) in PAGES.items():
            tell(name, *measured(browser, signed_in, url + path, there))
        browser.close()
    say(f"machine: {yardstick_ms():.0f} CPU-ms for 2,000 × json, load {os.getloadavg()[0]:.1f}")


@contextlib.contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """Run a site with the demo, and return its address and the password of everybody."""
    with tempfile.TemporaryDirectory(prefix="evalsite-bench-") as folder:
        argv = [sys.executable, "manage.py", "up", "--port", str(PORT)]
        env = environment(folder, "")  # type: ignore[arg-type]
        server = subprocess.Popen(argv, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            said = (re.search(r"Password of all of them: (\S+)", line) for line in server.stdout)
            yield f"http://127.0.0.1:{PORT}", next(one[1] for one in said if one)
        finally:
            server.terminate()
            server.wait(60)


def sign_in(browser: Browser, url: str, password: str) -> BrowserContext:
    context = browser.new_context()
    page = context.new_page()
    page.goto(url)
    page.fill("input[name=username]", "ines")
    page.fill("input[name=password]", password)
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/**")
    return context


def measured(
    browser: Browser, signed_in: BrowserContext, url: str, there: str
) -> tuple[list[float], dict[str, int]]:
    """Return when a page had painted, in seconds, and the bytes of each of its scripts."""
    page = signed_in.new_page()
    page.goto(url)
    page.wait_for_selector(there, timeout=600_000)
    page.close()
    painted, scripts = [], {}
    for _run in range(BATCHES):
        context = browser.new_context(storage_state=signed_in.storage_state())
        context.add_init_script(WATCH)
        page = context.new_page()
        page.goto(url, wait_until="load")
        page.wait_for_timeout(500)
        painted.append(page.evaluate("globalThis.paintedAt") / 1000)
        scripts = dict(page.evaluate(SCRIPTS))
        context.close()
    return painted, scripts


def tell(name: str, painted: list[float], scripts: dict[str, int]) -> None:
    say(
        f"{name}: painted after {statistics.median(painted):.2f} s, median of {len(painted)} "
        f"({min(painted):.2f} to {max(painted):.2f}; at most {MOST_S}), scripts of "
        f"{sum(scripts.values()) / 1000:.1f} kB (at most {MOST_BYTES // 1000})"
    )
    for path, n_bytes in sorted(scripts.items(), key=lambda one: -one[1]):
        say(f"  {n_bytes:>7,} {path}")


if __name__ == "__main__":
    main()
