"""Files of kinds that no maker is known of: looked at, and brought in as far as they are clear."""

import io

import openpyxl

from annotation import models
from annotation.files import stored as files
from annotation.files.mappings import AnswerMapping, FileRubric, GradeMapping
from annotation.files.models import ImportKind
from annotation.imports import operations, recognising, uploading
from tests import imports

HERE = """id,question,system,response
Q1,What is a quay?,Alpha,A wall.
Q1,What is a quay?,Beta,A bird.
Q2,What lifts a crate?,Alpha,A crane.
Q2,What lifts a crate?,Beta,A rope.
"""


def looked(text, name="file.csv"):
    """Return a file as the page of all files takes it, its kind told by what it holds."""
    return imports.take(text, name, "")


def places(upload):
    """Return where the columns go, each as a program writes it; what is only offered has a question mark."""
    found = {}
    for column, guess in recognising.guesses(upload):
        parts = [str(guess.target), guess.system, guess.rater, guess.criterion]
        said = ":".join(part for part in parts if part)
        found[column.name] = said if guess.sure else f"{said}?"
    return found


def graded(text, name="grades.csv", told=None, **options):
    """Return a file of grades that was checked, its columns where they are sure to belong."""
    upload = imports.take(text, name, ImportKind.GRADES, told=told)
    rubric = FileRubric("Case", "0", "10", "")
    mapping = GradeMapping(imports.places(upload), name, "", rubric, **options)
    uploading.set_mapping(upload=upload, mapping=mapping)
    operations.check(upload=upload, clock=imports.clock)
    return upload


def values(upload):
    """Return the grades that come in by a file: question, system, rater, criterion, value."""
    assert upload.report["ok"], upload.report["problems"]
    imports.apply(upload)
    rows = models.Grade.objects.order_by("pk").values_list(
        "response__item__external_id",
        "response__release__system__name",
        "rater__ref",
        "criterion__name",
        "value",
    )
    return [(*row, float(value)) for *row, value in rows]


def asks(upload):
    return {one["key"]: one["suggested"] for one in upload.report["asks"]}


def answered(text, name="answers.jsonl", told=None, **options):
    """Return the answers that come in by a file: question, system, sample and text."""
    upload = imports.take(text, name, ImportKind.ANSWERS, told=told)
    mapping = AnswerMapping(imports.places(upload), **options)
    uploading.set_mapping(upload=upload, mapping=mapping)
    operations.check(upload=upload, clock=imports.clock)
    assert upload.report["ok"], upload.report["problems"]
    here = set(models.Response.objects.values_list("pk", flat=True))
    imports.apply(upload)
    rows = models.Response.objects.exclude(pk__in=here).order_by("pk")
    return [
        (
            one.item.messages[-1]["content"],
            one.release.system.name,
            one.sample_no,
            one.messages[-1]["content"],
        )
        for one in rows.select_related("item", "release__system")
    ]


def layout_asks(upload):
    return {one.key: one.suggested for one in files.layout_of(upload).asks}


def workbook(**sheets):
    """Return a workbook with a sheet of rows under each name."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()
