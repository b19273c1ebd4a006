import pytest

from annotation.bank import lists as reads
from annotation.bank.questions import BankFilters
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


def records(**filters):
    return list(
        reads.records(
            make.project(), BankFilters(**filters), user=make.member(Role.CURATOR), now=make.NOW
        )
    )


class TestRecords:
    def test_hold_what_the_newest_version_says(self):
        make.question_version("ACCEPTED", external_id="Q1")

        [one] = records()

        assert (one["external_id"], one["version"], one["state"]) == ("Q1", 1, "ACCEPTED")
        assert one["messages"] == [{"role": "user", "content": "What is a bill of lading?"}]
        assert one["sources"] == [
            {"title": "Handbook", "locator": "p. 3", "kind": "DOCUMENT", "version": 1}
        ]
        assert (one["capability"], one["domain"]) == ("Factuality", "Customs")

    @pytest.mark.parametrize("of_a_kind", [False, True])
    def test_go_on_over_pages(self, monkeypatch, of_a_kind):
        monkeypatch.setattr(reads, "PAGE", 2)
        for n in range(5):
            make.question_version("DRAFT", external_id=f"Q{n}")
        filters = {"capability": make.capability().pk} if of_a_kind else {}

        assert [one["external_id"] for one in records(**filters)] == ["Q4", "Q3", "Q2", "Q1", "Q0"]

    def test_keep_to_the_filters(self):
        make.question_version("DRAFT", external_id="Q1")
        make.question_version("ACCEPTED", external_id="Q2")

        assert [one["external_id"] for one in records(state="DRAFT")] == ["Q1"]
