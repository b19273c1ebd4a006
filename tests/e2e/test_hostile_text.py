"""Whatever stands in a text, a page shows it and does not obey it."""

import csv
import io
import zlib

import pytest

from tests import make
from tests.e2e import addresses, deeds, hostile

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
SLUG = "hostile"
#: One share of all pages is looked at with every change, the others in the night.
SHARES = 6
#: Nobody grades a question faster than this, in milliseconds.
READING = 500


@pytest.fixture(scope="module")
def world(site):
    with site.database():
        return hostile.build(SLUG)


@pytest.fixture
def owner(world, enter):
    return enter(f"{SLUG}-owner", make.PASSWORD)


def look(who, path):
    """Open a page, if it is one; return what in it came from a text."""
    return [f"{path}: {one}" for one in who.foreign()] if who.look(path) else []


def choose_everywhere(who, target):
    """Say of every column that was not recognised where it goes; send it however incomplete."""
    who.page.evaluate(
        """(target) => {
          for (const choice of document.querySelectorAll("#matching select"))
            if (!choice.value) choice.value = target;
          for (const form of document.forms) form.noValidate = true;
        }""",
        target,
    )


class TestHostileText:
    @pytest.mark.nightly
    def test_stays_text_where_it_is_graded(self, site, world, enter):
        annotator = enter(f"{SLUG}-1", make.PASSWORD)
        said = hostile.payloads()
        found = []

        for place in range(world.n_items):
            if place == 0 or annotator.path == f"/p/{SLUG}/grade/":
                annotator.go(f"/p/{SLUG}/grade/")
                deeds.press_together([annotator], "^(Begin|Continue)")
            found += annotator.foreign()
            deeds.mark_quickly(annotator, comment=said[place])
            annotator.page.wait_for_timeout(READING)
            deeds.press_together([annotator], "^Submit and next")
        found += look(annotator, f"/p/{SLUG}/grade/rounds/{world.open_round.number}/sheet/")

        assert annotator.page.locator("table.sheet tbody tr").count() == world.n_items
        assert found == []

    @pytest.mark.parametrize(
        "share", [0, *(pytest.param(one, marks=pytest.mark.nightly) for one in range(1, SHARES))]
    )
    def test_stays_text_on_every_page_of_the_project(self, site, world, owner, share):
        with site.database():
            user = world.project.memberships.get(role="OWNER").user
            paths = [one.path for one in addresses.of(world.project, user)]
            items = [
                f"/p/{SLUG}/items/{pk}/" for pk in world.project.items.values_list("pk", flat=True)
            ]
        places = [
            f"/p/{SLUG}/rounds/{world.draft.number}/preview/{place}/" for place in range(1, 6)
        ]

        mine = [
            path
            for path in [*paths, *items, *places]
            if zlib.crc32(path.encode()) % SHARES == share
        ]

        found = [fault for path in mine for fault in look(owner, path)]

        assert found == []

    def test_stays_text_in_a_file_that_is_handed_in(self, owner):
        said = list(dict.fromkeys(hostile.payloads()))
        heads = list({text.strip()[:80]: "" for text in said if text.strip()})[:30]
        table = io.StringIO()
        writer = csv.writer(table)
        writer.writerow(["external_id", "question", *heads])
        for text in said:
            writer.writerow([text[:60], text, *said[:30]])
        found = []

        for kind in ("ANSWERS", "GRADES"):
            for name in ("<img src=x onerror=alert(1)>.csv", "\"'><script>alert(1)<.csv"):
                file = {"name": name, "mimeType": "text/csv", "buffer": table.getvalue().encode()}
                deeds.hand_in(owner, SLUG, kind, file)
                found += owner.foreign()
                choose_everywhere(owner, "answer" if kind == "ANSWERS" else "grade")
                owner.press(deeds.CHECK)
                owner.page.wait_for_load_state()
                found += owner.foreign()
        found += look(owner, f"/p/{SLUG}/imports/")

        assert found == []

    def test_stays_text_in_a_result(self, site, world, owner):
        at = f"/p/{SLUG}/rounds/{world.open_round.number}/"
        with site.database():
            hostile.grade(world, n_seats=6)

        deeds.close_round(owner, at)
        deeds.wait_for_results(owner, at)
        owner.press("Show names")
        owner.page.wait_for_selector(".rank svg")
        found = (
            owner.foreign() + look(owner, f"{at}results/table/") + look(owner, f"/p/{SLUG}/audit/")
        )

        assert found == []
