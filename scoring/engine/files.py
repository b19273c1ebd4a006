"""A run as text that streams: its steps or its calls as CSV, everything as JSON lines.

* What a run came to, without times: two runs that did the same give the same lines, byte for byte.
* Take a run out of the product; who did, and in which form, is written down.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from annotation.common import texts as sheets
from annotation.people import audit
from scoring.engine.models import CallText, Judgment, LLMCall, Run, Step
from scoring.engine.queries import RunReading
from scoring.llm import records
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import CSV, Export

CHUNK = 500

STEP = (
    "step",
    "key",
    "item",
    "system",
    "state",
    "outcome",
    "trouble",
    "problem",
    "flags",
    "attempt",
    "started_at",
    "finished_at",
)
CALL = (
    "step",
    "role",
    "part",
    "exchange",
    "repeat",
    "attempt",
    "endpoint",
    "trouble",
    "problem",
    "status",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "currency",
    "seconds",
    "at",
    "request_sha",
)
Row = dict[str, Any]


def steps_csv(reading: RunReading) -> Iterator[str]:
    return _csv(reading.run, STEP, (step_row(reading, one) for one in _steps(reading.run)))


def calls_csv(reading: RunReading) -> Iterator[str]:
    return _csv(reading.run, CALL, (call_row(one) for one in _calls(reading.run)))


def everything(reading: RunReading) -> Iterator[str]:
    """Yield the run, its steps, its calls with their texts, and its judgments, a line each."""
    run = reading.run
    yield _line("run", run_row(run))
    for step in _steps(run):
        hidden = reading.hides_judges
        more = {"result": None if hidden else step.result, "hidden_until_final": hidden}
        yield _line("step", step_row(reading, step) | more)
    for calls in shown_sheet.chunks(_calls(run), CHUNK):
        texts = texts_of(reading, calls)
        for call in calls:
            mark = {"scripted": call.endpoint.is_scripted}
            yield _line("call", call_row(call) | said(reading, call, texts) | mark)
    for one in _judgments(run):
        yield _line("judgment", judgment_row(reading, one))


#: What writes each form, and what kind of text it is.
FORMS: Mapping[str, tuple[Callable[[RunReading], Iterator[str]], str]] = {
    "steps.csv": (steps_csv, "text/csv; charset=utf-8"),
    "calls.csv": (calls_csv, "text/csv; charset=utf-8"),
    "run.jsonl": (everything, "application/x-ndjson; charset=utf-8"),
}


def run_row(run: Run) -> Row:
    return {
        "number": run.number,
        "name": run.name,
        "kind": run.kind,
        "protocol": run.protocol,
        "round": run.round.number if run.round else None,
        "judge": run.judge.name if run.judge else None,
        "config": run.config,
        "config_sha": run.config_sha,
        "seed": run.seed,
        "state": run.state,
        "budget": None if run.budget is None else str(run.budget),
        "scripted": run.scripted,
        "note": banner.of_run(run),
        "requested_at": run.requested_at.isoformat(),
        "started_at": run.started_at.isoformat() if run.started_at else None,
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
    }


def step_row(reading: RunReading, step: Step) -> Row:
    response = step.response
    item = step.item or (response.item if response else None)
    release = step.release or (response.release if response else None)
    return {
        "step": step.ordinal + 1,
        "key": step.key if reading.shown or release is None else "",
        "item": item.external_id if item else "",
        "system": reading.name_of(release),
        "state": step.state,
        "outcome": step.outcome,
        "trouble": step.trouble,
        "problem": step.problem,
        "flags": step.flags,
        "attempt": step.attempt,
        "started_at": step.started_at.isoformat() if step.started_at else "",
        "finished_at": step.finished_at.isoformat() if step.finished_at else "",
    }


def call_row(call: LLMCall) -> Row:
    same = ("role", "part", "exchange", "repeat", "attempt", "trouble", "problem", "status")
    counted = ("prompt_tokens", "completion_tokens", "seconds", "request_sha")
    return {
        "step": call.step.ordinal + 1,
        **{name: getattr(call, name) for name in (*same, *counted)},
        "endpoint": call.endpoint.name,
        "cost": None if call.cost is None else str(call.cost),
        "currency": call.endpoint.currency,
        "at": call.at.isoformat(),
    }


def said(reading: RunReading, call: LLMCall, texts: Mapping[str, str]) -> Row:
    """Return what was asked and answered; nothing of it while the judge's side is hidden."""
    if reading.hides(call.role):
        return {"messages": None, "reply": None, "settings": call.settings, "hidden": True}
    return {
        "messages": [
            {"role": one[0], "content": texts.get(one[1], ""), **records.beside(one)}
            for one in call.messages
        ],
        "reply": texts.get(call.text_sha),
        "tool_calls": [one.as_dict() for one in records.tool_calls(call.reply)],
        "finish": (call.reply or {}).get("finish"),
        "settings": call.settings,
        "hidden": False,
    }


def judgment_row(reading: RunReading, one: Judgment) -> Row:
    return {
        "step": one.step.ordinal + 1 if one.step else None,
        "item": one.response.item.external_id,
        "system": reading.name_of(one.response.release),
        "criterion": one.criterion.key,
        "target": one.target_level,
        "target_index": one.target_index,
        "repeat": one.repeat,
        "outcome": one.outcome,
        "reason": one.reason,
        "value": one.value,
        "n_valid": one.n_valid,
        "sd": one.sd,
        "label": one.label,
        "text": one.text,
    }


def _steps(run: Run) -> Iterator[Step]:
    rows = Step.objects.filter(run=run).select_related(
        "item", "release__system", "response__item", "response__release__system"
    )
    return rows.order_by("ordinal").iterator(chunk_size=CHUNK)


def _calls(run: Run) -> Iterator[LLMCall]:
    rows = LLMCall.objects.filter(run=run).select_related("step", "endpoint")
    return rows.order_by("pk").iterator(chunk_size=CHUNK)


def _judgments(run: Run) -> "QuerySet[Judgment]":
    rows = Judgment.objects.seen().filter(run=run)
    return rows.select_related(
        "step", "criterion", "response__item", "response__release__system"
    ).order_by("pk")


def texts_of(reading: RunReading, calls: Sequence[LLMCall]) -> dict[str, str]:
    """Return the texts of calls by their hash, but for those that are hidden."""
    shown = [one for one in calls if not reading.hides(one.role)]
    wanted = {sha for one in shown for _, sha in records.said(one.messages)}
    wanted |= {one.text_sha for one in shown}
    found: dict[str, str] = {}
    for some in shown_sheet.chunks(sorted(wanted - {""}), CHUNK):
        rows = CallText.objects.filter(run=reading.run, sha__in=some)
        found.update(rows.values_list("sha", "text"))
    return found


def _csv(run: Run, columns: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    yield shown_sheet.as_csv([("run", *columns, "note")])
    for some in shown_sheet.chunks(rows, CHUNK):
        yield shown_sheet.as_csv(
            [
                (run.number, *(_cell(row[name]) for name in columns), banner.of_run(run))
                for row in some
            ]
        )


def _cell(value: Any) -> object:
    return sheets.neutral(value) if isinstance(value, str) else "" if value is None else value


def _line(kind: str, row: Row) -> str:
    return json.dumps({"line": kind, **row}, ensure_ascii=False) + "\n"


EXPORT_CHUNK = 200
_CALL = (
    "role",
    "part",
    "exchange",
    "repeat",
    "attempt",
    "settings",
    "trouble",
    "problem",
    "status",
)
_CALLS = ("exchange", "role", "part", "repeat", "request_sha", "attempt")


def lines(run: Run) -> Iterator[str]:
    """Yield a line of JSON for the run and for every step, call and judgment."""
    yield _export_line("run", _run(run))
    steps = Step.objects.filter(run=run).select_related(
        "item", "release__system", "response__item", "response__release__system"
    )
    n_steps = steps.count()
    for start in range(0, n_steps, EXPORT_CHUNK):
        few = list(steps.order_by("ordinal")[start : start + EXPORT_CHUNK])
        yield from _of_steps(run, few)


def _of_steps(run: Run, steps: Sequence[Step]) -> Iterator[str]:
    calls = LLMCall.objects.filter(step__in=steps).select_related("endpoint").order_by(*_CALLS)
    judgments = Judgment.objects.filter(step__in=steps).select_related("rater", "criterion")
    by_step: dict[int, list[tuple[str, dict[str, Any]]]] = {one.pk: [] for one in steps}
    texts = _texts(run, list(calls))
    for call in calls:
        by_step[call.step_id].append(("call", _call(call, texts)))
    for one in judgments.order_by("rater__ref", "criterion__key", "target_index", "repeat"):
        by_step[one.step_id or 0].append(("judgment", _judgment(one)))
    for step in steps:
        yield _export_line("step", _step(step))
        for kind, row in by_step[step.pk]:
            yield _export_line(kind, {"step": step.key, **row})


def _run(run: Run) -> dict[str, Any]:
    names = ("kind", "protocol", "config_sha", "seed", "scripted", "state", "pause")
    return {name: getattr(run, name) for name in names}


def _step(step: Step) -> dict[str, Any]:
    item = step.item or (step.response.item if step.response else None)
    release = step.release or (step.response.release if step.response else None)
    names = ("ordinal", "key", "spec", "state", "outcome", "trouble", "problem", "result")
    return {
        **{name: getattr(step, name) for name in names},
        "item": item.external_id if item else "",
        "system": f"{release.system.name} {release.label}" if release else "",
        "response": step.response.content_sha if step.response else "",
    }


def _call(call: LLMCall, texts: dict[str, str]) -> dict[str, Any]:
    return {
        **{name: getattr(call, name) for name in _CALL},
        "endpoint": call.endpoint.name,
        "request_sha": call.request_sha,
        "messages": [[role, texts.get(sha), *beside] for role, sha, *beside in call.messages],
        "schema": texts.get(call.schema_sha, ""),
        "text": texts.get(call.text_sha),
        "reply": call.reply,
        "tokens": [call.prompt_tokens, call.completion_tokens],
        "cost": None if call.cost is None else str(call.cost),
    }


def _judgment(one: Judgment) -> dict[str, Any]:
    names = (
        "target_level",
        "target_index",
        "repeat",
        "outcome",
        "reason",
        "value",
        "n_valid",
        "sd",
    )
    return {
        "rater": one.rater.ref,
        "criterion": one.criterion.key,
        **{name: getattr(one, name) for name in names},
        "label": one.label,
        "text": one.text,
    }


def _texts(run: Run, calls: Sequence[LLMCall]) -> dict[str, str]:
    wanted = {sha for one in calls for _role, sha in records.said(one.messages)}
    wanted |= {sha for one in calls for sha in (one.text_sha, one.schema_sha) if sha}
    found: dict[str, str] = {}
    ordered = sorted(wanted)
    for start in range(0, len(ordered), EXPORT_CHUNK):
        rows = CallText.objects.filter(run=run, sha__in=ordered[start : start + EXPORT_CHUNK])
        found.update(rows.values_list("sha", "text"))
    return found


def _export_line(kind: str, row: dict[str, Any]) -> str:
    return json.dumps({"line": kind, **row}, ensure_ascii=False, sort_keys=True) + "\n"


def export_run(*, reading: RunReading, form: str, now: datetime) -> Export:
    """Begin to export a run in one of the forms of scoring.engine.files."""
    lines, content_type = FORMS[form]
    return export_lines(
        reading=reading, form=form, lines=lines(reading), now=now, content_type=content_type
    )


def export_lines(
    *,
    reading: RunReading,
    form: str,
    lines: Iterator[str] | Iterator[bytes],
    now: datetime,
    content_type: str = CSV,
) -> Export:
    """Hand out something of a run that is already written: lines of text, or pieces of an archive."""
    run, project = reading.run, reading.scope.project
    audit.record(
        project=project,
        actor=reading.scope.user,
        verb="run.exported",
        subject=f"run:{run.number}",
        at=now,
        form=form,
        named=reading.shown,
    )
    return Export(lines, content_type, f"{project.slug}-run-{run.number}-{now:%Y%m%d-%H%M}-{form}")
