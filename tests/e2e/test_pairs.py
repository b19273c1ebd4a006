"""Three people say which of two answers is better: by keyboard, without a line, on a phone."""

from collections import Counter

import pytest

from annotation import models
from tests import make
from tests.e2e import deeds, sweeps
from tests.e2e.rooms import ahead, announced, await_next, keys, saved, select, state, token

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]
OF_PAIRS = {"criteria": ("better",), "n_items": 12, "n_releases": 3}


def chosen(page):
    return page.locator("#choices :checked").evaluate_all("all => all.map((one) => one.value)")


def choices_of(here, name="ann-1"):
    """Return what somebody has chosen, each choice by the question and the two systems."""
    with here.site.database():
        rows = models.Grade.objects.filter(round=here.round, rater__user__username=name)
        return [
            (
                row.response.item.external_id,
                frozenset((row.response.release.system.name, row.against.release.system.name)),
                int(row.value),
            )
            for row in rows.filter(is_current=True).select_related(
                "response__item", "response__release__system", "against__release__system"
            )
        ]


class TestDesk:
    def test_takes_choices_by_keyboard(self, room):
        here = room("pairs-keys", **OF_PAIRS)
        page = here.sit().page
        first = token(page)
        assert page.title().startswith("Pair 1 of 36")

        keys(page, "Enter")  # nothing is chosen yet
        assert token(page) == first
        keys(page, "4")
        assert chosen(page) == ["4"]
        keys(page, "9")
        announced(page, "There is no level 9. Levels: 1, 2, 3, 4, 5, 0")
        keys(page, "0")
        assert chosen(page) == ["6"]
        keys(page, "u")
        assert chosen(page) == ["4"]
        keys(page, "c")
        page.keyboard.type("Says when.")
        keys(page, "Escape")
        select(page, "B", 6)
        keys(page, "e")
        saved(page)
        keys(page, "Enter")
        await_next(page, first)

        keys(page, "u")  # the submit is taken back as long as nothing is changed
        page.wait_for_url(lambda url: first in url)
        page.wait_for_selector("body.with-script")
        assert chosen(page) == ["4"]
        assert page.input_value("[name=comment-A]") == "Says when."
        assert page.locator("#B mark[data-evidence]").count() == 1
        keys(page, "5", "Control+Enter")
        await_next(page, first)
        [(_question, systems, value)] = choices_of(here)
        assert (len(systems), value) == (2, 5)

    def test_keeps_what_is_chosen_without_a_line(self, room):
        here = room("pairs-offline", **OF_PAIRS)
        who = here.sit()
        page = who.page
        first = token(page)
        ahead(page)
        who.context.set_offline(True)
        keys(page, "2")
        page.wait_for_selector("[data-save][data-state=offline]")
        keys(page, "Enter")
        await_next(page, first)
        second = token(page)
        keys(page, "3", "Enter")
        await_next(page, second)
        keys(page, "1")
        assert state(page) == "offline"
        assert choices_of(here) == []

        who.context.set_offline(False)
        saved(page)
        page.wait_for_timeout(1500)
        assert sorted(value for *_what, value in choices_of(here)) == [2, 3]
        assert here.draft(token(page))["mark/A/better"] == "1"

    def test_asks_by_several_criteria_one_after_the_other(self, room):
        here = room("pairs-two", **OF_PAIRS | {"criteria": ("better", "kinder")})
        page = here.sit().page
        first = token(page)

        keys(page, "3")
        assert chosen(page) == ["3"]
        keys(page, "2")  # of two choices the second
        assert chosen(page) == ["3", "4"]
        saved(page)
        keys(page, "Enter")
        await_next(page, first)

        assert sorted(value for *_what, value in choices_of(here)) == [3, 4]

    @pytest.mark.parametrize("look", sweeps.ALL, ids=str)
    def test_fits_and_is_accessible(self, room, look):
        here = room(f"pairs-{'dark' if look.dark else 'light'}-{look.narrow:d}", **OF_PAIRS)
        page = here.sit().page

        assert sweeps.faults(page, narrow=look.narrow, dark=look.dark) == []

        a, b = (page.locator(f"#{one}").bounding_box() for one in "AB")
        assert (a["y"] == b["y"]) != look.narrow
        foot = page.locator("#choices").bounding_box()
        assert foot["y"] + foot["height"] <= page.viewport_size["height"]

    def test_works_without_a_script(self, room):
        here = room("pairs-plain", **OF_PAIRS)
        who = here.enter("ann-1", make.PASSWORD, java_script_enabled=False)
        page = who.go(f"/p/{here.slug}/grade/")
        page.locator("form[action$='/next/'] button").first.click()
        first = token(page)
        page.locator("#choices label").nth(1).click()
        page.locator("[data-submit]").click()

        assert token(page) != first
        assert [value for *_what, value in choices_of(here)] == [2]


def test_three_people_choose_in_a_round_that_was_begun_in_the_browser(room):
    here = room("pairs-whole", build=make.draft_round, n_items=12, n_releases=3)
    owner = here.enter(f"{here.slug}-owner", make.PASSWORD)
    page = owner.go(f"/p/{here.slug}/rubrics/new/?from=which_is_better")
    owner.press("Save")
    people = ("Ann-1", "Ann-2", "Ann-3")
    design = deeds.Design("Which one", make.SYSTEMS[:3], 12, "Which is better", people)
    at = deeds.draft_round(owner, here.slug, design)
    deeds.open_round(owner, at)

    for number, name in enumerate(("ann-1", "ann-2", "ann-3")):
        who = here.enter(name, make.PASSWORD)
        page = who.go(f"/p/{here.slug}/grade/")
        page.locator("form[action$='/next/'] button").first.click()
        page.wait_for_selector("body.with-script")
        for turn in range(36):
            before = token(page)
            keys(page, str((number + turn) % 6), "Enter")
            await_next(page, before)
        page.wait_for_url("**/all_done/")

    with here.site.database():
        here.round = models.Round.objects.get(name="Which one", project__slug=here.slug)
    for name in ("ann-1", "ann-2", "ann-3"):
        found = choices_of(here, name)
        assert len(found) == 36
        assert set(Counter((question, two) for question, two, _value in found).values()) == {1}
        assert {value for *_what, value in found} == {1, 2, 3, 4, 5, 6}
