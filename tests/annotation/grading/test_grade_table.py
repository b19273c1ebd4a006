from decimal import Decimal

import pytest

from annotation.grading import facts as grade_table
from annotation.grading.models import Grade, Invalidation, Remark
from annotation.rounds.models import Round
from tests import make
from tests.scoring import preferred, rounds

pytestmark = pytest.mark.django_db


def table(round_, **more):
    return list(grade_table.rows(grade_table.facts([round_]), **more))


def invalid(round_, **target):
    return Invalidation.objects.create(
        round=round_, reason="Slip.", by=round_.created_by, at=make.NOW, **target
    )


class TestRows:
    def test_say_everything_of_a_grade(self):
        row = table(rounds.graded(n_items=1, n_raters=1))[0]

        assert (row.item.external_id, row.release.system, row.rater.label) == (
            "Q1-0",
            "Kestrel",
            "northport-annotator-0",
        )
        assert (row.criterion.key, row.value, row.position) == ("grade", Decimal(2), 0)
        assert row.counts

    def test_of_choices_say_both_answers(self):
        row, *_others = table(preferred.chosen(n_items=1, n_raters=1))

        grade = Grade.objects.get(pk=row.pk)
        assert (row.response_id, row.against_id) == (grade.response_id, grade.against_id)
        assert row.against == grade_table.releases([grade.round])[1]

    def test_are_the_same_whatever_the_size_of_a_page(self):
        round_ = rounds.graded()

        assert [row.pk for row in table(round_, page=5)] == [row.pk for row in table(round_)]

    def test_leave_out_what_was_corrected_but_not_what_came_late(self):
        round_ = rounds.graded(n_items=1, n_raters=1)
        corrected, late = round_.grades.order_by("pk")
        Grade.objects.filter(pk=corrected.pk).update(is_current=False)
        Grade.objects.filter(pk=late.pk).update(is_current=False, late=True)

        (row,) = table(round_)

        assert (row.pk, row.late, row.counts) == (late.pk, True, False)

    def test_of_some_items_only(self):
        round_ = rounds.graded()
        item = round_.items.order_by("ordinal").first().item_id

        known = grade_table.facts([round_], items=[item])

        assert {row.item.pk for row in grade_table.rows_on(known, [item])} == {item}

    def test_take_as_many_queries_for_many_grades_as_for_few(self, django_assert_num_queries):
        few, many = rounds.graded(n_items=1), rounds.graded(n_items=6, number=2)

        for round_ in (few, many):
            with django_assert_num_queries(9):
                table(round_)


class TestValidity:
    def test_ends_with_a_grade_declared_invalid_and_comes_back_with_the_reversal(self):
        round_ = rounds.graded(n_items=1, n_raters=1)
        ended = invalid(round_, kind="GRADE", grade=round_.grades.order_by("pk").first())
        before = [row.valid for row in table(round_)]
        invalid(round_, kind="GRADE", grade=ended.grade, reverses=ended)

        assert before == [False, True]
        assert [row.valid for row in table(round_)] == [True, True]

    def test_ends_for_a_rater_in_a_capability(self):
        round_ = rounds.graded(n_items=2, n_raters=2, capabilities=("A", "B"))
        rater = round_.annotators.order_by("pk").first().rater
        part = round_.project.capabilities.get(name="A")
        invalid(round_, kind="RATER", rater=rater, capability=part)

        ended = [(row.item.capability, row.rater.pk) for row in table(round_) if not row.valid]

        assert set(ended) == {("A", rater.pk)}

    def test_ends_for_a_question(self):
        round_ = rounds.graded(n_items=2)
        place = round_.items.order_by("ordinal").first()
        invalid(round_, kind="QUESTION", item=place.item)

        assert {row.item.pk for row in table(round_) if not row.valid} == {place.item_id}


class TestComments:
    def test_are_the_last_of_the_rater_who_gave_the_grade(self):
        round_ = rounds.graded(n_items=1, n_raters=1, systems=("Kestrel",))
        grade = round_.grades.get()
        other = rounds._rater(round_.project, 1)
        for rater, revision, text in (
            (other, 3, "theirs"),
            (grade.rater, 1, "a"),
            (grade.rater, 2, "b"),
        ):
            Remark.objects.create(
                slot=grade.slot,
                rater=rater,
                kind="COMMENT",
                text=text,
                revision=revision,
                at=make.NOW,
            )

        assert table(round_)[0].comment == "b"

    def test_of_imported_grades_stand_at_the_grade(self):
        round_ = rounds.graded(n_items=1, n_raters=1, systems=("Kestrel",))
        grade = round_.grades.get()
        Remark.objects.create(
            grade=grade, rater=grade.rater, kind="COMMENT", text="Terse.", at=make.NOW
        )

        assert table(round_)[0].comment == "Terse."


class TestVersion:
    def test_changes_with_grades_invalidations_and_revisions(self):
        round_ = rounds.graded()
        Round.objects.filter(pk=round_.pk).update(state=Round.State.REVIEW)
        round_.refresh_from_db()
        seen = [grade_table.version(round_)]
        round_.grades.first().delete()
        seen.append(grade_table.version(round_))
        invalid(round_, kind="GRADE", grade=round_.grades.first())
        seen.append(grade_table.version(round_))
        Round.objects.filter(pk=round_.pk).update(revision=2)
        round_.refresh_from_db()
        seen.append(grade_table.version(round_))

        assert len(set(seen)) == 4
