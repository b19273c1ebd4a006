"""Whether dialogues that came from a file are still what came in, and what their figures read."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from annotation.rules import contents
from scoring.models import Dialogue, Judgment, Run
from scoring.queries import dialogue_export, imported_runs
from scoring.queries.imported_runs import Audit

#: Of a dialogue, what people may rename later.
NAMES: Final = frozenset({"question", "group", "system", "release"})
AT_ONCE: Final = 2_000


def audit(run: Run) -> Audit:
    """Compare imported interviews with what came in, and their verdicts with what figures read."""
    found = imported_runs.audit(run, parts(run))
    n = Dialogue.objects.filter(run=run).count()
    words = f"The verdicts of its {n} dialogues are those that its figures read."
    return Audit((*found.compared, *([words] if n else [])), (*found.differences, *_apart(run)))


def parts(run: Run) -> Iterator[list[Any]]:
    """Yield all that a file of dialogues brought."""
    said = _verdicts(run)
    for dialogue in dialogue_export.paged(run):
        record = dialogue_export.record_of(dialogue)
        kept = {name: value for name, value in record.items() if name not in NAMES}
        yield [kept, contents.response_sha(dialogue.response.messages)]
        yield sorted(said.get(dialogue.response_id, {}).items())


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
