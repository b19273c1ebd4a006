"""Files come in: by somebody who has read nothing, with the mouse alone, and without scripts."""

import re
import time
import zlib

import pytest

from annotation.files.models import Upload
from annotation.people.models import Role
from annotation.systems.models import Item, Response, System
from evalsite import env
from tests import make

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

EXAMPLES = env.BASE_DIR / "fixtures/examples"
#: Seconds in which somebody has brought in everything, on a busy machine too.
MOST = 180
SLOW = 60_000


@pytest.fixture
def curator(site, enter, request):
    """Let a curator of an empty project of their own in."""
    slug = f"harbour-{zlib.crc32(request.node.name.encode())}"
    with site.database():
        home = make.project(slug, owner=make.user(f"{slug}-owner"))
        make.member(Role.CURATOR, in_=home, username=f"{slug}-curator")
    who = enter(f"{slug}-curator", make.PASSWORD)
    who.slug = slug
    return who


def hand_in(who, *names):
    who.go(f"/p/{who.slug}/imports/new/")
    who.page.set_input_files("input[type=file]", [EXAMPLES / name for name in names])


def title(who):
    return who.page.locator("h1").inner_text()


def counted(site, slug):
    with site.database():
        items = Item.objects.seen().filter(project__slug=slug).count()
        answers = Response.objects.seen().filter(item__project__slug=slug).count()
        systems = System.objects.seen().filter(project__slug=slug)
        return items, answers, sorted(systems.values_list("name", flat=True))


class TestThreeSystemsInThreeFormats:
    def test_come_in_by_a_few_clicks_with_questions_found_again(self, site, curator):
        began = time.monotonic()
        hand_in(curator, "harbour_alder.csv", "harbour_birch.jsonl", "harbour_cedar.xlsx")
        taken = curator.page.locator("#taken a[href]")
        taken.nth(2).wait_for(timeout=SLOW)
        told = taken.all_inner_texts()

        taken.first.click()
        curator.page.wait_for_selector("#match-title")
        titles = [title(curator)]
        curator.press("Import 40 answers")
        for _file in range(2):
            curator.press(re.compile("^Continue with"))
            titles.append(title(curator))
            curator.press("Import 40 answers")

        assert "Answers of one new system, for 40 new questions" in told[0]
        assert titles[0] == "Answers of one new system, for 40 new questions"
        known = "Answers of one new system, for 40 questions you already have"
        assert titles[1:] == [known, known]
        assert counted(site, curator.slug) == (40, 120, ["Alder", "Birch", "Cedar"])
        assert time.monotonic() - began < MOST

    def test_come_in_once_each_though_the_button_is_pressed_as_well(self, site, curator):
        hand_in(curator, "harbour_alder.csv", "harbour_birch.jsonl", "harbour_cedar.xlsx")
        curator.page.get_by_role("button", name="Check").click()
        taken = curator.page.locator("#taken a[href]")
        taken.nth(2).wait_for(timeout=SLOW)

        assert [one.split(":")[0] for one in taken.all_inner_texts()] == [
            "harbour_alder.csv",
            "harbour_birch.jsonl",
            "harbour_cedar.xlsx",
        ]
        assert "Import its questions first" in taken.nth(1).inner_text()


class TestAnOpenQuestion:
    def test_keeps_the_import_off_until_it_is_answered(self, site, curator, tmp_path):
        path = tmp_path / "broken.csv"
        path.write_text("id,question,answer_Alder\nH-1,What is a berth?,A place.\n,,Nothing.\n")
        curator.go(f"/p/{curator.slug}/imports/new/")
        with curator.page.expect_navigation():
            curator.page.set_input_files("input[type=file]", path)
        bring_in = curator.page.get_by_role("button", name="Import", exact=False).last
        was_off = bring_in.is_disabled()

        curator.page.get_by_label("Leave them out").check()
        curator.page.get_by_text("Left out: 1 row").wait_for(timeout=SLOW)
        curator.press("Import 1 answer")

        assert was_off
        assert counted(site, curator.slug)[:2] == (1, 1)

    def test_says_what_a_column_holds_without_the_page_being_left(self, site, curator, tmp_path):
        path = tmp_path / "odd.csv"
        path.write_text("nr,ask,said\nH-1,What is a berth?,A place.\n")
        curator.go(f"/p/{curator.slug}/imports/new/")
        with curator.page.expect_navigation():
            curator.page.set_input_files("input[type=file]", path)
        page = curator.page

        page.get_by_label("Answers of systems").check()
        page.locator("#columns, .asks .placing").first.wait_for(timeout=SLOW)

        with site.database():
            assert Upload.objects.get(project__slug=curator.slug).kind == "ANSWERS"


class TestColumns:
    def test_stay_unfolded_while_one_is_changed(self, curator):
        hand_in(curator, "harbour_alder.csv")
        page = curator.page
        page.wait_for_selector("#match-title", timeout=SLOW)
        page.get_by_text("6 columns").click()

        field = page.get_by_label(re.compile("^Goes to: latency_ms$"))
        field.select_option("ignore")
        page.wait_for_load_state("networkidle")

        assert field.is_visible()
        assert field.input_value() == "ignore"


class TestWithoutScripts:
    def test_a_file_is_answered_and_imported(self, site, enter, curator, tmp_path):
        path = tmp_path / "broken.csv"
        path.write_text("id,question,answer_Alder\nH-1,What is a berth?,A place.\n,,Nothing.\n")
        who = enter(f"{curator.slug}-curator", make.PASSWORD, java_script_enabled=False)
        who.go(f"/p/{curator.slug}/imports/new/")
        who.page.set_input_files("input[type=file]", path)
        who.press("Check")

        who.page.get_by_label("Leave them out").check()
        who.press("Check again")
        who.press("Import 1 answer")

        assert counted(site, curator.slug)[:2] == (1, 1)


class TestAPhone:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_is_wide_enough_for_the_page(self, curator, enter, scheme):
        hand_in(curator, "harbour_alder.csv")
        curator.page.wait_for_selector("#match-title", timeout=SLOW)
        phone = enter(
            f"{curator.slug}-curator",
            make.PASSWORD,
            viewport={"width": 390, "height": 844},
            color_scheme=scheme,
        )

        phone.go(curator.path)

        assert phone.page.evaluate("document.documentElement.scrollWidth") <= 390
        assert phone.foreign() == []
