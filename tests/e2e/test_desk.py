"""The grading page with its script: keys, drafts, the queue on the device."""

import json

import pytest

from annotation import models
from tests.e2e.rooms import (
    ahead,
    announced,
    await_next,
    in_focus,
    keys,
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
        heading, title = page.inner_text("h1"), page.title()
        assert "question 1 of 6" in heading
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
        assert page.inner_text("h1") == heading.replace("question 1", "question 2")
        assert page.title() == title.replace("Question 1", "Question 2") != title
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

    def test_stays_on_the_device_while_the_servers_disk_is_full(self, room):
        here = room("desk-full")
        who = here.sit()
        page = who.page
        said = json.dumps({"code": "storage_full", "message": "Its disk is full.", "fields": {}})
        page.context.route(
            "**/draft/",
            lambda route: route.fulfill(status=507, body=said, content_type="application/json"),
        )
        keys(page, "2")
        page.wait_for_selector("[data-save][data-state=full]")
        assert "disk is full: 1 kept on this device" in page.inner_text("[data-save]")
        page.set_viewport_size({"width": 390, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.context.unroute("**/draft/")
        saved(page)
        assert here.draft(token(page)) == {"mark/A/grade": "2"}
        who.faults[:] = [one for one in who.faults if "response: 507" not in one]


class TestLine:
    @pytest.mark.nightly
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

    @pytest.mark.parametrize(
        ("what", "fault"),
        [
            ("draft", "before"),
            ("submit", "after"),
            ("submit", "500"),
            *(
                pytest.param(what, fault, marks=pytest.mark.nightly)
                for what, fault in (
                    ("draft", "after"),
                    ("draft", "twice"),
                    ("draft", "500"),
                    ("submit", "before"),
                    ("submit", "twice"),
                )
            ),
        ],
    )
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
