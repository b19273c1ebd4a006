"""The grading page with everything that is hard to show, and two answers beside each other."""

import pytest

from annotation import models
from evalsite.text import markdown
from tests import make
from tests.e2e import sweeps, torture
from tests.e2e.rooms import announced, in_focus, keys, ready, saved

pytestmark = pytest.mark.e2e
HIDDEN = "(one) => one.scrollWidth > one.clientWidth + 1"


@pytest.fixture(scope="module")
def hard(site):
    with site.database():
        return torture.fill("desk-hard")


@pytest.fixture
def sit(hard, enter):
    def come(name="ann-1", **options):
        who = enter(name, make.PASSWORD, **options)
        who.go("/p/desk-hard/grade/")
        who.page.get_by_role("main").locator(".btn.go").first.click()
        ready(who)
        return who

    return come


def highlights(page, name):
    """Return the texts that the browser marks by this name."""
    return page.evaluate(
        "(name) => [...(CSS.highlights.get(name) ?? [])].map((one) => one.toString())", name
    )


class TestAHardQuestion:
    @pytest.mark.parametrize("person", ["ann-1", "ann-2", "ann-3"])
    def test_never_widens_a_page_and_has_no_fault(self, sit, person):
        page = sit(person).page
        for narrow in (False, True):
            assert sweeps.faults(page, narrow=narrow, dark=not narrow) == []
            assert page.evaluate(sweeps.TOO_WIDE) == []

    def test_has_number_and_word_on_every_level_and_a_row_for_each_criterion(self, sit):
        page = sit(viewport={"width": 390, "height": 844}).page
        for name in ("Correct", "Clarity"):
            row = page.locator("#A .crit", has=page.get_by_text(name, exact=True)).first
            labels = row.locator("label")
            assert [one.inner_text().split("\n")[0] for one in labels.all()] == list("012345")
            assert all(one.locator("span").is_visible() for one in labels.all())
            tops = {round(one.bounding_box()["y"]) for one in labels.all()}
            assert len(tops) == 1
        bar = page.locator(".bar").bounding_box()
        assert bar["height"] <= 56
        assert len(page.inner_text("[data-save]").split()) <= 2

    def test_says_what_the_chosen_level_means(self, sit):
        page = sit("ann-3", viewport={"width": 1440, "height": 900}).page
        keys(page, "Shift+C", "3")
        assert page.locator("#C [data-anchor]").first.inner_text().startswith("What mostly right")


class TestCode:
    def test_scrolls_in_its_frame_is_coloured_and_copied(self, site, room):
        here = room("torture-code", n_releases=2)
        html = markdown.render("```python\ndef f(x):  # " + "long " * 60 + "\n    return 5\n```")
        with site.database():
            shown = models.RoundResponse.objects.filter(round_item__round=here.round)
            models.Display.objects.filter(pk__in=shown.values("display")).update(html=html)
        who = here.sit(permissions=["clipboard-read", "clipboard-write"])
        page = who.page
        page.wait_for_selector("#A .code pre[tabindex='0']")

        assert page.locator("#A .code pre").evaluate(HIDDEN)
        assert {"def", "return"} <= set(highlights(page, "code-word"))
        assert "5" in highlights(page, "code-number")
        before = page.locator("#A [data-response]").evaluate("(one) => one.textContent")
        page.locator("#A").get_by_role("button", name="Copy the code").click()
        announced(page, "Copied.")
        assert page.evaluate("navigator.clipboard.readText()").startswith("def f(x):")
        # Neither the button nor the language adds words to the text.
        assert before.strip().startswith("def f(x):")
        named = "(one) => getComputedStyle(one, '::before').content"
        assert page.locator("#A .code pre").evaluate(named) == '"python"'


class TestComparing:
    def near(self, here):
        """Let the answers be nearly the same, and nearly the standard answer."""
        said = "Four days at the middle quay cost {} in all, and the form is due by six."
        with here.site.database():
            shown = models.RoundResponse.objects.filter(round_item__round=here.round)
            for place, one in enumerate(
                models.Display.objects.filter(pk__in=shown.values("display"))
            ):
                one.html = f"<p>{said.format(30 + place)}</p>"
                models.Display.objects.filter(pk=one.pk).update(html=one.html)

    def test_sets_two_beside_each_other_and_marks_what_differs(self, room):
        here = room("compare-near")
        self.near(here)
        page = here.sit(viewport={"width": 1440, "height": 900}).page
        keys(page, "Shift+B", "d")
        page.wait_for_selector("body[data-compare=standard]")
        assert page.locator(".resp[id]:visible").count() == 1
        page.select_option("[data-side='0']", "A")
        page.wait_for_selector("body[data-compare=pair]")
        boxes = [page.locator(f"#{letter}").bounding_box() for letter in "AB"]
        assert boxes[0]["y"] == boxes[1]["y"]
        assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"] + 1
        assert page.inner_text("[data-tint]") == "Mark what differs"
        assert sorted(len(one) for one in highlights(page, "differs")) == [2, 2]
        assert sweeps.faults(page, narrow=False, dark=False) == []
        assert sweeps.faults(page, narrow=True, dark=True) == []

    def test_takes_the_whole_width_where_answers_stand_in_columns(self, room):
        here = room("compare-columns")
        self.near(here)
        page = here.sit(viewport={"width": 1440, "height": 900}).page
        while page.get_attribute("body", "data-view") != "columns":
            keys(page, "v")
        keys(page, "Shift+B", "d")
        page.select_option("[data-side='0']", "A")
        right = page.locator("#B").bounding_box()
        assert right["x"] + right["width"] >= 1439

    def test_grades_as_everywhere_and_follows_the_keys(self, room):
        page = room("compare-keys").sit(viewport={"width": 1440, "height": 900}).page
        keys(page, "d")
        page.wait_for_selector("body[data-compare]")
        keys(page, "2")  # A; B is the next ungraded and comes into the comparison
        assert in_focus(page) == "B"
        assert page.locator("#B").is_visible()
        assert page.locator("#A").is_hidden()
        saved(page)
        keys(page, "Escape")
        assert page.get_attribute("body", "data-compare") is None
        assert page.locator(".resp[id]:visible").count() == 3


class TestEscape:
    def test_leaves_a_comment_and_keeps_it(self, room):
        page = room("escape").sit().page
        keys(page, "c")
        page.keyboard.type("Half of it.")
        keys(page, "Escape", "1")
        assert page.input_value("[name=comment-A]") == "Half of it."
        assert page.is_checked("[name=mark-A-grade][value='1']")


class TestTimes:
    def test_are_those_of_the_reader(self, room):
        here = room("times")
        here.sit(timezone_id="Asia/Kolkata")
        with here.site.database():
            until = here.round.assignments.filter(state="CLAIMED", warm=False).get().lease_until
        who = here.sit(timezone_id="Asia/Kolkata")
        who.go("/p/times/grade/")
        shown = who.page.locator("time[data-local=time]").inner_text()
        minutes = (until.hour * 60 + until.minute + 330) % 1440
        assert shown == f"{minutes // 60:02}:{minutes % 60:02}"


class TestPace:
    def test_is_told_after_three_questions(self, room):
        here = room("pace", n_items=6)
        page = here.sit().page
        assert page.inner_text("[data-pace]") == ""
        for _turn in range(3):
            before = page.url
            keys(page, "1", "1", "1", "Control+Enter")
            page.wait_for_url(lambda url, last=before: url != last)
        assert page.inner_text("[data-pace]") == ", about 1 min left"
