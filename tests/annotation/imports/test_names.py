"""Names of grades and scores mean what is called so here: exactly, else but for case and spaces."""

import pytest

from annotation import models
from annotation.files.columns import Target
from annotation.imports import operations, uploading
from annotation.imports.places import ResponsePlaces
from tests import imports, make

pytestmark = pytest.mark.django_db


def world(*rows):
    lines = [f"{item},Why {item}?,{system},{release},Because." for item, system, release in rows]
    imports.apply(imports.answers("\n".join(["id,question,system,release,response", *lines, ""])))


def grades(*rows, **options):
    return imports.grades("\n".join(["item,system,rater,criterion,value", *rows, ""]), **options)


def answered(upload, told):
    """Return a file that was checked again with answers."""
    uploading.answer(upload=upload, told=told)
    operations.check(upload=upload, clock=imports.clock)
    return upload


class TestPlaces:
    def test_are_those_of_the_exact_name_where_there_is_one(self):
        world(("Q-1", "Kestrel", "1"), ("q-1", "Kestrel", "1"))

        imports.apply(grades("q-1,Kestrel,ada,coh,4"))

        assert models.Grade.objects.get().response.item.external_id == "q-1"

    def test_are_none_where_several_differ_in_case_alone(self):
        world(("Q-1", "Kestrel", "1"), ("q-1", "Kestrel", "1"))

        problems = imports.problems(grades("Q-1,Kestrel,ada,coh,4", "q -1,Kestrel,ada,coh,4"))

        assert problems == [("unknown_item", 3, "item")]

    def test_tell_what_they_took_names_for(self):
        world(("Ä-1", "Kestrel 4", "Beta"))
        places = ResponsePlaces(make.project(), lambda target: str(target))

        class Row:
            line, item, system, release, sample_no = 2, "ä-1", "KESTREL  4", "beta", None

        (place,) = places.find([Row()])

        assert place.response
        assert not place.problems
        assert places.matched == {
            "item": {"ä-1": "Ä-1"},
            "system": {"KESTREL  4": "Kestrel 4"},
            "release": {"beta": "Beta"},
        }

    def test_name_the_column_of_what_is_not_here(self):
        world(("Q1", "Kestrel", "1"))
        places = ResponsePlaces(make.project(), lambda target: str(target))

        class Row:
            line, item, system, release, sample_no = 2, "Q1", "Kestrel", "9", None

        (place,) = places.find([Row()])

        assert [(one.code, one.column) for one in place.problems] == [
            ("unknown_release", str(Target.RELEASE))
        ]


class TestRaters:
    def test_of_earlier_imports_are_asked_about_once(self):
        world(("Q1", "Kestrel", "1"), ("Q2", "Kestrel", "1"))
        imports.apply(grades("Q1,Kestrel,Ada,coh,4"))

        upload = grades("Q2,Kestrel,ada,coh,4", "Q1,Kestrel,ada,flu,4", round_name="Second")

        assert [(one["key"], one["suggested"]) for one in upload.report["asks"]] == [
            ("same:ada", "same")
        ]
        imports.apply(upload)
        assert list(models.Rater.objects.values_list("ref", flat=True)) == ["Ada"]

    def test_are_kept_apart_where_somebody_says_so(self):
        world(("Q1", "Kestrel", "1"))
        imports.apply(grades("Q1,Kestrel,Ada,coh,4"))

        imports.apply(answered(grades("Q1,Kestrel,ada,coh,3"), {"same:ada": "apart"}))

        assert sorted(models.Rater.objects.values_list("ref", flat=True)) == ["Ada", "ada"]


class TestCriteria:
    def test_of_a_rubric_are_found_by_key_and_name_whatever_their_capitals(self):
        world(("Q1", "Kestrel", "1"))
        make.rubric_version("summary", maximum=5, criteria=("coh", "flu"))

        upload = grades("Q1,Kestrel,a,COH,4", "Q1,Kestrel,a,Flu,3", rubric="summary@1")

        assert upload.report["ok"], upload.report
        assert upload.report["asks"] == []
        assert upload.report["criteria"] == ["coh", "flu"]
