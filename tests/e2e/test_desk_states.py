"""Every state of the grading page: what makes it appear, what it says, and that nothing is lost."""

import re

import pytest
from django.utils import timezone

from annotation import models
from annotation.rounds import states
from annotation.running import discarding
from annotation.running import operations as seats
from tests.e2e.rooms import SAVED, await_next, keys, ready, saved, token

pytestmark = pytest.mark.e2e


def says(page, wanted, text):
    """Wait until the bar is in this state; it must say this."""
    page.wait_for_selector(f"[data-save][data-state={wanted}]")
    said = page.inner_text("[data-save]")
    assert re.search(text, said), said


class Gate:
    """Holds the requests to an address until it is opened."""

    def __init__(self, page, pattern):
        self.page, self.held, self.is_open = page, [], False
        page.route(pattern, self.take)

    def take(self, route):
        if self.is_open:
            route.continue_()
        else:
            self.held.append(route)

    def await_one(self):
        while not self.held:
            self.page.wait_for_timeout(50)

    def open(self):
        self.is_open = True
        for route in self.held:
            route.continue_()


def answer_once(page, pattern, **answer):
    """Answer the next request to an address so; let the others through."""
    done = []

    def spoil(route):
        if done:
            route.continue_()
        else:
            done.append(1)
            route.fulfill(**answer)

    page.route(pattern, spoil)


def unfit(message="This cannot be entered here."):
    return {"status": 422, "json": {"code": "unfit", "message": message, "fields": {}}}


class TestBeforeTheScript:
    def test_what_is_entered_counts(self, room):
        here = room("states-early")
        who = here.sit()
        page, mine = who.page, token(who.page)
        gate = Gate(page, re.compile(r"/js/pages/grade[.\w]*\.js"))
        page.reload(wait_until="commit")
        page.wait_for_selector("#C textarea", state="attached")
        page.click("label:has(> [name=mark-B-grade][value='2'])")
        page.click("#C details summary")
        page.fill("[name=comment-C]", "Too short.")
        assert not page.locator("body.with-script").count()
        gate.open()
        ready(who)
        saved(page)
        assert here.draft(mine) == {"mark/B/grade": "2", "comment/C": "Too short."}
        assert page.is_checked("[name=mark-B-grade][value='2']")


class TestSaving:
    def test_is_ready_then_saving_then_saved_with_the_time(self, room):
        page = room("states-saving").sit().page
        says(page, "ready", "Ready")
        gate = Gate(page, "**/draft/")
        keys(page, "1")
        gate.await_one()
        says(page, "saving", "Saving…")
        gate.open()
        says(page, "saved", r"^Saved \d\d:\d\d$")

    def test_says_who_is_left(self, room):
        page = room("states-left").sit().page
        assert page.inner_text("[data-left]") == "3 left: A, B, C"
        keys(page, "1", "1")
        assert page.inner_text("[data-left]") == "1 left: C"
        keys(page, "1")
        assert page.inner_text("[data-left]") == "All graded"

    def test_counts_the_tries(self, room):
        who = room("states-tries").sit()
        page = who.page
        answer_once(page, "**/draft/", status=500, body="no")
        keys(page, "1")
        says(page, "retrying", "^Not saved yet, try 1$")
        saved(page)
        who.faults[:] = [one for one in who.faults if "response: 500" not in one]

    def test_counts_what_waits_offline(self, room):
        who = room("states-offline").sit()
        who.page.wait_for_timeout(1500)
        who.context.set_offline(True)
        keys(who.page, "1")
        says(who.page, "offline", "^Offline: 1 kept on this device$")
        who.context.set_offline(False)
        saved(who.page)

    def test_loads_the_next_question(self, room):
        page = room("states-loading").sit().page
        page.route("**/ahead/", lambda route: route.abort())
        page.reload()
        page.wait_for_selector("body.with-script")
        first = token(page)
        gate = Gate(page, "**/submit/")
        keys(page, "1", "1", "1", "Control+Enter")
        gate.await_one()
        says(page, "loading", "^Loading the next question…$")
        assert page.get_attribute("main", "aria-busy") == "true"
        gate.open()
        await_next(page, first)
        assert page.get_attribute("main", "aria-busy") is None


class TestRestored:
    def test_says_when_and_on_which_device(self, room):
        here = room("states-restored")
        who = here.sit()
        keys(who.page, "1")
        saved(who.page)
        page = who.page
        page.reload()
        page.wait_for_selector("[data-save]:has-text('this device')")
        says(page, "restored", r"^Draft restored, from \d\d:\d\d, this device$")
        other = here.sit().page
        other.wait_for_selector("[data-save]:has-text('another device')")
        says(other, "restored", r"from \d\d:\d\d, another device$")


class TestRefused:
    def test_draft_stays_on_the_device_and_goes_with_the_next_change(self, room):
        here = room("states-refused")
        page = here.sit().page
        answer_once(page, "**/draft/", **unfit())
        keys(page, "2")
        says(page, "refused", "^Not saved: This cannot be entered here.$")
        assert page.is_visible("#kept-note")
        page.reload()
        page.wait_for_selector("body.with-script")
        assert page.is_checked("[name=mark-A-grade][value='2']")
        keys(page, "Shift+B", "1")
        saved(page)
        assert here.draft(token(page)) == {"mark/A/grade": "2", "mark/B/grade": "1"}
        assert page.is_hidden("#kept-note")

    def test_submit_is_kept_until_it_is_copied(self, room):
        page = room("states-kept").sit().page
        page.wait_for_timeout(1500)
        page.route("**/ahead/", lambda route: route.abort())
        page.reload()
        page.wait_for_selector("body.with-script")
        answer_once(page, "**/submit/", **unfit("No."))
        keys(page, "1", "2", "0", "Control+Enter")
        page.wait_for_selector("#refused-dialog[open]")
        work = page.input_value("#refused-work")
        assert re.findall(r"([ABC]): \w+: (\d)", work) == [("A", "1"), ("B", "2"), ("C", "0")]
        page.get_by_role("button", name="Keep it for now").click()
        page.reload()
        page.wait_for_selector("#kept-note:not([hidden])")
        page.get_by_role("button", name="Show it").click()
        page.get_by_role("button", name="Copy my work").click()
        page.wait_for_selector("#refused-said:has-text('Copied')")
        page.get_by_role("button", name="Keep it for now").click()
        page.wait_for_selector("#kept-note", state="hidden")

    def test_work_can_be_discarded(self, room):
        page = room("states-discard").sit().page
        answer_once(page, "**/draft/", **unfit())
        keys(page, "2")
        page.wait_for_selector("#kept-note:not([hidden])")
        page.get_by_role("button", name="Show it").click()
        page.get_by_role("button", name="Discard it").click()
        page.wait_for_selector("#kept-note", state="hidden")


class TestLease:
    def test_ends_can_be_extended_and_is_lost(self, room):
        who = room("states-lease").sit()
        page = who.page
        page.clock.install()
        page.reload()
        ready(who)
        assert page.get_by_role("button", name="More time").is_hidden()
        page.clock.fast_forward("28:40")
        says(page, "ending", "^2 min left$")
        page.get_by_role("button", name="More time").click()
        says(page, "ready", "Ready")
        page.clock.fast_forward("05:00")
        says(page, "lost", "^Time ran out; submit all the same$")

    def test_is_taken_back_by_a_curator_and_the_work_stays(self, room):
        here = room("states-withdrawn")
        page = here.sit().page
        mine = token(page)
        with here.site.database():
            seat = models.Assignment.objects.get(token=mine)
            seats.release(
                assignment=seat, by=here.round.created_by, reason="Ill.", now=timezone.now()
            )
        keys(page, "2")
        says(page, "withdrawn", "^Taken back by the curator; work kept$")
        page.reload()
        page.wait_for_selector("body.with-script")
        says(page, "lost", "Time ran out")
        assert page.is_checked("[name=mark-A-grade][value='2']")
        assert page.is_visible("#kept-note")


class TestRound:
    def deed(self, here, deed):
        with here.site.database():
            round_ = models.Round.objects.get(pk=here.round.pk)
            deed(round_=round_, by=round_.created_by, now=timezone.now())

    def without_next(self, who):
        who.page.wait_for_timeout(1500)
        who.page.route("**/ahead/", lambda route: route.abort())
        with who.site.database():
            models.Assignment.objects.filter(warm=True).update(
                state="FREE", rater=None, token=None, lease_until=None, warm=False, claimed_at=None
            )
        who.page.reload()
        ready(who)

    def test_pauses_while_a_question_is_open(self, room):
        here = room("states-pausing")
        who = here.sit()
        self.without_next(who)
        self.deed(here, states.pause)
        mine = token(who.page)
        keys(who.page, "1", "1", "1", "Control+Enter")
        who.page.wait_for_url("**/paused/")
        assert sum(here.grades().values()) == 3
        assert {one[0] for one in here.grades()} == {mine}

    def test_closes_while_a_question_is_open(self, room):
        here = room("states-closing")
        who = here.sit()
        self.without_next(who)
        self.deed(here, states.close)
        keys(who.page, "1", "1", "1", "Control+Enter")
        who.page.wait_for_url(lambda url: "/grade/rounds/" in url)
        assert sum(here.grades().values()) == 3

    def test_is_final_while_a_question_is_open(self, room):
        here = room("states-final")
        who = here.sit()
        self.without_next(who)
        page = who.page
        with here.site.database():
            seat = models.Assignment.objects.get(token=token(page))
            seats.release(
                assignment=seat, by=here.round.created_by, reason="Ill.", now=timezone.now()
            )
        self.deed(here, states.close)
        self.deed(here, states.finish)
        keys(page, "1", "1", "1", "Control+Enter")
        page.wait_for_selector("#refused-dialog[open]")
        assert page.input_value("#refused-work").count("\n") == 2
        page.get_by_role("button", name="Keep it for now").click()
        says(page, "locked", "^Read only$")
        assert page.locator("[data-submit]").is_hidden()

    def test_is_discarded_while_a_question_is_open(self, room):
        here = room("states-discarded")
        page = here.sit().page
        keys(page, "1")
        saved(page)
        with here.site.database():
            round_ = models.Round.objects.get(pk=here.round.pk)
            discarding.discard(
                round_=round_, by=round_.created_by, now=timezone.now(), reason="Wrong questions."
            )
        keys(page, "2")
        page.wait_for_selector("#refused-dialog[open]")
        assert "This round was discarded: Wrong questions." in page.inner_text("#refused-dialog")
        assert page.input_value("#refused-work").count("\n") == 1
        page.get_by_role("button", name="Keep it for now").click()
        says(page, "locked", "^Read only$")
        assert page.is_visible("#kept-note")

    def test_is_closed_and_ones_own_grades_can_be_read(self, room):
        here = room("states-locked")
        page = here.sit().page
        first = token(page)
        keys(page, "1", "1", "1", "Control+Enter")
        await_next(page, first)
        saved(page)
        self.deed(here, states.close)
        page.goto(page.url.replace(token(page), first))
        says(page, "locked", "^Read only$")
        keys(page, "2")
        assert page.is_checked("[name=mark-A-grade][value='1']")


class TestSubmitted:
    def test_can_be_taken_back_for_ten_seconds(self, room):
        who = room("states-undo").sit()
        page = who.page
        page.clock.install()
        page.reload()
        ready(who)
        first = token(page)
        keys(page, "1", "1", "1", "Control+Enter")
        await_next(page, first)
        undo = page.get_by_role("button", name="Undo submit")
        undo.wait_for()
        page.clock.fast_forward("00:11")
        undo.wait_for(state="hidden")

    def test_is_gone_to_and_fro_by_brackets(self, room):
        here = room("states-brackets")
        page = here.sit().page
        seen = [token(page)]
        for _turn in range(2):
            keys(page, "1", "1", "1", "Control+Enter")
            await_next(page, seen[-1])
            saved(page)
            seen.append(token(page))
        for key, at in (("[", 1), ("[", 0), ("]", 1), ("]", 2)):
            with page.expect_navigation():
                keys(page, key)
            page.wait_for_selector("body.with-script")
            assert token(page) == seen[at], key
        keys(page, "]")
        page.wait_for_function(
            "() => document.getElementById('announcer').textContent.includes('none that way')"
        )
        keys(page, "[")
        says(page, "submitted", "^Submitted$")


class TestPause:
    def test_says_so_until_one_goes_on(self, room):
        page = room("states-pause").sit().page
        keys(page, "1")
        saved(page)
        keys(page, "p")
        says(page, "paused", "^Paused$")
        page.get_by_role("button", name="Go on").click()
        page.wait_for_selector(SAVED)

    def test_is_offered_once_after_a_long_stretch(self, room):
        page = room("states-nudge").sit().page
        long = "localStorage.setItem('evalsite-worked', JSON.stringify({worked: 2699999, at: Date.now()}))"
        page.evaluate(long)
        page.wait_for_timeout(20)
        keys(page, "1")
        page.wait_for_selector("#nudge:not([hidden])")
        page.get_by_role("button", name="Not now").click()
        keys(page, "1")
        assert page.is_hidden("#nudge")
        keys(page, "?")
        page.uncheck("[data-switch=nudge]")
        keys(page, "Escape")
        page.evaluate(long)
        page.wait_for_timeout(20)
        keys(page, "1")
        assert page.is_hidden("#nudge")
