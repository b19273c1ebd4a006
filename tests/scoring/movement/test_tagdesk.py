import pytest

from scoring.movement import queries as tagdesk
from scoring.movement.queries import ChosenMovement
from tests import make
from tests.scoring import worked

pytestmark = pytest.mark.django_db


@pytest.fixture
def chosen():
    before, after = worked.two_rounds()
    return ChosenMovement(before, after, before.systems.get().release.system)


class TestPage:
    def test_shows_pairs_that_differ_with_what_differs(self, chosen):
        page = tagdesk.page(chosen)

        (line,) = page.lines
        (side,) = line.sides
        assert (page.n_open, page.n_pairs, page.after) == (1, 1, "")
        assert (line.title, side.kind, side.decided.is_open) == ("Question 2?", "RESPONSE", True)
        assert side.change.changed
        assert 0 < side.likeness < 100

    def test_goes_on_after_a_question(self, chosen):
        assert tagdesk.page(chosen, after="Q2").lines == ()

    def test_compares_and_shows_no_reasoning(self, monkeypatch):
        make_one = make.response

        def think_first(item, release, text="An answer."):
            return make_one(item, release, f"<think>Rather long about it.</think>{text}")

        monkeypatch.setattr(make, "response", think_first)
        before, after = worked.two_rounds()
        chosen = ChosenMovement(before, after, before.systems.get().release.system)

        (line,) = tagdesk.page(chosen).lines

        (side,) = line.sides
        assert "Another" in str(side.change)
        assert "Rather long" not in str(side.change)
