"""What people do with the pages, click by click."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.visitor import Visitor

#: What a file is handed in as: a path, or a name and its bytes.
File = Path | dict[str, Any]
SCALE = {"minimum": "1", "maximum": "5", "step": "1", "pass_at": "3", "weight": "1"}
CHECK = re.compile("^Check (again|the file)$")
LONG = 120.0  # seconds for a worker on a busy machine


def hand_in(who: Visitor, project: str, kind: str, file: File) -> None:
    """Take a file to its page; one that is chosen is handed in at once."""
    page = who.go(f"/p/{project}/imports/new/")
    page.select_option("[name=kind]", kind)
    with page.expect_navigation(wait_until="load"):
        page.set_input_files("[name=file]", file)


def ignore_columns(who: Visitor, names: Sequence[str]) -> None:
    for name in names:
        label = re.compile(rf"^Goes to\s*: {re.escape(name)}$")
        who.page.get_by_label(label).evaluate("(one) => { one.value = 'ignore'; }")


def say_of_file(who: Visitor, **values: str | bool) -> None:
    """Fill in what holds for the whole file, folded or not; it is sent with the next button."""
    for name, value in values.items():
        field = "checked" if isinstance(value, bool) else "value"
        where = who.page.locator(f"[name={name}]")
        where.evaluate(f"(one, value) => {{ one.{field} = value; }}", value)


def import_it(who: Visitor) -> None:
    """Try the file out, wait for the report, bring it in, wait until it is in."""
    who.press(CHECK)
    button = who.page.locator("button[value=import]:not([disabled])")
    button.wait_for(timeout=LONG * 1000)
    button.click()
    who.page.get_by_role("heading", name="Imported").wait_for(timeout=LONG * 1000)


def write_rubric(who: Visitor, project: str, name: str, criteria: Sequence[str]) -> None:
    """Write a rubric whose criteria go from 1 to 5."""
    who.go(f"/p/{project}/rubrics/new/")
    for _more in criteria[1:]:
        who.press("Add a criterion")
    who.page.fill("[name=head-name]", name)
    for place, criterion in enumerate(criteria):
        who.page.fill(f"[name=c{place}-name]", criterion)
        for field, value in SCALE.items():
            who.page.fill(f"[name=c{place}-{field}]", value)
    for place, _criterion in enumerate(criteria):
        with who.page.expect_navigation(wait_until="load"):
            who.page.click(f"button[value='fill_levels:{place}']")
        for rank, words in enumerate(("poor", "weak", "fair", "good", "very good")):
            who.page.fill(f"[name=c{place}l{rank}-label]", words)
    who.press("Save")
    assert "/rubrics/new/" not in who.path, who.page.inner_text("main")


@dataclass(frozen=True)
class Design:
    """What a round is made of, in the words of its pages."""

    name: str
    systems: Sequence[str]
    n_items: int
    rubric: str
    annotators: Sequence[str]


def draft_round(who: Visitor, project: str, design: Design) -> str:
    """Begin a round and choose what it is made of; return its address."""
    page = who.go(f"/p/{project}/rounds/new/")
    page.fill("[name=name]", design.name)
    page.fill("[name=n_items]", str(design.n_items))
    for box in page.locator("[name=releases], [name=annotators]").all():
        named = box.locator("xpath=ancestor::label").inner_text()
        wanted = (*design.systems, *design.annotators)
        box.set_checked(any(re.search(rf"\b{re.escape(one)}\b", named) for one in wanted))
    rubric = page.locator("[name=rubric]")
    label = rubric.locator("option").filter(has_text=design.rubric).last.inner_text()
    rubric.select_option(label=label)
    page.wait_for_timeout(700)  # counting begins a little after the last letter
    page.wait_for_load_state(
        "networkidle"
    )  # what it takes is counted; leaving would break that off
    who.press("Save draft")
    return who.path


def open_round(who: Visitor, at: str) -> None:
    """Prepare a draft, mask the names in its responses, look at an item, and open it."""
    who.go(at)
    who.press("Prepare")
    if who.page.get_by_role("link", name="Decide", exact=True).count():
        who.follow("Decide")
        who.press("Mask all")
        who.go(at)
    who.follow("Preview")
    who.go(at)
    who.press("Open the round")


def close_round(who: Visitor, at: str) -> None:
    """Close a round for review and make it final."""
    who.go(f"{at}close/")
    who.press("Close for review")
    who.follow(re.compile("^Make final"))
    who.press("Make final")


def wait_for_results(who: Visitor, at: str) -> None:
    who.go(f"{at}results/")
    who.page.wait_for_selector("section.sec :is(.rank, table)", timeout=LONG * 1000)


#: A mark that was clicked: seat, letter, criterion.
Clicked = dict[tuple[str, str, str], int]


def grade_together(annotators: Sequence[Visitor], at: str, values: Sequence[int]) -> Clicked:
    """Let everybody grade the round to its end, all of them submitting at the same moment."""
    for each in annotators:
        each.go(at)
    press_together(annotators, "^(Begin|Continue)")
    clicked: Clicked = {}
    busy = list(annotators)
    end = time.monotonic() + 4 * LONG
    while busy:
        assert time.monotonic() < end, [one.path for one in busy]
        for each in busy:
            clicked |= mark(each, values)
        press_together(busy, "^Submit and next")
        # Who waits gets nothing more: the seats that are left are held by others, who submit them.
        ends = ("/all_done/", "/share_done/", "/waiting/")
        busy = [each for each in busy if not each.path.endswith(ends)]
    return clicked


def press_together(visitors: Sequence[Visitor], name: str) -> None:
    """Press a button in several browsers before any of them has an answer; wait for all of them."""
    before = [each.page.url for each in visitors]
    for each in visitors:
        button = each.page.get_by_role("button", name=re.compile(name)).first
        button.click(no_wait_after=True)
    for each, url in zip(visitors, before, strict=True):
        each.page.wait_for_url(lambda now, url=url: now != url)


def mark(who: Visitor, values: Sequence[int], *, but: str = "") -> Clicked:
    """Click a grade for every mark `but` one; which grade depends on where it stands."""
    token = who.path.rstrip("/").rpartition("/")[2]
    clicked: Clicked = {}
    names: list[str] = who.page.eval_on_selector_all(
        "fieldset.mark input[type=radio]", "all => [...new Set(all.map((one) => one.name))]"
    )
    for place, name in enumerate(one for one in names if one != but):
        value = values[(place + sum(map(ord, token))) % len(values)]
        who.page.click(f'fieldset.mark label:has(> input[name="{name}"][value="{value}"])')
        letter, _sign, criterion = name.removeprefix("mark-").partition("-")
        clicked[token, letter, criterion] = value
    return clicked


def mark_quickly(who: Visitor, *, comment: str = "") -> None:
    """Grade everything with its highest level at once, and comment on the first response."""
    who.page.evaluate(
        """(comment) => {
          for (const box of document.querySelectorAll("fieldset.mark"))
            [...box.querySelectorAll("input[type=radio]")].at(-1).click();
          const field = document.querySelector("textarea[name^=comment]");
          if (!field) return;
          field.value = comment;
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        comment,
    )
