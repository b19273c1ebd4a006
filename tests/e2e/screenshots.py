"""The pictures of the documentation, made anew: `make screenshots`.

The site is started with its demo in a throw-away folder, opened in Chromium as the people of the demo, and
each page is kept as WebP, light and dark. Seeds fix what the demo says; only dates follow the calendar.
"""

import argparse
import base64
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import django
from playwright import sync_api

from evalsite import env

PICTURES = env.BASE_DIR / "docs/screenshots"
MOST = 2_000_000
WIDTH, HEIGHT = 1280, 800
PHONE = (390, 760)
QUALITY = 62
SLOW = 120_000  # milliseconds for a page on a busy machine
Look = Literal["light", "dark"]
LOOKS: tuple[Look, Look] = ("light", "dark")


@dataclass(frozen=True)
class Shot:
    """A page: who opens it, where it is, and what is pressed there before it is kept."""

    name: str
    person: str
    path: str
    press: tuple[str, ...] = ()
    phone: bool = False


SHOTS = (
    Shot("home", "amara", ""),
    Shot("bank", "amara", "bank/"),
    Shot("plan", "amara", "plan/"),
    Shot("grading", "lena", "grade/", press=("Go on", "Begin", "Continue")),
    Shot("grading-phone", "lena", "grade/", press=("Go on", "Begin", "Continue"), phone=True),
    Shot("scores", "noor", "rounds/{final}/results/"),
    Shot("agreement", "noor", "rounds/{final}/results/agreement/"),
    Shot("disputes", "noor", "rounds/{final}/results/disputes/"),
    Shot("review", "amara", "rounds/{final}/results/review/"),
    Shot("judges", "noor", "judges/people/?round=4"),
    Shot("changes", "noor", "insight/movement/"),
    Shot("trend", "noor", "insight/trend/"),
    Shot("runs", "noor", "runs/"),
    Shot("suites", "noor", "suites/"),
)


class Missing(Exception):
    """The demo lacks what a picture shows."""


def made(url: str, password: str, final: int, into: Path, only: Sequence[str] = ()) -> list[Path]:
    """Make the pictures of a running site, in the order of `SHOTS`."""
    wanted = [shot for shot in SHOTS if not only or shot.name in only]
    kept: list[Path] = []
    with sync_api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        states: dict[str, sync_api.StorageState] = {}
        for look in LOOKS:
            for shot in wanted:
                if shot.person not in states:
                    states[shot.person] = signed_in(browser, url, shot.person, password)
                path = into / f"{shot.name}-{look}.webp"
                path.write_bytes(_picture(browser, url, shot, look, states[shot.person], final))
                kept.append(path)
        browser.close()
    return kept


def chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-headless-shell")


def signed_in(
    browser: sync_api.Browser, url: str, person: str, password: str
) -> sync_api.StorageState:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(SLOW)
    page.goto(f"{url}/login/")
    page.fill("input[name=username]", person)
    page.fill("input[name=password]", password)
    page.press("input[name=password]", "Enter")
    page.wait_for_url(lambda there: "/login" not in there)
    state = context.storage_state()
    context.close()
    return state


def _picture(
    browser: sync_api.Browser,
    url: str,
    shot: Shot,
    look: Look,
    state: sync_api.StorageState,
    final: int,
) -> bytes:
    width, height = PHONE if shot.phone else (WIDTH, HEIGHT)
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=look,
        storage_state=state,
        reduced_motion="reduce",
        timezone_id="UTC",
    )
    page = context.new_page()
    page.set_default_timeout(SLOW)
    page.goto(f"{url}/p/northport/{shot.path.format(final=final)}")
    _pressed(page, shot)
    settled(page)
    kept = webp(page)
    context.close()
    return kept


def _pressed(page: sync_api.Page, shot: Shot) -> None:
    if not shot.press:
        return
    main = page.locator("main")
    for words in shot.press:
        button = main.get_by_role("button", name=words).or_(main.get_by_role("link", name=words))
        if button.count():
            button.first.click()
            page.wait_for_load_state("networkidle")
            return
    raise Missing(f"{shot.name}: none of {', '.join(shot.press)} on {page.url}")


def settled(page: sync_api.Page) -> None:
    """Wait until figures that are still computed have come, then for the fonts."""
    page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
    page.wait_for_load_state("networkidle")
    page.evaluate("() => document.fonts.ready.then(() => true)")


def webp(page: sync_api.Page, clip: dict[str, float] | None = None) -> bytes:
    """Return a picture of what is in sight, or of a place on the page."""
    line = page.context.new_cdp_session(page)
    asked = {"format": "webp", "quality": QUALITY}
    if clip:
        asked |= {"clip": clip, "captureBeyondViewport": True}
    said = line.send("Page.captureScreenshot", asked)
    return base64.b64decode(said["data"])


def final_round() -> int:
    from annotation import models  # the settings are there by now

    found = models.Round.objects.filter(
        project__slug="northport", state="FINAL", kind="PRODUCTION"
    ).order_by("number")
    numbers = list(found.values_list("number", flat=True))
    if not numbers:
        raise Missing("The demo has no final round.")
    return int(numbers[0])


def main(arguments: Sequence[str] = (), say: Callable[[str], object] = print) -> int:
    """Start the site, make the pictures, and say what they weigh."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="*", help="only these, such as scores")
    wanted = parser.parse_args(list(arguments))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
    django.setup()
    from tests.e2e import site  # reads the settings

    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="shots") as folder:
        running = site.Site(Path(folder), site.free_port())
        with running.running():
            with running.database():
                final = final_round()
            kept = made(running.url, running.password, final, PICTURES, wanted.names)
    for path in kept:
        say(f"{path.stat().st_size:>8}  {path.relative_to(env.BASE_DIR)}")
    total = sum(path.stat().st_size for path in PICTURES.glob("*.webp"))
    say(f"{total:>8}  in all, of at most {MOST}")
    return int(total > MOST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
