"""Rows that cannot be used are left out: what the check counts is what comes in, after a resume too."""

import itertools

import pytest

from annotation import models
from annotation.imports import operations, uploading
from annotation.systems.models import Item, Response
from tests import imports, make
from tests.imports import clock
from tests.scoring import machines

pytestmark = pytest.mark.django_db


class Killed(Exception):
    """Stands for a worker that dies."""


def leaving_out(upload):
    """Return a file that was checked again after somebody said to leave rows out."""
    uploading.answer(upload=upload, told={"broken": "leave_out"})
    operations.check(upload=upload, clock=clock)
    return upload


def brought_with_kills(upload):
    """Bring a file in by workers of which two die over it."""
    batch = operations.start(upload=upload, by=upload.created_by, now=make.NOW)
    for after in (2, 3):
        with pytest.raises(Killed):
            operations.carry_on(batch_id=batch.pk, clock=dying_after(after))
    return operations.carry_on(batch_id=batch.pk, clock=clock)


def dying_after(n):
    calls = itertools.count()

    def tell():
        if next(calls) >= n:
            raise Killed
        return make.NOW

    return tell


BRINGING = pytest.mark.parametrize("bring", [imports.apply, brought_with_kills])


def grades(*rows):
    return imports.grades("\n".join(["item,system,rater,criterion,value", *rows, ""]))


class TestTheCheck:
    def test_asks_whether_rows_are_left_out_where_others_can_be_used(self):
        imports.apply(imports.answers())
        report = grades("Q1,Kestrel,a,coh,4", "Q1,Harbour,a,coh,9").report

        (ask,) = (one for one in report["asks"] if one["key"] == "broken")
        assert (ask["suggested"], ask["facts"]) == ("", {"n": "1", "of": "2"})
        assert not report["ok"]
        assert report["counts"]["grades"] == 1

    def test_lets_the_others_come_in_where_somebody_says_so(self):
        imports.apply(imports.answers())
        report = leaving_out(grades("Q1,Kestrel,a,coh,4", "Q1,Harbour,a,coh,9")).report

        assert report["ok"]
        assert (report["n_left_out"], report["n_errors"]) == (1, 1)

    def test_asks_nothing_where_no_row_can_be_used(self):
        imports.apply(imports.answers())
        report = leaving_out(grades("Q1,Kestrel,a,coh,8", "Q1,Harbour,a,coh,9")).report

        assert not report["ok"]
        assert not report["asks"]

    def test_is_not_content_where_the_mapping_is_short(self):
        imports.apply(imports.answers())
        rows = [
            {"item": "Q1", "system": "Kestrel", "rater": "a", "criterion": "coh", "value": 4},
            {"item": "Q2", "system": "Kestrel", "rater": "a", "criterion": "coh", "value": 9},
        ]
        upload = imports.grades(imports.lines(*rows), "g.jsonl")
        records = [*rows, rows[0] | {"item": "Q2", "late": 1}]
        upload = imports.take(imports.lines(*records), "h.jsonl", "GRADES")
        mapping = imports.grades(imports.lines(*rows), "g.jsonl").mapping
        upload.mapping, upload.told = mapping, {"broken": "leave_out"}
        upload.save()

        assert not operations.check(upload=upload, clock=clock)["ok"]


class TestGrades:
    @BRINGING
    def test_come_in_without_the_rows_that_are_wrong(self, bring):
        imports.apply(imports.answers())
        rows = [
            f"{item},{system},r{place},coh,{9 if place % 7 == 3 else place % 5 + 1}"
            for place in range(300)
            for item, system in (("Q1", "Kestrel"), ("Q2", "Harbour"))
        ]
        upload = leaving_out(grades(*rows, "Q1,Kestrel,r1,coh,2", "Q1,Kestrel,r3,coh,2"))

        done = bring(upload)

        assert (done.state, done.stopped) == ("APPLIED", "")
        assert done.counts["grades"] == upload.report["counts"]["grades"]
        assert models.Grade.objects.count() == done.counts["grades"]
        # The first grade of r3 cannot be used, so the last row has its only one; that of r1 is a second.
        assert upload.report["n_left_out"] == 2 * 43 + 1
        assert models.Grade.objects.filter(rater__ref="r3").count() == 1

    def test_of_a_wide_row_are_left_out_whole(self):
        imports.apply(imports.answers())
        text = "item,system,a_coh,b_coh\nQ1,Kestrel,4,9\nQ1,Kestrel,5,5\nQ2,Kestrel,1,\n"
        upload = leaving_out(imports.grades(text))

        done = imports.apply(upload)

        assert done.counts["grades"] == upload.report["counts"]["grades"] == 3
        values = models.Grade.objects.order_by("pk").values_list("rater__ref", "value")
        assert [(name, int(value)) for name, value in values] == [("a", 5), ("b", 5), ("a", 1)]

    def test_make_no_criterion_of_a_row_that_is_left_out(self):
        imports.apply(imports.answers())
        upload = leaving_out(grades("Q1,Kestrel,a,coh,4", "Q9,Kestrel,a,flu,4"))

        imports.apply(upload)

        assert list(models.Criterion.objects.values_list("name", flat=True)) == ["coh"]

    def test_number_raters_without_the_rows_that_are_wrong(self):
        imports.apply(imports.answers())
        text = "item,system,criterion,value\nQ1,Kestrel,coh,9\nQ1,Kestrel,coh,4\nQ1,Kestrel,coh,3\n"
        upload = leaving_out(imports.grades(text, rater="crowd"))

        imports.apply(upload)

        assert models.Rater.objects.filter(ref__startswith="crowd").count() == 2
        assert sorted(upload.report["raters"]) == ["crowd", "crowd 2"]


class TestAnswers:
    @BRINGING
    def test_come_in_without_the_rows_that_are_wrong(self, bring):
        rows = []
        for place in range(200):
            text = "" if place % 9 == 4 else f"Question {place}?"
            rows.append({"id": f"Q{place}", "question": text, "answer_K": "a", "answer_H": "b"})
        rows.append({"id": "Q1", "question": "Another?", "answer_K": "c", "answer_H": "d"})
        rows.append({"id": "Q4", "question": "The fourth?", "answer_K": "c", "answer_H": "d"})
        upload = leaving_out(imports.answers(imports.lines(*rows), "a.jsonl"))

        done = bring(upload)

        assert (done.state, done.stopped) == ("APPLIED", "")
        counts = upload.report["counts"]
        assert done.counts["responses"] == counts["new_responses"] == Response.objects.count()
        assert done.counts["items"] == counts["new_items"] == Item.objects.count()

    def test_of_a_row_that_is_left_out_count_for_no_later_one(self):
        rows = [
            {"id": "Q1", "question": "What?", "difficulty": "soft", "system": "K", "response": "a"},
            {"id": "Q1", "question": "What else?", "system": "K", "response": "b"},
        ]
        upload = leaving_out(imports.answers(imports.lines(*rows), "a.jsonl"))

        imports.apply(upload)

        assert Item.objects.get().messages[0]["content"] == "What else?"
        assert Response.objects.get().messages[0]["content"] == "b"


class TestQuestions:
    def test_come_in_without_the_rows_that_are_wrong(self):
        text = imports.QUESTIONS + "C-1,What else?,None.,,Factuality,simple,Manual,sea\n"
        text += "C-9,Who?,He.,,Style,soft,Notes,sea\n"
        upload = leaving_out(imports.questions(text))

        done = imports.apply(upload)

        assert done.counts["questions"] == upload.report["counts"]["new_questions"] == 3
        assert not models.Capability.objects.filter(name="Style").exists()
        assert not models.Source.objects.filter(title__in=["Manual", "Notes"]).exists()


class TestQuestionsOfMultipleChoice:
    def test_come_in_without_the_rows_that_are_wrong(self):
        upload = leaving_out(imports.choices(f"{imports.CHOICES},What?,a,b,c,d,E,lifting\n"))

        done = imports.apply(upload)

        assert done.counts["items"] == upload.report["counts"]["new_items"] == 2


class TestFigures:
    def test_come_in_without_the_rows_that_are_wrong(self):
        imports.apply(imports.answers())
        text = "candidate,data set,figure,value\nKestrel,Quay,acc,much\nKestrel,Quay,acc,7\n"
        upload = leaving_out(imports.figures(f"{text}Kestrel,Quay,acc,8\n"))

        done = imports.apply(upload)

        assert done.counts["figures"] == upload.report["counts"]["figures"] == 1


class TestScores:
    def test_come_in_without_the_rows_that_are_wrong(self):
        imports.apply(imports.answers())
        text = (
            "item,system,overlap,rouge\nQ1,Kestrel,much,0.5\nQ1,Kestrel,0.1,0.2\n"
            "Q1,Kestrel,0.3,0.4\nQ2,Kestrel,0.5,0.6\n"
        )
        upload = leaving_out(machines.file(text))

        done = imports.apply(upload)

        assert done.counts["scores"] == upload.report["counts"]["scores"] == 4
        assert [row[-1] for row in machines.stored()] == [0.1, 0.2, 0.5, 0.6]
