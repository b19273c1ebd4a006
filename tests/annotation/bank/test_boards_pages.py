from datetime import date

import pytest

from annotation.bank import lists as boards
from annotation.bank import operations as bank
from annotation.bank.models import Question, QuestionVersion
from annotation.bank.rules import Act
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db
URL = "/p/northport/bank/board/"


def columns(client, query=""):
    """Return the ids of the cards, by column."""
    found = client.get(f"{URL}{query}").context["columns"]
    return {
        one["code"]: [card["one"].question.external_id for card in one["cards"]]
        for one in found
        if one["cards"]
    }


def move(client, version, act, **more):
    sent = {"act": act, "number": version.number, "rev": version.rev, **more}
    return client.post(f"/p/northport/bank/{version.question_id}/move/", sent, follow=True)


class TestTheBoard:
    def test_says_what_to_do_while_the_bank_is_empty(self, client, designer):
        page = client.get(URL).content.decode()

        assert "The bank is empty" in page
        assert "data-column" not in page

    def test_has_every_question_in_one_column(self, client, designer):
        for state in ("DRAFT", "SUBMITTED", "RETURNED", "ACCEPTED"):
            make.question_version(state, author=designer, external_id=state[:3])
        past = make.question_text(valid_until=date(2020, 1, 1))
        make.question_version("ACCEPTED", author=designer, external_id="OLD", text=past)
        gone = make.question_version("ACCEPTED", author=designer, external_id="OUT")
        bank.change_life(
            question=gone.question,
            act=Act.RETIRE,
            reason="Old.",
            by=make.member(Role.CURATOR),
            now=make.NOW,
        )

        assert columns(client) == {
            "DRAFT": ["DRA"],
            "SUBMITTED": ["SUB"],
            "RETURNED": ["RET"],
            "ACCEPTED": ["ACC"],
            "LOOK": ["OLD"],
            "RETIRED": ["OUT"],
        }

    def test_takes_the_filters_of_the_list_but_for_its_states(self, client, designer):
        make.question_version("DRAFT", author=designer, external_id="A")
        make.question_version("DRAFT", author=make.member(Role.CURATOR), external_id="B")

        assert columns(client, f"?author={designer.pk}&state=ACCEPTED") == {"DRAFT": ["A"]}

    def test_shows_a_long_column_page_by_page(self, client, designer, monkeypatch):
        monkeypatch.setattr(boards, "SIZE", 2)
        monkeypatch.setattr(boards, "ALONE", 2)
        for one in "ABCDE":
            make.question_version("DRAFT", author=designer, external_id=one)

        [drafts, *_others] = client.get(URL).context["columns"]
        assert (drafts["count"], len(drafts["cards"])) == ("5", 2)
        [further] = client.get(URL + drafts["next_url"]).context["columns"]

        assert [card["one"].question.external_id for card in further["cards"]] == ["C", "B"]
        assert further["first_url"]

    @pytest.mark.parametrize("query", ["?only=NONSENSE", "?only=DRAFT&after=x", "?saved=9"])
    def test_stands_whatever_the_address_says(self, client, designer, query):
        assert client.get(URL + query).status_code == 200

    def test_offers_a_designer_what_the_rules_allow(self, client, designer):
        make.question_version("DRAFT", author=designer)

        [drafts, *_others] = client.get(URL).context["columns"]

        [card] = drafts["cards"]
        assert [one["act"] for one in card["plain"]] == ["SUBMIT"]
        assert card["asking"] == []


class TestAMove:
    def test_hands_in_and_takes_back(self, client, designer):
        version = make.question_version("DRAFT", author=designer, external_id="A")

        page = move(client, version, "SUBMIT", back="author=&x=1")
        assert "Moved A." in page.content.decode()
        assert columns(client) == {"SUBMITTED": ["A"]}
        version.refresh_from_db()
        move(client, version, "WITHDRAW")

        assert columns(client) == {"DRAFT": ["A"]}

    def test_says_why_it_was_refused_and_moves_nothing(self, client, designer):
        bare = bank.WholeDraft(turns=[{"role": "user", "content": "Why?"}])
        version = make.question_version("DRAFT", author=designer, external_id="A", text=bare)

        page = move(client, version, "SUBMIT").content.decode()

        assert "A: Write the standard answer." in page
        assert columns(client) == {"DRAFT": ["A"]}

    def test_refuses_a_draft_that_was_saved_since(self, client, designer):
        version = make.question_version("DRAFT", author=designer, external_id="A")
        bank.save_draft(
            version=version,
            text=make.question_text("Another?"),
            base_rev=0,
            by=designer,
            now=make.NOW,
        )

        page = move(client, version, "SUBMIT").content.decode()

        assert "saved in another place" in page
        assert QuestionVersion.objects.get().state == "DRAFT"

    def test_refuses_a_card_with_an_older_version(self, client, designer):
        version = make.question_version("ACCEPTED", author=designer)
        bank.revise(version=version, by=designer, now=make.NOW)

        page = move(client, version, "REVISE").content.decode()

        assert "another version since" in page

    def test_begins_a_new_version(self, client, designer):
        version = make.question_version("ACCEPTED", author=designer, external_id="A")

        move(client, version, "REVISE")

        assert columns(client) == {"DRAFT": ["A"]}

    def test_retires_for_a_reason_only(self, client):
        client.force_login(make.member(Role.CURATOR))
        version = make.question_version("ACCEPTED", external_id="A")

        assert "Say why" in move(client, version, "RETIRE").content.decode()
        assert Question.objects.get().state == "LIVE"
        move(client, version, "RETIRE", reason="Old.")
        assert columns(client) == {"RETIRED": ["A"]}
        move(client, version, "REVIVE", reason="Not so old.")

        assert columns(client) == {"ACCEPTED": ["A"]}

    def test_is_refused_to_whom_the_rules_refuse_it(self, client, designer):
        version = make.question_version("ACCEPTED", external_id="A")

        move(client, version, "RETIRE", reason="I say so.")

        assert Question.objects.get().state == "LIVE"

    @pytest.mark.parametrize("act", ["", "INSPECT", "DISCARD", "explode"])
    def test_is_none_for_anything_else(self, client, designer, act):
        version = make.question_version("DRAFT", author=designer)

        assert "Say where" in move(client, version, act).content.decode()
