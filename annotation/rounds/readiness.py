"""What could tie a round to an earlier one: items whose wording and answers have not changed.

* Reads about names of systems that were found in responses of a round.
* What masks would find among the responses of a project: a trial that changes nothing.
* What a draft still needs before it can be opened, and what grading it will cost.
"""

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum, TextField, Window
from django.db.models.functions import Cast, RowNumber
from django.utils.translation import gettext as _

from annotation.common import identity, texts
from annotation.files.models import SEEN
from annotation.people.models import Project
from annotation.people.rules import Masks
from annotation.qualification import answers as references
from annotation.qualification import queries as qualifications
from annotation.qualification.answers import TrialCandidate
from annotation.rounds import queries as own
from annotation.rounds import rules as rounds
from annotation.rounds.models import Assignment, IdentityHit, Round, RoundItem, RoundResponse
from annotation.rubrics.models import Criterion, RubricVersion
from annotation.systems.models import Response, System, SystemRelease
from evalsite.web import keyset

CHUNK = 500


def earlier(round_: Round) -> "QuerySet[Round]":
    """Return the rounds of the project that anchors can come from, the newest first."""
    opened = Round.objects.filter(project_id=round_.project_id, opened_at__isnull=False)
    return opened.exclude(pk=round_.pk).filter(kind=Round.Kind.PRODUCTION).order_by("-number")


def unchanged(before: Round, candidates: Sequence[TrialCandidate]) -> dict[str, int]:
    """Return for each item (by its key) how many of its pairs are as they were in that round.

    A pair is an item and a system's answer; it is unchanged if both have the same content, whatever
    the releases are called.
    """
    items = RoundItem.objects.filter(round=before, occasion=1).exclude(
        purpose=RoundItem.Purpose.GOLD
    )
    keys = {
        pk: f"{external_id}\n{sha}"
        for pk, external_id, sha in items.values_list(
            "pk", "item__external_id", "item__content_sha"
        )
    }
    shared = set(keys.values())
    mine = [one for one in candidates if one.key in shared]
    shown: dict[str, set[tuple[int, str]]] = defaultdict(set)
    rows = RoundResponse.objects.filter(round_item__round=before).values_list(
        "round_item_id", "release__system_id", "response__content_sha"
    )
    for pk, system, sha in rows:
        if pk in keys:
            shown[keys[pk]].add((system, sha))
    contents = contents_of([pk for one in mine for pk in one.responses.values()])
    systems = dict(
        SystemRelease.objects.filter(
            pk__in={release for one in mine for release in one.responses}
        ).values_list("pk", "system_id")
    )
    counts = {
        one.key: sum(
            (systems[release], contents[pk]) in shown[one.key]
            for release, pk in one.responses.items()
        )
        for one in mine
    }
    return {key: count for key, count in counts.items() if count}


def contents_of(responses: Sequence[int]) -> dict[int, str]:
    """Return the fingerprint of what each response says."""
    found: dict[int, str] = {}
    for start in range(0, len(responses), CHUNK):
        some = Response.objects.filter(pk__in=responses[start : start + CHUNK])
        found.update(some.values_list("pk", "content_sha"))
    return found


def n_returning(round_: Round, before: Round) -> int:
    """Return how many annotators of the round have graded in the earlier one."""
    graded = Assignment.objects.filter(round=before, state=Assignment.State.SUBMITTED)
    places = round_.annotators.filter(ended_at__isnull=True)
    return places.filter(rater__in=graded.values("rater")).count()


TERMS_SHOWN = 30
EXAMPLES = 3
REACH = 60  # signs kept of an excerpt before the hit, annotation.rounds.drawing
Decision = IdentityHit.Decision


@dataclass(frozen=True)
class NameExcerpt:
    """A place, cut so that the name can be marked."""

    hit: IdentityHit
    before: str
    name: str
    after: str


@dataclass(frozen=True)
class Term:
    """A name, how often it was found, and what was decided."""

    term: str
    n: int
    undecided: int
    masked: int
    systems: list[System] = field(default_factory=list)
    excerpts: list[NameExcerpt] = field(default_factory=list)

    @property
    def kept(self) -> int:
        return self.n - self.undecided - self.masked


@dataclass(frozen=True)
class Summary:
    n: int
    undecided: int
    masked: int

    @property
    def kept(self) -> int:
        return self.n - self.undecided - self.masked


def summary(round_: Round) -> Summary:
    return Summary(**round_.identity_hits.aggregate(**_tally()))


def _tally() -> dict[str, Any]:
    return {
        "n": Count("pk"),
        "undecided": Count("pk", filter=Q(decision=Decision.UNDECIDED)),
        "masked": Count("pk", filter=Q(decision=Decision.MASK)),
    }


def terms(round_: Round, *, start: int = 0) -> tuple[list[Term], bool]:
    """Return names found in the round, those to be decided first, and whether more follow."""
    counted: Any = round_.identity_hits.order_by().values("term").annotate(**_tally())
    ordered = counted.order_by("-undecided", "-n", "term")
    rows = list(ordered[start : start + TERMS_SHOWN + 1])
    shown = rows[:TERMS_SHOWN]
    names = [row["term"] for row in shown]
    systems, excerpts = _systems(round_, names), _examples(round_, names)
    found = [
        Term(**row, systems=systems[row["term"]], excerpts=excerpts[row["term"]]) for row in shown
    ]
    return found, len(rows) > TERMS_SHOWN


def _systems(round_: Round, names: list[str]) -> dict[str, list[System]]:
    """Return whose responses hold each name."""
    pairs = (
        round_.identity_hits.filter(term__in=names)
        .order_by()
        .values_list("term", "response__release__system")
        .distinct()
    )
    pairs_found = list(pairs)
    known = System.objects.in_bulk({system for _term, system in pairs_found})
    found: dict[str, list[System]] = defaultdict(list)
    for term, system in pairs_found:
        found[term].append(known[system])
    return found


def _examples(round_: Round, names: list[str]) -> dict[str, list[NameExcerpt]]:
    numbered = round_.identity_hits.filter(term__in=names).annotate(
        place=Window(RowNumber(), partition_by=F("term"), order_by=F("pk").asc())
    )
    found: dict[str, list[NameExcerpt]] = defaultdict(list)
    for hit in _with_system(numbered.filter(place__lte=EXAMPLES).order_by("pk")):
        found[hit.term].append(excerpt(hit))
    return found


def hits_page(
    round_: Round, term: str, *, after: str = ""
) -> tuple[list[NameExcerpt], keyset.Page[IdentityHit]]:
    """Return a page of all the places of one name."""
    hits = _with_system(round_.identity_hits.filter(term=term))
    found = keyset.page(hits, by=["pk"], after=after)
    return [excerpt(hit) for hit in found.rows], found


def _with_system(hits: Any) -> Any:
    return hits.select_related("response__release__system", "response__item")


def excerpt(hit: IdentityHit) -> NameExcerpt:
    lead = min(REACH, hit.start)
    end = lead + hit.end - hit.start
    return NameExcerpt(hit, hit.excerpt[:lead], hit.excerpt[lead:end], hit.excerpt[end:])


def masks_of(round_item: RoundItem) -> dict[int, list[tuple[int, int]]]:
    """Return the places to be covered in each response of an item."""
    rows = IdentityHit.objects.filter(
        round=round_item.round_id,
        decision=Decision.MASK,
        response__in=round_item.responses.values("response"),
    )
    spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
    places = rows.order_by("start", "end").values_list("response_id", "start", "end")
    for response, start, end in places:
        spans[response].append((start, end))
    return spans


#: The newest responses are looked at, so many at most and for so long.
MOST, SECONDS, PAGE = 2000, 3.0, 100
MASKED_EXAMPLES, MASK_REACH = 3, 60


@dataclass(frozen=True)
class MaskedExample:
    """A place as annotators would see it, and what stands under the bar."""

    before: str
    covered: str
    after: str


@dataclass
class NameFound:
    """A word or pattern: at how many places, in how many responses, and some of them."""

    term: str
    kind: str
    n: int = 0
    responses: set[int] = field(default_factory=set)
    examples: list[MaskedExample] = field(default_factory=list)

    @property
    def n_responses(self) -> int:
        return len(self.responses)


@dataclass(frozen=True)
class PatternTrial:
    n_looked: int
    n_all: int
    found: list[NameFound]
    #: Words and patterns that stand nowhere.
    nowhere: list[str]


def trial(project: Project, masks: Masks) -> PatternTrial:
    """Look for words and patterns in the newest responses.

    Raises:
        identity.UnusablePattern: a pattern takes too long on one of them.
    """
    rows = Response.objects.filter(SEEN, item__project=project).order_by("-pk")
    # Only the project's own: everything well known is spared.
    own = Masks(masks.words, spared=identity.PUBLIC).lexicon([])
    counted: dict[tuple[str, str], NameFound] = {}
    n_looked, until = 0, time.monotonic() + SECONDS
    for pk, messages in rows.values_list("pk", "messages")[:MOST].iterator(chunk_size=PAGE):
        if time.monotonic() > until:
            break
        n_looked += 1
        text = texts.conversation(messages)
        places = [
            (one.term, "word", (one.start, one.end))
            for one in identity.named(text, own)
            if one.kind == identity.HitKind.OWN
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
    return PatternTrial(n_looked, rows.count(), found, nowhere)


def _count(
    counted: dict[tuple[str, str], NameFound],
    pk: int,
    text: str,
    places: list[tuple[str, str, tuple[int, int]]],
) -> None:
    for term, kind, (start, end) in places:
        one = counted.setdefault((term, kind), NameFound(term, kind))
        one.n += 1
        one.responses.add(pk)
        if len(one.examples) < MASKED_EXAMPLES:
            before = ("…" if start > MASK_REACH else "") + text[max(0, start - MASK_REACH) : start]
            after = text[end : end + MASK_REACH] + ("…" if end + MASK_REACH < len(text) else "")
            one.examples.append(MaskedExample(before, text[start:end], after))


@dataclass(frozen=True)
class OpeningNeed:
    """A condition of opening; one that `waits` is known once the draft is prepared, not before."""

    key: rounds.RoundNeed
    met: bool
    text: str
    waits: bool = False


@dataclass(frozen=True)
class Cost:
    """What a round asks of its annotators. Minutes are per item, by the given pace."""

    n_items: int
    n_responses: int
    n_seats: int
    n_marks: int
    n_annotators: int
    #: Of the items: those the same people grade once more, and those whose grades are known.
    n_repeats: int = 0
    n_gold: int = 0

    @property
    def n_drawn(self) -> int:
        """Return how many of the items are drawn from what fits."""
        return self.n_items - self.n_repeats - self.n_gold

    def hours(self, minutes_per_item: float) -> float:
        return self.n_seats * minutes_per_item / 60


def needs(round_: Round) -> list[OpeningNeed]:
    """Return every condition of opening, met or not, with a sentence that says what to do."""
    prepared = round_.draw.get("prepared")
    items = round_.items.all()
    widest = max(
        items.annotate(n=Count("responses")).values_list("n", flat=True).order_by("-n")[:1],
        default=0,
    )
    bare = items.filter(responses__isnull=True).count() if prepared else 0
    if prepared and round_.of_pairs:
        bare = items.annotate(n=Count("responses")).exclude(n=2).count()
    without = items.filter(rubric_version__isnull=True).count() if prepared else 0
    n_systems = 0 if prepared else round_.systems.count()
    no_systems = not prepared and n_systems < (2 if round_.of_pairs else 1)
    no_rubrics = not prepared and not round_.rubrics.exists()
    reworded = _asks_otherwise(round_)
    n_annotators = round_.annotators.filter(ended_at__isnull=True).count()
    undecided = round_.identity_hits.filter(decision=IdentityHit.Decision.UNDECIDED).count()
    unsearched = _unsearched(round_)
    return [
        OpeningNeed(
            rounds.RoundNeed.ITEMS,
            bool(prepared),
            _("Items are drawn.")
            if prepared
            else round_.draw.get("stopped", _("Prepare the draft to draw items.")),
            waits=not prepared and "stopped" not in round_.draw,
        ),
        OpeningNeed(
            rounds.RoundNeed.RESPONSES,
            bool(prepared) and 1 <= widest <= len(texts.LETTERS) and not bare,
            _("Choose two systems or more.")
            if no_systems and round_.of_pairs
            else _("Choose the systems to compare.")
            if no_systems
            else _("Two answers in every pair.")
            if round_.of_pairs
            else _("One to eight responses on every item."),
            waits=not prepared and not no_systems,
        ),
        OpeningNeed(
            rounds.RoundNeed.RUBRICS,
            bool(prepared) and without == 0 and not reworded,
            _("%(rubric)s asks for something else since it was chosen. Choose it again.")
            % {"rubric": reworded}
            if reworded
            else _("Items without a rubric: %(n)s. Choose one.") % {"n": without}
            if without
            else _("Choose a rubric.")
            if no_rubrics
            else _("A rubric for every item."),
            waits=not prepared and not no_rubrics and not reworded,
        ),
        OpeningNeed(
            rounds.RoundNeed.SEATS,
            round_.n_seats >= 3 or bool(round_.seats_override),
            _("Three annotators per question, or an owner’s reason for fewer."),
        ),
        OpeningNeed(
            rounds.RoundNeed.ANNOTATORS,
            n_annotators >= round_.n_seats,
            _("%(have)s of at least %(want)s annotators are chosen.")
            % {"have": n_annotators, "want": round_.n_seats},
        ),
        *_own(round_),
        *_qualified(round_),
        OpeningNeed(
            rounds.RoundNeed.IDENTITY_CLEARED,
            bool(prepared) and undecided == 0 and not unsearched,
            _("Prepare the draft again: names were not searched for in tool calls yet.")
            if unsearched
            else _("Names of systems in responses to mask or keep: %(n)s.") % {"n": undecided}
            if undecided
            else _("Names of systems in responses decided."),
            waits=not prepared,
        ),
        *_references(round_),
    ]


def _asks_otherwise(round_: Round) -> RubricVersion | None:
    """Return a rubric that was reworded from marks to choices, or back, after it was chosen."""
    used = RubricVersion.objects.filter(
        Q(pk__in=round_.rubrics.values("rubric_version"))
        | Q(pk__in=round_.items.values("rubric_version"))
    )
    choosing = used.asking_choices()
    other = used.exclude(pk__in=choosing.values("pk")) if round_.of_pairs else choosing
    return other.select_related("rubric").order_by("pk").first()


def _unsearched(round_: Round) -> bool:
    """Return whether a draft holds calls of tools and was prepared before names were looked for in them."""
    prepared = round_.draw.get("prepared")
    if not prepared or prepared.get("calls"):
        return False
    shown = RoundResponse.objects.filter(round_item__round=round_).order_by()
    said = shown.annotate(said=Cast("response__messages", TextField()))
    return said.filter(said__contains='"tool_calls"').exists()


def _references(round_: Round) -> list[OpeningNeed]:
    """Return whether a trial knows what is right for every answer."""
    if round_.kind != Round.Kind.TRIAL:
        return []
    short = references.n_missing(round_)
    waits = not round_.draw.get("prepared")
    text = _("Reference grades for every answer.")
    if short and not waits:
        text = _("Reference grades missing: %(n)d.") % {"n": short}
    return [OpeningNeed(rounds.RoundNeed.REFERENCES, not short and not waits, text, waits=waits)]


def _own(round_: Round) -> list[OpeningNeed]:
    """Return whether enough annotators had no part in the questions, where the bank says who had."""
    if not own.is_banked(round_):
        return []
    short = own.n_short(round_)
    text = _(
        "Items with too few annotators who neither wrote nor inspected them: %(n)s. Choose "
        "more, or let an owner allow it."
    )
    met = _("Nobody grades a question they wrote or inspected.")
    return [
        OpeningNeed(
            rounds.RoundNeed.OTHERS_WROTE_IT, not short, text % {"n": short} if short else met
        )
    ]


def _qualified(round_: Round) -> list[OpeningNeed]:
    """Return whether enough annotators have qualified, where the round asks for it."""
    if not round_.asks_qualification or not round_.draw.get("prepared"):
        return []
    short = qualifications.short_of(round_)
    if not short:
        met = _("Enough annotators have qualified.")
        return [OpeningNeed(rounds.RoundNeed.QUALIFIED, True, met)]
    found = ", ".join(
        _("%(capability)s: %(have)d of %(want)d")
        % {"capability": one.capability.name, "have": one.n_qualified, "want": one.n_wanted}
        for one in short
    )
    if said := round_.qualified_override:
        text = _("Too few have qualified (%(found)s); an owner allowed it: %(why)s")
        return [OpeningNeed(rounds.RoundNeed.QUALIFIED, True, text % {"found": found, "why": said})]
    text = _(
        "Too few have qualified (%(found)s). Choose others, train them, drop the condition, or let an "
        "owner allow it."
    )
    return [OpeningNeed(rounds.RoundNeed.QUALIFIED, False, text % {"found": found})]


def cost(round_: Round) -> Cost:
    """Return the number of items, seats and marks of a round as it is drawn."""
    responses = RoundResponse.objects.filter(round_item__round=round_)
    n_criteria = dict(
        Criterion.objects.filter(rubric_version__in=round_.items.values("rubric_version"))
        .order_by()
        .values_list("rubric_version")
        .annotate(n=Count("pk"))
    )
    shown = (
        responses.order_by()
        .values_list("round_item__rubric_version", "round_item__n_seats")
        .annotate(n=Count("pk"))
    )
    purpose = RoundItem.Purpose
    n_of = dict(round_.items.order_by().values_list("purpose").annotate(n=Count("pk")))
    return Cost(
        n_items=sum(n_of.values()),
        n_repeats=n_of.get(purpose.REPEAT, 0),
        n_gold=n_of.get(purpose.GOLD, 0),
        n_responses=responses.count(),
        n_seats=round_.items.aggregate(n=Sum("n_seats"))["n"] or 0,
        n_marks=sum(n * seats * n_criteria.get(version, 0) for version, seats, n in shown)
        // (2 if round_.of_pairs else 1),
        n_annotators=round_.annotators.filter(ended_at__isnull=True).count(),
    )
