"""Catalogues of translations: found in code and templates, kept as .po, compiled to the .mo that Django reads.

Python alone does it: neither who installs the site nor who tests it needs GNU gettext. Editors of .po
files (Poedit, Weblate …) read and write the same files.
"""

import ast
import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from django.utils.translation import to_locale
from django.utils.translation.template import templatize

#: Names by which code marks a message: whether a context stands before it, and whether it has a plural.
MARKERS: Final[Mapping[str, tuple[bool, bool]]] = {
    "_": (False, False),
    "_lazy": (False, False),
    "noop": (False, False),
    "gettext": (False, False),
    "gettext_lazy": (False, False),
    "gettext_noop": (False, False),
    "ngettext": (False, True),
    "ngettext_lazy": (False, True),
    "pgettext": (True, False),
    "pgettext_lazy": (True, False),
    "npgettext": (True, True),
    "npgettext_lazy": (True, True),
}
#: What `templatize` makes of the tags of a template: calls with strings as Python writes them.
_STRING: Final = r"""(?:u?'(?:\\.|[^'\\])*'|u?"(?:\\.|[^"\\])*")"""
_CALLED: Final = re.compile(
    rf"\b(_|gettext|ngettext|pgettext|npgettext)\(({_STRING}(?:\s*,\s*{_STRING})*)", re.S
)
#: What stands for a value, and the tags that a sentence holds: a translation has the same.
VALUE: Final = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}|</?\w+[^>]*>")
_QUOTED: Final = re.compile(r'"((?:\\.|[^"\\])*)"\s*$')
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
_PLAIN: Final = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}
#: The sign between a context and its message, and that between a message and its plural, in a .mo.
_CONTEXT_END, _PLURAL_START = "\x04", "\x00"
_MAGIC: Final = 0x950412DE


class BadCatalogue(ValueError):
    """A .po that cannot be read; says in which line."""


class Message(NamedTuple):
    """What is to be translated: the same words in another context are another message."""

    text: str
    plural: str = ""
    context: str = ""


@dataclass(frozen=True)
class Entry:
    """A message of a catalogue: where it stands, what is said about it, and its translation."""

    message: Message
    said: tuple[str, ...] = ("",)
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_fuzzy: bool = False

    @property
    def is_done(self) -> bool:
        return all(self.said) and not self.is_fuzzy


@dataclass
class Catalogue:
    """The messages of one language, and what its file says of itself."""

    header: str = ""
    notes: tuple[str, ...] = ()
    entries: dict[Message, Entry] = field(default_factory=dict)

    @property
    def n_forms(self) -> int:
        """How many forms a message with a number has in this language."""
        found = re.search(r"nplurals\s*=\s*(\d+)", self.header)
        return int(found[1]) if found else 2


def of_template(text: str) -> Iterator[Message]:
    """Yield the messages of a template, as Django asks for them when it shows it."""
    for one in _CALLED.finditer(templatize(text)):
        name, given = one.groups()
        yield _message(name, [ast.literal_eval(each) for each in re.findall(_STRING, given)])


def of_code(text: str) -> Iterator[Message]:
    """Yield the messages of a module."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name = str(getattr(node.func, "id", None) or getattr(node.func, "attr", ""))
        if name in MARKERS:
            n = 1 + sum(MARKERS[name])
            given = [getattr(one, "value", None) for one in node.args[:n]]
            if len(given) == n and all(isinstance(one, str) for one in given):
                yield _message(name, [str(one) for one in given])


def _message(name: str, given: Sequence[str]) -> Message:
    has_context, has_plural = MARKERS[name]
    context = given[0] if has_context else ""
    text, *more = given[has_context:]
    return Message(text, more[0] if has_plural else "", context)


def found(home: Path, patterns: Iterable[str]) -> dict[Message, list[str]]:
    """Return the messages of the files that these patterns name, with their files."""
    messages: dict[Message, list[str]] = {}
    for path in files(home, patterns):
        text = path.read_text("utf-8")
        name = path.relative_to(home).as_posix()
        for one in of_code(text) if path.suffix == ".py" else of_template(text):
            places = messages.setdefault(one, [])
            if one.text and name not in places:
                places.append(name)
    return {one: places for one, places in _with_plurals(messages).items() if places}


def _with_plurals(messages: Mapping[Message, list[str]]) -> dict[Message, list[str]]:
    """Join what is asked for alone to what is asked for with a plural: a catalogue holds it once."""
    by_text = {(one.text, one.context): one for one in messages if one.plural}
    joined: dict[Message, list[str]] = {}
    for one, places in messages.items():
        whole = by_text.get((one.text, one.context), one)
        joined[whole] = sorted({*joined.get(whole, ()), *places})
    return joined


def files(home: Path, patterns: Iterable[str]) -> list[Path]:
    """Return the files that patterns name; one that begins with ! takes files out again.

    Raises:
        BadCatalogue: a pattern names no file, so it is mistyped or its file has moved.
    """
    chosen: set[Path] = set()
    for one in patterns:
        named = {path for path in home.glob(one.removeprefix("!")) if path.is_file()}
        if not named:
            raise BadCatalogue(f"“{one}” names no file. Correct it, or take the line out.")
        chosen = chosen - named if one.startswith("!") else chosen | named
    return sorted(chosen)


def merged(old: Catalogue, messages: Mapping[Message, Sequence[str]]) -> Catalogue:
    """Return a catalogue of these messages, with the translations that were there; others go.

    Where words changed a little nothing is guessed: a message without a translation is seen.
    """
    empty = {True: ("",) * old.n_forms, False: ("",)}
    entries = {
        one: replace(
            old.entries.get(one, Entry(one, empty[bool(one.plural)])), files=tuple(sorted(places))
        )
        for one, places in messages.items()
    }
    ordered = sorted(entries.items(), key=lambda pair: (pair[1].files[:1], pair[0]))
    return Catalogue(old.header, old.notes, dict(ordered))


def faults(entry: Entry) -> str:
    """Return what is wrong with a translation, or nothing: a value or tag that is lacking or too many."""
    wanted = sorted(VALUE.findall(entry.message.text))
    other = sorted(VALUE.findall(entry.message.plural or entry.message.text))
    for said in entry.said:
        if said and sorted(VALUE.findall(said)) not in (wanted, other):
            has, lacks = set(VALUE.findall(said)), {*wanted, *other}
            return f"has {sorted(has - lacks)} and lacks {sorted(lacks - has)}"
    return ""


def read(text: str) -> Catalogue:
    """Return what a .po holds.

    Raises:
        BadCatalogue: a line is none of a .po.
    """
    made = Catalogue()
    for block, first in _blocks(text):
        entry = _entry(block, first)
        if entry is None:
            continue
        if entry.message == Message(""):
            made.header, made.notes = entry.said[0], entry.notes
        else:
            made.entries[entry.message] = entry
    return made


def _blocks(text: str) -> Iterator[tuple[list[str], int]]:
    """Yield the lines between blank ones, with the number of the first."""
    block: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if line.strip():
            block.append(line)
        elif block:
            yield block, number - len(block)
            block = []


def _entry(lines: Sequence[str], first: int) -> Entry | None:
    parts: dict[str, str] = {}
    notes: list[str] = []
    places: list[str] = []
    is_fuzzy, key = False, ""
    for number, line in enumerate(lines, start=first):
        if line.startswith("#~"):
            return None
        if line.startswith("#,"):
            is_fuzzy = is_fuzzy or "fuzzy" in line
        elif line.startswith("#:"):
            places += line[2:].split()
        elif line.startswith("#"):
            notes.append(line)
        else:
            name, _space, rest = ("", "", line) if line.startswith('"') else line.partition(" ")
            key = name or key
            quoted = _QUOTED.fullmatch(rest)
            if quoted is None or not re.fullmatch(r"msgctxt|msgid(_plural)?|msgstr(\[\d\])?", key):
                raise BadCatalogue(f"Line {number} is none of a .po file: {line[:60]}")
            parts[key] = parts.get(key, "") + _unquoted(quoted[1])
    if "msgid" not in parts:
        return None
    said = tuple(parts[name] for name in sorted(parts) if name.startswith("msgstr"))
    message = Message(parts["msgid"], parts.get("msgid_plural", ""), parts.get("msgctxt", ""))
    return Entry(message, said or ("",), tuple(places), tuple(notes), is_fuzzy)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda one: _PLAIN.get(one[1], one[1]), text)


def _quoted(name: str, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    quoted = ['"' + "".join(_ESCAPES.get(sign, sign) for sign in line) + '"' for line in lines]
    return "\n".join([f'{name} ""', *quoted] if len(quoted) > 1 else [f"{name} {quoted[0]}"])


def written(catalogue: Catalogue) -> str:
    """Return the .po of a catalogue; files stand without lines, so that it changes with words alone."""
    head = [*catalogue.notes, 'msgid ""', _quoted("msgstr", catalogue.header)]
    blocks = ["\n".join(head)]
    for entry in catalogue.entries.values():
        one = entry.message
        lines = [*entry.notes, *(f"#: {place}" for place in entry.files)]
        lines += ["#, fuzzy"] if entry.is_fuzzy else []
        lines += [_quoted("msgctxt", one.context)] if one.context else []
        lines.append(_quoted("msgid", one.text))
        if one.plural:
            lines.append(_quoted("msgid_plural", one.plural))
            lines += [_quoted(f"msgstr[{n}]", said) for n, said in enumerate(entry.said)]
        else:
            lines.append(_quoted("msgstr", entry.said[0]))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def compiled(catalogue: Catalogue) -> bytes:
    """Return the .mo of a catalogue: what is translated and not fuzzy, in the order gettext asks for."""
    pairs = {"": catalogue.header}
    for one, entry in catalogue.entries.items():
        if entry.is_done:
            key = f"{one.context}{_CONTEXT_END}{one.text}" if one.context else one.text
            key = f"{key}{_PLURAL_START}{one.plural}" if one.plural else key
            pairs[key] = _PLURAL_START.join(entry.said)
    rows = sorted((key.encode(), said.encode()) for key, said in pairs.items())
    start = 7 * 4 + 16 * len(rows)
    tables: list[list[tuple[int, int]]] = [[], []]
    body = bytearray()
    for column, table in enumerate(tables):
        for row in rows:
            table.append((len(row[column]), start + len(body)))
            body += row[column] + b"\0"
    head = struct.pack("<7I", _MAGIC, 0, len(rows), 28, 28 + 8 * len(rows), 0, start)
    places = b"".join(struct.pack("<2I", *one) for table in tables for one in table)
    return head + places + bytes(body)


def pages(home: Path) -> list[str]:
    """Return the patterns of the files whose words are translated."""
    lines = (home / "evalsite/locale/pages.txt").read_text("utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def place(home: Path, code: str) -> Path:
    """Return where the catalogue of a language is."""
    return home / "evalsite/locale" / to_locale(code) / "LC_MESSAGES/django.po"


def lacking(catalogue: Catalogue) -> list[str]:
    """Return a line for each message that is not translated, only guessed, or wrongly translated."""
    lines = []
    for entry in catalogue.entries.values():
        why = "" if all(entry.said) else "not translated"
        why = why or ("only guessed (fuzzy)" if entry.is_fuzzy else faults(entry))
        if why:
            lines.append(f"{entry.files[0]}: “{entry.message.text}”: {why}")
    return lines
