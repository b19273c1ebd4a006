"""The main pages of every role beyond axe: by keyboard alone, with a finger, at 400 %.

The grading page has its own: tests/e2e/test_desk_access.py.
"""

import pytest

from annotation.people.models import Role
from tests.e2e import access, addresses, sweeps, worlds
from tests.e2e.worlds import DEMO

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

#: 1280 × 1024 enlarged to 400 %.
ENLARGED = (320, 256)
#: Whose pages are gone through with every change; the others' in the night.
USUAL = (Role.ANNOTATOR,)
#: Pages that no menu names, by route.
DETAILS = {
    Role.OWNER: ("item", "person", "round", "round_draw", "results", "plan_cell", "import_new"),
    Role.CURATOR: ("round_annotators", "rubric_edit", "domain", "system", "round_seats"),
    Role.DESIGNER: ("capability", "rubric", "question", "question_new", "question_edit"),
    Role.INSPECTOR: ("inspection", "checklist"),
    Role.ANNOTATOR: ("grading", "grade_none"),
    Role.ANALYST: ("results_table", "movement"),
}


@pytest.fixture(scope="module")
def seen():
    """The contents that were looked at already, as somebody else."""
    return set()


@pytest.fixture
def pages(site, enter, seen):
    """Yield every main page of a role that was not looked at before, opened."""

    def open_each(role, kind):
        world = worlds.build(site, DEMO)
        with world.inside(role) as (home, user):
            found = addresses.of(home, user)
        visitor = world.let_in(enter, role)
        visitor.go(f"/p/{DEMO}/")
        paths = visitor.page.eval_on_selector_all(
            "#nav a[href]", "all => all.map((one) => new URL(one.href).pathname)"
        )
        paths += [one.path for one in found if one.name in DETAILS[role]]
        for path in dict.fromkeys(paths):
            content = sweeps.content_of(visitor.ask(path))
            if content and (kind, content) not in seen:
                seen.add((kind, content))
                yield path, visitor.go(path)

    return open_each


def resize(page, size):
    page.set_viewport_size({"width": size[0], "height": size[1]})


@pytest.mark.parametrize(
    "role",
    [one if one in USUAL else pytest.param(one, marks=pytest.mark.nightly) for one in DETAILS],
)
class TestMainPages:
    def test_have_targets_that_a_finger_hits(self, pages, role):
        found = []
        for path, page in pages(role, "targets"):
            for size in (sweeps.WIDE, sweeps.NARROW):
                resize(page, size)
                found += [f"{path} {size[0]}: {one}" for one in page.evaluate(access.SMALL)]
        assert not found, "\n".join(found)

    def test_lose_nothing_at_400_percent(self, pages, role):
        found = []
        for path, page in pages(role, "text"):
            resize(page, ENLARGED)
            bad = page.evaluate(sweeps.TOO_WIDE) + page.evaluate(access.CUT)
            found += [f"{path}: {one}" for one in bad]
            resize(page, sweeps.WIDE)
        assert not found, "\n".join(found)

    @pytest.mark.parametrize(
        "size",
        [
            pytest.param(sweeps.WIDE, id="wide"),
            pytest.param(ENLARGED, id="enlarged", marks=pytest.mark.nightly),
        ],
    )
    def test_show_where_the_focus_is_and_let_it_out(self, pages, role, size):
        found = []
        for path, page in pages(role, f"focus {size}"):
            resize(page, size)
            found += [f"{path}: {one}" for one in access.along(page)]
        assert not found, "\n".join(found)


class TestMenu:
    def test_can_be_read_to_its_end_at_400_percent(self, enter):
        page = enter("ines").go(f"/p/{DEMO}/")
        resize(page, ENLARGED)
        page.get_by_role("button", name="Menu").click()
        n_links = page.locator("#nav a:visible").count()

        for _place in range(n_links):
            page.keyboard.press("Tab")
            assert page.evaluate(access.COVERED) is None
        assert page.evaluate("document.activeElement.closest('#nav') !== null")
        assert page.evaluate(sweeps.TOO_WIDE) == []
