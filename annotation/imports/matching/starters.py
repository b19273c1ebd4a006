"""Files to start from: made of a project's own rubric, systems and questions, to be filled in.

* Answers: a row a question, a column a system. Grades and scores: a row an answer, with its rater.
"""

import csv
import io
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from annotation.common import texts
from annotation.files.look import workbooks
from annotation.files.models import ImportKind
from annotation.people.models import Project
from annotation.rubrics.models import Criterion, RubricVersion
from annotation.systems.models import Item, System
from evalsite.contract.shapes import MEDIA

#: So many questions and systems stand in a file to start from.
QUESTIONS: Final = 3
SYSTEMS: Final = 4
FORMS: Final = ("csv", "xlsx", "jsonl")
KINDS: Final = (ImportKind.ANSWERS, ImportKind.GRADES, ImportKind.PAIRS, ImportKind.SCORES)

WORKBOOK: Final = MEDIA["xlsx"]

Table = tuple[Sequence[str], Sequence[Sequence[str]]]


@dataclass(frozen=True, slots=True)
class Starter:
    """A file to be handed out."""

    name: str
    content_type: str
    data: bytes


def starter(project: Project, kind: ImportKind, form: str) -> Starter:
    """Return a file to start from.

    Args:
        kind: one of KINDS.
        form: one of FORMS.
    """
    heads, rows = _TABLES[kind](project)
    content_type, write = _WRITTEN[form]
    return Starter(f"{kind.lower()}.{form}", content_type, write(heads, rows))


def _answers(project: Project) -> Table:
    systems = _systems(project)
    heads = ("id", "question", "standard_answer", *(f"answer_{name}" for name in systems))
    asked = [(one.external_id, one.question, one.reference) for one in _items(project)]
    rows = asked or [("Q1", "", ""), ("Q2", "", "")]
    return heads, [(*row, *("" for _name in systems)) for row in rows]


def _grades(project: Project) -> Table:
    heads = ("item", "system", "criterion", "rater", "value", "comment")
    return heads, [(*one, "ada", "", "") for one in _marked(project)]


def _pairs(project: Project) -> Table:
    heads = (
        *("id", "question", "system_a", "system_b", "answer_a", "answer_b"),
        *("choice", "annotator", "criterion", "comment"),
    )
    asked = [(one.external_id, one.question) for one in _items(project)] or [("Q1", "")]
    systems = _systems(project)
    pairs = list(itertools.combinations(systems, 2)) or [(systems[0], "Beta")]
    rows = [(*one, *pair, "", "", "", "ada", "Better", "") for one in asked for pair in pairs]
    return heads, rows


def _scores(project: Project) -> Table:
    heads = ("item", "system", "criterion", "judge", "score", "explanation")
    return heads, [(*one, "judge-1", "", "") for one in _marked(project)]


def _marked(project: Project) -> Iterator[tuple[str, str, str]]:
    """Yield what is marked: question, system and criterion."""
    names = [one.external_id for one in _items(project)] or ["Q1", "Q2"]
    for name in names:
        for system in _systems(project):
            for criterion in _criteria(project):
                yield name, system, criterion


def _items(project: Project) -> Sequence[Item]:
    return list(Item.objects.seen().filter(project=project).order_by("pk")[:QUESTIONS])


def _systems(project: Project) -> list[str]:
    rows = System.objects.seen().filter(project=project).order_by("pk")
    return list(rows.values_list("name", flat=True)[:SYSTEMS]) or ["Alpha", "Beta"]


def _criteria(project: Project) -> list[str]:
    human = RubricVersion.objects.filter(
        rubric__project=project, kind=RubricVersion.Kind.HUMAN, criteria__isnull=False
    )
    version = human.order_by("-pk").first()
    rows = Criterion.objects.filter(rubric_version=version) if version else None
    return list(rows.values_list("key", flat=True)) if rows else ["quality"]


def _csv(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows([heads, *_neutral(rows)])
    return f"\ufeff{text.getvalue()}".encode()


def _xlsx(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    widths = [60 if head == "question" else 20 for head in heads]
    return workbooks.write([heads, *_neutral(rows)], title="Rows", widths=widths)


def _jsonl(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    records = (dict(zip(heads, row, strict=True)) for row in rows)
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in records).encode()


def _neutral(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    """Return cells that no spreadsheet takes for formulas."""
    return [[texts.neutral(cell) for cell in row] for row in rows]


_TABLES: Final[dict[str, Callable[[Project], Table]]] = {
    ImportKind.ANSWERS: _answers,
    ImportKind.GRADES: _grades,
    ImportKind.PAIRS: _pairs,
    ImportKind.SCORES: _scores,
}
_WRITTEN: Final[dict[str, tuple[str, Callable[..., bytes]]]] = {
    "csv": ("text/csv; charset=utf-8", _csv),
    "xlsx": (WORKBOOK, _xlsx),
    "jsonl": (MEDIA["jsonl"], _jsonl),
}
