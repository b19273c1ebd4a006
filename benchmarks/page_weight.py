"""What the grading page weighs and when it can be used: `python -m benchmarks.page_weight`.

A question with four responses in Chromium, the site served as `manage.py up` serves it. Cold is a
browser that was never here, warm one that was. "Usable" is when the page's script has taken over and
a grade can be chosen, counted from the click. Medians of five; once on this machine's own line, once
over 10 Mbit/s with 40 ms. The browser's icon is not loaded without a window, and not counted.
"""

import os
import re
import shutil
import statistics
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from benchmarks.grading_cpu import BATCHES, Line, Person, Site, say, site, yardstick_ms
from tests.e2e.weight import Weight, weigh

MOST_REQUESTS, MOST_BYTES, MOST_MS = 12, 150_000, 1000


def main() -> None:
    named = map(shutil.which, ("chromium", "chromium-headless-shell"))
    chromium = os.environ.get("CHROMIUM") or next(filter(None, named), None)
    with site(50) as here, sync_playwright() as tools:
        browser = tools.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        person = here.people[0]
        path = Line(here, person).form("/p/bench/grade/rounds/1/next/")
        url = f"http://localhost:{here.port}{path}"
        cold: list[Weight] = []
        for slow in (False, True):
            cold, warm = [], []
            for _run in range(BATCHES):
                with visit(browser, here, person) as context:
                    cold.append(weigh(context.new_page(), url, slow=slow))
                    warm.append(weigh(context.new_page(), url, slow=slow))
            tell("cold" if not slow else "cold, 10 Mbit/s and 40 ms", cold)
            tell("warm" if not slow else "warm, 10 Mbit/s and 40 ms", warm)
        for address, n_bytes in sorted(cold[0].brought.items(), key=lambda one: -one[1]):
            say(f"  {n_bytes:>7,} {re.sub(r'https?://[^/]+', '', address)}")
        browser.close()
    say(f"machine: {yardstick_ms():.0f} CPU-ms for 2,000 × json, load {os.getloadavg()[0]:.1f}")


@contextmanager
def visit(browser: Browser, here: Site, person: Person) -> Iterator[BrowserContext]:
    context = browser.new_context()
    session = {"name": "sessionid", "value": person.session, "domain": "localhost", "path": "/"}
    context.add_cookies([session])  # type: ignore[list-item]
    yield context
    context.close()


def tell(name: str, found: list[Weight]) -> None:
    usable = [one.usable_ms for one in found]
    say(
        f"{name}: {found[0].n_requests} requests (at most {MOST_REQUESTS}), "
        f"{found[0].n_bytes / 1000:.0f} kB (at most {MOST_BYTES // 1000}), usable after "
        f"{statistics.median(usable):.0f} ms, median of {len(found)} "
        f"({min(usable):.0f} to {max(usable):.0f}; at most {MOST_MS})"
    )


if __name__ == "__main__":
    main()
