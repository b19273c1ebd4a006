"""The grading page in two tabs, on two devices, when a session or a lease ends."""

import re
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from annotation import models
from annotation.grading import seating
from tests import make
from tests.e2e import sweeps
from tests.e2e.rooms import (
    SAVED,
    await_next,
    keys,
    ready,
    saved,
    token,
)

pytestmark = pytest.mark.e2e


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
        two.get_by_role("button", name="Use it").click()  # nothing chosen: stays
        assert two.locator("#merge-dialog[open]").count() == 1
        keys(two, "Escape")
        two.wait_for_selector("[data-save][data-state=conflict]")
        keys(two, "Shift+C", "Control+Enter")
        if not two.locator("#merge-dialog[open]").count():
            keys(two, "0")
        two.wait_for_selector("#merge-dialog[open]")
        two.check(f"[name=merge-0][value={side}]")
        two.get_by_role("button", name="Use it").click()
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
        who.forget()
        who.sign_in("ann-1", make.PASSWORD)
        who.go(f"/p/{here.slug}/grade/")
        who.follow(re.compile("^Continue"))
        # The list has sent what the device kept, or the page does it now.
        page.wait_for_selector(f"{SAVED}, [data-save][data-state=restored]")
        assert page.is_checked("[name=mark-B-grade][value='2']")
        page.wait_for_timeout(1000)
        assert here.draft(mine) == {"mark/A/grade": "1", "mark/B/grade": "2"}

    def test_what_the_list_sends_while_the_page_is_made_stands_on_it(self, room):
        here = room("desk-overtaken")
        who = here.sit()
        page, mine = who.page, token(who.page)
        self.end(here)
        keys(page, "1", "2")
        page.wait_for_selector("#login-dialog[open]")
        who.forget()
        who.sign_in("ann-1", make.PASSWORD)
        held = []
        page.route("**/draft/", lambda route: held.append(route))

        def make_page_first(route):
            answer = route.fetch()
            assert here.draft(mine) == {}
            held.pop().continue_()
            for _ in range(100):
                if here.draft(mine):
                    break
                page.wait_for_timeout(50)
            page.wait_for_timeout(300)  # the list takes the answer in
            route.fulfill(response=answer)

        page.route(re.compile("/grade/[^/]+/$"), make_page_first, times=1)
        who.go(f"/p/{here.slug}/grade/")
        who.follow(re.compile("^Continue"))
        page.wait_for_selector(f"{SAVED}, [data-save][data-state=restored]")
        assert page.is_checked("[name=mark-B-grade][value='2']")

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
