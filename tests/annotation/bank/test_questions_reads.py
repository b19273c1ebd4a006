from dataclasses import replace
from itertools import chain

import pytest

from annotation import models
from annotation.bank import operations as writing
from annotation.bank import questions as reads
from annotation.bank.questions import BankFilters
from annotation.bank.rules import Order
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db
#: So few that every list is a long one, and so many that every list is a short one.
WAYS = (0, reads.MOST_COUNTED)


@pytest.fixture
def bank():
    """Seven questions in all states, one of them in its second version."""
    for number, state in enumerate(["DRAFT", "SUBMITTED", "ACCEPTED", "RETURNED", "DRAFT"], 1):
        text = make.question_text(f"What is lading {number}?", "提单。" if number % 2 else "No.")
        make.question_version(state, external_id=f"Q{9 - number}", text=text)
    first = make.question_version("RETURNED", external_id="A1")
    writing.revise(version=first, by=first.author, now=make.NOW)
    late = make.question_text(valid_until=make.at(-99999).date())
    make.question_version("DRAFT", external_id="Z1", text=late)
    retired = models.Question.objects.filter(external_id="Q8")
    retired.update(state="RETIRED")


def listed(filters: BankFilters, few: int, order: Order = Order.NEWEST) -> list[list[str]]:
    """Return the ids of every page, three questions a page, found in one of the two ways."""
    home, user = make.project(), make.member(Role.DESIGNER)
    rows = reads.filtered(home, replace(filters, text=""), user=user, now=make.NOW)
    if filters.text:
        rows = reads.saying(home, rows, filters.text, few=few)
    pages: list[list[str]] = []
    after: str | None = ""
    while after is not None:
        page = reads.page(
            home,
            rows,
            after,
            3,
            of_a_kind=filters.capability is not None,
            order=order,
            few=few,
        )
        pages.append([one.question.external_id for one in page.rows])
        after = page.after
    assert page.n == sum(map(len, pages))
    return pages


class TestPage:
    @pytest.mark.parametrize("few", WAYS)
    @pytest.mark.parametrize(
        ("filters", "ids"),
        [
            (BankFilters(), ["Z1", "A1", "Q4", "Q5", "Q6", "Q7", "Q8"]),
            (BankFilters(state="DRAFT"), ["Z1", "A1", "Q4", "Q8"]),
            (BankFilters(state="DRAFT", life="LIVE"), ["Z1", "A1", "Q4"]),
            (BankFilters(life="RETIRED"), ["Q8"]),
            (BankFilters(text="IS  Lading"), ["Q4", "Q5", "Q6", "Q7", "Q8"]),
            (BankFilters(text="提单"), ["Q4", "Q6", "Q8"]),
            (BankFilters(text="lading", state="RETURNED"), ["Q5"]),
            (BankFilters(text="nowhere"), []),
            (BankFilters(look="outdated"), ["Z1"]),
            (BankFilters(difficulty="SIMPLE", state="SUBMITTED"), ["Q7"]),
        ],
    )
    def test_is_the_same_whether_few_fit_or_many(self, bank, filters, ids, few):
        pages = listed(filters, few)

        assert list(chain(*pages)) == ids
        assert all(len(page) == 3 for page in pages[:-1])

    @pytest.mark.parametrize("few", WAYS)
    def test_of_a_capability_is_the_same(self, bank, few):
        filters = BankFilters(capability=make.capability().pk, state="DRAFT")

        assert list(chain(*listed(filters, few))) == ["Z1", "A1", "Q4", "Q8"]

    @pytest.mark.parametrize("few", WAYS)
    @pytest.mark.parametrize(
        ("order", "ids"),
        [(Order.OLDEST, ["Q8", "Q4", "A1", "Z1"]), (Order.ID, ["A1", "Q4", "Q8", "Z1"])],
    )
    def test_goes_in_the_order_that_is_asked_for(self, bank, order, ids, few):
        assert list(chain(*listed(BankFilters(state="DRAFT"), few, order))) == ids


class TestNeeded:
    def test_says_how_many_and_names_some(self, bank):
        rows = reads.newest(make.project())

        found = reads.needed(
            rows, ["old_draft"], shown=2, user=make.member(Role.DESIGNER), now=make.at(60 * 24 * 31)
        )["old_draft"]

        assert (found.n, [one.question.external_id for one in found.rows]) == (3, ["Q4", "A1"])
