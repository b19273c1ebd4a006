"""A running site, one browser, and people with a browser context each."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright
from pytest_django import DjangoDbBlocker

from tests.e2e.rooms import Room
from tests.e2e.site import Site, free_port
from tests.e2e.visitor import Visitor

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
Enter = Callable[..., Visitor]


@pytest.hookimpl(tryfirst=True, wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


FAILED = pytest.StashKey[bool]()


def _executable() -> str:
    # The headless shell needs a third of the processor time of the whole browser.
    there = (shutil.which(one) for one in ("chromium-headless-shell", "chromium"))
    named = os.environ.get("CHROMIUM") or next(filter(None, there), "")
    if named and Path(named).exists():
        return named
    missing = (
        "There is no Chromium here: install it (Debian: apt install chromium-headless-shell), "
        "or name it in CHROMIUM."
    )
    if os.environ.get("CI"):
        pytest.fail(missing)
    pytest.skip(missing)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=_executable(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the demo is kept for all sites of a run, whichever worker is the first."""
    own = tmp_path_factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "demo"


@pytest.fixture(scope="session")
def site(
    chromium: Browser,
    tmp_path_factory: pytest.TempPathFactory,
    demo: Path,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[Site]:
    """The site with its demo; every test of this folder shares it."""
    with pytest.MonkeyPatch.context() as patch, django_db_blocker.unblock():
        # The browser's tools run an event loop in this thread, and Django is wary of that.
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        made = Site(tmp_path_factory.mktemp("site"), free_port())
        made.fill(demo)
        with made.running() as running:
            yield running


@pytest.fixture
def enter(site: Site, chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Enter]:
    """Let somebody in: enter("ines") signs in, enter() does not. Faults of any of them fail the test."""
    visitors: list[Visitor] = []

    def come(name: str = "", password: str = "", **options: Any) -> Visitor:
        visitor = Visitor(site, chromium.new_context(**options))
        visitors.append(visitor)
        return visitor.sign_in(name, password) if name else visitor

    yield come
    if request.node.stash.get(FAILED, False):
        for visitor in visitors:
            visitor.picture(request.node.name)
    faults = [fault for visitor in visitors for fault in visitor.faults]
    for visitor in visitors:
        visitor.close()
    assert faults == []


@pytest.fixture
def room(site: Site, enter: Enter) -> Callable[..., Room]:
    """Make an open round of its own project: room("name", n_items=2)."""
    return lambda slug, **options: Room(site, enter, slug, **options)


@pytest.fixture(scope="session", autouse=True)
def nothing_was_logged(site: Site) -> Iterator[None]:
    """Fail the run when the web server or a worker complained."""
    yield
    assert site.errors() == []
