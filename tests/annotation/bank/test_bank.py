import pytest
from django.db import IntegrityError, transaction

from annotation import models
from annotation.bank import operations as bank
from tests import make

pytestmark = pytest.mark.django_db


def numbers(rows) -> set[tuple[str, int]]:
    return {(one.question.external_id, one.number) for one in rows}


def revised(version, state):
    made = bank.revise(version=version, by=version.author, now=make.NOW)
    return make.taken_to(state, made)


class TestQuestionVersionQuerySet:
    def test_draws_the_highest_accepted_version_of_what_is_live(self):
        first = make.question_version("ACCEPTED", external_id="A")
        revised(first, "ACCEPTED")
        second = make.question_version("ACCEPTED", external_id="B")
        revised(second, "RETURNED")
        make.question_version("SUBMITTED", external_id="C")
        gone = make.question_version("ACCEPTED", external_id="D")
        models.Question.objects.filter(pk=gone.question_id).update(state="RETIRED")

        rows = models.QuestionVersion.objects

        assert numbers(rows.drawable()) == {("A", 2), ("B", 1)}
        assert numbers(rows.newest()) == {("A", 2), ("B", 2), ("C", 1), ("D", 1)}
        assert ("B", 2) not in numbers(rows.accepted())


class TestQuestionVersion:
    @pytest.mark.parametrize(
        ("turns", "asked"),
        [
            ([], ""),
            ([{"role": "system", "content": "Be brief."}], ""),
            (
                [{"role": "user", "content": "First?"}, {"role": "user", "content": " Last\n?"}],
                "Last ?",
            ),
            ([{"role": "user", "content": None}], ""),
        ],
    )
    def test_is_known_by_what_is_asked_last(self, turns, asked):
        assert models.QuestionVersion(turns=turns).asked == asked

    @pytest.mark.parametrize("state", ["DRAFT", "SUBMITTED"])
    def test_is_alone_under_way(self, state):
        version = make.question_version(state)

        with pytest.raises(IntegrityError), transaction.atomic():
            models.QuestionVersion.objects.create(
                question=version.question,
                number=2,
                author=version.author,
                created_at=make.NOW,
                saved_at=make.NOW,
            )

    @pytest.mark.parametrize(
        ("state", "dates"),
        [
            ("SUBMITTED", {"submitted_at": None}),
            ("SUBMITTED", {"submitted_at": make.NOW, "decided_at": make.NOW}),
        ],
    )
    def test_says_when_it_was_handed_in_and_decided(self, state, dates):
        version = make.question_version("DRAFT")

        with pytest.raises(IntegrityError), transaction.atomic():
            models.QuestionVersion.objects.filter(pk=version.pk).update(state=state, **dates)


class TestQuestion:
    def test_has_an_id_of_its_own_in_its_project(self):
        make.question_version(external_id="A")
        make.question_version(external_id="A", in_=make.project("southgate"))

        with pytest.raises(bank.IdTaken):
            make.question_version(external_id="A")
