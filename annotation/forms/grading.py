"""What a grading page sends: read from plain form fields."""

import hashlib
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.operations import grading
from annotation.queries import faces_stored
from annotation.rules import contents, scales

#: Reasons for "can't grade", and the words that are stored.
CANNOT = (
    ("no_answer", gettext_lazy("There is no answer")),
    ("unreadable", gettext_lazy("The text is broken or cut off")),
    ("question", gettext_lazy("The question or its standard answer is unclear")),
    ("knowledge", gettext_lazy("I lack the knowledge to judge it")),
    ("other", gettext_lazy("Another reason, see my comment")),
)
SKIP = (
    ("knowledge", gettext_lazy("I lack the knowledge to judge it")),
    ("involved", gettext_lazy("I wrote or know this question")),
    ("question", gettext_lazy("The question or its standard answer is unclear")),
    ("time", gettext_lazy("It would take me too long now")),
)


@dataclass(frozen=True)
class Submission:
    """A page as it was sent: the marks, and everything as text in case it is refused."""

    marks: list[grading.Mark]
    entered: faces_stored.Entered
    base_rev: int
    flag: str | None = None

    def op_id(self, token: str) -> uuid.UUID:
        """Return the same id for the same page sent twice, and another for other content."""
        content = [token, self.base_rev, self.entered.values, self.entered.cannot]
        said = [self.entered.comments, *([self.flag] if self.flag else [])]
        digest = hashlib.sha256(contents.canonical([*content, *said])).digest()
        return uuid.UUID(bytes=digest[:16], version=5)


def read(data: Mapping[str, str], letters: Iterable[str], criteria: Iterable[str]) -> Submission:
    """Read the fields of a grading page.

    A reason why a response cannot be graded stands for all its marks: a radio button that was
    chosen once cannot be taken back in a plain form.
    """
    values: dict[str, str] = {}
    cannot: dict[str, str] = {}
    comments: dict[str, str] = {}
    errors: dict[str, list[str]] = {}
    marks: list[grading.Mark] = []
    keys = list(criteria)
    reasons = dict(CANNOT)
    for letter in letters:
        if f"comment-{letter}" in data:  # the sheet has no comments and leaves them as they are
            comments[letter] = data[f"comment-{letter}"].strip()
        reason = data.get(f"cannot-{letter}", "")
        if reason in reasons:
            cannot[letter] = reason
        for key in keys:
            name = faces_stored.mark_name(letter, key)
            written = data.get(name, "").strip()
            values[name] = written
            if reason in reasons:
                marks.append(grading.Mark(letter, key, cannot=reason))
            elif written:
                try:
                    marks.append(grading.Mark(letter, key, scales.parse(written)))
                except ValueError as problem:
                    errors[f"{letter}.{key}"] = [_(str(problem))]
    flag = data["flag"].strip() if "flag" in data else None  # the sheet has none and leaves it
    return Submission(
        marks,
        faces_stored.Entered(values, cannot, comments, errors, {"flag": flag} if flag else {}),
        _number(data.get("base_rev", "")),
        flag,
    )


def _number(written: str) -> int:
    return int(written) if written.isascii() and written.isdigit() and len(written) < 9 else -1
