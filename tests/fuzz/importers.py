"""Every way a file comes in, each with a valid one: it is brought in, or refused in words."""

import io
import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import openpyxl

from annotation.bankfile import exporting
from annotation.bankfile import importing as working
from annotation.bankfile import operations as files
from annotation.bankfile.models import BankFile
from annotation.files.choices import ChoiceMapping
from annotation.files.mappings import (
    AnswerMapping,
    ColumnTarget,
    FileMapping,
    FileRubric,
    GradeMapping,
    QuestionMapping,
)
from annotation.files.models import ImportBatch, ImportKind, Upload
from annotation.files.pairs import PairMapping
from annotation.files.scores import FigureMapping, ScoreMapping
from annotation.imports import operations as at_once
from annotation.imports import recognising
from annotation.people.models import Project
from scoring.kinds.interviews import exchange as dialogue_imports
from scoring.kinds.interviews.files import DialogueSource
from scoring.kinds.suites import keeping as suites
from scoring.kinds.suites.conversations import operations as conversations
from scoring.kinds.suites.conversations import results as suite_imports
from tests import make
from tests.annotation.bankfile import stocked
from tests.files import packed
from tests.scoring.kinds.suites.test_flexeval_results import TABLES

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "fixtures" / "examples"
QUESTIONS = [
    {"external_id": "A1", "question": "How long is a container?", "standard_answer": "6 m"},
    {"external_id": "A2", "question": "How heavy is it?", "standard_answer": "2.2 t; empty"},
    {"external_id": "A3", "question": "集装箱多重？", "standard_answer": "2.2 吨"},
]


@dataclass(frozen=True)
class Importer:
    """A name, a valid file, and how one is brought in; it raises a refusal or returns."""

    name: str
    valid: Callable[[], bytes]
    take: Callable[[Project, bytes], object]


def _places(upload: Upload) -> tuple[ColumnTarget, ...]:
    found = recognising.guesses(upload)
    return tuple(
        ColumnTarget(column.name, one.target, one.system, "", one.rater, one.criterion)
        for column, one in found
    )


MAPPINGS: dict[ImportKind, Callable[[Upload], FileMapping]] = {
    ImportKind.QUESTIONS: lambda upload: QuestionMapping(_places(upload), create_missing=True),
    ImportKind.ANSWERS: lambda upload: AnswerMapping(_places(upload), "S", "1", True),
    ImportKind.GRADES: lambda upload: GradeMapping(
        _places(upload), "Fuzz", "", FileRubric("R", "0", "2", "1"), "1", "anna", {}, {}
    ),
    ImportKind.SCORES: lambda upload: ScoreMapping(_places(upload), (), "1", "judge", {}),
    ImportKind.CHOICES: lambda upload: ChoiceMapping(_places(upload), "", "Set", ""),
    ImportKind.FIGURES: lambda upload: FigureMapping(_places(upload), "figure", "1"),
    ImportKind.PAIRS: lambda upload: PairMapping(_places(upload), "Fuzz", new_rubric="Fuzz"),
}


def take_table(kind: ImportKind, name: str, home: Project, data: bytes) -> None:
    outcome = at_once.bring_in(
        project=home,
        kind=kind,
        name=name,
        pieces=[data],
        mapping=MAPPINGS[kind],
        only_check=False,
        by=make.user("northport-owner"),
        clock=lambda: make.NOW,
    )
    batch = outcome.batch
    assert batch is not None
    assert batch.state == ImportBatch.State.APPLIED or batch.stopped


def _bank(home: Project, data: bytes) -> None:
    by = make.user("northport-owner")
    file = files.receive(project=home, name="b.zip", pieces=[data], by=by, now=make.NOW)
    working.work(file=file, clock=lambda: make.NOW)
    file.refresh_from_db()
    assert file.state in {BankFile.State.READY, BankFile.State.REFUSED}
    assert file.state == BankFile.State.READY or file.said or file.report["problems"]
    if file.state == BankFile.State.READY:
        files.confirm(file=file, keep_own=True, by=by, now=make.NOW)
        file.refresh_from_db()
        working.work(file=file, clock=lambda: make.NOW)
        file.refresh_from_db()
        assert file.state == BankFile.State.APPLIED, file.said


def _conversations(home: Project, data: bytes) -> None:
    conversations.bring_file(
        project=home,
        wish=conversations.SetWish("Set", "S", "1", "talks.jsonl"),
        open_file=lambda: [data],
        by=make.user("northport-owner"),
        now=make.NOW,
    )


def _results(home: Project, data: bytes) -> None:
    wish = conversations.SetWish("Set", "S", "1", "results.db")
    by = make.user("northport-owner")
    suite_imports.bring(project=home, wish=wish, chunks=[data], user=by, now=make.NOW)


def _suite(home: Project, data: bytes) -> None:
    suites.read_suite(data.decode("utf-8", "replace"))


def _dialogues(home: Project, data: bytes) -> None:
    dialogue_imports.checked(data, DialogueSource("S", "1", "Set"))


def lines(rows: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(one, ensure_ascii=False).encode() + b"\n" for one in rows)


def _sheet() -> bytes:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(list(QUESTIONS[0]))
    for one in QUESTIONS:
        sheet.append(list(one.values()))
    kept = io.BytesIO()
    book.save(kept)
    return kept.getvalue()


def _csv() -> bytes:
    head = ",".join(QUESTIONS[0])
    return "\n".join([head, *(",".join(one.values()) for one in QUESTIONS)]).encode()


@cache
def _database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.db"
        with closing(sqlite3.connect(path)) as database:
            database.executescript(TABLES)
        return path.read_bytes()


def bank_file(stored: bool = False) -> bytes:
    """Return a small bank as a file.

    Args:
        stored: nothing in it is packed, and the checksums are left to chance by what is changed.
    """
    kept = io.BytesIO()
    exporting.write(stocked.bank("origin"), kept, named=True)
    if not stored:
        return kept.getvalue()
    plain = io.BytesIO()
    with zipfile.ZipFile(kept) as old, zipfile.ZipFile(plain, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    return plain.getvalue()


#: Answers that grades and figures are about.
ANSWERS = lines(
    [
        {**one, "system": name, "release": "1", "response": "6 m, or so"}
        for one in QUESTIONS
        for name in ("Kestrel", "Harbour")
    ]
)
GRADES = b"""item,system,criterion,rater,value,at,comment
A1,Kestrel,correctness,lena,2,2026-03-10T09:01:00+00:00,
A1,Harbour,correctness,lena,0,2026-03-10T09:02:00+00:00,"no, never"
A2,Kestrel,correctness,kofi,1,2026-03-10T09:03:00+00:00,
"""
PAIRS = b"""id,question,system_a,system_b,answer_a,answer_b,choice,annotator
A1,How long is a container?,Kestrel,Harbour,6 m,7 m,A,lena
A1,How long is a container?,Harbour,Kestrel,7 m,6 m,tie,kofi
A2,How heavy is it?,Kestrel,Harbour,"2 t, empty",3 t,both bad,lena
"""
VOTE: dict[str, Any] = {
    "question_id": 81,
    "model_a": "Kestrel",
    "model_b": "Harbour",
    "winner": "tie (bothbad)",
    "judge": "lena",
    "conversation_a": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hi!"}],
    "conversation_b": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "No."}],
    "turn": 1,
}
FIGURES = b"system,dataset,figure,value\nKestrel,Quay,accuracy,83.3\nHarbour,Quay,accuracy,91.7\n"


def example(name: str) -> Callable[[], bytes]:
    return (EXAMPLES / name).read_bytes


def _talk() -> bytes:
    turns = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Hello."}]
    return lines([{"input": turns, "conversation_id": "1"}])


def _table_of(kind: ImportKind, name: str, valid: Callable[[], bytes]) -> Importer:
    return Importer(f"{kind.lower()}-{name}", valid, partial(take_table, kind, name))


IMPORTERS = (
    _table_of(ImportKind.QUESTIONS, "q.csv", _csv),
    _table_of(ImportKind.QUESTIONS, "q.jsonl", lambda: lines(QUESTIONS)),
    _table_of(ImportKind.QUESTIONS, "q.xlsx", _sheet),
    _table_of(ImportKind.ANSWERS, "tides.ods", example("tides.ods")),
    _table_of(ImportKind.ANSWERS, "long.csv", example("long.csv")),
    _table_of(ImportKind.ANSWERS, "long.jsonl", example("long.jsonl")),
    _table_of(
        ImportKind.ANSWERS, "long.zip", lambda: packed(**{"a/long.csv": example("long.csv")()})
    ),
    _table_of(ImportKind.GRADES, "grades.csv", lambda: GRADES),
    _table_of(ImportKind.SCORES, "scores.jsonl", example("scores_long.jsonl")),
    _table_of(ImportKind.CHOICES, "choices.csv", example("choices.csv")),
    _table_of(ImportKind.FIGURES, "figures.csv", lambda: FIGURES),
    _table_of(ImportKind.PAIRS, "pairs.csv", lambda: PAIRS),
    _table_of(ImportKind.PAIRS, "votes.jsonl", lambda: lines([VOTE])),
    Importer("bank", bank_file, _bank),
    Importer("bank-stored", partial(bank_file, stored=True), _bank),
    Importer("conversations", example("conversations.jsonl"), _conversations),
    Importer("dialogues", _talk, _dialogues),
    Importer("suite", (ROOT / "docs/examples/files/on-task.yaml").read_bytes, _suite),
    Importer("results", _database, _results),
)
