"""Read the text of a file that somebody uploads: plain text, Markdown, HTML, PDF or Word.

The file is read in a process of its own, which may take so much memory and time and no more: a file
that is made to break whoever opens it ends that process and nothing else.
"""

import hashlib
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.utils.translation import gettext as _

from evalsite import errors

MOST_BYTES: Final = 20 * 1024 * 1024
#: Seconds by the clock. Of computing time the process may take half as many (child.py).
PATIENCE: Final = 10
_CHILD: Final = Path(__file__).with_name("child.py")
FORMATS: Final = ".txt,.md,.markdown,.html,.htm,.pdf,.docx"


class UnreadableDocument(errors.Invalid):
    """The file cannot be read; the message says what is wrong, where, and how to mend it."""

    code = "unreadable_file"


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """What a file says. A form feed stands between pages, an empty line between paragraphs."""

    text: str
    format: str
    sha: str
    #: 0 where the format has no pages.
    n_pages: int = 0
    title: str = ""
    #: Pages on which no text stands, as in a scan.
    silent: tuple[int, ...] = ()


def read_document(data: bytes, name: str) -> ReadDocument:
    """Return the text of a file; its name helps where the content does not say what it is.

    Raises:
        UnreadableDocument: it is none of the formats, broken, locked, too large, or without text.
    """
    if not data:
        raise _refusal("empty", {})
    if len(data) > MOST_BYTES:
        raise _refusal("large", {"most": MOST_BYTES // 1024 // 1024})
    found = _ask(data, name)
    if "problem" in found:
        raise _refusal(found["problem"], found)
    return ReadDocument(
        text=found["text"],
        format=found["format"],
        sha=hashlib.sha256(data).hexdigest(),
        n_pages=found["pages"],
        title=found["title"],
        silent=tuple(found["silent"]),
    )


def _ask(data: bytes, name: str) -> dict[str, Any]:
    suffix = Path(name).suffix.lower()[:12]
    try:
        done = subprocess.run(  # noqa: S603  our own script, no shell; the file goes in as bytes
            [sys.executable, "-P", str(_CHILD), suffix],
            input=data,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"problem": "slow"}
    try:
        found = json.loads(done.stdout)
    except ValueError:
        # Killed by a limit: of computing time if by a signal, else it died of memory.
        return {"problem": "slow" if done.returncode < 0 else "heavy"}
    return dict(found)


def _refusal(problem: str, where: dict[str, Any]) -> UnreadableDocument:
    words = _words().get(problem) or _("The file cannot be read. Paste its text instead.")
    said = words % {"most": "", "page": "", "paragraph": "", **where}
    return UnreadableDocument(said, fields={"file": [said]})


def _words() -> dict[str, str]:
    return {
        "empty": _("The file is empty. Choose another one."),
        "large": _("The file is larger than %(most)s MB. Split it, or paste the part you need."),
        "unknown": _(
            "This is none of the formats that can be read: text, Markdown, HTML, PDF, Word (.docx). "
            "Save it as one of them, or paste its text."
        ),
        "old_word": _("This is a Word file of the old kind. Save it as .docx and choose that."),
        "encoding": _(
            "The file is no text in a known encoding (UTF-8, UTF-16 or GB18030). Save it as UTF-8."
        ),
        "locked": _("The file is locked by a password. Save it without one and choose that."),
        "broken": _("The file is damaged and cannot be opened. Save it anew, or paste its text."),
        "page": _(
            "Page %(page)s cannot be read. Save the file anew, or paste the text of the pages "
            "you need. Nothing was taken in."
        ),
        "paragraph": _(
            "Paragraph %(paragraph)s cannot be read. Save the file anew, or paste its text. "
            "Nothing was taken in."
        ),
        "silent": _(
            "No text stands in the file; it may hold pictures of pages. Run it through text "
            "recognition first, or paste its text."
        ),
        "long": _("The file holds more than %(most)s characters. Take it in by chapters."),
        "bomb": _("Unpacked, the file would be larger than %(most)s MB. It is not opened."),
        "heavy": _("The file takes more memory than one may. Split it, or paste its text."),
        "slow": _("Reading the file takes too long. Split it, or paste its text."),
    }
