"""What masks would find among the responses of a project: a trial that changes nothing."""

import time
from collections import defaultdict
from dataclasses import dataclass, field

from annotation.models import Project, Response
from annotation.models.imports import SEEN
from annotation.rules import faces, identity
from annotation.rules.settings import Masks

#: The newest responses are looked at, so many at most and for so long.
MOST, SECONDS, PAGE = 2000, 3.0, 100
EXAMPLES, REACH = 3, 60


@dataclass(frozen=True)
class Example:
    """A place as annotators would see it, and what stands under the bar."""

    before: str
    covered: str
    after: str


@dataclass
class Found:
    """A word or pattern: at how many places, in how many responses, and some of them."""

    term: str
    kind: str
    n: int = 0
    responses: set[int] = field(default_factory=set)
    examples: list[Example] = field(default_factory=list)

    @property
    def n_responses(self) -> int:
        return len(self.responses)


@dataclass(frozen=True)
class Trial:
    n_looked: int
    n_all: int
    found: list[Found]
    #: Words and patterns that stand nowhere.
    nowhere: list[str]


def trial(project: Project, masks: Masks) -> Trial:
    """Look for words and patterns in the newest responses.

    Raises:
        identity.BadPattern: a pattern takes too long on one of them.
    """
    rows = Response.objects.filter(SEEN, item__project=project).order_by("-pk")
    # Only the project's own: everything well known is spared.
    own = Masks(masks.words, spared=identity.PUBLIC).lexicon([])
    counted: dict[tuple[str, str], Found] = {}
    n_looked, until = 0, time.monotonic() + SECONDS
    for pk, messages in rows.values_list("pk", "messages")[:MOST].iterator(chunk_size=PAGE):
        if time.monotonic() > until:
            break
        n_looked += 1
        text = faces.conversation(messages)
        places = [
            (one.term, "word", (one.start, one.end))
            for one in identity.named(text, own)
            if one.kind == identity.Kind.OWN
        ]
        for pattern in masks.patterns:
            places += [(pattern, "pattern", at) for at in identity.pattern_spans(pattern, text)]
        _count(counted, pk, text, places)
    hit: defaultdict[str, set[str]] = defaultdict(set)
    for term, kind in counted:
        hit[kind].add(term)
    nowhere = [one for one in masks.words if one not in hit["word"]]
    nowhere += [one for one in masks.patterns if one not in hit["pattern"]]
    found = sorted(counted.values(), key=lambda one: (-one.n, one.term))
    return Trial(n_looked, rows.count(), found, nowhere)


def _count(
    counted: dict[tuple[str, str], Found],
    pk: int,
    text: str,
    places: list[tuple[str, str, tuple[int, int]]],
) -> None:
    for term, kind, (start, end) in places:
        one = counted.setdefault((term, kind), Found(term, kind))
        one.n += 1
        one.responses.add(pk)
        if len(one.examples) < EXAMPLES:
            before = ("…" if start > REACH else "") + text[max(0, start - REACH) : start]
            after = text[end : end + REACH] + ("…" if end + REACH < len(text) else "")
            one.examples.append(Example(before, text[start:end], after))
