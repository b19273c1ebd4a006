"""The list of the bank as a place to work: columns, saved filters, many at once, the board."""

import pytest

from annotation import models
from annotation.bank import operations as writing
from annotation.people.models import Role
from tests import make
from tests.e2e import access, sweeps
from tests.e2e.addresses import Address

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
SLUG = "bank-list"
BANK = f"/p/{SLUG}/bank/"


@pytest.fixture(scope="module")
def project(site):
    """A project with drafts, one question in inspection and one that is accepted."""
    with site.database():
        home = make.project(SLUG, owner=make.user(f"{SLUG}-owner"))
        people = {
            role: make.member(role, in_=home, username=f"{SLUG}-{role.lower()}")
            for role in (Role.CURATOR, Role.DESIGNER, Role.INSPECTOR)
        }
        states = {"A": "DRAFT", "B": "DRAFT", "C": "DRAFT", "D": "SUBMITTED", "E": "ACCEPTED"}
        for name, state in states.items():
            make.question_version(
                state,
                in_=home,
                author=people[Role.DESIGNER],
                inspector=people[Role.INSPECTOR],
                external_id=name,
                text=make.question_text(f"What does the letter {name} stand for?", in_=home),
            )
    return home


@pytest.fixture
def designer(project, enter):
    return enter(f"{SLUG}-designer", make.PASSWORD)


def newest(site, name: str) -> models.QuestionVersion | None:
    with site.database():
        rows = models.QuestionVersion.objects.filter(
            question__project__slug=SLUG, question__external_id=name
        )
        return rows.select_related("question").order_by("-number").first()


def state_of(site, name: str) -> tuple[str, str]:
    found = newest(site, name)
    return found.question.state, found.state


def heads(page) -> list[str]:
    return [one.strip() for one in page.locator("#bank thead th").all_inner_texts()]


class TestPlan:
    def test_is_folded_above_the_list_and_read_when_it_is_opened(self, designer):
        page = designer.go(BANK)
        assert not page.locator("table.plan").count()

        page.locator("summary", has_text="Plan").click()

        page.locator("table.plan").wait_for()
        assert page.locator("table.plan tbody tr").count() == 1


class TestColumns:
    def test_are_chosen_with_the_keyboard_and_remembered(self, designer):
        page = designer.go(BANK)
        assert "Tags" not in heads(page)

        page.locator("summary", has_text="Columns").focus()
        page.keyboard.press("Enter")
        page.locator("input[name=columns][value=tags]").focus()
        page.keyboard.press("Space")
        page.locator("input[name=columns][value=age]").focus()
        page.keyboard.press("Space")
        with page.expect_navigation(wait_until="load"):
            page.keyboard.press("Enter")

        assert "Tags" in heads(page)
        assert "Age" not in heads(page)
        designer.go(f"/p/{SLUG}/")
        assert "Tags" in heads(designer.go(BANK))
        page.locator("summary", has_text="Columns").click()
        designer.press("Default")
        assert "Tags" not in heads(page)

    def test_fold_in_with_escape_and_give_the_focus_back(self, designer):
        page = designer.go(BANK)
        page.locator("summary", has_text="Columns").click()
        page.locator("input[name=columns][value=tags]").focus()

        page.keyboard.press("Escape")

        assert not page.locator("input[name=columns][value=tags]").is_visible()
        assert page.evaluate("document.activeElement.innerText.trim()") == "Columns"


class TestSavedFilters:
    def test_are_kept_changed_renamed_and_deleted(self, designer):
        page = designer.go(f"{BANK}?state=DRAFT&order=id")
        page.locator("summary", has_text="Save view").click()
        page.fill("#save-name", "My drafts")
        designer.press("Save")
        assert (
            page.locator("[aria-label='Saved filters'] [aria-current]").inner_text() == "My drafts"
        )
        assert page.locator("#bank tbody tr").count() == 3

        page.select_option("[name=state]", "SUBMITTED")
        designer.press("Show")
        designer.press("Keep as “My drafts”")
        assert page.locator("#bank tbody tr").count() == 1

        designer.follow("Saved filters")
        page.locator("summary", has_text="Change").click()
        page.fill("input[name=name]", "In inspection")
        designer.press("Rename")
        designer.follow("In inspection")
        assert page.locator("#bank tbody tr").count() == 1
        designer.go(f"{BANK}filters/")
        page.locator("summary", has_text="Change").click()
        designer.press("Delete")
        assert "Filter the list and press Save view." in page.inner_text("main")


class TestManyAtOnce:
    def test_are_chosen_with_shift_tried_out_and_changed(self, site, designer):
        page = designer.go(f"{BANK}?order=id")
        boxes = page.locator("[data-pick]")
        boxes.nth(0).click()
        boxes.nth(4).click(modifiers=["Shift"])
        assert page.locator("[data-picked]").inner_text() == "5 chosen"
        designer.press("Edit chosen")

        page.select_option("#id_difficulty", "DIFFICULT")
        page.fill("#id_tags_added", "autumn, audit")
        designer.press("Try it out")
        assert "1 × It is in inspection." in page.inner_text("main")
        assert newest(site, "A").difficulty == "SIMPLE"

        # Meanwhile the author goes on with one of them in another place.
        with site.database():
            moved = newest(site, "B")
            moved = models.QuestionVersion.objects.select_related("author").get(pk=moved.pk)
            text = make.question_text("What is B, once more?", in_=moved.question.project)
            writing.save_draft(
                version=moved, text=text, base_rev=moved.rev, by=moved.author, now=make.at(9)
            )
        designer.press("Change 4")

        said = page.inner_text("main")
        assert "1 × It was changed since this was tried out. It stays as it is." in said
        assert (newest(site, "A").difficulty, newest(site, "A").tags) == (
            "DIFFICULT",
            ["autumn", "audit"],
        )
        assert (newest(site, "B").asked, newest(site, "B").tags) == ("What is B, once more?", [])
        assert (newest(site, "E").number, newest(site, "E").state) == (2, "DRAFT")
        designer.follow("Not changed 2")
        designer.follow("B")
        assert "What is B, once more?" in page.inner_text("main")

    def test_are_all_that_fit_the_filters(self, designer):
        page = designer.go(f"{BANK}?state=DRAFT&text=letter")

        designer.press("Edit all")

        assert "chosen" in page.inner_text("main")
        page.go_back()
        page.locator("[data-pick-all]").click()
        n = page.locator("#bank tbody tr").count()
        assert page.locator("[data-picked]").inner_text() == f"{n} chosen"


class TestTheBoard:
    def card(self, page, name: str):
        return page.locator("[data-card]", has=page.locator(".mono", has_text=name))

    def drag(self, page, name: str, to: str) -> None:
        """Drag a card to the head of a column, with both in sight: nothing scrolls on the way."""
        page.set_viewport_size({"width": 1440, "height": 1600})
        column = page.locator(f"[data-column={to}]")
        self.card(page, name).drag_to(column, target_position={"x": 30, "y": 16})

    def test_moves_a_card_by_its_menu_with_the_keyboard(self, site, designer):
        page = designer.go(f"{BANK}board/")

        self.card(page, "C").locator("summary").focus()
        page.keyboard.press("Enter")
        self.card(page, "C").get_by_role("button", name="Submit for review").focus()
        with page.expect_navigation(wait_until="load"):
            page.keyboard.press("Enter")

        assert "Moved C." in page.inner_text("main")
        assert state_of(site, "C") == ("LIVE", "SUBMITTED")

    def test_moves_a_card_that_is_dragged_where_it_may_go(self, site, designer):
        page = designer.go(f"{BANK}board/")
        assert self.card(page, "D").get_attribute("draggable") == "true"

        with page.expect_navigation(wait_until="load"):
            self.drag(page, "D", "DRAFT")

        assert state_of(site, "D") == ("LIVE", "DRAFT")

    def test_leaves_a_card_that_is_dragged_where_it_may_not_go(self, site, designer):
        page = designer.go(f"{BANK}board/")
        before = state_of(site, "A")

        self.drag(page, "A", "ACCEPTED")
        page.wait_for_timeout(300)

        assert state_of(site, "A") == before
        assert page.locator(".may, .over, .dragged").count() == 0

    def test_asks_why_before_a_card_leaves_its_use(self, site, project, enter):
        curator = enter(f"{SLUG}-curator", make.PASSWORD)
        page = curator.go(f"{BANK}board/")

        self.drag(page, "A", "RETIRED")
        assert page.evaluate("document.activeElement.name") == "reason"
        assert state_of(site, "A")[0] == "LIVE"
        page.keyboard.type("Out of date.")
        with page.expect_navigation(wait_until="load"):
            self.card(page, "A").get_by_role("button", name="Retire").click()

        assert state_of(site, "A")[0] == "RETIRED"
        assert self.card(page, "A").count() == 1


class TestThePages:
    def test_can_be_used_by_all_at_any_width(self, site, designer):
        with site.database():
            number = models.BulkEdit.objects.filter(project__slug=SLUG).latest("pk").number
        paths = (
            f"{BANK}?columns=id&columns=tags&columns=state&order=id",
            f"{BANK}board/",
            f"{BANK}board/?only=DRAFT",
            f"{BANK}filters/",
            f"{BANK}bulk/",
            f"{BANK}bulk/new/?all=1",
            f"{BANK}bulk/{number}/",
        )

        pages = [Address("bank", path) for path in paths]
        found = sweeps.Sweep().over(designer, pages, sweeps.ALL)

        assert not found, "\n".join(found)

    def test_show_two_lines_of_a_long_question_on_a_phone(self, designer):
        page = designer.go(f"{BANK}?order=id")
        page.set_viewport_size({"width": 390, "height": 800})
        link = page.locator("#bank tbody .line1 a").first
        link.evaluate(
            "(one) => { one.textContent = 'Which paper says who owns the goods? '.repeat(9) }"
        )

        line = float(link.evaluate("(one) => parseFloat(getComputedStyle(one).lineHeight)"))
        box = link.bounding_box()

        assert box["height"] == pytest.approx(2 * line, abs=2)
        assert box["x"] + box["width"] <= 390

    def test_can_be_walked_through_with_the_keyboard(self, designer):
        for path in (f"{BANK}?order=id", f"{BANK}board/"):
            page = designer.go(path)

            assert access.along(page) == []
            assert page.evaluate(access.SMALL) == []


class TestPanel:
    def test_opens_questions_beside_the_list_and_walks_by_keys(self, designer):
        page = designer.go(f"{BANK}?order=id")
        links = page.locator("#bank tbody th a")
        panel = page.locator("#peek")
        first, second = links.all_inner_texts()[:2]

        links.first.click()
        panel.get_by_role("heading", name="Filed under").wait_for()
        assert page.url.endswith("?order=id")
        assert first in panel.inner_text()
        assert not sweeps.faults(page, narrow=False, dark=False)

        page.keyboard.press("j")
        panel.get_by_role("link", name=second, exact=True).wait_for()
        panel.get_by_role("heading", name="Filed under").wait_for()
        assert links.nth(1).evaluate("one => one === document.activeElement")
        page.keyboard.press("k")
        panel.get_by_role("link", name=first, exact=True).wait_for()

        page.keyboard.press("Escape")
        assert panel.is_hidden()
        assert links.first.evaluate("one => one === document.activeElement")

    def test_leads_to_the_page_on_a_phone(self, designer):
        page = designer.go(f"{BANK}?order=id")
        page.set_viewport_size({"width": 390, "height": 844})

        with page.expect_navigation():
            page.locator("#bank tbody th a").first.click()

        assert "/bank/" in page.url
        assert page.inner_text("h1") == "A"
