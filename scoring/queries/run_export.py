"""What a run came to, without times: two runs that did the same give the same lines, byte for byte.

Steps stand in their order, calls in the order of the procedure, judgments in that of their steps;
keys of the database, workers, attempts at steps and clocks are left out. For audits and comparisons
by a program; what people take home is scoring.queries.run_files.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from scoring.llm import records
from scoring.models import CallText, Judgment, LLMCall, Run, Step

CHUNK = 200
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
    yield _line("run", _run(run))
    steps = Step.objects.filter(run=run).select_related(
        "item", "release__system", "response__item", "response__release__system"
    )
    n_steps = steps.count()
    for start in range(0, n_steps, CHUNK):
        few = list(steps.order_by("ordinal")[start : start + CHUNK])
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
        yield _line("step", _step(step))
        for kind, row in by_step[step.pk]:
            yield _line(kind, {"step": step.key, **row})


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
    for start in range(0, len(ordered), CHUNK):
        rows = CallText.objects.filter(run=run, sha__in=ordered[start : start + CHUNK])
        found.update(rows.values_list("sha", "text"))
    return found


def _line(kind: str, row: dict[str, Any]) -> str:
    return json.dumps({"line": kind, **row}, ensure_ascii=False, sort_keys=True) + "\n"
