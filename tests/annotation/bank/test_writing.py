"""Questions are written as drafts, handed in whole, and stay as they were from then on."""

from dataclasses import replace

import pytest
from django.db import IntegrityError, transaction

from annotation import models
from annotation.bank import operations as bank
from annotation.bank import reading as inspections
from annotation.inspection import operations as inspecting
from annotation.people.models import Role
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


class TestCreateQuestion:
    def test_gives_the_next_free_id(self):
        make.question_version("DRAFT", external_id="Q0002")

        assert make.question_version("DRAFT").question.external_id == "Q0003"

    def test_refuses_an_id_twice(self):
        make.question_version("DRAFT", external_id="customs-1")

        with pytest.raises(bank.IdTaken) as refusal:
            make.question_version("DRAFT", external_id="customs-1")
        assert "external_id" in refusal.value.fields

    def test_is_not_for_annotators(self):
        with pytest.raises(errors.NotNow):
            make.question_version("DRAFT", author=make.member(Role.ANNOTATOR))

    def test_refuses_a_source_of_another_project(self):
        theirs = make.source_version(in_=make.project("southgate"))
        text = make.question_text(cited=(bank.Cited(theirs.pk),))

        with pytest.raises(errors.Incomplete):
            make.question_version("DRAFT", text=text)
        assert not models.Question.objects.exists()


class TestSaveDraft:
    def test_keeps_what_was_written_and_counts(self):
        version = make.question_version("DRAFT")
        text = make.question_text("What is demurrage?", tags=("sea", " sea ", ""))

        saved = bank.save_draft(
            version=version, text=text, base_rev=0, by=version.author, now=make.at(1)
        )

        assert (saved.asked, saved.tags, saved.rev) == ("What is demurrage?", ["sea"], 1)
        assert [one.locator for one in saved.citations.all()] == ["p. 3"]

    def test_refuses_a_page_that_is_behind(self):
        version = make.question_version("DRAFT")
        given = {"version": version, "by": version.author, "now": make.NOW}
        bank.save_draft(text=make.question_text("Mine?"), base_rev=0, **given)

        with pytest.raises(bank.StaleDraft) as refusal:
            bank.save_draft(text=make.question_text("Yours?"), base_rev=0, **given)

        assert refusal.value.rev == 1
        version.refresh_from_db()
        assert version.asked == "Mine?"

    def test_is_for_the_author(self):
        version = make.question_version("DRAFT")
        somebody = make.member(Role.DESIGNER, username="another")

        with pytest.raises(errors.NotNow):
            bank.save_draft(
                version=version, text=make.question_text(), base_rev=0, by=somebody, now=make.NOW
            )


class TestSubmit:
    def test_refuses_what_leaves_a_finding_unanswered(self):
        old = make.question_version("RETURNED")
        given = {"by": old.author, "now": make.NOW}
        new = bank.revise(version=old, **given)

        with pytest.raises(errors.Incomplete) as refusal:
            bank.submit(version=new, base_rev=new.rev, **given)

        assert list(refusal.value.fields) == ["reply-correct"]
        assert "Say what you did about it" in refusal.value.message
        text = replace(bank.WholeDraft.of(new), replies={"correct": "  "})
        new = bank.save_draft(version=new, text=text, base_rev=0, **given)
        with pytest.raises(errors.Incomplete):
            bank.submit(version=new, base_rev=new.rev, **given)

    def test_takes_in_what_answers_them_all_and_asks_for_those_of_the_last_return_only(self):
        old = make.question_version("RETURNED")
        given = {"by": old.author, "now": make.NOW}
        for failed in ("unambiguous", ""):
            new = bank.revise(version=old, **given)
            [key] = inspections.to_answer(new)
            text = replace(bank.WholeDraft.of(new), replies={key: "Mended."})
            new = bank.save_draft(version=new, text=text, base_rev=0, **given)
            bank.submit(version=new, base_rev=new.rev, **given)
            if failed:
                inspecting.inspect(
                    version=new,
                    verdict="RETURN",
                    checked=make.checked(make.project(), failed=(failed,)),
                    by=make.member(Role.CURATOR),
                    now=make.NOW,
                )
                old = models.QuestionVersion.objects.get(pk=new.pk)

        new.refresh_from_db()
        assert (new.number, new.state) == (3, "SUBMITTED")
        assert list(new.replies) == ["unambiguous"]

    @pytest.mark.parametrize(
        ("missing", "field"),
        [
            ({"turns": ()}, "turns"),
            ({"turns": ({"role": "assistant", "content": "Yes."},)}, "turns"),
            ({"answer": " "}, "answer"),
            ({"capability_id": None}, "capability"),
            ({"difficulty": ""}, "difficulty"),
            ({"cited": ()}, "sources"),
        ],
    )
    def test_says_what_is_missing(self, missing, field):
        version = make.question_version("DRAFT", text=make.question_text(**missing))

        with pytest.raises(errors.Incomplete) as refusal:
            bank.submit(version=version, base_rev=0, by=version.author, now=make.NOW)

        assert list(refusal.value.fields) == [field]

    def test_freezes_the_version(self):
        version = make.question_version("SUBMITTED")

        with pytest.raises(errors.NotNow):
            bank.save_draft(
                version=version,
                text=make.question_text("Other?"),
                base_rev=0,
                by=version.author,
                now=make.NOW,
            )
        with pytest.raises(IntegrityError), transaction.atomic():
            models.QuestionVersion.objects.filter(pk=version.pk).update(answer="Other.")

    def test_can_be_taken_back_until_somebody_has_inspected_it(self):
        version = make.question_version("SUBMITTED", text=p0_text())

        version = bank.withdraw(version=version, by=version.author, now=make.NOW)
        assert version.state == "DRAFT"

        version = make.taken_to("SUBMITTED", version)
        accept_once(version)
        with pytest.raises(errors.NotNow):
            bank.withdraw(version=version, by=version.author, now=make.NOW)


def p0_text():
    return make.question_text(domain_id=make.domain("Core", priority="P0").pk)


def accept_once(version):
    inspecting.inspect(
        version=version,
        verdict="ACCEPT",
        checked=make.checked(version.question.project),
        by=make.member(Role.INSPECTOR),
        now=make.NOW,
    )


class TestDiscard:
    def test_takes_a_question_without_other_versions_along(self):
        version = make.question_version("DRAFT")

        bank.discard(version=version, by=version.author, now=make.NOW)

        assert not models.Question.objects.exists()

    def test_leaves_the_versions_before(self):
        accepted = make.question_version("ACCEPTED")
        draft = bank.revise(version=accepted, by=accepted.author, now=make.NOW)

        bank.discard(version=draft, by=draft.author, now=make.NOW)

        assert list(models.QuestionVersion.objects.all()) == [accepted]


class TestRevise:
    def test_begins_from_the_newest_and_takes_a_suggestion_over(self):
        returned = make.question_version("RETURNED")

        draft = bank.revise(
            version=returned,
            by=returned.author,
            now=make.NOW,
            suggestion={"question": "What is a waybill?", "answer": "A receipt.", "state": "X"},
        )

        assert (draft.number, draft.state) == (2, "DRAFT")
        assert (draft.asked, draft.answer) == ("What is a waybill?", "A receipt.")
        assert draft.capability == returned.capability
        assert draft.citations.count() == 1

    def test_waits_while_a_version_is_under_way(self):
        accepted = make.question_version("ACCEPTED")
        bank.revise(version=accepted, by=accepted.author, now=make.NOW)

        with pytest.raises(errors.NotNow):
            bank.revise(version=accepted, by=accepted.author, now=make.NOW)

    def test_of_an_accepted_version_leaves_it_drawable(self):
        accepted = make.question_version("ACCEPTED")
        bank.revise(version=accepted, by=accepted.author, now=make.NOW)

        assert list(models.QuestionVersion.objects.drawable()) == [accepted]
