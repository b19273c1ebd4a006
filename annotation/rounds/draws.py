"""Which items a round could draw, with the responses that stand for its releases.

* What a draft would draw just now, and what it would miss: the same for the page and the deed.
* The table of strata of a draft: in words, with what is missing and where that is mended.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from annotation.bank.models import QuestionVersion
from annotation.common import draws
from annotation.common.draws import DrawnStratum, Preference
from annotation.domains.models import Capability, Difficulty, Domain
from annotation.qualification import answers as gold
from annotation.qualification.answers import TrialCandidate
from annotation.rounds import orders, rules
from annotation.rounds import readiness as anchors
from annotation.rounds.models import Round, RoundItem
from annotation.rounds.rules import Draw, DrawHow
from annotation.systems.models import Item, Response

CHUNK = 5000
LOWEST = 3  # what has no domain is of the broadest priority


class _Row(NamedTuple):
    pk: int
    external_id: str
    content_sha: str
    prompt_sha: str
    capability_id: int | None
    difficulty: str
    domain_id: int | None
    version: int | None


_FIELDS = (
    "pk",
    "external_id",
    "content_sha",
    "prompt_sha",
    "capability_id",
    "difficulty",
    "domain_id",
    "question_version_id",
)


def listed(
    round_: Round, releases: Sequence[int], wanted: Draw, now: datetime
) -> Iterator[TrialCandidate]:
    """Yield the items of a draft's choice; those that lack answers do not fit (`fits`)."""
    if wanted.published:
        yield from _published(round_, releases, wanted, now)
        return
    answers = _answers(round_, releases)
    recent = recently_used(round_, wanted, now)
    priorities = _priorities(round_)
    least = len(releases) if wanted.complete_only else 1
    if round_.of_pairs:
        least = max(least, 2)
    for row in rows(round_, wanted):
        given = answers.get((row.external_id, row.prompt_sha), {})
        yield TrialCandidate(
            item_id=row.pk,
            external_id=row.external_id,
            content_sha=row.content_sha,
            capability_id=row.capability_id,
            difficulty=row.difficulty,
            domain_id=row.domain_id,
            priority=priorities.get(row.domain_id, LOWEST),
            recent=row.external_id in recent,
            responses=given,
            fits=wanted.unanswered or len(given) >= least,
        )


def _published(
    round_: Round, releases: Sequence[int], wanted: Draw, now: datetime
) -> Iterator[TrialCandidate]:
    """Yield what was published for rating: these items, with these responses and no others."""
    taken, recent = wanted.published, recently_used(round_, wanted, now)
    named, capabilities = frozenset(wanted.external_ids), frozenset(wanted.capabilities)
    answers = _chosen_answers(releases, taken)
    priorities = _priorities(round_)
    items = Item.objects.seen().filter(
        project_id=round_.project_id, pk__in=[int(pk) for pk in taken]
    )
    for values in items.order_by("created_at", "pk").values_list(*_FIELDS):
        row = _Row(*values)
        if (named and row.external_id not in named) or (
            capabilities and row.capability_id not in capabilities
        ):
            continue
        given = answers.get(row.pk, {})
        yield TrialCandidate(
            item_id=row.pk,
            external_id=row.external_id,
            content_sha=row.content_sha,
            capability_id=row.capability_id,
            difficulty=row.difficulty,
            domain_id=row.domain_id,
            priority=priorities.get(row.domain_id, LOWEST),
            recent=row.external_id in recent,
            responses=given,
            fits=len(given) > round_.of_pairs,
            chance=float(taken[str(row.pk)]["chance"]),
        )


def _chosen_answers(
    releases: Sequence[int], taken: Mapping[str, Mapping[str, Any]]
) -> dict[int, dict[int, int]]:
    """Return for each published item the response of each release that takes part."""
    item_of = {pk: int(item) for item, one in taken.items() for pk in one["responses"]}
    answers: dict[int, dict[int, int]] = defaultdict(dict)
    pks = sorted(item_of)
    for start in range(0, len(pks), CHUNK):
        given = Response.objects.seen().filter(
            pk__in=pks[start : start + CHUNK], release_id__in=releases
        )
        for pk, release in given.values_list("pk", "release_id"):
            answers[item_of[pk]][release] = pk
    return answers


def rows(round_: Round, wanted: Draw) -> Iterator[_Row]:
    """Yield the items that can be drawn, answered or not.

    Of the bank that is the highest accepted version of a live question, of what was imported as it
    is the newest version of every item; what was published for rating belongs to its own rounds.
    """
    named = frozenset(wanted.external_ids)
    capabilities = frozenset(wanted.capabilities)
    for row in _latest(round_).values():
        if capabilities and row.capability_id not in capabilities:
            continue
        if not named or row.external_id in named:
            yield row


def _latest(round_: Round) -> dict[str, _Row]:
    items = Item.objects.seen().filter(project_id=round_.project_id, published_at__isnull=True)
    found: dict[str, _Row] = {}
    banked: dict[str, _Row | None] = {}
    drawable: frozenset[int] | None = None
    found_rows = items.order_by("created_at", "pk").values_list(*_FIELDS)
    for values in found_rows.iterator(chunk_size=CHUNK):
        row = _Row(*values)
        if row.version is None:
            found[row.external_id] = row
            continue
        if drawable is None:
            drawable = _drawable(round_)
        if row.version in drawable:
            banked[row.external_id] = row
        else:
            banked.setdefault(row.external_id, None)
    found.update({key: row for key, row in banked.items() if row})
    for key, kept in banked.items():
        if kept is None:  # what the bank does not give out is not drawn as an older import either
            found.pop(key, None)
    return found


def _drawable(round_: Round) -> frozenset[int]:
    versions = QuestionVersion.objects.drawable().filter(question__project_id=round_.project_id)
    return frozenset(versions.values_list("pk", flat=True))


def n_banked(items: Sequence[int]) -> int:
    """Return how many of these items come from the bank, so that somebody here wrote them."""
    return sum(
        Item.objects.filter(
            pk__in=items[start : start + CHUNK // 10], question_version__isnull=False
        ).count()
        for start in range(0, len(items), CHUNK // 10)
    )


def recently_used(round_: Round, wanted: Draw, now: datetime) -> frozenset[str]:
    """Return the items that were in one of the last rounds, or in a round of the last days."""
    opened = Round.objects.filter(project_id=round_.project_id, opened_at__isnull=False)
    opened = opened.exclude(pk=round_.pk).exclude(kind=Round.Kind.IMPORTED)
    used: set[int] = set()
    if wanted.avoid_rounds:
        last = opened.order_by("-opened_at", "-number").values_list("pk", flat=True)
        used.update(last[: wanted.avoid_rounds])
    if wanted.avoid_days:
        since = now - timedelta(days=wanted.avoid_days)
        used.update(opened.filter(opened_at__gte=since).values_list("pk", flat=True))
    if not used:
        return frozenset()
    items = RoundItem.objects.filter(round__in=used, occasion=1)
    return frozenset(items.values_list("item__external_id", flat=True))


def _priorities(round_: Round) -> dict[int | None, int]:
    domains = Domain.objects.filter(project_id=round_.project_id)
    return {pk: int(priority[1:]) for pk, priority in domains.values_list("pk", "priority")}


def _answers(round_: Round, releases: Sequence[int]) -> dict[tuple[str, str], dict[int, int]]:
    """Return for each prompt the response of each release: the first sample, by content if several.

    Responses belong to the prompt: a later version of an item that asks the same keeps them.
    """
    given = (
        Response.objects.seen()
        .filter(release_id__in=releases, item__project_id=round_.project_id)
        .values_list("item_id", "release_id", "sample_no", "content_sha", "pk")
    )
    prompts = _prompts(round_)
    ranks: dict[tuple[str, str, int], tuple[int, str, int]] = {}
    answers: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for item, release, sample, sha, pk in given.iterator(chunk_size=CHUNK):
        prompt = prompts[item]
        place, rank = (*prompt, release), (sample, sha, pk)
        if place not in ranks or rank < ranks[place]:
            ranks[place] = rank
            answers[prompt][release] = pk
    return answers


def _prompts(round_: Round) -> dict[int, tuple[str, str]]:
    items = Item.objects.filter(project_id=round_.project_id)
    values = items.values_list("pk", "external_id", "prompt_sha")
    return {pk: (key, sha) for pk, key, sha in values.iterator(chunk_size=CHUNK)}


Purpose = RoundItem.Purpose
Unknown = RoundItem.Unknown


@dataclass(frozen=True, slots=True)
class Planned:
    """An item as it would stand in the round."""

    candidate: TrialCandidate
    purpose: str
    stratum: str
    probability: float | None
    unknown: str = ""
    #: In a round of pairs, which of the pairs of its answers; the candidate has these two alone.
    pair: int = 0

    @property
    def key(self) -> str:
        return f"{self.candidate.key}\n{self.pair}" if self.pair else self.candidate.key

    @property
    def occasion(self) -> int:
        return 2 if self.purpose == Purpose.REPEAT else 1


@dataclass(frozen=True)
class Anchors:
    """How many anchors are wanted of an earlier round, and what there is."""

    round: Round
    wanted: int
    available: int
    drawn: int
    n_returning: int

    @property
    def missing(self) -> int:
        return self.wanted - self.drawn


@dataclass(frozen=True)
class Gold:
    """How many items with known grades are wanted beside the others, and what there is."""

    wanted: int
    available: int
    drawn: int

    @property
    def missing(self) -> int:
        return self.wanted - self.drawn


@dataclass(frozen=True)
class DrawPlan:
    """What would be drawn: in draw order, repeats at the end."""

    items: Sequence[Planned]
    strata: Sequence[DrawnStratum]
    n_eligible: int
    #: How many more there are of each stratum that lack answers.
    unanswered: Mapping[str, int]
    anchors: Anchors | None = None
    gold: "Gold | None" = None

    @property
    def n_repeats(self) -> int:
        return sum(one.purpose == Purpose.REPEAT for one in self.items)

    @property
    def n_responses(self) -> int:
        return sum(len(one.candidate.responses) for one in self.items)

    @property
    def n_first(self) -> int:
        return len(self.items) - self.n_repeats

    @property
    def n_questions(self) -> int:
        return len({one.candidate.item_id for one in self.items})

    @property
    def n_pairs(self) -> int:
        """Return how many pairs are compared, repeats apart; none unless the round is one of pairs."""
        return sum(one.pair > 0 for one in self.items) - self.n_repeats

    @property
    def wanted(self) -> int:
        return sum(one.wanted for one in self.strata)

    @property
    def available(self) -> int:
        return sum(one.available for one in self.strata)

    @property
    def drawn(self) -> int:
        return sum(one.drawn for one in self.strata)

    @property
    def missing(self) -> int:
        return sum(one.missing for one in self.strata)

    @property
    def recent(self) -> int:
        return sum(one.recent for one in self.strata)

    @property
    def drawn_recent(self) -> int:
        return sum(one.drawn_recent for one in self.strata)


def plan(round_: Round, wanted: Draw, now: datetime) -> DrawPlan:
    """Return what would be drawn by this design."""
    releases = list(round_.systems.order_by("release_id").values_list("release_id", flat=True))
    this_listed = list(listed(round_, releases, wanted, now))
    pool = [one for one in this_listed if one.fits] if releases else []
    sure = gold.known_pairs(round_, pool) if round_.of_pairs and wanted.gold else {}
    known, mixed_in = _gold(round_, wanted, pool, sure)
    pool = [one for one in pool if one.key not in known]
    strata = {one.key: _stratum(wanted, one) for one in pool}
    tied, sample, found = _anchors(round_, wanted, pool, strata)
    by_key = {one.key: one for one in pool}
    chance = {pick.key: pick.probability * by_key[pick.key].chance for pick in sample.picks}
    named = Unknown.NAMED if wanted.external_ids else ""
    first = [
        Planned(by_key[key], Purpose.ANCHOR, strata[key], None, Unknown.ANCHOR)
        if key in tied
        else Planned(
            by_key[key], Purpose.NORMAL, strata[key], None if named else chance[key], named
        )
        for key in [*chance, *tied]
    ]
    first += [
        Planned(one, Purpose.GOLD, _stratum(wanted, one), None, Unknown.GOLD)
        for one in known.values()
    ]
    first.sort(key=lambda one: draws.rank_key(round_.seed, one.candidate.key))
    if round_.of_pairs:
        first = _paired(round_, wanted, releases, first, sure)
    return DrawPlan(
        items=[*first, *_repeats(round_, wanted, first)],
        strata=[one for one in sample.strata if one.wanted or one.available],
        n_eligible=len(pool),
        unanswered=Counter(_stratum(wanted, one) for one in this_listed if not one.fits),
        anchors=found,
        gold=mixed_in,
    )


def _paired(
    round_: Round,
    wanted: Draw,
    releases: Sequence[int],
    questions: Sequence[Planned],
    sure: Mapping[str, Sequence[frozenset[int]]],
) -> list[Planned]:
    """Return each question once for each pair of its answers that is compared, in another order.

    The number of a pair says which two releases it is, counted in an order by lot: by what they
    answered, never by name or id. Of gold, those pairs are compared of which it is known (`sure`).
    """
    by_lot = _by_lot(round_, releases, questions)
    place_of = {release: place for place, release in enumerate(by_lot)}
    present = [{place_of[one] for one in of.candidate.responses} for of in questions]
    pairs = orders.schedule(len(by_lot))
    is_gold = [of.purpose == Purpose.GOLD for of in questions]
    drawn = [() if apart else one for one, apart in zip(present, is_gold, strict=True)]
    compared = orders.pairings(drawn, len(by_lot), wanted.pairs)
    found = []
    for of, answered, apart, chosen in zip(questions, present, is_gold, compared, strict=True):
        if apart:
            known = {frozenset(place_of[one] for one in two) for two in sure[of.candidate.key]}
            chosen = [place for place, two in enumerate(pairs) if frozenset(two) in known]
        if not chosen:  # its answers are still to be collected
            found.append(of)
        n_open = len(answered) * (len(answered) - 1) // 2
        for place in chosen:
            two = {by_lot[one]: of.candidate.responses[by_lot[one]] for one in pairs[place]}
            one_of = replace(of.candidate, responses=two)
            chance = None if of.probability is None else of.probability * len(chosen) / n_open
            found.append(replace(of, candidate=one_of, probability=chance, pair=place + 1))
    found.sort(key=lambda one: draws.rank_key(round_.seed, one.key))
    return found


def _by_lot(round_: Round, releases: Sequence[int], questions: Sequence[Planned]) -> list[int]:
    """Return the releases in an order drawn from the contents of their answers."""
    given = {pk for one in questions for pk in one.candidate.responses.values()}
    contents = anchors.contents_of(sorted(given))
    voices: dict[int, list[str]] = {one: [] for one in releases}
    for one in questions:
        for release, response in one.candidate.responses.items():
            voices[release].append(f"{one.candidate.key}\n{contents[response]}")
    return sorted(releases, key=lambda one: draws.rank_key(round_.seed, "\n".join(voices[one])))


def _gold(
    round_: Round,
    wanted: Draw,
    pool: Sequence[TrialCandidate],
    sure: Mapping[str, Sequence[frozenset[int]]],
) -> tuple[dict[str, TrialCandidate], Gold | None]:
    """Choose by lot the items whose grades are known, before anything else is drawn."""
    if not wanted.gold:
        return {}, None
    if round_.of_pairs:
        return _gold_of_pairs(round_, wanted, pool, sure)
    usable = gold.usable(round_, pool)
    count = rules.n_gold(_n_first(wanted, len(pool)), wanted.gold)
    ranked = sorted(usable, key=lambda one: draws.rank_key(round_.seed, f"gold\n{one.key}"))
    chosen = {one.key: one for one in ranked[:count]}
    return chosen, Gold(count, len(usable), len(chosen))


def _gold_of_pairs(
    round_: Round,
    wanted: Draw,
    pool: Sequence[TrialCandidate],
    sure: Mapping[str, Sequence[frozenset[int]]],
) -> tuple[dict[str, TrialCandidate], Gold]:
    """Choose items by lot until there are enough pairs of which it is known which answer is better."""
    possible = len(orders.schedule(round_.systems.count()))
    each = min(possible, wanted.pairs or possible)
    count = rules.n_gold(_n_first(wanted, len(pool)) * each, wanted.gold)
    usable = sorted(sure, key=lambda key: draws.rank_key(round_.seed, f"gold\n{key}"))
    taken: list[str] = []
    n_drawn = 0
    while n_drawn < count and len(taken) < len(usable):
        taken.append(usable[len(taken)])
        n_drawn += len(sure[taken[-1]])
    chosen = {one.key: one for one in pool if one.key in taken}
    return chosen, Gold(count, sum(map(len, sure.values())), n_drawn)


def _n_first(wanted: Draw, n_pool: int) -> int:
    """Return how many items are drawn by lot, where there are so many."""
    if wanted.how == DrawHow.QUOTAS:
        return min(n_pool, sum(wanted.goals({}).values()))
    return n_pool if wanted.n_items is None else min(n_pool, wanted.n_items)


def _stratum(wanted: Draw, of: TrialCandidate) -> str:
    return wanted.stratum(of.capability_id, of.difficulty, of.domain_id)


def _sample(
    round_: Round, wanted: Draw, pool: Sequence[TrialCandidate], strata: Mapping[str, str]
) -> draws.DrawnSample:
    available = Counter(strata[one.key] for one in pool)
    return draws.draw(
        [draws.DrawUnit(one.key, strata[one.key], one.priority, one.recent) for one in pool],
        wanted.goals(available),
        seed=round_.seed,
        preference=Preference(wanted.preference),
        make_up=wanted.make_up,
    )


def _anchors(
    round_: Round, wanted: Draw, pool: Sequence[TrialCandidate], strata: Mapping[str, str]
) -> tuple[Sequence[str], draws.DrawnSample, Anchors | None]:
    """Choose the items that tie this round to an earlier one: most unchanged pairs first, then by lot.

    What is drawn beside them comes with them: they are never more than that.
    """
    tie = wanted.anchors_from
    before = None if tie is None else anchors.earlier(round_).filter(number=tie).first()
    if before is None:
        return [], _sample(round_, wanted, pool, strata), None
    pairs = anchors.unchanged(before, pool)
    count = _n_anchors(wanted, len(pool))
    ranked = sorted(
        pairs, key=lambda key: (-pairs[key], draws.rank_key(round_.seed, f"anchor\n{key}"))
    )

    def beside(n: int) -> draws.DrawnSample:
        tied = set(ranked[:n])
        fresh = [one for one in pool if one.key not in tied]
        return _sample(round_, wanted, fresh, strata)

    n_tied = min(count, len(ranked))
    sample = beside(n_tied)
    if n_tied > len(sample.picks):  # they take from the lot what it lacks
        count = n_tied = bisect_left(
            range(1, n_tied + 1), True, key=lambda n: n > len(beside(n).picks)
        )
        sample = beside(n_tied)
    returning = anchors.n_returning(round_, before)
    return ranked[:n_tied], sample, Anchors(before, count, len(pairs), n_tied, returning)


def _n_anchors(wanted: Draw, n_pool: int) -> int:
    """Return how many anchors go with the draw: they come on top of a number, and out of all."""
    if wanted.how == DrawHow.QUOTAS:
        return draws.n_anchors(sum(wanted.goals({}).values()))
    if wanted.n_items is None:
        return draws.n_anchors(n_pool, of_all=True)
    return draws.n_anchors(wanted.n_items)


def _repeats(round_: Round, wanted: Draw, first: Sequence[Planned]) -> list[Planned]:
    """Choose by lot what the same people grade once more, of what was drawn afresh."""
    count = rules.n_repeats(len(first), wanted.repeats)
    fresh = [one for one in first if one.purpose == Purpose.NORMAL]
    ranked = sorted(fresh, key=lambda one: draws.rank_key(round_.seed, f"repeat\n{one.key}"))
    return [
        Planned(one.candidate, Purpose.REPEAT, one.stratum, None, Unknown.REPEAT, one.pair)
        for one in ranked[:count]
    ]


@dataclass(frozen=True)
class StratumRow:
    """A stratum; `unanswered` could be drawn if their answers were collected."""

    stratum: DrawnStratum
    names: tuple[str, ...]
    quota: str
    unanswered: int

    @property
    def html_id(self) -> str:
        return "quota-" + self.stratum.name.replace("|", "-")

    @property
    def label(self) -> str:
        return " · ".join(self.names)


@dataclass(frozen=True)
class DrawTable:
    """What would be drawn, by stratum; `dimensions` are the heads of its first columns."""

    dimensions: tuple[str, ...]
    rows: tuple[StratumRow, ...]
    plan: DrawPlan
    n_unanswered: int

    @property
    def short(self) -> list[StratumRow]:
        return [row for row in self.rows if row.stratum.missing]


def draw_table(round_: Round, wanted: Draw, plan: DrawPlan) -> DrawTable:
    """Return the table of what a draft would draw."""
    names = _known(round_)
    heads = {
        "capability": _("Capability"),
        "difficulty": _("Difficulty"),
        "domain": _("Subject area"),
    }
    known = {one.name for one in plan.strata}
    strata = [
        *plan.strata,
        *(DrawnStratum(name, 0, 0, 0, 0) for name in plan.unanswered if name not in known),
    ]
    rows = [
        StratumRow(
            stratum=one,
            names=_names(wanted.parts(one.name), names),
            quota=_number(wanted.quotas.get(one.name)),
            unanswered=plan.unanswered.get(one.name, 0),
        )
        for one in strata
    ]
    order = {name: place for place, name in enumerate(Difficulty.values)}
    rows.sort(key=lambda row: _place(wanted.parts(row.stratum.name), names, order))
    dimensions = wanted.parts("||") if wanted.is_stratified else {}
    return DrawTable(
        dimensions=tuple(heads[one] for one in dimensions),
        rows=tuple(rows),
        plan=plan,
        n_unanswered=sum(plan.unanswered.values()),
    )


def frozen(round_: Round) -> list[StratumRow]:
    """Return the strata of a round as they were when it was prepared."""
    kept = (round_.draw.get("prepared") or {}).get("strata", [])
    wanted, names = Draw.from_json(round_.draw), _known(round_)
    return [
        StratumRow(DrawnStratum(**one), _names(wanted.parts(one["name"]), names), "", 0)
        for one in kept
        if wanted.is_stratified
    ]


def _known(round_: Round) -> dict[str, dict[int, str]]:
    """Return the names of the project's capabilities and subject areas."""
    return {
        "capability": dict(
            Capability.objects.filter(project=round_.project_id).values_list("pk", "name")
        ),
        "domain": dict(Domain.objects.filter(project=round_.project_id).values_list("pk", "name")),
    }


def _names(parts: Mapping[str, str], names: Mapping[str, Mapping[int, str]]) -> tuple[str, ...]:
    shown = []
    for dimension, value in parts.items():
        if not value:
            shown.append(_("none"))
        elif dimension == "difficulty":
            shown.append(str(dict(Difficulty.choices).get(value, value)))
        else:
            shown.append(names[dimension].get(_key(value), value))
    return tuple(shown)


def _key(value: str) -> int:
    return int(value) if value.isdecimal() else -1


def _place(
    parts: Mapping[str, str],
    names: Mapping[str, Mapping[int, str]],
    order: Mapping[str, int],
) -> list[tuple[int, str]]:
    return [
        (order.get(value, 9), "")
        if dimension == "difficulty"
        else (0 if value else 1, names[dimension].get(_key(value), value).lower())
        for dimension, value in parts.items()
    ]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
