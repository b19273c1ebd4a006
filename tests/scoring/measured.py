"""Answers to be measured by metrics, and runs that measure them."""

from collections.abc import Sequence
from typing import Any

from annotation import models
from annotation.files.models import ImportBatch
from scoring.engine import working
from scoring.engine.models import Judgment, Run
from scoring.kinds.metrics import operations as metrics
from tests import copies, imports, make
from tests.scoring import connected

SOURCE = "On Monday a ship left the harbour. It carried grain and steel for the coast."
#: A question with an article and two references, answered by two systems; another without any.
LINES = (
    {
        "id": "Q1",
        "question": "Sum the article up.",
        "article": SOURCE,
        "references": ["A ship left on Monday.", "Grain and steel left the harbour on Monday."],
        "answers": {"Kestrel": "A ship left on Monday with grain.", "Harbour": "量子力学。"},
    },
    {
        "id": "Q2",
        "question": "And now?",
        "article": "",
        "references": None,
        "answers": {"Kestrel": "Nothing.", "Harbour": " "},
    },
)


@copies.made_once_among
def brought(lines: Sequence[dict[str, Any]] = LINES) -> ImportBatch:
    """Bring answers with their references and sources in from a file."""
    rows = [
        {**{key: one[key] for key in one if key != "answers"}, "system": system, "response": said}
        for one in lines
        for system, said in one["answers"].items()
    ]
    upload = imports.answers(imports.lines(*rows), "answers.jsonl", {"article": "question_details"})
    assert upload.report["ok"], upload.report["problems"]
    return imports.apply(upload)


def over_import(
    keys: Sequence[str] = ("rouge1", "bleu", "novelty1_source", "words"),
    *,
    number: int = 1,
    batch: int = 1,
    references: str = "texts",
    source: str = "field:article",
    many: str = "mean",
) -> Run:
    return asked(choice(keys, references, many, source, batch), number=number)


def choice(
    metrics: Sequence[str],
    references: str = "standard",
    many: str = "mean",
    source: str = "",
    batch: int | None = None,
) -> dict[str, Any]:
    """Return what is measured, against what."""
    given = {"references": references, "many": many, "source": source, "batch": batch}
    return {"metrics": tuple(metrics), **given}


def asked(chosen: dict[str, Any], *, number: int = 1, round_: models.Round | None = None) -> Run:
    round_number = round_.number if round_ else None
    head = connected.head(number, f"Metrics {number}", 0)
    wish = metrics.Measured(**head, **chosen, round=round_number)
    return connected.begun(metrics.KIND, make.project(), wish)


def done(run: Run) -> Run:
    """Work on a run to its end, and return it."""
    working.work(run.pk, clock=lambda: make.NOW)
    run.refresh_from_db()
    return run


def stored(run: Run) -> dict[tuple[str, str, str], float | str]:
    """Return the value, or the reason, of every question, system and metric."""
    rows = Judgment.objects.filter(run=run).values_list(
        "response__item__external_id",
        "response__release__system__name",
        "rater__ref",
        "value",
        "outcome",
        "reason",
    )
    return {row[:3]: row[3] if row[3] is not None else f"{row[4]}: {row[5]}" for row in rows}
