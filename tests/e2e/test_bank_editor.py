"""The bank in a browser: its editor, inspection, a draw of what was accepted, and its list by keys."""

import re

import pytest

from annotation import models
from annotation.people.models import Role
from tests import make
from tests.e2e import deeds

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]
SLUG = "bank-editor"
ASKED = "Which document of carriage is a title to the goods?"
#: Milliseconds, with a slow machine in mind.
LONG = 60_000


@pytest.fixture
def project(site):
    """A project with a question in its bank, a source, and everybody who takes part."""
    with site.database():
        home = make.project(SLUG, owner=make.user(f"{SLUG}-owner"))
        for role in (Role.CURATOR, Role.DESIGNER, Role.INSPECTOR):
            make.member(role, in_=home, username=f"{SLUG}-{role.lower()}")
        for number in (1, 2, 3):
            make.member(Role.ANNOTATOR, in_=home, username=f"{SLUG}-{number}")
        make.release("Kestrel", in_=home)
        make.release("Heron", in_=home)
        make.source_version(in_=home)
        capability = make.capability(in_=home)
        capability.definition = "Whether it is true."
        capability.save(update_fields=["definition"])
        if not home.questions.filter(external_id="B1").exists():
            text = make.question_text(f"{ASKED} Name it.", in_=home)
            make.question_version("SUBMITTED", in_=home, external_id="B1", text=text)
    return home


def newest(site, number: int) -> models.QuestionVersion:
    with site.database():
        rows = models.QuestionVersion.objects.select_related("question")
        return rows.filter(question__project__slug=SLUG, number=number).latest("pk")


def saved(page) -> None:
    page.wait_for_function(
        "() => document.getElementById('saved').textContent.startsWith('Saved') "
        "&& !document.getElementById('saved').classList.contains('bad')",
        timeout=LONG,
    )


def saving(page):
    """Wait for the answer to the next saving."""
    return page.expect_response(re.compile(r"/(draft|bank/new)/$"), timeout=LONG)


class TestTheEditor:
    def test_keeps_what_is_written_and_takes_it_through_inspection_into_a_round(
        self, site, project, enter
    ):
        designer = enter(f"{SLUG}-designer", make.PASSWORD)
        page = designer.go(f"/p/{SLUG}/bank/new/")

        # While one writes: the first saving makes a draft, what is alike is named, and shown as it
        # will be seen.
        with saving(page):
            page.fill("#turn-1", ASKED)
        page.wait_for_url(re.compile(r"/edit/$"), timeout=LONG)
        saved(page)
        page.locator("#hints").get_by_role("link", name=re.compile("B1")).wait_for(timeout=LONG)
        page.locator("#face").get_by_text(ASKED).wait_for(timeout=LONG)
        version = newest(site, 1)
        assert (version.asked, version.state) == (ASKED, "DRAFT")

        # Without a line it says so, keeps all on the page, and saves when the line is back.
        designer.context.set_offline(True)
        page.fill("#answer", "The bill of lading.")
        page.get_by_text("Not saved yet").wait_for(timeout=LONG)
        assert newest(site, 1).answer == ""
        designer.context.set_offline(False)
        page.fill("#key_points", "a title")
        with saving(page):
            page.locator("#key_points").press("End")
        saved(page)
        # What the preview and the hints could not fetch meanwhile, the browser complained of.
        designer.faults[:] = [one for one in designer.faults if "console: htmx:" not in one]

        # A reload brings back what was kept.
        page.reload()
        assert page.input_value("#answer") == "The bill of lading."
        assert page.input_value("#key_points") == "a title"
        assert page.input_value("#turn-1") == ASKED

        # Submitted too early, it says at each field what is missing.
        designer.press("Submit for review")
        said = page.inner_text("#form-errors")
        assert "Draft kept, not submitted." in said
        for missing in (
            "Choose the capability",
            "Choose how difficult",
            "Name at least one source",
        ):
            assert missing in said
        page.select_option("#id_capability", label="Factuality")
        page.locator(".capability-help").get_by_text("Whether it is true.").wait_for(timeout=LONG)
        page.select_option("#id_difficulty", "SIMPLE")
        page.select_option("#chosen", index=1)
        page.fill("#chosen_locator", "p. 3")
        designer.press("Cite")
        designer.press("Submit for review")
        assert "Submitted for review." in page.inner_text("main")
        version = newest(site, 1)
        name = version.question.external_id
        assert version.state == "SUBMITTED"

        # An inspector returns it, with a reason at the answer.
        inspector = enter(f"{SLUG}-inspector", make.PASSWORD)
        sheet = inspector.go(f"/p/{SLUG}/inspect/{version.pk}/")
        sheet.keyboard.press("p")
        sheet.keyboard.press("f")
        sheet.keyboard.type("It is also a receipt.")
        sheet.get_by_text("Pass all unanswered").click()
        sheet.locator("#note").press("Control+Enter")
        sheet.get_by_text(f"{name} is returned.").wait_for(timeout=LONG)

        # The author answers it in a new version, and the two are compared word by word.
        at = f"/p/{SLUG}/bank/{version.question_id}/"
        page = designer.go(at)
        assert "It is also a receipt." in page.inner_text("main")
        designer.press("New version")
        with saving(page):
            page.fill("#answer", "The bill of lading, a receipt too.")
        saved(page)
        page.locator("[id^=reply-]").first.fill("Mended.")
        designer.press("Submit for review")
        page = designer.go(f"{at}?version=2&against=1")
        assert "a receipt too" in page.locator("#versions ins, .diff ins").first.inner_text()
        assert newest(site, 2).state == "SUBMITTED"

        # Accepted, it is drawn into a round.
        sheet = inspector.go(f"/p/{SLUG}/inspect/{newest(site, 2).pk}/")
        assert "Mended." in sheet.inner_text("main")
        sheet.get_by_text("Pass all unanswered").click()
        sheet.locator("h1").click()
        sheet.keyboard.press("a")
        sheet.get_by_text(f"{name} is accepted.").wait_for(timeout=LONG)
        with site.database():
            item = models.Item.objects.get(project__slug=SLUG)
            for place, one in enumerate(
                models.SystemRelease.objects.filter(system__project=project)
            ):
                make.response(item, one, f"An answer, told in way {place}.")
        curator = enter(f"{SLUG}-curator", make.PASSWORD)
        names = [f"{SLUG}-{number}".title() for number in (1, 2, 3)]
        design = deeds.Design("From the editor", ["Kestrel", "Heron"], 1, "Factuality", names)
        deeds.open_round(curator, deeds.draft_round(curator, SLUG, design))
        with site.database():
            drawn = models.RoundItem.objects.get(round__project__slug=SLUG)
            assert drawn.item.question_version.number == 2
            assert drawn.item.reference == "The bill of lading, a receipt too."


class TestTheList:
    def test_is_filtered_by_keys_alone(self, site, project, enter):
        curator = enter(f"{SLUG}-curator", make.PASSWORD)
        page = curator.go(f"/p/{SLUG}/bank/")

        page.locator("#filter_text").focus()
        page.keyboard.type("name it")
        with page.expect_navigation(wait_until="load"):
            page.keyboard.press("Enter")
        assert "text=name" in page.url
        assert page.locator("table.bank tbody tr").count() == 1
        assert "B1" in page.inner_text("table.bank")

        page.locator("#filter_state").focus()
        page.keyboard.type("acc")  # a select takes the option that begins so
        assert page.input_value("#filter_state") == "ACCEPTED"
        page.get_by_role("button", name="Show", exact=True).first.focus()
        with page.expect_navigation(wait_until="load"):
            page.keyboard.press("Enter")
        assert "Nothing matches" in page.inner_text("main")

        clear = page.get_by_role("link", name=re.compile("^Clear"))
        clear.focus()
        with page.expect_navigation(wait_until="load"):
            page.keyboard.press("Enter")
        assert "B1" in page.inner_text("table.bank")

    def test_tells_what_capabilities_mean_when_somebody_asks(self, project, enter):
        page = enter(f"{SLUG}-curator", make.PASSWORD).go(f"/p/{SLUG}/bank/")

        page.locator("details.helps summary").first.focus()
        page.keyboard.press("Enter")

        page.locator("[data-helps]").get_by_text("Whether it is true.").wait_for(timeout=LONG)
