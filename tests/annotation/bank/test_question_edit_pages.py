import pytest

from annotation import models
from annotation.bank import checklists
from annotation.bank import operations as writing
from annotation.bank.models import QuestionVersion
from annotation.people.models import Role
from annotation.rounds.models import RoundItem
from annotation.sources.models import SourceVersion
from tests import make

pytestmark = pytest.mark.django_db
URL = "/p/northport/bank/"


def written(**more):
    capability = make.capability()
    source = make.source_version()
    return {
        "role": ["user"],
        "content": ["Who loads under FCA?"],
        "answer": "The seller.",
        "key_points": "seller\nat his place",
        "source": [source.pk],
        "locator": ["A4"],
        "capability": capability.pk,
        "difficulty": "SIMPLE",
        "tags": "incoterms, fca",
        **more,
    }


class TestQuestionNew:
    def test_takes_what_the_plan_says_from_the_address(self, client, designer):
        capability = make.capability()

        page = client.get(f"{URL}new/?capability={capability.pk}&difficulty=SIMPLE")

        assert page.context["helped"].pk == capability.pk

    def test_makes_a_draft_of_everything_that_was_written(self, client, designer):
        answer = client.post(f"{URL}new/", written())

        version = QuestionVersion.objects.get()
        assert answer.url == f"{URL}{version.question_id}/edit/"
        assert version.asked == "Who loads under FCA?"
        assert version.key_points == ["seller", "at his place"]
        assert version.tags == ["incoterms", "fca"]
        assert version.citations.get().locator == "A4"

    def test_hands_in_at_once_what_is_complete(self, client, designer):
        client.post(f"{URL}new/", written(act="submit"))

        assert QuestionVersion.objects.get().state == "SUBMITTED"

    def test_keeps_what_cannot_be_handed_in_and_says_what_is_missing(self, client, designer):
        answer = client.post(f"{URL}new/", written(act="submit", answer=""))

        assert answer.status_code == 422
        assert "Write the standard answer." in answer.content.decode()
        assert QuestionVersion.objects.get().state == "DRAFT"

    def test_answers_the_first_autosave_with_the_addresses_of_the_draft(self, client, designer):
        answer = client.post(f"{URL}new/", written(), headers={"Accept": "application/json"})

        assert answer.status_code == 201
        assert answer.json()["save_url"].endswith("/draft/")

    def test_says_which_date_cannot_be_read(self, client, designer):
        answer = client.post(f"{URL}new/", written(valid_until="soon"))

        assert answer.status_code == 422
        assert not QuestionVersion.objects.exists()


class TestButtons:
    def test_add_move_and_take_out_turns_without_a_script(self, client, designer):
        two = written(role=["user", "assistant"], content=["One", "Two"], act="up_turn:1")

        assert [one.content for one in client.post(f"{URL}new/", two).context["editor"].turns] == [
            "Two",
            "One",
        ]
        two["act"] = "drop_turn:0"
        assert len(client.post(f"{URL}new/", two).context["editor"].turns) == 1
        two["act"] = "add_turn"
        assert len(client.post(f"{URL}new/", two).context["editor"].turns) == 3
        assert not QuestionVersion.objects.exists()

    def test_cite_a_source_of_the_corpus(self, client, designer):
        source = make.source_version(title="Rules of 2020")
        sent = written(act="add_source", chosen=source.pk, chosen_locator="p. 4")

        rows = client.post(f"{URL}new/", sent).context["editor"].sources

        assert (rows[-1].version, rows[-1].locator) == (source.pk, "p. 4")

    def test_add_a_source_that_is_new_and_cite_it(self, client, designer):
        sent = written(
            act="new_source", **{"new-title": "Handbook", "new-kind": "WEB", "new-locator": "§ 3"}
        )

        rows = client.post(f"{URL}new/", sent).context["editor"].sources

        made = SourceVersion.objects.get(source__title="Handbook")
        assert rows[-1].version == made.pk

    def test_say_why_a_source_cannot_be_added(self, client, designer):
        page = client.post(f"{URL}new/", written(act="new_source", **{"new-kind": "WEB"}))

        assert "Give the source a title." in page.content.decode()

    def test_show_it_as_an_annotator_sees_it(self, client, designer):
        sent = written(act="preview", principle="Only the *seller* counts.")

        face = client.post(f"{URL}new/", sent).context["face"]

        assert "<em>seller</em>" in face["principle"]


class TestQuestionEdit:
    def test_opens_the_draft_as_it_was_saved(self, client, designer):
        version = make.question_version("DRAFT", author=designer)

        editor = client.get(f"{URL}{version.question_id}/edit/").context["editor"]

        assert editor.answer == version.answer
        assert editor.sources

    def test_is_its_authors_alone(self, client, designer):
        version = make.question_version("DRAFT", author=make.member(Role.CURATOR))

        answer = client.get(f"{URL}{version.question_id}/edit/")

        assert answer.url == f"{URL}{version.question_id}/"

    def test_compares_word_by_word_what_was_saved_elsewhere(self, client, designer):
        version = make.question_version("DRAFT", author=designer)
        client.post(f"{URL}{version.question_id}/edit/", written(rev=0, answer="The seller."))

        answer = client.post(f"{URL}{version.question_id}/edit/", written(rev=0, answer="A buyer."))

        assert answer.status_code == 409
        assert "A buyer." in answer.context["editor"].answer
        assert [one["name"] for one in answer.context["differences"]] == ["Standard answer"]
        assert answer.context["rev"] == "1"
        version.refresh_from_db()
        assert version.answer == "The seller."

    def test_asks_whether_the_meaning_changed_of_a_used_question(self, client, designer):
        version = make.question_version("ACCEPTED", author=designer)
        use(version)
        writing.revise(version=version, by=designer, now=make.NOW)

        page = client.get(f"{URL}{version.question_id}/edit/").content.decode()

        assert "Did the meaning change?" in page

    def test_lets_the_author_answer_what_inspection_found(self, client, designer):
        version = make.question_version("RETURNED", author=designer)
        new = writing.revise(version=version, by=designer, now=make.NOW)
        url = f"{URL}{version.question_id}/edit/"

        [found] = client.get(url).context["returned"]
        client.post(url, written(rev=0, **{f"reply-{found['key']}": "Mended."}))

        new.refresh_from_db()
        assert new.replies == {"correct": "Mended."}

    def test_hands_nothing_in_before_each_finding_is_answered(self, client, designer):
        version = make.question_version("RETURNED", author=designer)
        new = writing.revise(version=version, by=designer, now=make.NOW)
        url = f"{URL}{version.question_id}/edit/"

        refused = client.post(url, written(rev=0, act="submit"))
        page = refused.content.decode()
        rev = refused.context["rev"]
        sent = written(rev=rev, act="submit", **{"reply-correct": "Mended: it names the seller."})
        taken = client.post(url, sent)

        assert refused.status_code == 422
        assert "Draft kept, not submitted." in page
        assert '<a href="#at-reply-correct">' in page
        assert 'id="at-reply-correct"' in page
        assert 'id="reply-correct" rows="2" maxlength="2000" aria-invalid="true"' in page
        assert (taken.status_code, taken.url) == (302, f"{URL}{version.question_id}/")
        new.refresh_from_db()
        assert new.state == "SUBMITTED"

    def test_leads_from_each_finding_to_its_field(self, client, designer):
        version = make.question_version("RETURNED", author=designer)
        writing.revise(version=version, by=designer, now=make.NOW)
        url = f"{URL}{version.question_id}/edit/"

        page = client.get(url).content.decode()

        [found] = models.Finding.objects.filter(outcome="FAIL")
        assert f'href="#at-{found.field}"' in page
        assert [one for one in checklists.FIELDS if f'id="at-{one}"' not in page] == []


class TestQuestionDraft:
    def test_saves_and_says_the_new_revision(self, client, designer):
        version = make.question_version("DRAFT", author=designer)

        answer = client.post(f"{URL}{version.question_id}/draft/", written(rev=0))

        assert answer.json()["rev"] == 1

    def test_refuses_a_stale_revision_and_changes_nothing(self, client, designer):
        version = make.question_version("DRAFT", author=designer)
        client.post(f"{URL}{version.question_id}/draft/", written(rev=0, answer="First."))

        answer = client.post(f"{URL}{version.question_id}/draft/", written(rev=0, answer="Second."))

        version.refresh_from_db()
        assert (answer.status_code, answer.json()["code"]) == (409, "stale_draft")
        assert version.answer == "First."


def use(version):
    """Put a question's item into a round that was opened."""
    home = version.question.project
    opened = make.open_round(in_=home)

    RoundItem.objects.create(round=opened, item=version.item, ordinal=99, n_seats=3, face={})
