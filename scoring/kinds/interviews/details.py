"""Dialogues as the released tools of the method write them: `interact_details.json`, a file for each system.

Such a file tells no system, no data set and how many exchanges were planned; it is in a folder of its system.
Verdicts stand where their code looks for them, so that it scores the files as it does its own.
"""

import json
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from django.utils.text import slugify

from scoring.engine import files as run_exporting
from scoring.engine.models import Run
from scoring.engine.queries import RunReading
from scoring.kinds.interviews import exchange
from scoring.kinds.interviews.exchange import EPOCH, SPOOLED, paged, pieces
from scoring.kinds.interviews.models import Dialogue, Exchange
from scoring.kinds.interviews.verdicts_v1 import ASPECTS, OVERALL
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import Export
from scoring.stats.machines.interviews import RELEASED, Exchanges, score

NAME: Final = "interact_details.json"
#: What an archive of these files is called, and what asks for one in an address.
ARCHIVE, SHAPE = "interact_details.zip", "interact_details"
MOST_NAME: Final = 60


def export(reading: RunReading, shape: str, now: datetime) -> Export:
    """Return the dialogues of a run as a file: our own archive, or these files where that is asked for."""
    run = reading.run
    ours = shape != SHAPE
    return run_exporting.export_lines(
        reading=reading,
        form="dialogues.zip" if ours else ARCHIVE,
        lines=exchange.archive(run, now) if ours else archive(run),
        now=now,
        content_type=shown_sheet.ZIP,
    )


def archive(run: Run) -> Iterator[bytes]:
    """Yield a zip of these files in pieces, each in a folder that is called after its system."""
    held = Dialogue.objects.filter(run=run).order_by("release")
    systems = held.values_list("release", "release__system__name", "release__label").distinct()
    with tempfile.SpooledTemporaryFile(max_size=SPOOLED) as out:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
            for place, (release, system, label) in enumerate(systems, start=1):
                folder = slugify(f"{system} {label}", allow_unicode=True)[:MOST_NAME]
                info = zipfile.ZipInfo(f"{place}-{folder or 'system'}/{NAME}", EPOCH)
                info.compress_type = zipfile.ZIP_DEFLATED
                with made.open(info, "w", force_zip64=True) as file:
                    for part in parts(run, release):
                        file.write(part.encode())
        out.seek(0)
        yield from pieces(out)


def parts(run: Run, release: int) -> Iterator[str]:
    """Yield the file of a system, an entry at a time."""
    lead = "[\n"
    for dialogue in paged(run, release):
        yield lead + json.dumps(entry(dialogue), ensure_ascii=False, indent=2)
        lead = ",\n"
    yield "\n]\n"


def entry(dialogue: Dialogue) -> dict[str, Any]:
    """Return a dialogue as the released tools have it."""
    exchanges: Sequence[Exchange] = list(dialogue.exchanges.all())
    verdicts = [_verdict(one) for one in exchanges]
    said = [json.dumps(one, ensure_ascii=False) for one in verdicts]
    asked = [
        {"role": one["role"], "content": one["content"]}
        for one in dialogue.item.messages
        if one.get("content")
    ]
    start = [*asked, {"role": "assistant", "content": dialogue.answer}]
    pairs = list(zip(exchanges, said, strict=True))
    return {
        "uuid": dialogue.item.external_id,
        "messages": start,
        "random_seed": dialogue.run.seed,
        "prompt": asked[-1]["content"] if asked else "",
        "stop_interaction": dialogue.stopped_at is not None,
        "all_messages": [
            {"content": content, "role": role}
            for one, verdict in pairs
            for role, content in (
                ("interactor", one.question),
                ("candidate", one.answer),
                ("evaluator", verdict),
            )
        ],
        "current_party": "evaluator",
        "role_messages": {
            "interactor": _side(exchanges, "assistant", "user"),
            "candidate": [*start, *_side(exchanges, "user", "assistant")],
            "evaluator": [
                {"role": role, "content": content}
                for one, verdict in pairs
                for role, content in (
                    ("user", f"{one.question}\n\n{one.answer}"),
                    ("assistant", verdict),
                )
            ],
        },
        "evaluation_results": verdicts,
        "aggregated_result": _aggregated(dialogue, exchanges) if exchanges else None,
    }


def _side(exchanges: Sequence[Exchange], asker: str, answerer: str) -> list[dict[str, str]]:
    return [
        {"role": role, "content": content}
        for one in exchanges
        for role, content in ((asker, one.question), (answerer, one.answer))
    ]


def _verdict(one: Exchange) -> dict[str, Any]:
    """Return a verdict in the tools' keys; without one, every score is null, as their code reads it."""
    scores, comments = one.scores or {}, one.comments
    return {
        **{
            name: {"comment": comments.get(name, ""), "score": scores.get(name)} for name in ASPECTS
        },
        "overall_comment": comments.get(OVERALL, ""),
        "overall_score": scores.get(OVERALL),
        "stop_conversation": one.stops,
        "stop_reason": one.stop_reason or "none",
    }


def _aggregated(dialogue: Dialogue, exchanges: Sequence[Exchange]) -> dict[str, Any]:
    """Return the least, the greatest and the mean score of each aspect, and the score as released."""
    made: dict[str, Any] = {}
    for name in (*ASPECTS, OVERALL):
        scores = tuple((one.scores or {}).get(name) for one in exchanges)
        known = [one for one in scores if one is not None]
        counted = Exchanges(scores, dialogue.n_planned, dialogue.stopped_at)
        told = {
            "min": min(known, default=None),
            "max": max(known, default=None),
            "mean": sum(known) / len(known) if known else None,
            "kieval_score": score(counted, RELEASED),
        }
        made["overall_score" if name == OVERALL else name] = told if known else None
    return made
