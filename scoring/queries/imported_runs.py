"""Whether a run that came from a file is still what came in. Nobody was asked, so nothing can be played back."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotation.rules import contents
from scoring.models import Dialogue, Judgment, Run
from scoring.queries import dialogue_export, suite_frame

#: In `run.config`: what is known of the file, and there the checksum of all that came in.
IMPORTED, CONTENT = "imported", "content"
#: Of a dialogue, what people may rename later.
NAMES: Final = frozenset({"question", "group", "system", "release"})
AT_ONCE: Final = 2_000


@dataclass(frozen=True, slots=True)
class Audit:
    """What was compared, in words, and what is not as it came in."""

    compared: tuple[str, ...]
    differences: tuple[str, ...]


def is_imported(run: Run) -> bool:
    return IMPORTED in run.config


def content_sha(run: Run) -> str:
    """Return the checksum of all that a file brought: texts, verdicts, and what figures are made of."""
    digest = hashlib.sha256()
    parts = _dialogues(run) if run.kind == Run.Kind.KIEVAL else _values(run)
    for one in parts:
        digest.update(json.dumps(one, sort_keys=True, ensure_ascii=True, default=str).encode())
    return digest.hexdigest()


def audit(run: Run) -> Audit:
    """Compare a run with what came in, as far as that is known of it."""
    compared: list[str] = []
    differences: list[str] = []
    known = run.config[IMPORTED].get(CONTENT)
    if known:
        compared.append("Everything in it is as it came in, by its checksum.")
        if known != content_sha(run):
            differences.append("Its texts or scores are not those that came in.")
    if run.kind == Run.Kind.KIEVAL:
        found = list(_apart(run))
        n = Dialogue.objects.filter(run=run).count()
        if n:
            compared.append(f"The verdicts of its {n} dialogues are those that its figures read.")
        differences += found
    return Audit(tuple(compared), tuple(differences))


def _dialogues(run: Run) -> Iterator[list[Any]]:
    said = _verdicts(run)
    for dialogue in dialogue_export.paged(run):
        record = dialogue_export.record_of(dialogue)
        kept = {name: value for name, value in record.items() if name not in NAMES}
        yield [kept, contents.response_sha(dialogue.response.messages)]
        yield sorted(said.get(dialogue.response_id, {}).items())


def _values(run: Run) -> Iterator[list[Any]]:
    for row in suite_frame.conversations_of(run).select_related("response").iterator(AT_ONCE):
        yield [row.external_id, contents.response_sha(row.response.messages)]
    rows = suite_frame.judgments_of(run).order_by("pk")
    names = ("response", "rater", "criterion", "target_level", "target_index", "repeat")
    for one in rows.values_list(*names, "outcome", "value", "label", "text").iterator(AT_ONCE):
        yield list(one)


#: The values of a response's exchanges, by exchange and criterion.
Verdicts = Mapping[int, Mapping[tuple[int, str], float | None]]


def _verdicts(run: Run) -> Verdicts:
    found: dict[int, dict[tuple[int, str], float | None]] = {}
    rows = Judgment.objects.filter(run=run, target_level=Judgment.Target.TURN).order_by("pk")
    for response, k, name, value in rows.values_list(
        "response", "target_index", "criterion__key", "value"
    ).iterator(AT_ONCE):
        found.setdefault(response, {})[k or 0, name] = value
    return found


def _apart(run: Run) -> Iterator[str]:
    """Yield the dialogues whose texts or verdicts are not those that figures read."""
    said = _verdicts(run)
    for dialogue in dialogue_export.paged(run):
        name = f"{dialogue.item.external_id}, {dialogue.release}"
        response = dialogue.response
        spoken = [one["content"] for one in response.messages]
        exchanges = list(dialogue.exchanges.all())
        wanted = [
            dialogue.answer,
            *(text for one in exchanges for text in (one.question, one.answer)),
        ]
        if spoken != wanted or contents.response_sha(response.messages) != response.content_sha:
            yield f"{name}: the response is not what was said in the dialogue."
        read = said.get(dialogue.response_id, {})
        for one in exchanges:
            mine = {key: value for (k, key), value in read.items() if k == one.k}
            given = {key: float(value) for key, value in (one.scores or {}).items()}
            if {key: value for key, value in mine.items() if value is not None} != given:
                yield f"{name}, exchange {one.k + 1}: the verdict is not the one that figures read."
