"""A rubric of levels, yes or no and labels: written, opened in a round, graded by keyboard alone."""

import pytest

from annotation import models
from tests import make
from tests.e2e import deeds
from tests.e2e.rooms import await_next, keys, saved, token

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]


def write_rubric(who, project):
    """Write a rubric with a scale of 0 to 3, yes or no, and one of three labels."""
    page = who.go(f"/p/{project}/rubrics/new/")

    def press(act):
        with page.expect_navigation(wait_until="load"):
            page.click(f"button[value='{act}']")

    for act in ("add_criterion", "add_criterion", "mark:1:YES_NO", "mark:2:LABEL", "add_level:2"):
        press(act)
    page.fill("[name=head-name]", "Check list")
    for place, name in enumerate(("Right", "Polite", "Slip")):
        page.fill(f"[name=c{place}-name]", name)
    page.fill("[name=c0-maximum]", "3")
    press("fill_levels:0")
    for place, words in ((0, "Wrong Partly Right Exact"), (2, "None Fact Style")):
        fields = page.locator(f"[name^='c{place}l'][name$='-label']")
        for rank, word in enumerate(words.split()):
            fields.nth(rank).fill(word)
    with page.expect_navigation(wait_until="load"):
        page.click("button.go[value=save]")
    assert "/rubrics/new/" not in who.path, page.inner_text("main")


def open_a_round(here):
    owner = here.enter(f"{here.slug}-owner", make.PASSWORD)
    write_rubric(owner, here.slug)
    people = ("Ann-1", "Ann-2", "Ann-3")
    design = deeds.Design("By check list", make.SYSTEMS[:2], 2, "Check list", people)
    deeds.open_round(owner, deeds.draft_round(owner, here.slug, design))


def test_a_check_list_is_written_opened_and_graded_by_keyboard(room):
    here = room("kinds-of-mark", build=make.draft_round, n_items=2, n_releases=2)
    open_a_round(here)
    page = here.enter("ann-1", make.PASSWORD).go(f"/p/{here.slug}/grade/")
    page.locator("form[action$='/next/'] button").first.click()
    page.wait_for_selector("body.with-script")
    first = token(page)

    keys(page, "3", "y", "2", "0", "n", "3")
    assert page.locator("[data-tally] b").all_inner_texts() == ["3/3", "3/3"]
    saved(page)
    assert here.draft(first)["mark/B/slip"] == "3"
    keys(page, "Enter")
    await_next(page, first)
    keys(page, "1", "1", "1", "2", "0", "1", "Control+Enter")
    page.wait_for_url("**/all_done/")

    with here.site.database():
        rows = models.Grade.objects.filter(round__name="By check list").order_by("given_at", "pk")
        stored = [
            (row.slot.position, row.criterion.key, int(row.value))
            for row in rows.select_related("slot", "criterion")
        ]
    assert sorted(stored[:6]) == [
        (0, "polite", 1),
        (0, "right", 3),
        (0, "slip", 2),
        (1, "polite", 0),
        (1, "right", 0),
        (1, "slip", 3),
    ]
    assert [value for *_place, value in sorted(stored[6:])] == [1, 1, 1, 0, 2, 1]


def test_labels_numbers_and_texts_are_entered_without_a_mouse(room):
    kinds = ("traits", "minutes", "wish")
    here = room("labels-by-key", n_items=2, n_releases=2, criteria=kinds)
    page = here.sit().page
    first = token(page)

    keys(page, "1", "3", "2", "2")  # the second one is taken back
    assert page.locator("#A .mark :checked").count() == 2
    keys(page, "Enter", "7")  # a digit leads into the field
    page.keyboard.type("4.5")
    keys(page, "Tab")
    page.keyboard.type("Say when.")
    keys(page, "Escape", "j", "0")
    assert page.locator("#B .mark :checked").get_attribute("value") == "0"
    keys(page, "1")  # a label in place of none
    assert page.locator("#B .mark :checked").get_attribute("value") == "1"
    keys(page, "Enter", "7")
    page.keyboard.type("10")
    keys(page, "Control+Enter")
    await_next(page, first)

    with here.site.database():
        rows = models.Grade.objects.filter(assignment__token=first).select_related(
            "criterion", "slot"
        )
        stored = {(row.slot.position, row.criterion.key): row.text or row.value for row in rows}
    assert {place: str(value) for place, value in stored.items()} == {
        (0, "traits"): "5.0000",
        (0, "minutes"): "4.5000",
        (0, "wish"): "Say when.",
        (1, "traits"): "1.0000",
        (1, "minutes"): "10.0000",
    }


def test_labels_after_the_ninth_have_keys_that_mean_nothing_else(room):
    here = room("many-labels", n_items=2, n_releases=2, criteria=("topic", "tags"))
    page = here.sit().page
    first = token(page)

    hints = page.locator("#A [data-criterion=topic] kbd").all_inner_texts()
    assert hints == [*"1234567890ABHILMOQTZ", "⇧I", "⇧J", "⇧K", "⇧L"]
    assert page.locator("#A [data-criterion=tags] kbd").all_inner_texts() == [*"123456789ABH", "0"]
    keys(
        page, "0", "1", "a", "h", "a", "Enter"
    )  # the tenth topic; tags 1, 10, 12, and 10 taken back
    keys(
        page, "q", "0", "j", "Shift+A"
    )  # none of the tags; J and Shift with A go where they always go
    assert page.locator("#A[data-now]").count() == 1
    saved(page)
    assert here.draft(first) == {
        "mark/A/topic": "10",
        "mark/A/tags": str(1 + 2**11),
        "mark/B/topic": "18",
        "mark/B/tags": "0",
    }
    keys(page, "Control+Enter")
    await_next(page, first)
    keys(page, "Shift+L")
    saved(page)
    assert here.draft(token(page)) == {"mark/A/topic": "24"}
