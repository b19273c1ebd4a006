"""The grading page with its script: keys, drafts, the queue on the device, two tabs, two devices."""

import re
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotation import models
from annotation.operations import seating
from tests import make
from tests.e2e import sweeps
from tests.e2e.rooms import (
    SAVED,
    ahead,
    announced,
    await_next,
    in_focus,
    keys,
    ready,
    saved,
    select,
    token,
)

pytestmark = pytest.mark.e2e


class TestKeys:
    def test_grade_a_whole_question(self, room):
        here = room("desk-keys")
        page = here.sit().page
        first = token(page)

        assert in_focus(page) == "A"
        keys(page, "2")
        assert in_focus(page) == "B"
        keys(page, "j")
        assert in_focus(page) == "C"
        keys(page, "k", "k")
        assert in_focus(page) == "A"
        keys(page, "n")
        assert in_focus(page) == "B"
        keys(page, "Shift+C", "1")
        keys(page, "Shift+A", "Backspace")
        saved(page)
        assert here.draft(first) == {"mark/C/grade": "1"}

        keys(page, "w")
        assert page.is_checked("[name=mark-A-grade][value='0']")
        keys(page, "Control+z")
        assert not page.locator("[name=mark-A-grade]:checked").count()
        keys(page, "Control+y")
        assert page.is_checked("[name=mark-A-grade][value='0']")
        keys(page, "u", "9")
        announced(page, "There is no level 9")

        select(page, "B", 6)
        keys(page, "e")
        assert page.inner_text("#B mark") == "Answer"
        keys(page, "Shift+B", "c")
        page.keyboard.type("2 of them")
        assert page.input_value("[name=comment-B]") == "2 of them"
        assert not page.locator("[name=mark-B-grade]:checked").count()
        page.focus("#B input")
        keys(page, "Shift+A", "1")
        keys(page, "Enter")  # not complete: stays
        assert token(page) == first
        keys(page, "2", "Control+Enter")
        await_next(page, first)
        second = token(page)
        keys(page, "1", "1", "x")
        page.keyboard.press("ArrowDown")
        assert page.input_value("[name=cannot-C]") != ""
        keys(page, "Control+Enter")
        await_next(page, second)
        third = token(page)
        keys(page, "0", "1", "2", "Enter")
        await_next(page, third)
        saved(page)

        assert here.grades() == {
            (first, "A", 1, False): 1,
            (first, "B", 2, False): 1,
            (first, "C", 1, False): 1,
            (second, "A", 1, False): 1,
            (second, "B", 1, False): 1,
            (third, "A", 0, False): 1,
            (third, "B", 1, False): 1,
            (third, "C", 2, False): 1,
        }
        with here.site.database():
            remarks = models.Remark.objects.filter(slot__assignment__token=first)
            assert {(one.kind, one.text, one.start, one.end) for one in remarks} == {
                ("COMMENT", "2 of them", None, None),
                ("EVIDENCE", "", 0, 6),
            }

    def test_open_and_close_every_aid(self, room):
        page = room("desk-aids").sit().page
        for key, dialog in [
            ("d", "diff"),
            ("g", "guide"),
            ("r", "guide"),
            ("?", "keys"),
            ("p", "pause"),
        ]:
            keys(page, key)
            assert page.locator(f"#{dialog}-dialog[open]").count() == 1, key
            keys(page, "1", "Escape")  # a digit grades nothing below a dialog
            assert page.locator("dialog[open]").count() == 0, key
        assert page.locator("#grades input:checked").count() == 0
        views = []
        for _turn in range(3):
            keys(page, "v")
            views.append(page.get_attribute("body", "data-view"))
            if views[-1] == "focus":
                assert page.locator(".resp[id]:visible").count() == 1
                keys(page, "j")
                assert page.locator("#B").is_visible()
        assert views == ["focus", "stack", "columns"]  # short responses stand side by side at first

    def test_take_a_submit_back(self, room):
        page = room("desk-back").sit().page
        first = token(page)
        keys(page, "1", "1", "1", "Control+Enter")
        await_next(page, first)
        saved(page)
        with page.expect_navigation():
            keys(page, "u")
        assert token(page) == first
        assert page.is_checked("[name=mark-A-grade][value='1']")

    def test_submit_once_however_often_pressed(self, room):
        here = room("desk-twice")
        page = here.sit().page
        first = token(page)
        keys(page, "1", "1", "1", "Control+Enter", "Control+Enter", "Enter", "Control+Enter")
        await_next(page, first)
        saved(page)
        assert page.locator("dialog[open]").count() == 0
        assert here.grades() == {(first, letter, 1, False): 1 for letter in "ABC"}


class TestDraft:
    def test_is_saved_and_comes_back(self, room):
        here = room("desk-draft")
        page = here.sit().page
        keys(page, "2")
        saved(page)
        assert page.inner_text("[data-save]").startswith("Saved")
        assert here.draft(token(page)) == {"mark/A/grade": "2"}
        select(page, "C", 6)
        keys(page, "e")
        if page.locator("[data-point]").count():
            page.check("[data-point='0']")
        saved(page)
        page.wait_for_function("document.querySelector('[data-save]').dataset.state === 'saved'")
        page.reload()
        page.wait_for_selector("[data-save]:has-text('Draft restored')")
        assert page.is_checked("[name=mark-A-grade][value='2']")
        assert page.inner_text("#C mark") == "Answer"
        assert in_focus(page) == "B"

    def test_that_was_not_sent_yet_survives_a_reload(self, room):
        here = room("desk-reload")
        page = here.sit().page
        page.context.route("**/draft/", lambda route: route.abort())
        keys(page, "2")
        page.wait_for_selector("[data-save][data-state=retrying], [data-save][data-state=offline]")
        page.reload()
        page.wait_for_selector("body.with-script")
        assert page.is_checked("[name=mark-A-grade][value='2']")
        page.context.unroute("**/draft/")
        saved(page)
        assert here.draft(token(page)) == {"mark/A/grade": "2"}


class TestLine:
    def test_is_cut_for_three_questions_and_the_server_restarts(self, site, room):
        here = room("desk-offline")
        who = here.sit()
        page = who.page
        ahead(page)
        who.context.set_offline(True)
        expected = {}
        for values in ("012", "120", "201"):
            mine = token(page)
            keys(page, *values)
            expected |= {
                (mine, "ABC"[place], int(value), False): 1 for place, value in enumerate(values)
            }
            page.wait_for_selector("[data-save][data-state=offline]")
            keys(page, "Control+Enter")
            if values != "201":
                await_next(page, mine)
        assert here.grades() == {}
        site.stop()
        site.start()
        assert here.grades() == {}
        who.context.set_offline(False)
        page.wait_for_url(lambda url: mine not in url, timeout=60_000)
        page.wait_for_load_state()
        assert here.grades() == expected

    @pytest.mark.parametrize("what", ["draft", "submit"])
    @pytest.mark.parametrize("fault", ["before", "after", "twice", "500"])
    def test_is_cut_at_one_request(self, room, what, fault):
        here = room(f"desk-{what}-{fault}")
        who = here.sit()
        page = who.page
        first = token(page)
        spoilt = []

        def spoil(route):
            if spoilt:
                route.continue_()
                return
            spoilt.append(fault)
            if fault == "before":
                route.abort()
            elif fault == "500":
                route.fulfill(status=500, body="no")
            else:
                answer = route.fetch()
                assert answer.ok
                if fault == "twice":
                    route.fulfill(response=route.fetch())
                else:
                    route.abort()

        page.route(f"**/{what}/", spoil)
        keys(page, "1", "2")
        saved(page)
        keys(page, "0")
        saved(page)
        assert here.draft(first) == {
            "mark/A/grade": "1",
            "mark/B/grade": "2",
            "mark/C/grade": "0",
        }
        keys(page, "Enter")
        await_next(page, first)
        saved(page)
        assert spoilt == [fault]
        assert here.grades() == {
            (first, "A", 1, False): 1,
            (first, "B", 2, False): 1,
            (first, "C", 0, False): 1,
        }
        with here.site.database():
            receipts = models.Receipt.objects.filter(assignment__token=first, kind="submit")
            assert receipts.count() == 1
        who.faults[:] = [one for one in who.faults if "response: 500" not in one]


class TestTwoTabs:
    def test_the_older_reads_until_it_takes_over(self, room):
        here = room("desk-tabs")
        who = here.sit()
        old = who.page
        keys(old, "1")
        saved(old)
        new = who.context.new_page()
        new.goto(old.url)
        new.wait_for_selector("body.with-script")
        old.wait_for_selector("body.read-only")
        assert old.get_by_role("button", name="Take over here").is_visible()
        old.click("label:has(> [name=mark-B-grade][value='2'])")
        assert not old.locator("[name=mark-B-grade]:checked").count()
        assert sweeps.faults(old, narrow=False, dark=False) == []
        keys(new, "2")
        saved(new)
        old.get_by_role("button", name="Take over here").click()
        old.wait_for_selector("body:not(.read-only).with-script [name=mark-B-grade]:checked")
        new.wait_for_selector("body.read-only")
        keys(old, "0")
        saved(old)
        marks = here.draft(token(old))
        assert marks == {"mark/A/grade": "1", "mark/B/grade": "2", "mark/C/grade": "0"}


class TestTwoDevices:
    def test_are_joined_where_only_one_changed(self, room):
        here = room("desk-join")
        one, two = here.sit().page, here.sit().page
        assert token(one) == token(two)
        keys(one, "1")
        saved(one)
        keys(two, "Shift+B", "2")
        saved(two)
        assert two.locator("dialog[open]").count() == 0
        assert two.is_checked("[name=mark-A-grade][value='1']")
        assert here.draft(token(one)) == {"mark/A/grade": "1", "mark/B/grade": "2"}

    @pytest.mark.parametrize("side", ["mine", "theirs"])
    def test_are_asked_where_both_changed(self, room, side):
        here = room(f"desk-merge-{side}")
        one, two = here.sit().page, here.sit().page
        keys(one, "1", "2")
        saved(one)
        keys(two, "0", "Shift+C", "1")
        two.wait_for_selector("#merge-dialog[open]")
        assert two.locator("#merge-list fieldset").count() == 1
        assert two.locator("#merge-list input:checked").count() == 0
        for dark in (False, True):
            assert sweeps.faults(two, narrow=dark, dark=dark) == []
        two.get_by_role("button", name="Use my choice").click()  # nothing chosen: stays
        assert two.locator("#merge-dialog[open]").count() == 1
        keys(two, "Escape")
        two.wait_for_selector("[data-save][data-state=conflict]")
        keys(two, "Shift+C", "Control+Enter")
        if not two.locator("#merge-dialog[open]").count():
            keys(two, "0")
        two.wait_for_selector("#merge-dialog[open]")
        two.check(f"[name=merge-0][value={side}]")
        two.get_by_role("button", name="Use my choice").click()
        saved(two)
        marks = here.draft(token(two))
        assert marks["mark/A/grade"] == {"mine": "0", "theirs": "1"}[side]
        assert marks["mark/B/grade"] == "2"
        assert "mark/C/grade" in marks


class TestSession:
    def end(self, here):
        with here.site.database():
            Session.objects.all().delete()

    def sign_in(self, page, name, password=make.PASSWORD):
        page.wait_for_selector("#login-dialog[open]")
        page.fill("#login-dialog [name=username]", name)
        page.fill("#login-dialog [name=password]", password)
        page.get_by_role("button", name="Sign in").click()

    def test_ends_and_the_person_goes_on_in_place(self, room):
        here = room("desk-session")
        page = here.sit().page
        self.end(here)
        keys(page, "1")
        self.sign_in(page, "ann-1", "wrong")
        page.wait_for_selector("#login-problem:not(:empty)")
        for narrow in (False, True):
            assert sweeps.faults(page, narrow=narrow, dark=narrow) == []
        self.sign_in(page, "ann-1")
        saved(page)
        keys(page, "2", "0", "Enter")
        first = token(page)
        await_next(page, first)
        saved(page)
        assert sum(here.grades().values()) == 3

    def test_ends_and_somebody_else_signs_in(self, room):
        here = room("desk-else")
        who = here.sit()
        page = who.page
        mine = token(page)
        self.end(here)
        keys(page, "1", "2")
        self.sign_in(page, "ann-2")
        page.wait_for_url(re.compile("/grade/$"))
        assert here.draft(mine) == {}
        who.press("Begin")
        ready(who)
        keys(page, "0")
        saved(page)
        theirs = token(page)
        assert here.draft(theirs) == {"mark/A/grade": "0"}
        assert here.draft(mine) == {}
        who.context.clear_cookies()
        who.sign_in("ann-1", make.PASSWORD)
        who.go(f"/p/{here.slug}/grade/")
        who.follow(re.compile("^Continue"))
        # The list has sent what the device kept, or the page does it now.
        page.wait_for_selector(f"{SAVED}, [data-save][data-state=restored]")
        assert page.is_checked("[name=mark-B-grade][value='2']")
        page.wait_for_timeout(1000)
        assert here.draft(mine) == {"mark/A/grade": "1", "mark/B/grade": "2"}

    def test_of_somebody_else_in_another_tab_takes_nothing_over(self, room):
        here = room("desk-other-tab")
        who = here.sit()
        page, mine = who.page, token(who.page)
        self.end(here)
        other = who.context.new_page()
        other.goto(who.site.url + "/login/")
        other.fill("[name=username]", "ann-2")
        other.fill("[name=password]", make.PASSWORD)
        other.get_by_role("button", name="Sign in").click()
        other.wait_for_url(lambda url: "/login/" not in url)
        keys(page, "1")
        self.sign_in(page, "ann-1")
        saved(page)
        assert here.draft(mine) == {"mark/A/grade": "1"}


class TestLease:
    def test_that_went_to_somebody_else_offline_makes_late_grades(self, room):
        here = room("desk-late", n_items=1, n_annotators=2, n_seats=1)
        who = here.sit()
        page, mine = who.page, token(who.page)
        page.wait_for_timeout(1500)
        who.context.set_offline(True)
        keys(page, "1", "1", "1")
        page.wait_for_selector("[data-save][data-state=offline]")
        with here.site.database():
            seat = models.Assignment.objects.get(token=mine)
            models.Assignment.objects.filter(pk=seat.pk).update(
                lease_until=timezone.now() - timedelta(minutes=1)
            )
            second = make.annotators(here.round)[1]
            taken = seating.claim_next(round_=here.round, rater=second, now=timezone.now())
            assert taken.pk == seat.pk
        keys(page, "Control+Enter")
        who.context.set_offline(False)
        page.wait_for_selector("#late-note:not([hidden])")
        with here.site.database():
            late = models.Grade.objects.filter(round=here.round, late=True)
            assert sorted(int(one.value or 0) for one in late) == [1, 1, 1]
            assert {one.rater.user.username for one in late} == {"ann-1"}
