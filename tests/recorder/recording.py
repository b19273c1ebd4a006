"""A recording: what was answered to every request, in a file that is compared line by line."""

import difflib
import gzip
import hashlib
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.recorder import masks

#: Of each kind of difference so many are shown whole.
SHOWN = 12
#: Lines of one difference that are shown.
LINES = 30


@dataclass(frozen=True)
class Answer:
    """What came back, without what is random."""

    status: int
    queries: int
    headers: dict[str, str]
    body: str


def body_of(content: bytes, kind: str) -> str:
    """Return a body as lines of text that can be compared: HTML by tags, JSON by keys, archives by file."""
    if "json" in kind:
        return _json(content)
    if kind.startswith("text/html"):
        return _html(content.decode())
    if content[:4] == b"PK\x03\x04":
        return _archive(content)
    try:
        return masks.masked(content.decode())
    except UnicodeDecodeError:
        return f"sha256 {hashlib.sha256(content).hexdigest()}"


def _json(content: bytes) -> str:
    try:
        return masks.masked(json.dumps(json.loads(content), indent=1, ensure_ascii=False))
    except ValueError:
        return masks.masked(content.decode(errors="replace"))


def _html(text: str) -> str:
    flat = re.sub(r"\s+>", ">", re.sub(r"\s+", " ", masks.masked(text)))
    return re.sub(r" ?(<[^>]*>) ?", r"\n\1\n", flat).replace("\n\n", "\n").strip()


def _archive(content: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return "\n".join(
        f"{name} {hashlib.sha256(masks.masked(data.decode('latin-1')).encode()).hexdigest()}"
        for name, data in parts.items()
    )


def write(path: Path, answers: Iterator[tuple[str, Answer]]) -> int:
    """Write answers by their keys; return how many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    n = 0
    with gzip.open(path, "wt", compresslevel=3, encoding="utf-8") as file:
        for key, answer in answers:
            file.write(json.dumps([key, asdict(answer)], ensure_ascii=False) + "\n")
            n += 1
    return n


def read(folder: Path, stem: str) -> dict[str, Answer]:
    """Read the files of a recording."""
    answers = {}
    for path in sorted(folder.glob(f"{stem}-*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                key, given = json.loads(line)
                answers[key] = Answer(**given)
    return answers


@dataclass(frozen=True)
class Difference:
    """One answer that is not as it was."""

    key: str
    what: str
    lines: tuple[str, ...] = ()


def differences(before: Mapping[str, Answer], after: Mapping[str, Answer]) -> list[Difference]:
    """Return what differs; a request that is only in one of the two differs as well."""
    found = [Difference(key, "gone") for key in before.keys() - after.keys()]
    found += [Difference(key, "new") for key in after.keys() - before.keys()]
    for key in before.keys() & after.keys():
        found += _between(key, before[key], after[key])
    return sorted(found, key=lambda one: (one.what, one.key))


def _between(key: str, old: Answer, new: Answer) -> Iterator[Difference]:
    if old.status != new.status:
        yield Difference(key, "status", (f"-{old.status}", f"+{new.status}"))
        return
    if old.body != new.body:
        yield Difference(key, "body", _diff(old.body, new.body))
    if old.headers != new.headers:
        told = [json.dumps(one.headers, indent=0, sort_keys=True) for one in (old, new)]
        yield Difference(key, "headers", _diff(*told))
    if old.queries != new.queries:
        yield Difference(key, "queries", (f"-{old.queries}", f"+{new.queries}"))


def _diff(old: str, new: str) -> tuple[str, ...]:
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=1)
    return tuple(line[:300] for line in list(lines)[2 : 2 + LINES])


def told(found: list[Difference], n_compared: int) -> str:
    """Return the differences in words, those of one kind together."""
    kinds = Counter(one.what for one in found)
    said = [", ".join(f"{n} differ in {what}" for what, n in kinds.items()) or "nothing differs"]
    shown: Counter[Any] = Counter()
    for one in found:
        shown[one.what] += 1
        if shown[one.what] <= SHOWN:
            said += ["", f"== {one.what}: {one.key}", *one.lines]
    return "\n".join([f"{n_compared} answers compared: {said[0]}", *said[1:]])
