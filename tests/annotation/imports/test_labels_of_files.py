"""A file of labels, for which the project has no rubric: one is made of them, once somebody said so."""

import json

import pytest

from annotation import models
from annotation.files.mappings import FileRubric, GradeMapping
from annotation.files.models import ImportKind
from annotation.imports import operations, uploading
from tests import imports, make

pytestmark = pytest.mark.django_db

SLIPS = """item,system,rater,slip,traits
Q1,Kestrel,ann,Fact,Long; Stiff
Q1,Harbour,ann,Beside,Long
Q2,Kestrel,ann,fact,Stiff
Q1,Kestrel,ben,Unclear,Long; Stiff; Twice
"""
WIDE = {"slip": "grade::slip", "traits": "grade::traits"}


@pytest.fixture(autouse=True)
def answers():
    return imports.apply(imports.answers())


def taken(text=SLIPS, *, told=None, scale=("", "", ""), targets=WIDE):
    """Return a checked file whose rubric is to be made, by what was answered."""
    upload = imports.take(text, "slips.csv", ImportKind.GRADES, told=told)
    places = imports.places(upload, **targets)
    mapping = GradeMapping(places, "Slips", new_rubric=FileRubric("Slips", *scale))
    uploading.set_mapping(upload=upload, mapping=mapping)
    operations.check(upload=upload, clock=imports.clock)
    return upload


class TestLabelsOfAFile:
    def test_are_asked_for_and_make_nothing_by_themselves(self):
        upload = taken()

        asks = {one["key"]: one for one in upload.report["asks"]}
        assert not upload.report["ok"]
        assert asks["labels:slip"]["options"] == ["LABEL", "LABELS", "no"]
        assert asks["labels:slip"]["found"] == "Fact, Beside, Unclear"
        assert asks["labels:traits"]["suggested"] == ""
        with pytest.raises(operations.HasProblems):
            operations.start(upload=upload, by=upload.created_by, now=make.NOW)
        assert not models.Rubric.objects.exists()

    def test_become_criteria_of_one_and_of_several_labels(self):
        imports.apply(taken(told={"labels:slip": "LABEL", "labels:traits": "LABELS"}))

        slip, traits = models.Criterion.objects.order_by("position")
        labels = [
            list(one.levels.order_by("value").values_list("label", flat=True))
            for one in (slip, traits)
        ]
        assert (slip.mark, traits.mark) == ("LABEL", "LABELS")
        assert labels == [["Fact", "Beside", "Unclear"], ["Long", "Stiff", "Twice"]]
        rows = models.Grade.objects.order_by("line").values_list("criterion__key", "value")
        assert [(key, int(value)) for key, value in rows] == [
            ("slip", 1),
            ("traits", 3),
            ("slip", 2),
            ("traits", 1),
            ("slip", 1),
            ("traits", 2),
            ("slip", 3),
            ("traits", 7),
        ]

    def test_are_told_before_anything_is_made(self):
        upload = taken(told={"labels:slip": "LABEL", "labels:traits": "LABELS"})

        assert upload.report["ok"]
        assert upload.report["made"]["slip"]["labels"] == ("Fact", "Beside", "Unclear")
        first = upload.report["preview"][0]["grades"]
        assert [one["value"] for one in first] == ["Fact", "Long; Stiff"]

    def test_are_the_same_rubric_when_the_file_comes_again_in_another_round(self):
        told = {"labels:slip": "LABEL", "labels:traits": "LABELS"}
        imports.apply(taken(told=told))
        imports.apply(taken(SLIPS + "Q2,Harbour,ben,Fact,Twice\n", told=told))

        assert models.RubricVersion.objects.count() == 1
        assert models.Round.objects.count() == 2

    def test_may_stand_beside_numbers_on_a_scale(self):
        text = (
            "item,system,rater,criterion,grade\nQ1,Kestrel,ann,slip,Fact\nQ1,Kestrel,ann,tone,2\n"
        )
        text += "Q2,Kestrel,ann,slip,Style\nQ2,Kestrel,ann,tone,3\n"
        told = {"labels:slip": "LABEL"}
        imports.apply(taken(text, told=told, scale=("1", "3", "1"), targets={}))

        marks = dict(models.Criterion.objects.values_list("key", "mark"))
        assert marks == {"slip": "LABEL", "tone": "LEVELS"}

    def test_refused_are_words_that_are_no_number(self):
        upload = taken(told={"labels:slip": "no", "labels:traits": "no"}, scale=("1", "3", "1"))

        assert {code for code, *_rest in imports.problems(upload)} == {"not_a_number"}

    def test_are_not_made_of_numbers_of_many_words_or_of_one(self):
        numbers = "item,system,rater,slip,traits\nQ1,Kestrel,ann,2,Fact\nQ2,Kestrel,ann,3,2\n"
        many = "item,system,rater,slip,traits\n" + "".join(
            f"Q{1 + n % 2},Kestrel,r{n},word {n},say {n}; say so {n}\n" for n in range(30)
        )
        one = "item,system,rater,slip,traits\nQ1,Kestrel,ann,Fact,\n"

        asked = [k["key"] for k in taken(numbers, scale=("1", "3", "1")).report["asks"]]
        assert not [key for key in asked if key.startswith("labels:")]
        asked = [k["key"] for k in taken(many, scale=("1", "3", "1")).report["asks"]]
        assert not [key for key in asked if key.startswith("labels:")]
        assert not taken(one, scale=("1", "3", "1")).report["asks"]

    def test_need_a_scale_as_soon_as_there_are_numbers(self):
        text = "item,system,rater,criterion,grade\nQ1,Kestrel,ann,slip,Fact\n"
        text += "Q2,Kestrel,ann,slip,Style\n"
        lots = "".join(f"Q1,Kestrel,r{n},slip,Fact\n" for n in range(2_000))
        late = text + lots + "Q1,Kestrel,ann,tone,2\n"

        upload = taken(late, told={"labels:slip": "LABEL"}, targets={})

        assert {code for code, *_rest in imports.problems(upload)} == {"no_scale"}
        with pytest.raises(uploading.MappingIncomplete):
            taken("item,system,rater,criterion,grade\nQ1,Kestrel,ann,tone,2\n", targets={})

    def test_of_lists_are_several(self):
        rows = [
            {"item": item, "system": "Kestrel", "rater": "ann", "criterion": "t", "value": value}
            for item, value in (("Q1", ["A", "B"]), ("Q2", ["B"]))
        ]
        text = "".join(json.dumps(one) + "\n" for one in rows)
        upload = taken(text, told={"labels:t": "LABELS"}, targets={})
        imports.apply(upload)

        (ask,) = upload.report["asks"]
        assert ask["options"] == ["LABELS", "no"]
        assert [int(one.value) for one in models.Grade.objects.order_by("pk")] == [3, 2]
