"""Everything an annotator does, in a browser that runs no scripts."""

import pytest
from django.utils import timezone

from annotation import models
from annotation.people.models import Role
from tests import make
from tests.e2e import deeds

pytestmark = pytest.mark.e2e
GRADING = "/p/plain/grade/"


@pytest.fixture
def annotator(site, enter):
    """The first annotator of an open round of six questions, three systems and two criteria."""
    with site.database():
        home = make.project("plain", owner=make.user("plain-owner"))
        for number in (1, 2, 3):
            make.member(Role.ANNOTATOR, in_=home, username=f"ann-{number}")
        make.open_round(
            n_items=6, n_releases=3, criteria=("truth", "style"), in_=home, now=timezone.now()
        )
    return enter("ann-1", make.PASSWORD, java_script_enabled=False)


def token(who):
    return who.path.rstrip("/").rpartition("/")[2]


class TestAnnotator:
    def test_grades_corrects_skips_and_hands_back(self, site, annotator):
        page = annotator.go(GRADING)
        annotator.press("Begin")
        first = token(annotator)

        # An incomplete page is refused, says where, and keeps what was entered.
        deeds.mark(annotator, [1], but="mark-B-style")
        page.click("#B summary")
        page.fill("[name=comment-B]", "Nearly right.")
        page.click("#C summary")
        page.select_option("[name=cannot-C]", "unreadable")
        annotator.press("Submit and next")
        assert token(annotator) == first
        assert page.get_by_role("alert").first.is_visible()
        assert page.get_by_role("link", name="B", exact=True).first.is_visible()
        assert page.input_value("[name=comment-B]") == "Nearly right."
        assert page.input_value("[name=cannot-C]") == "unreadable"
        assert page.is_checked("[name=mark-A-style][value='1']")

        # Complete, it is stored, and the next one comes.
        deeds.mark(annotator, [2])
        annotator.press("Submit and next")
        second = token(annotator)
        assert second != first
        deeds.mark(annotator, [1])
        annotator.press("Submit and next")

        # One is skipped, one is handed back.
        skipped = token(annotator)
        page.get_by_role("button", name="Skip").click()
        page.select_option("[name=reason]", "knowledge")
        annotator.press("Let somebody else take it")
        assert token(annotator) != skipped
        page.get_by_role("button", name="Skip").click()
        annotator.press("Let somebody else take it")
        assert annotator.path == GRADING

        # The sheet shows both, and corrects the second.
        annotator.follow("My grades")
        row = page.locator("table.sheet tbody tr").nth(1)
        row.locator("select").first.select_option("0")
        with page.expect_navigation():
            row.get_by_role("button").click()
        assert "Saved." in page.inner_text("main")

        annotator.press("Sign out")
        assert annotator.path == "/login/"
        self.assert_stored(site, first, second, skipped)

    def assert_stored(self, site, first, second, skipped):
        with site.database():
            of = models.Round.objects.get(project__slug="plain")
            seats = {seat.token: seat for seat in of.assignments.all()}
            grades = models.Grade.objects.filter(is_current=True)
            kept = grades.filter(assignment=seats[first], outcome="CANNOT_GRADE")
            assert {grade.reason for grade in kept} == {"unreadable"}
            values = grades.filter(assignment=seats[second]).order_by("value")
            assert [int(grade.value or 0) for grade in values] == [0, 1, 1, 1, 1, 1]
            given_back = models.ClaimEvent.objects.exclude(kind="CLAIMED").order_by("pk")
            assert [event.kind for event in given_back.filter(assignment__round=of)] == [
                "DECLINED",
                "HANDED_BACK",
            ]
            remarks = models.Remark.objects.filter(slot__assignment=seats[first])
            assert [remark.text for remark in remarks] == ["Nearly right."]
