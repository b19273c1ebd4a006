"""Files for tests of the importer: written inline, taken, mapped, checked, brought in."""

import json
from collections.abc import Mapping
from typing import Any

from annotation import models
from annotation.files import stored as files
from annotation.files.cells import FileProblem
from annotation.files.choices import KNOWN_NAMES, ChoiceMapping, published
from annotation.files.mappings import (
    AnswerMapping,
    ColumnTarget,
    FileRubric,
    GradeMapping,
    QuestionMapping,
)
from annotation.files.models import ImportBatch, ImportKind, Upload
from annotation.files.pairs import PairMapping
from annotation.files.scores import FigureMapping
from annotation.imports import operations as imports
from annotation.imports import recognising, uploading
from tests import copies, make

ANSWERS = """id,question,standard_answer,capability,system,response
Q1,What is a pallet?,A flat base.,,Kestrel,A base for goods.
Q1,What is a pallet?,A flat base.,,Harbour,A ship.
Q2,What is a quay?,A place to moor.,,Kestrel,A wall by the water.
Q2,What is a quay?,A place to moor.,,Harbour,A bird.
"""
QUESTIONS = """id,question,answer,key_points,capability,difficulty,source,tags
C-1,What is a bill of lading?,A receipt and a title.,a receipt | a title,Factuality,simple,Handbook | p. 3,sea
C-2,Who pays the freight under FOB?,The buyer.,,Factuality,中等,Handbook,"sea, terms"
C-3,海运提单的作用是什么?,收据和物权凭证。,,Factuality,难,,
"""
CHOICES = """id,question,A,B,C,D,answer,subject
,What holds a ship at the quay?,a rope,a bell,a crane,a gull,A,mooring
,What lifts a crate?,a rope,a bell,a crane,a gull,C,lifting
"""
FIGURES = """candidate,data set,figure,value
Kestrel,Quay,accuracy,71.5
Osprey,Quay,accuracy,55%
Kestrel,,MT-Bench,7.2
Osprey,,MT-Bench,
"""
PAIRS = """id,question,system_a,system_b,answer_a,answer_b,choice,annotator,comment
Q1,What is a pallet?,Kestrel,Harbour,A base for goods.,A ship.,A,ada,
Q1,What is a pallet?,Harbour,Kestrel,A ship.,A base for goods.,right,bo,clear
Q2,What is a quay?,Kestrel,Harbour,A wall by the water.,A bird.,tie,ada,
Q2,What is a quay?,Kestrel,Tern,A wall by the water.,A wall.,both bad,bo,
"""
GRADES = """item,system,e0_coh,e0_flu,e1_coh,e1_flu
Q1,Kestrel,5,4,4,4
Q1,Harbour,2,3,1,3
Q2,Kestrel,4,5,5,
"""


def clock() -> Any:
    return make.NOW


def take(
    text: str | bytes = ANSWERS,
    name: str = "answers.csv",
    kind: ImportKind = ImportKind.ANSWERS,
    project: models.Project | None = None,
    told: Mapping[str, str] | None = None,
) -> Upload:
    home = project or make.project()
    content = text.encode() if isinstance(text, str) else text
    pieces = [content[start : start + 1000] for start in range(0, len(content), 1000)]
    owner = make.user(f"{home.slug}-owner")
    return uploading.receive(
        project=home, kind=kind, name=name, pieces=pieces, by=owner, now=make.NOW, told=told
    )


def places(upload: Upload, **targets: str) -> tuple[ColumnTarget, ...]:
    """Return the suggested places; a target given by column name wins ("answer:Kestrel")."""
    found = []
    for column, guess in recognising.guesses(upload):
        if column.name in targets:
            target, *names = targets[column.name].split(":")
            wide = {"answer": ("system",), "grade": ("rater", "criterion")}.get(target, ())
            found.append(ColumnTarget(column.name, target, **dict(zip(wide, names, strict=True))))
        elif guess.target:
            found.append(
                ColumnTarget(
                    column.name, guess.target, guess.system, "", guess.rater, guess.criterion
                )
            )
    return tuple(found)


@copies.made_once_among
def answers(
    text: str | bytes = ANSWERS,
    name: str = "answers.csv",
    targets: Mapping[str, str] | None = None,
    **options: Any,
) -> Upload:
    """Return a file of questions and answers that was checked."""
    upload = take(text, name, project=options.pop("project", None))
    mapping = AnswerMapping(places(upload, **(targets or {})), **options)
    uploading.set_mapping(upload=upload, mapping=mapping)
    imports.check(upload=upload, clock=clock)
    return upload


@copies.made_once_among
def questions(
    text: str | bytes = QUESTIONS,
    name: str = "questions.csv",
    targets: Mapping[str, str] | None = None,
    **options: Any,
) -> Upload:
    """Return a file of questions for the bank that was checked; what they cite is made, too."""
    upload = take(text, name, ImportKind.QUESTIONS, project=options.pop("project", None))
    options = {"make_sources": True, "create_missing": True, **options}
    mapping = QuestionMapping(places(upload, **(targets or {})), **options)
    uploading.set_mapping(upload=upload, mapping=mapping)
    imports.check(upload=upload, clock=clock)
    return upload


def choices(
    text: str | bytes = CHOICES,
    name: str = "quay.csv",
    targets: Mapping[str, str] | None = None,
    **options: Any,
) -> Upload:
    """Return a file of questions of multiple choice that was checked."""
    upload = take(text, name, ImportKind.CHOICES, project=options.pop("project", None))
    layout = published(files.layout_of(upload))
    options.setdefault("dataset", KNOWN_NAMES[layout] if layout else "Quay")
    found = () if layout else places(upload, **(targets or {}))
    mapping = ChoiceMapping(found, str(layout or ""), **options)
    uploading.set_mapping(upload=upload, mapping=mapping)
    imports.check(upload=upload, clock=clock)
    return upload


def figures(
    text: str | bytes = FIGURES,
    name: str = "figures.csv",
    targets: Mapping[str, str] | None = None,
    **options: Any,
) -> Upload:
    """Return a file of figures of other benchmarks that was checked."""
    upload = take(text, name, ImportKind.FIGURES, project=options.pop("project", None))
    mapping = FigureMapping(places(upload, **(targets or {})), **options)
    uploading.set_mapping(upload=upload, mapping=mapping)
    imports.check(upload=upload, clock=clock)
    return upload


@copies.made_once_among
def grades(
    text: str | bytes = GRADES,
    name: str = "grades.csv",
    targets: Mapping[str, str] | None = None,
    **options: Any,
) -> Upload:
    """Return a table of grades that was checked; without a rubric, one from 1 to 5 is made."""
    upload = take(text, name, ImportKind.GRADES)
    if "rubric" not in options:
        options.setdefault("new_rubric", FileRubric("Summary", "1", "5", "1"))
    options.setdefault("round_name", "Old grades")
    mapping = GradeMapping(places(upload, **(targets or {})), **options)
    uploading.set_mapping(upload=upload, mapping=mapping)
    imports.check(upload=upload, clock=clock)
    return upload


@copies.made_once_among
def pairs(
    text: str | bytes = PAIRS,
    name: str = "pairs.csv",
    targets: Mapping[str, str] | None = None,
    told: Mapping[str, str] | None = None,
    **options: Any,
) -> Upload:
    """Return a file of preferences that was checked; without a rubric, one is made."""
    upload = take(text, name, ImportKind.PAIRS, told=told)
    if "rubric" not in options:
        options.setdefault("new_rubric", "Preference")
    options.setdefault("round_name", "Old preferences")
    mapping = PairMapping(places(upload, **(targets or {})), **options)
    uploading.set_mapping(upload=upload, mapping=mapping)
    imports.check(upload=upload, clock=clock)
    return upload


@copies.made_once_among
def apply(upload: Upload) -> ImportBatch:
    batch = imports.start(upload=upload, by=upload.created_by, now=make.NOW)
    done = imports.carry_on(batch_id=batch.pk, clock=clock)
    assert done is not None
    return done


def lines(*objects: object) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)


def problems(upload: Upload) -> list[tuple[str, int | None, str]]:
    """Return code, row and column of what the check found."""
    assert upload.report is not None
    found = [FileProblem.from_dict(one) for one in upload.report["problems"]]
    return [(one.code, one.line, one.column) for one in found]
