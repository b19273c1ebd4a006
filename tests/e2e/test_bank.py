"""A question from its draft through inspection, returned once, into a drawn round."""

import pytest

from annotation import models
from annotation.bank import operations as writing
from annotation.people.models import Role
from tests import make
from tests.e2e import deeds

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
SLUG = "from-draft-to-round"
DRAFT = make.NOW


@pytest.fixture
def project(site):
    """A project with everybody who takes part, and an answer's worth of systems."""
    with site.database():
        home = make.project(SLUG, owner=make.user(f"{SLUG}-owner"))
        for role in (Role.CURATOR, Role.DESIGNER, Role.INSPECTOR):
            make.member(role, in_=home, username=f"{SLUG}-{role.lower()}")
        for number in (1, 2, 3):
            make.member(Role.ANNOTATOR, in_=home, username=f"{SLUG}-{number}")
        make.release("Kestrel", in_=home)
        make.release("Heron", in_=home)
    return home


def submitted(site, home) -> models.QuestionVersion:
    with site.database():
        author = models.User.objects.get(username=f"{SLUG}-designer")
        text = make.question_text("What is a bill of lading good for?", in_=home)
        return make.question_version(
            "SUBMITTED", in_=home, author=author, text=text, external_id="B1"
        )


def mended(site, version) -> None:
    """Let the author take the suggestion over, reply, and hand the next version in."""
    with site.database():
        given = {"by": version.author, "now": DRAFT}
        suggestion = version.inspections.get().suggestion
        made = writing.revise(version=version, suggestion=suggestion, **given)
        text = make.question_text(
            made.asked, made.answer, in_=version.question.project, replies={"correct": "Mended."}
        )
        made = writing.save_draft(version=made, text=text, base_rev=made.rev, **given)
        make.taken_to("SUBMITTED", made)


def state_of(site, number: int) -> str:
    with site.database():
        rows = models.QuestionVersion.objects.filter(question__project__slug=SLUG, number=number)
        return rows.get().state


class TestAQuestion:
    def test_goes_from_inspection_into_a_round(self, site, project, enter):
        version = submitted(site, project)
        inspector = enter(f"{SLUG}-inspector", make.PASSWORD)
        page = inspector.go(f"/p/{SLUG}/")
        assert "Waiting for your inspection: 1" in page.inner_text("main")

        # The first time: one line fails, with words and a better answer.
        inspector.go(f"/p/{SLUG}/inspect/")
        inspector.follow("Inspect")
        page.keyboard.press("p")
        page.keyboard.press("f")
        page.keyboard.type("It is more than that.")
        page.reload()  # what is not decided yet is kept on the device
        assert page.locator("[data-kept]").is_visible()
        assert page.locator("#note-2").input_value() == "It is more than that."
        page.get_by_text("Suggest another text").click()
        page.fill("#suggest-answer", "A receipt, a title and a contract.")
        page.get_by_text("Pass all unanswered").click()
        page.locator("#note").press("Control+Enter")
        page.get_by_text("B1 is returned.").wait_for()
        assert state_of(site, 1) == "RETURNED"

        # The designer is told, and goes on with it.
        designer = enter(f"{SLUG}-designer", make.PASSWORD)
        assert "B1 came back to you" in designer.go(f"/p/{SLUG}/").inner_text("main")
        mended(site, version)

        # The second time it is as it should be.
        inspector.go(f"/p/{SLUG}/inspect/")
        inspector.follow("Inspect")
        said = page.inner_text("main")
        assert "Changes since version 1" in said
        assert "Mended." in said
        page.get_by_text("Pass all unanswered").click()
        page.locator("h1").click()
        page.keyboard.press("a")
        page.get_by_text("B1 is accepted.").wait_for()
        assert state_of(site, 2) == "ACCEPTED"

        # Answers come in, and a curator draws a round from what was accepted.
        with site.database():
            item = models.Item.objects.get(project__slug=SLUG)
            for place, one in enumerate(
                models.SystemRelease.objects.filter(system__project=project)
            ):
                make.response(item, one, f"An answer, told in way {place}.")
        curator = enter(f"{SLUG}-curator", make.PASSWORD)
        names = [f"{SLUG}-{number}".title() for number in (1, 2, 3)]
        design = deeds.Design("From the bank", ["Kestrel", "Heron"], 1, "Factuality", names)
        at = deeds.draft_round(curator, SLUG, design)
        deeds.open_round(curator, at)
        with site.database():
            drawn = models.RoundItem.objects.get(round__project__slug=SLUG)
            assert drawn.item.question_version.number == 2
            assert drawn.item.reference == "A receipt, a title and a contract."
