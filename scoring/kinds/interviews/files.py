"""Archives of dialogues as they are exported here: files with their checksums in a manifest that has one itself.

* Dialogues as files have them: one plain record each, checked part by part. Nothing of the database.
* Read files of dialogues: our own export, and `interact_details.json` of the released tools.
"""

import hashlib
import io
import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeGuard

from django.conf import settings

from annotation.common.sentences import gettext as _
from annotation.files.cells import BadFile
from annotation.files.look import encodings
from scoring.kinds.interviews import verdicts_v1 as verdicts
from scoring.kinds.interviews.models import Dialogue
from scoring.protocols import untrusted

#: What our own files say they are.
FORMAT: Final = "evalsite dialogues"
VERSION: Final = 1
MANIFEST, DIALOGUES = "manifest.json", "dialogues.jsonl"
PIECE: Final = 1024 * 1024
#: What of a file could be held against a checksum: archives from before had none of the manifest itself.
ALL, BUT_MANIFEST, NOTHING = "all", "but_manifest", "nothing"
#: What computers add to archives by themselves.
NOT_OURS: Final = ("__MACOSX/", ".DS_Store")


class UnreadableDialogues(ValueError):
    """The file as a whole cannot be read; the message says why and how to mend it."""


@dataclass(frozen=True, slots=True)
class Archive:
    """The dialogues as lines, what the manifest says, and what could be checked."""

    lines: bytes
    manifest: Mapping[str, Any]
    checked: str


#: What unpacking a damaged archive, or reading what is in it, may raise.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    json.JSONDecodeError,
    UnicodeDecodeError,
    EOFError,
    OSError,
    RuntimeError,
)


def read_dialogue_archives(data: bytes) -> Archive:
    """Return what an archive holds, every file of it held against its checksum.

    Raises:
        UnreadableDialogues: it is none of ours, damaged, too large, or was changed; names the file.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _refuse_lacking({MANIFEST, DIALOGUES}, archive.namelist())
            if sum(one.file_size for one in archive.infolist()) > settings.FILE_MOST:
                most = settings.FILE_MOST // 1024**2
                said = _("The archive holds more than %(most)d MB (EVALSITE_FILE_MB). Split it.")
                raise UnreadableDialogues(said % {"most": most})
            manifest = _manifest(archive.read(MANIFEST))
            _verify(archive, manifest["files"])
            lines = archive.read(DIALOGUES)
    except _DAMAGED as problem:
        raise UnreadableDialogues(_("The archive is damaged. Export it anew.")) from problem
    checked = ALL if "sha256" in manifest else BUT_MANIFEST
    return Archive(lines, manifest, checked)


def _manifest(written: bytes) -> Mapping[str, Any]:
    manifest = json.loads(written)
    if not isinstance(manifest, Mapping) or manifest.get("format") != FORMAT:
        raise UnreadableDialogues(
            _("Its manifest is of another format. Take an archive exported here.")
        )
    parts = {"files": Mapping, "config": Mapping, "systems": list}
    if not all(isinstance(manifest.get(name), kind) for name, kind in parts.items()):
        raise UnreadableDialogues(_("Its manifest lacks a part. Take an archive exported here."))
    if manifest.get("version") != VERSION:
        raise UnreadableDialogues(
            _("The archive is of version %(version)s, and %(known)d can be read.")
            % {"version": manifest.get("version"), "known": VERSION}
        )
    if "sha256" in manifest and manifest["sha256"] != manifest_sha(manifest):
        raise _changed(MANIFEST)
    return manifest


def manifest_sha(manifest: Mapping[str, Any]) -> str:
    """Return the checksum of a manifest, but for the checksum in it."""
    kept = {name: value for name, value in manifest.items() if name != "sha256"}
    text = json.dumps(kept, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _verify(archive: zipfile.ZipFile, files: Mapping[str, Any]) -> None:
    """Compare every file with its checksum in the manifest; each is there once, and no other.

    Raises:
        UnreadableDialogues: names the file that was changed, added or taken away.
    """
    names = [one for one in archive.namelist() if not one.startswith(NOT_OURS) and one[-1] != "/"]
    _refuse_lacking({DIALOGUES, *files}, names)
    more = {one for one in names if one not in {MANIFEST, DIALOGUES, *files}}
    if twice := {one for one, n in Counter(names).items() if n > 1} or more:
        raise UnreadableDialogues(
            _("The archive holds more than its manifest names: %(names)s. Export it anew.")
            % {"names": ", ".join(sorted(twice)[:5])[:200]}
        )
    for name in dict.fromkeys([DIALOGUES, *files]):
        said = files.get(name)
        digest = hashlib.sha256()
        with archive.open(name) as file:
            while piece := file.read(PIECE):
                digest.update(piece)
        if not isinstance(said, Mapping) or said.get("sha256") != digest.hexdigest():
            raise _changed(name)


def _refuse_lacking(wanted: Collection[str], names: Collection[str]) -> None:
    if lacking := sorted(set(wanted) - set(names)):
        raise UnreadableDialogues(
            _("The archive lacks %(names)s. Take one that was exported here.")
            % {"names": ", ".join(lacking[:5])[:200]}
        )


def _changed(name: str) -> UnreadableDialogues:
    return UnreadableDialogues(
        _("“%(name)s” was changed after it was exported: its checksum differs. Export it anew.")
        % {"name": name}
    )


Record = Mapping[str, Any]
#: As many as a run of interviews may plan.
MOST_EXCHANGES: Final = 20
NO_VERDICT: Final = "The file has no verdict on this exchange."
#: What a stop may give as its reason; empty where nothing was stopped.
STOPS: Final[Sequence[str]] = (*verdicts.StopReason, "")
#: Texts that a record has, and whether one may be empty.
TEXTS: Final[Mapping[str, bool]] = {
    "question": False,
    "system": False,
    "release": False,
    "group": True,
    "dataset": True,
    "reference": True,
    "answer": True,
    "chosen": True,
    "problem": True,
}
LONGEST: Final = {"question": 200, "group": 200, "dataset": 120, "chosen": 40, "problem": 500}


@dataclass(frozen=True, slots=True)
class DialogueProblem:
    """What is wrong, where, and how to mend it."""

    place: str
    said: str

    def __str__(self) -> str:
        return f"{self.place}: {self.said}"


def problems_of(record: Record) -> Iterator[str]:
    """Yield what is wrong with a record; nothing for one that can be taken."""
    for name, may_be_empty in TEXTS.items():
        yield from _of_text(name, record.get(name), may_be_empty)
    yield from _of_messages(record.get("messages"))
    if not isinstance(record.get("extra"), Mapping):
        yield _("“extra” is no object. Leave it empty: {}.")
    if record.get("right") not in (True, False, None):
        yield _("“right” is true, false, or null where nobody decided.")
    for name, known in (
        ("decided_by", Dialogue.Decided.values),
        ("ended", Dialogue.End.values),
        ("stop_reason", STOPS),
    ):
        if record.get(name) not in known:
            yield _one_of(name, known)
    for name in ("scripted", "scripted_verdicts"):
        if record.get(name) not in (True, False, None):
            yield _("“%(name)s” is true or false.") % {"name": name}
    yield from _of_exchanges(record)


def _of_text(name: str, value: object, may_be_empty: bool) -> Iterator[str]:
    if not isinstance(value, str):
        yield _("“%(name)s” is no text. Give one, or an empty one.") % {"name": name}
    elif not value.strip() and not may_be_empty:
        yield _("“%(name)s” is empty. Give it.") % {"name": name}
    elif len(value) > LONGEST.get(name, len(value)):
        most = {"name": name, "most": LONGEST[name]}
        yield _("“%(name)s” is too long. Shorten it to %(most)d signs.") % most


def _of_messages(messages: object) -> Iterator[str]:
    if not isinstance(messages, list) or not messages:
        yield _("“messages” holds no question. It is a list of messages, the user's last.")
        return
    if not all(
        isinstance(one, Mapping)
        and isinstance(one.get("role"), str)
        and isinstance(one.get("content"), str)
        for one in messages
    ):
        yield _("A message has a “role” and a “content”, both texts.")


def _of_exchanges(record: Record) -> Iterator[str]:
    exchanges, planned = record.get("exchanges"), record.get("planned")
    if not isinstance(exchanges, list):
        yield _("“exchanges” is no list. Leave it empty where none was held: [].")
        return
    if not _is_whole(planned) or not len(exchanges) <= planned <= MOST_EXCHANGES or planned < 1:
        yield _("“planned” is a whole number from %(least)d to %(most)d: %(n)d were held.") % {
            "least": max(1, len(exchanges)),
            "most": MOST_EXCHANGES,
            "n": len(exchanges),
        }
    stopped = record.get("stopped_at")
    if stopped is not None and (not _is_whole(stopped) or not 0 <= stopped < len(exchanges)):
        yield _("“stopped_at” is the number of an exchange from 0, or null.")
    for place, one in enumerate(exchanges):
        for said in _of_exchange(one, place):
            yield _("exchange %(n)d: %(said)s") % {"n": place, "said": said}


def _of_exchange(one: object, place: int) -> Iterator[str]:
    if not isinstance(one, Mapping):
        yield _("It is no object.")
        return
    if one.get("k") != place:
        yield _("“k” counts the exchanges from 0; %(k)d is expected here.") % {"k": place}
    for name in ("question", "answer", "unscored"):
        if not isinstance(one.get(name), str):
            yield _("“%(name)s” is no text. Give one, or an empty one.") % {"name": name}
    yield from _of_verdict(one)


def _of_verdict(one: Mapping[str, Any]) -> Iterator[str]:
    scores = one.get("scores")
    if scores is not None and not _are_scores(scores):
        yield _("“scores” has whole numbers from 1 to 4 for %(names)s, or is null.") % {
            "names": ", ".join(verdicts.SCORED)
        }
    if scores is not None and one.get("unscored"):
        yield _("It has scores and a reason for having none. Take one away.")
    if not isinstance(one.get("comments"), Mapping):
        yield _("“comments” is no object. Leave it empty: {}.")
    if not isinstance(one.get("stops"), bool):
        yield _("“stops” is true or false.")
    if one.get("stop_reason") not in STOPS:
        yield _one_of("stop_reason", STOPS)


def _are_scores(scores: object) -> bool:
    return (
        isinstance(scores, Mapping)
        and set(scores) == set(verdicts.SCORED)
        and all(_is_whole(one) and one in verdicts.SCORES for one in scores.values())
    )


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _one_of(name: str, known: Sequence[str]) -> str:
    return _("“%(name)s” is one of: %(known)s.") % {"name": name, "known": ", ".join(known)}


MOST_BYTES: Final = 64 * 1024 * 1024
MOST: Final = 2_000
#: So many problems are told at once.
TOLD: Final = 20
OURS, RELEASED = "ours", "released"


@dataclass(frozen=True)
class DialogueSource:
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
    problems: Sequence[DialogueProblem] = ()
    n_problems: int = 0
    manifest: Mapping[str, Any] = field(default_factory=dict)
    #: What of the file could be held against a checksum.
    checked: str = NOTHING


def read_dialogues(data: bytes, source: DialogueSource) -> Read:
    """Return the dialogues in a file.

    Raises:
        UnreadableDialogues: it is neither of the two, it is damaged, or too large.
    """
    if len(data) > MOST_BYTES:
        raise UnreadableDialogues(_("The file is larger than 64 MB. Split it."))
    if data[:2] == b"PK":
        found = read_dialogue_archives(data)
        return replace(_read_lines(_decoded(found.lines), found.manifest), checked=found.checked)
    text = _decoded(data)
    if text.lstrip()[:1] == "[":
        return _read_released(text, source)
    return _read_lines(text, {})


def _read_lines(text: str, manifest: Mapping[str, Any]) -> Read:
    found: list[tuple[str, Any]] = []
    broken: list[DialogueProblem] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = _("line %(n)d") % {"n": number}
        try:
            found.append((place, json.loads(line)))
        except json.JSONDecodeError as problem:
            said = _("This is no JSON: %(why)s, at sign %(sign)d.")
            broken.append(
                DialogueProblem(place, said % {"why": problem.msg.lower(), "sign": problem.colno})
            )
    if not found and not broken:
        raise UnreadableDialogues(_("The file holds no dialogue."))
    return _checked(OURS, found, broken, manifest)


def _read_released(text: str, source: DialogueSource) -> Read:
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as problem:
        raise UnreadableDialogues(
            _("The file is no JSON: %(why)s, line %(line)d, sign %(sign)d.")
            % {"why": problem.msg.lower(), "line": problem.lineno, "sign": problem.colno}
        ) from problem
    if not entries:
        raise UnreadableDialogues(_("The file holds no dialogue."))
    if not source.system or not source.release:
        raise UnreadableDialogues(
            _(
                "A file of the released tools does not say whose dialogues it holds. Name the system."
            )
        )
    found: list[tuple[str, Any]] = []
    broken: list[DialogueProblem] = []
    for number, entry in enumerate(entries, start=1):
        place = _("entry %(n)d") % {"n": number}
        try:
            found.append((place, _record(entry, source)))
        except _Lacking as lacking:
            broken.append(DialogueProblem(place, str(lacking)))
    return _checked(RELEASED, found, broken, {})


def _checked(
    sort: str,
    found: Sequence[tuple[str, Any]],
    broken: list[DialogueProblem],
    manifest: Mapping[str, Any],
) -> Read:
    if len(found) > MOST:
        raise UnreadableDialogues(
            _("The file holds %(n)d dialogues; up to %(most)d come in at once. Split it.")
            % {"n": len(found), "most": MOST}
        )
    problems = broken + [one for place, record in found for one in _of_record(place, record)]
    problems += list(_doubles(found)) if not problems else []
    if problems:
        return Read(sort, problems=problems[:TOLD], n_problems=len(problems))
    return Read(sort, [record for _place, record in found], manifest=manifest)


def _of_record(place: str, record: object) -> Iterator[DialogueProblem]:
    if not isinstance(record, Mapping):
        yield DialogueProblem(place, _("This is no object."))
        return
    for said in problems_of(record):
        yield DialogueProblem(place, said)


def _doubles(found: Sequence[tuple[str, Any]]) -> Iterator[DialogueProblem]:
    first: dict[tuple[str, str, str, str], str] = {}
    for place, one in found:
        key = (one["question"], str(one["messages"]), one["system"], one["release"])
        if key in first:
            said = _("The same system and question as in %(first)s. Take one of them out.")
            yield DialogueProblem(place, said % {"first": first[key]})
        first.setdefault(key, place)


class _Lacking(ValueError):
    """An entry lacks a part; the message says which."""


def _record(entry: object, source: DialogueSource) -> dict[str, Any]:
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
        "messages": _asked(entry, len(held)),
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


def _asked(entry: Mapping[str, Any], n_held: int) -> list[dict[str, str]]:
    """Return the question: what stands before the first answer on the candidate's own side of the talk.

    `prompt` and `messages` hold what was sent last, to whomever; they are read where that side lacks.
    """
    own = _own(entry)
    asked = [one for one in own[: _first(own, n_held)] if one["role"] != "system"]
    if asked and asked[-1]["content"].strip():
        return asked
    told = [one for one in _spoken(entry.get("messages")) if one["role"] == "user"]
    for text in (entry.get("prompt"), *(one["content"] for one in reversed(told))):
        if isinstance(text, str) and text.strip():
            return [{"role": "user", "content": text}]
    raise _Lacking(_("The question is not told: the candidate has no message of a user."))


def _own(entry: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the talk as the candidate had it."""
    roles = entry.get("role_messages")
    return _spoken(roles.get("candidate") if isinstance(roles, Mapping) else None)


def _spoken(messages: object) -> list[dict[str, str]]:
    return [
        {"role": str(one.get("role")), "content": str(one.get("content") or "")}
        for one in (messages if isinstance(messages, list) else [])
        if isinstance(one, Mapping)
    ]


def _first(own: Sequence[Mapping[str, str]], n_held: int) -> int:
    """Return the place of the first answer: before the exchanges, or the first of an assistant at all."""
    place = len(own) - 2 * n_held - 1
    if place > 0 and own[place]["role"] == "assistant":
        return place
    return next((n for n, one in enumerate(own) if one["role"] == "assistant"), len(own))


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
    return (before[-1] if before else _first_answer(entry, len(held))), held


def _first_answer(entry: Mapping[str, Any], n_held: int) -> str:
    """Return what the candidate answered before the interview, from its own side of the talk."""
    own = _own(entry)
    place = _first(own, n_held)
    if place < len(own):
        return own[place]["content"]
    for one in _spoken(entry.get("messages")):
        if one["role"] == "assistant":
            return one["content"]
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
        name = encodings.recognise_encoding(data[: 1 << 16], whole=len(data) <= 1 << 16)
        return data.decode(name).removeprefix("\ufeff")
    except (BadFile, UnicodeDecodeError) as problem:
        raise UnreadableDialogues(
            _("The file is no text in a known encoding. Save it as UTF-8.")
        ) from problem
