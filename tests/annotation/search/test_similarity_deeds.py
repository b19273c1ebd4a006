import pytest

from annotation import models
from annotation.bank import operations as writing
from annotation.common import texts as contents
from annotation.people.models import Role
from annotation.search import similarity
from evalsite import queue
from tests import imports, make

pytestmark = pytest.mark.django_db


def asked(text):
    return writing.WholeDraft(turns=contents.as_messages(text), answer="The buyer.")


def written(text, author):
    return writing.create_question(
        project=make.project(), text=asked(text), by=author, now=make.NOW
    )


def returned(text, author):
    complete = make.question_text(text)
    return make.question_version("RETURNED", author=author, text=complete)


def found(text):
    return [
        hint.external_id for hint in similarity.near(make.project(), contents.as_messages(text))
    ]


@pytest.fixture
def author():
    return make.member(Role.DESIGNER)


class TestIndexVersion:
    def test_has_a_question_found_as_soon_as_it_is_begun(self, author):
        version = written("Who loads the truck under FCA?", author)

        assert found("Under FCA, who loads the truck?") == [version.question.external_id]

    def test_follows_what_a_draft_says_now(self, author):
        version = written("Who loads the truck under FCA?", author)
        writing.save_draft(
            version=version,
            text=asked("What is a sea waybill?"),
            base_rev=0,
            by=author,
            now=make.NOW,
        )

        assert found("Who loads the truck under FCA?") == []
        assert found("what is a sea waybill") == [version.question.external_id]
        assert models.IndexedText.objects.count() == 1

    def test_leaves_an_older_wording_alone(self, author):
        version = returned("Who loads the truck under FCA?", author)
        newer = writing.revise(version=version, by=author, now=make.NOW)
        writing.save_draft(
            version=newer, text=asked("What is a sea waybill?"), base_rev=0, by=author, now=make.NOW
        )

        similarity.index_version(version=version)

        assert found("Who loads the truck under FCA?") == []


class TestIndexNewest:
    def test_goes_back_to_the_version_before_when_a_draft_is_thrown_away(self, author):
        version = returned("Who loads the truck under FCA?", author)
        newer = writing.revise(version=version, by=author, now=make.NOW)
        newer = writing.save_draft(
            version=newer, text=asked("What is a sea waybill?"), base_rev=0, by=author, now=make.NOW
        )

        writing.discard(version=newer, by=author, now=make.NOW)

        assert found("What is a sea waybill?") == []
        assert found("Who loads the truck under FCA?") == [version.question.external_id]

    def test_forgets_a_question_that_is_gone(self, author):
        writing.discard(version=written("What is a pallet?", author), by=author, now=make.NOW)

        assert not models.IndexedText.objects.exists()
        assert not models.TextKey.objects.exists()


class TestIndexRest:
    def test_reads_items_that_came_in_and_questions_of_another_method(self, author):
        make.item("I1", question="Who loads the truck under FCA?")
        version = written("What is a sea waybill?", author)
        models.IndexedText.objects.update(method=0)

        n = similarity.index_rest(project=make.project())

        assert n == 2
        assert found("Under FCA, who loads the truck?") == ["I1"]
        assert found("what is a sea waybill") == [version.question.external_id]
        assert similarity.index_rest(project=make.project()) == 0

    def test_reads_all_anew_when_asked_to(self, author):
        written("What is a sea waybill?", author)

        assert similarity.index_rest(project=make.project(), anew=True) == 1

    def test_leaves_items_that_are_questions_of_the_bank_to_their_question(self, author):
        version = make.question_version("ACCEPTED", author=author)

        assert version.item.external_id == version.question.external_id
        assert similarity.index_rest(project=make.project()) == 0

    def test_takes_as_many_turns_as_it_needs(self, author, monkeypatch):
        monkeypatch.setattr(similarity, "BATCH", 2)
        for place in range(5):
            make.item(f"I{place}", question=f"What is thing {place}?")

        assert similarity.index_rest(project=make.project()) == 5


class TestAnImport:
    def test_has_its_items_found_once_a_worker_has_read_them(
        self, django_capture_on_commit_callbacks
    ):
        asked = {"id": "Q1", "question": "Who loads the truck under FCA?", "Kestrel": "The seller."}
        with django_capture_on_commit_callbacks(execute=True):
            imports.apply(
                imports.answers(imports.lines(asked), "a.jsonl", {"Kestrel": "answer:Kestrel"})
            )

        queue.burst()

        assert found("Under FCA, who loads the truck?") == ["Q1"]
