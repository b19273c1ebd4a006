"""What a project may set beside its rules: the bank's languages, masks, how long things are kept.

Each section is stored as one JSON object; a section that nobody has set holds its defaults.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Self

from annotation.common import identity, similarity
from evalsite.kinds import Text, Whole, YesNo
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, Record, faults, parts, said


class Section(StrEnum):
    BANK = "BANK"
    DISPUTES = "DISPUTES"
    MASKS = "MASKS"
    RETENTION = "RETENTION"
    VERDICTS = "VERDICTS"


Problems = dict[str, list[str]]

#: A language as a page's `lang` takes it: en, de-CH, zh-Hans.
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
MAX_LANGUAGE, MOST_LANGUAGES = 35, 40
LEAST_ALIKE, MOST_ALIKE = 70, 99

MOST_WORDS, MOST_PATTERNS, MAX_WORD, MAX_PATTERN = 500, 50, 100, 200

#: What a sweep may remove, and after how many days at the soonest.
KEPT = ("drafts", "receipts", "files", "calls", "figures")
LEAST_DAYS, MOST_DAYS = 7, 3650
#: So many days the link of an invitation works.
INVITED_FOR = range(1, 91)


class Stored(Record):
    """A section as one JSON object."""

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Self:
        """Return what is stored; what an older one does not say is as it is by default."""
        known = {one.name: one for one in parts(cls) if one.name in body}
        return cls(
            **{name: tuple(body[name]) if one.many else body[name] for name, one in known.items()}
        )


Lines = Sequence[Annotated[str, Text()]]


@dataclass(frozen=True)
class Bank(Stored):
    """What the question bank offers.

    Attributes:
        languages: that a question can be in; none: any.
        alike: from how many percent on two questions are pointed out as near-duplicates.
    """

    languages: Lines = ()
    alike: Annotated[
        int,
        Whole(LEAST_ALIKE, MOST_ALIKE),
        Ask(
            _("Near-duplicates from, in percent"),
            _("Lower finds more, and more that is none."),
        ),
    ] = round(100 * similarity.ALIKE)

    def offers(self, language: str) -> bool:
        """Say whether a question may be in it; one without a language may stand in any bank."""
        known = {one.casefold() for one in self.languages}
        return not language or not known or language.casefold() in known

    def problems(self) -> Problems:
        found: Problems = {one.path: [said(one)] for one in faults(self)}
        if wrong := [one for one in self.languages if not is_language(one)]:
            found["languages"] = [
                f"“{wrong[0]}” is no language as pages name it. Write en, de or zh-Hans."
            ]
        elif len(self.languages) > MOST_LANGUAGES:
            found["languages"] = [f"At most {MOST_LANGUAGES} languages. Take some out."]
        return found


def is_language(code: str) -> bool:
    return len(code) <= MAX_LANGUAGE and _LANGUAGE.fullmatch(code) is not None


@dataclass(frozen=True)
class Masks(Stored):
    """By what a response may give its system away, beside the names of the round's systems.

    Attributes:
        words: names of this project's own, found however they are written.
        patterns: regular expressions, without regard to capitals.
        spared: well-known names that are ordinary words here, and are not pointed out.
        approved: places of words and patterns are masked from the start.
    """

    words: Annotated[
        Lines,
        Ask(
            _("Words of your own"),
            _("One per line: products, teams or vendors."),
            rows=4,
        ),
    ] = ()
    patterns: Annotated[
        Lines,
        Ask(
            _("Patterns"),
            _("Regular expressions, one per line, ignoring capitals: our \\w+ assistant."),
            rows=3,
        ),
    ] = ()
    spared: Annotated[
        Lines,
        Ask(
            _("Well-known names to leave alone"),
            _("One per line. A round’s systems are always looked for."),
            rows=3,
        ),
    ] = ()
    approved: Annotated[
        bool,
        YesNo(),
        Ask(_("Mask these from the start")),
    ] = False

    def lexicon(self, terms: Sequence[str]) -> identity.Lexicon:
        """Return what is looked for where these are the names of systems."""
        return identity.Lexicon(terms, own=self.words, patterns=self.patterns, spared=self.spared)

    def masks_at_once(self, kind: identity.HitKind) -> bool:
        return self.approved and kind in {identity.HitKind.OWN, identity.HitKind.PATTERN}

    def problems(self) -> Problems:
        found: Problems = {}
        for name in ("words", "spared"):
            if said := _wrong_words(getattr(self, name)):
                found[name] = [said]
        if len(self.patterns) > MOST_PATTERNS:
            found["patterns"] = [f"At most {MOST_PATTERNS} patterns. Take some out."]
        elif wrong := next((said for one in self.patterns if (said := _wrong_pattern(one))), ""):
            found["patterns"] = [wrong]
        return found


def _wrong_words(words: Sequence[str]) -> str:
    if len(words) > MOST_WORDS:
        return f"At most {MOST_WORDS} words. Take some out."
    for one in words:
        if len(one) > MAX_WORD:
            return f"“{one[:30]}…” is longer than {MAX_WORD} characters. Shorten it."
        if not identity.is_usable(one):
            return f"“{one}” is too short to look for: two letters at least, not only digits."
    return ""


def _wrong_pattern(pattern: str) -> str:
    if len(pattern) > MAX_PATTERN:
        return f"“{pattern[:30]}…” is longer than {MAX_PATTERN} characters. Shorten it."
    try:
        identity.try_pattern(pattern)
    except identity.UnusablePattern as problem:
        return str(problem)
    return ""


@dataclass(frozen=True)
class Retention:
    """After how many days what is in KEPT goes; what is not named is kept for ever."""

    days: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> "Retention":
        return cls({key: int(n) for key, n in body.get("days", {}).items() if key in KEPT})

    def problems(self) -> Problems:
        return {
            key: [f"Give a number of days from {LEAST_DAYS} to {MOST_DAYS}, or nothing."]
            for key, n in self.days.items()
            if not LEAST_DAYS <= n <= MOST_DAYS
        }


#: How many points of a hundred two systems may be apart at most and still be called equal.
LEAST_WITHIN, MOST_WITHIN, WITHIN = 1, 50, 5


@dataclass(frozen=True)
class Verdicts(Stored):
    """By what two systems are compared in results, where an address does not ask for something else.

    Attributes:
        within: how many points of a hundred they may be apart and still be called equal.
    """

    within: Annotated[
        int,
        Whole(LEAST_WITHIN, MOST_WITHIN),
        Ask(
            _("Equal within, in points of 100"),
            _("Systems are called equal where their 90 % interval lies within it."),
        ),
    ] = WITHIN

    def problems(self) -> Problems:
        return {one.path: [said(one)] for one in faults(self)}


DESIGNERS = frozenset({"OWNER", "CURATOR", "DESIGNER"})
INSPECTORS = frozenset({"OWNER", "CURATOR", "INSPECTOR"})
CURATORS = frozenset({"OWNER", "CURATOR"})
BANK = DESIGNERS | INSPECTORS
