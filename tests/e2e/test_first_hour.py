"""From an empty site and three files to a verdict, by somebody who has read nothing; every action is counted."""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator

from evalsite import env
from tests.e2e import deeds
from tests.e2e.site import Site, free_port
from tests.e2e.visitor import Visitor

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]

FILES = ["harbour_alder.csv", "harbour_birch.jsonl", "harbour_cedar.xlsx"]
PEOPLE = ["Anna Berg", "Ben Okoro <ben@yard.example>", "chidi.eze@yard.example", "Dana Li"]
PASSWORD = "a-lantern-by-the-quay-7"
#: Clicks, typed fields and chosen files of the owner.
MOST = 60
SLOW = 60_000


@dataclass
class Hand:
    """The hand of somebody at a page: each click, each field typed and each choice of files is one action.

    It finds things only as a person does: by the words that stand on them, where they can be seen.
    """

    who: Visitor
    done: list[str] = field(default_factory=list)

    def opens(self, path: str) -> None:
        """Open an address that was told, as in a mail or a log."""
        self.done.append(f"open {path[:12]}…")
        self.who.go(path)

    def clicks(self, name: str | re.Pattern[str], *, role: str = "", moves: bool = True) -> None:
        """Click a button or a link, by default one that leads to another page."""
        self.done.append(f"click {name if isinstance(name, str) else name.pattern}")
        there = self._seen(name, role)
        there.wait_for(timeout=SLOW)
        if moves:
            with self.who.page.expect_navigation(wait_until="load"):
                there.click()
        else:
            there.click()

    def types(self, label: str, text: str) -> None:
        self.done.append(f"type {label}")
        self.who.page.get_by_label(label, exact=True).fill(text)

    def chooses(self, paths: list[Path]) -> None:
        self.done.append(f"choose {len(paths)} files")
        self.who.page.locator("input[type=file]").set_input_files(paths)

    def _seen(self, name: str | re.Pattern[str], role: str) -> Locator:
        page = self.who.page
        if isinstance(name, str):  # what stands on it; for who cannot see it may say more: of what
            name = re.compile(f"^{re.escape(name)}( ?:.*)?$")
        button, link = page.get_by_role("button", name=name), page.get_by_role("link", name=name)
        named = {"link": link, "button": button}.get(role, button.or_(link))
        return named.locator("visible=true").first


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Site]:
    """A site as it is after its first start, without a demo."""
    made = Site(tmp_path, free_port(), options=("--no-demo",))
    with made.running() as running:
        yield running
        assert running.errors() == []


@pytest.fixture
def arrive(empty: Site, chromium: Browser) -> Iterator[Callable[[], Visitor]]:
    came: list[Visitor] = []

    def come() -> Visitor:
        came.append(Visitor(empty, chromium.new_context()))
        return came[-1]

    yield come
    for one in came:
        one.close()
    assert [fault for one in came for fault in one.faults] == []


def set_up(site: Site, hand: Hand) -> None:
    """Make the first account by the link in the log, and a project."""
    link = re.search(r"(/set-up/\S+)", (site.data / "up.log").read_text())
    assert link, "The log holds no link."
    hand.opens(link[1])
    hand.types("Name", "Ines Rocha")
    hand.types("Password", PASSWORD)
    hand.clicks("Create account")
    hand.types("Name", "Harbour desk")
    hand.clicks("Create project")


def invite(hand: Hand) -> list[str]:
    """Invite everybody at once; return their links."""
    hand.clicks("Invite")
    hand.types("For whom", "\n".join(PEOPLE))
    hand.clicks("Create link")
    hand.clicks("Copy all", moves=False)
    shown = hand.who.page.get_by_label("Links", exact=True).input_value()
    return re.findall(r"(/join/\S+)", shown)


def bring_in(hand: Hand) -> None:
    """Hand in three files at once and follow the button of each."""
    hand.clicks("Home")
    hand.clicks("Import a file")
    hand.chooses([env.BASE_DIR / "fixtures/examples" / name for name in FILES])
    hand.who.page.locator("#taken a[href]").nth(2).wait_for(timeout=SLOW)
    hand.clicks(re.compile(r"^harbour_alder\.csv"))
    hand.clicks("Import 40 answers")
    for _file in FILES[1:]:
        hand.clicks(re.compile("^Continue with"))
        hand.clicks("Import 40 answers")


def join(arrive: Callable[[], Visitor], link: str) -> Visitor:
    """Come with a link and nothing else: name and user name are there or made."""
    who = arrive()
    page = who.go(link)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    who.name = page.get_by_label("Name", exact=True).input_value()
    who.press("Create account and join")
    return who


def begin(hand: Hand) -> None:
    """Take an example rubric and open a round as it is filled in, with fewer questions."""
    hand.clicks("Home")
    hand.clicks("Rubrics")
    hand.clicks(re.compile("^Add ?: Overall quality$"))
    hand.clicks("Home")
    hand.clicks("New round")
    hand.types("Questions (optional)", "4")
    hand.clicks("Open round")
    # The lot decides whether a response names a system; then it stays a draft that says so.
    if hand.who.page.get_by_role("link", name="Fix").count():
        hand.clicks("Fix")
        hand.clicks("Mask all")
        hand.clicks("Round 1")
        hand.clicks("Open the round")


def conclude(hand: Hand) -> None:
    """Close the round, make it final and read what came of it."""
    hand.clicks("Home")
    hand.clicks("Open")
    hand.clicks("Close for review…")
    hand.clicks("Close for review")
    hand.clicks("Make final…")
    hand.clicks("Make final")
    hand.clicks("Results")


class TestTheFirstHour:
    def test_leads_to_a_verdict_by_sixty_actions_of_the_owner(self, empty, arrive, record_property):
        hand = Hand(arrive())
        set_up(empty, hand)
        annotators = [join(arrive, link) for link in invite(hand)]
        bring_in(hand)
        begin(hand)

        deeds.grade_together(annotators, "/p/harbour-desk/grade/", range(1, 6))
        conclude(hand)
        hand.who.page.wait_for_selector(".rank li", timeout=2 * SLOW)

        record_property("actions", len(hand.done))
        sys.stdout.write(f"\n{len(hand.done)} actions: {', '.join(hand.done)}\n")
        verdict = hand.who.page.locator("h1, .verdict").all_inner_texts()
        assert [one.name for one in annotators] == [
            "Anna Berg",
            "Ben Okoro",
            "Chidi Eze",
            "Dana Li",
        ]
        assert any(system in " ".join(verdict) for system in ("Alder", "Birch", "Cedar", "System"))
        assert len(hand.done) <= MOST, hand.done
