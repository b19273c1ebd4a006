"""Read files of dialogues: our own export, and `interact_details.json` of the released tools."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.rules.tabular import encodings
from annotation.rules.tabular.problems import Unreadable as NoText
from scoring.protocols import untrusted
from scoring.protocols.kieval import verdicts_v1 as verdicts
from scoring.queries import dialogue_archives
from scoring.queries.dialogue_archives import NOTHING, Unreadable
from scoring.queries.dialogue_records import NO_VERDICT, Problem, Record, problems_of

MOST_BYTES: Final = 64 * 1024 * 1024
MOST: Final = 2_000
#: So many problems are told at once.
TOLD: Final = 20
OURS, RELEASED = "ours", "released"


@dataclass(frozen=True)
class Source:
    """What a file does not say of itself, and somebody has to: used for files of released tools."""

    system: str = ""
    release: str = ""
    dataset: str = ""
    planned: int = 5


@dataclass(frozen=True)
class Read:
    """The dialogues of a file, in its order, or what is wrong with it."""

    sort: str
    records: Sequence[Record] = ()
    problems: Sequence[Problem] = ()
    n_problems: int = 0
    manifest: Mapping[str, Any] = field(default_factory=dict)
    #: What of the file could be held against a checksum.
    checked: str = NOTHING


def read(data: bytes, source: Source) -> Read:
    """Return the dialogues in a file.

    Raises:
        Unreadable: it is neither of the two, it is damaged, or too large.
    """
    if len(data) > MOST_BYTES:
        raise Unreadable(_("The file is larger than 64 MB. Split it."))
    if data[:2] == b"PK":
        found = dialogue_archives.read(data)
        return replace(_read_lines(_decoded(found.lines), found.manifest), checked=found.checked)
    text = _decoded(data)
    if text.lstrip()[:1] == "[":
        return _read_released(text, source)
    return _read_lines(text, {})


def _read_lines(text: str, manifest: Mapping[str, Any]) -> Read:
    found: list[tuple[str, Any]] = []
    broken: list[Problem] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = _("line %(n)d") % {"n": number}
        try:
            found.append((place, json.loads(line)))
        except json.JSONDecodeError as problem:
            said = _("This is no JSON: %(why)s, at sign %(sign)d.")
            broken.append(
                Problem(place, said % {"why": problem.msg.lower(), "sign": problem.colno})
            )
    if not found and not broken:
        raise Unreadable(_("The file holds no dialogue."))
    return _checked(OURS, found, broken, manifest)


def _read_released(text: str, source: Source) -> Read:
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as problem:
        raise Unreadable(
            _("The file is no JSON: %(why)s, line %(line)d, sign %(sign)d.")
            % {"why": problem.msg.lower(), "line": problem.lineno, "sign": problem.colno}
        ) from problem
    if not entries:
        raise Unreadable(_("The file holds no dialogue."))
    if not source.system or not source.release:
        raise Unreadable(
            _(
                "A file of the released tools does not say whose dialogues it holds. Name the system."
            )
        )
    found: list[tuple[str, Any]] = []
    broken: list[Problem] = []
    for number, entry in enumerate(entries, start=1):
        place = _("entry %(n)d") % {"n": number}
        try:
            found.append((place, _record(entry, source)))
        except _Lacking as lacking:
            broken.append(Problem(place, str(lacking)))
    return _checked(RELEASED, found, broken, {})


def _checked(
    sort: str,
    found: Sequence[tuple[str, Any]],
    broken: list[Problem],
    manifest: Mapping[str, Any],
) -> Read:
    if len(found) > MOST:
        raise Unreadable(
            _("The file holds %(n)d dialogues; up to %(most)d come in at once. Split it.")
            % {"n": len(found), "most": MOST}
        )
    problems = broken + [one for place, record in found for one in _of_record(place, record)]
    problems += list(_doubles(found)) if not problems else []
    if problems:
        return Read(sort, problems=problems[:TOLD], n_problems=len(problems))
    return Read(sort, [record for _place, record in found], manifest=manifest)


def _of_record(place: str, record: object) -> Iterator[Problem]:
    if not isinstance(record, Mapping):
        yield Problem(place, _("This is no object."))
        return
    for said in problems_of(record):
        yield Problem(place, said)


def _doubles(found: Sequence[tuple[str, Any]]) -> Iterator[Problem]:
    first: dict[tuple[str, str, str, str], str] = {}
    for place, one in found:
        key = (one["question"], str(one["messages"]), one["system"], one["release"])
        if key in first:
            said = _("The same system and question as in %(first)s. Take one of them out.")
            yield Problem(place, said % {"first": first[key]})
        first.setdefault(key, place)


class _Lacking(ValueError):
    """An entry lacks a part; the message says which."""


def _record(entry: object, source: Source) -> dict[str, Any]:
    """Return an entry of the released tools as one of our records."""
    if not isinstance(entry, Mapping):
        raise _Lacking(_("This is no object."))
    told = entry.get("all_messages")
    if not isinstance(told, list) or not all(isinstance(one, Mapping) for one in told):
        raise _Lacking(_("“all_messages” is no list of messages."))
    answer, held = _walked(entry, told)
    exchanges = [
        _exchange(k, question, reply, verdict)
        for k, (question, reply, verdict) in enumerate(zip(*_parts(held, entry), strict=True))
    ]
    stops = [one["k"] for one in exchanges if one["stops"]]
    if entry.get("stop_interaction") is True and not stops and exchanges:
        stops = [exchanges[-1]["k"]]
    stopped = stops[0] if stops else None
    uuid = str(entry.get("uuid") or "").strip()
    flags = untrusted.flags_of([answer, *(one["answer"] for one in exchanges)], keys=verdicts.KEYS)
    return {
        "question": uuid,
        "group": uuid,
        "dataset": source.dataset,
        "system": source.system,
        "release": source.release,
        "messages": [{"role": "user", "content": _asked(entry)}],
        "reference": "",
        "extra": {},
        "answer": answer,
        "chosen": "",
        "right": None,
        "decided_by": "NONE",
        "planned": max(source.planned, len(exchanges)),
        "ended": "PLANNED" if stopped is None or stopped < len(exchanges) - 1 else "STOPPED",
        "stopped_at": stopped,
        "stop_reason": "" if stopped is None else exchanges[stopped]["stop_reason"] or "none",
        "problem": "",
        "flags": [one.value for one in flags],
        "exchanges": exchanges,
    }


def _asked(entry: Mapping[str, Any]) -> str:
    """Return the question: as it stands by itself, or the last that was asked before the interview."""
    messages = entry.get("messages")
    asked = [
        one.get("content")
        for one in (messages if isinstance(messages, list) else [])
        if isinstance(one, Mapping) and one.get("role") == "user"
    ]
    for text in (entry.get("prompt"), *reversed(asked)):
        if isinstance(text, str) and text.strip():
            return text
    raise _Lacking(_("“prompt” is empty: the question is not told."))


def _walked(
    entry: Mapping[str, Any], told: Sequence[Mapping[str, Any]]
) -> tuple[str, list[dict[str, str]]]:
    """Return the first answer and the exchanges with what each of the three said."""
    before: list[str] = []
    held: list[dict[str, str]] = []
    for one in told:
        role, text = one.get("role"), one.get("content")
        if role not in {"interactor", "candidate", "evaluator"}:
            raise _Lacking(_("“all_messages” has a role %(role)s.") % {"role": str(role)[:40]})
        said = text if isinstance(text, str) else ""
        if role == "interactor":
            held.append({"interactor": said})
        elif held:
            held[-1].setdefault(role, said)
        elif role == "candidate":
            before.append(said)
    return (before[-1] if before else _first_answer(entry)), held


def _first_answer(entry: Mapping[str, Any]) -> str:
    """Return what the candidate answered before the interview, from its own side of the talk."""
    roles = entry.get("role_messages")
    own = roles.get("candidate") if isinstance(roles, Mapping) else None
    for messages in (own, entry.get("messages")):
        for one in messages if isinstance(messages, list) else []:
            if isinstance(one, Mapping) and one.get("role") == "assistant":
                return str(one.get("content") or "")
    raise _Lacking(_("The candidate's first answer is in none of its messages."))


def _parts(
    held: Sequence[Mapping[str, str]], entry: Mapping[str, Any]
) -> tuple[list[str], list[str], list[object]]:
    results = entry.get("evaluation_results")
    given: list[object] = list(results) if isinstance(results, list) else []
    spoken: list[object] = [one.get("evaluator") for one in held]
    if len(given) != len(held):
        if sum(bool(one) for one in spoken) < len(given):
            raise _Lacking(
                _("It has %(n)d verdicts for %(held)d exchanges: which is whose cannot be told.")
                % {"n": len(given), "held": len(held)}
            )
        given = spoken
    return (
        [one["interactor"] for one in held],
        [one.get("candidate", "") for one in held],
        given,
    )


def _exchange(k: int, question: str, answer: str, said: object) -> dict[str, Any]:
    verdict, why = _verdict(said)
    stops = verdict.stop if verdict else False
    return {
        "k": k,
        "question": question,
        "answer": answer,
        "scores": dict(verdict.scores) if verdict else None,
        "comments": dict(verdict.comments) if verdict else {},
        "unscored": "" if verdict else why,
        "stops": stops,
        "stop_reason": verdict.stop_reason.value if verdict and stops else "",
        "flags": [one.value for one in untrusted.flags_of([answer], keys=verdicts.KEYS)],
    }


def _verdict(said: object) -> tuple[verdicts.Verdict | None, str]:
    """Return a verdict as the tools wrote it; older files call logic “reasoning”."""
    if isinstance(said, Mapping):
        made = dict(said)
        if "logic" not in made and "reasoning" in made:
            made["logic"] = made.pop("reasoning")
        said = json.dumps(made)
    elif isinstance(said, str) and '"logic"' not in said:
        said = said.replace('"reasoning"', '"logic"')
    if not isinstance(said, str) or not said.strip():
        return None, NO_VERDICT
    try:
        return verdicts.read(said), ""
    except verdicts.Unreadable as why:
        return None, str(why)


def _decoded(data: bytes) -> str:
    try:
        name = encodings.recognise(data[: 1 << 16], whole=len(data) <= 1 << 16)
        return data.decode(name).removeprefix("\ufeff")
    except (NoText, UnicodeDecodeError) as problem:
        raise Unreadable(
            _("The file is no text in a known encoding. Save it as UTF-8.")
        ) from problem
