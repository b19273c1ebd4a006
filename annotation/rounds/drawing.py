"""Prepare a draft: draw its items by lot, pick the responses, look for names in them.

* Decide what annotators see where a response names its system.
"""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import QuerySet
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from annotation.common import beats, identity
from annotation.common import draws as sampling
from annotation.common import texts as faces
from annotation.common.pace import Batches
from annotation.people import audit
from annotation.people import queries as settings
from annotation.people.models import Project, SettingsVersion, User
from annotation.people.rules import Masks, Section
from annotation.rounds import drafting, draws
from annotation.rounds import rules as openings
from annotation.rounds.draws import DrawPlan, Planned
from annotation.rounds.models import IdentityHit, Round, RoundItem, RoundResponse
from annotation.rounds.rules import Draw
from annotation.systems.models import Item, SystemRelease
from evalsite import errors, queue

#: A preparation that was asked for begins within this time; a worker that says nothing for the other is gone.
BEGINS = timedelta(seconds=30)
QUIET = timedelta(seconds=60)
#: Where there are more items in a project, preparing may take long.
MANY = 2_000


Decision = IdentityHit.Decision


class NothingToDraw(drafting.DesignInvalid):
    code = "nothing_to_draw"


class PatternTooSlow(drafting.DesignInvalid):
    code = "pattern_too_slow"


def request_preparing(*, round_: Round, by: User, now: datetime) -> None:
    """Have a draft prepared in the background.

    Raises:
        NotADraft: the round is open.
    """
    with transaction.atomic():
        _begin(round_, now, n_items=None)
        audit.done(round_, "round.preparing", by, now)
        ring(round_.pk)


def ring(round_id: int) -> None:
    """Ring for a worker; where there is much to draw from, it takes turns with other long work."""
    project_id = Round.objects.values_list("project_id", flat=True).get(pk=round_id)
    n_items = Item.objects.filter(project_id=project_id).count()
    queue.enqueue(
        "annotation.jobs.prepare_round",
        queue=queue.for_amount(n_items, many=MANY),
        key=f"prepare-{round_id}",
        turn=f"project-{project_id}",
        round_id=round_id,
    )


def sweep(now: datetime) -> None:
    """Ring again for preparations that were asked for and did not begin, or whose worker is gone."""
    waiting = Round.objects.filter(state=Round.State.DRAFT, draw__has_key="preparing")
    for pk, draw in waiting.values_list("pk", "draw"):
        if not _is_at_work(draw["preparing"], now, BEGINS):
            ring(pk)


def _is_at_work(preparing: Mapping[str, Any], now: datetime, begins: timedelta) -> bool:
    """Say whether a worker said a short time ago that it prepares this; before one does, `begins` holds."""
    said = parse_datetime(str(preparing.get("at"))) or now
    return said >= now - (QUIET if preparing.get("tries") else begins)


def _beat(round_: Round, now: datetime) -> None:
    """Say that this preparation is still at work, unless another one took its place."""
    begun = round_.draw.get("preparing", {}).get("begun")
    with transaction.atomic():
        locked = Round.objects.select_for_update().get(pk=round_.pk)
        if begun and locked.draw.get("preparing", {}).get("begun") == begun:
            locked.draw["preparing"]["at"] = now.isoformat()
            locked.save(update_fields=["draw"])


def prepare_waiting(*, round_: Round, clock: Callable[[], datetime]) -> None:
    """Prepare a draft that was asked for, in a worker; one that cannot be prepared says why.

    Nothing is done while another worker is at it.
    """
    now, preparing = clock(), round_.draw.get("preparing", {})
    tries = preparing.get("tries", 0)
    if tries and _is_at_work(preparing, now, QUIET):
        return
    try:
        if tries >= beats.TRIES:
            said = _("The worker ended three times while it prepared this round. Its log says why.")
            raise errors.Conflict(said)
        with beats.beating(lambda: _beat(round_, clock())):
            prepare(round_=round_, now=now, tries=tries + 1)
    except drafting.NotADraft:  # it was changed, or opened, meanwhile
        return
    except errors.Refusal as refusal:
        with transaction.atomic(), contextlib.suppress(drafting.NotADraft):
            drafting.touch(round_)
            round_.draw["stopped"] = refusal.message
            round_.save(update_fields=["draw"])


def prepare(*, round_: Round, now: datetime, tries: int = 1) -> dict[str, int]:
    """Draw the items of a draft and scan their responses; return what came of it.

    Written in short transactions under the draft; running it again starts afresh, and a run that
    is still at work then stops.

    Raises:
        NotADraft: the round is open, or the draft was changed meanwhile.
        NothingToDraw: no item fits.
    """
    with transaction.atomic():
        _begin(round_, now, n_items=None, tries=tries)
    try:
        plan = _chosen(round_, now)
    except NothingToDraw:
        drafting.touch(round_)
        raise
    with transaction.atomic():
        _hold(round_)
        round_.draw["preparing"]["items"] = len(plan.items)
        round_.save(update_fields=["draw"])
    _forget(round_)
    _write_items(round_, plan.items)
    try:
        n_hits = scan(round_)
    except PatternTooSlow:
        drafting.touch(round_)
        raise
    published = Draw.from_json(round_.draw).published  # of these a release has what it has
    on_each = 2 if round_.of_pairs else round_.systems.count()
    n_wanted = plan.n_responses if published else on_each * len(plan.items)
    counts = {
        "items": len(plan.items),
        **({"questions": plan.n_questions} if round_.of_pairs else {}),
        "eligible": plan.n_eligible,
        "responses": plan.n_responses,
        "missing": n_wanted - plan.n_responses,
        "hits": n_hits,
        "scripted": _n_scripted(round_),
    }
    _finish(round_, counts, _sample(plan), now)
    return counts


def _n_scripted(round_: Round) -> int:
    """Return how many responses were written by a script: what is graded of them measures nothing."""
    rows = RoundResponse.objects.filter(round_item__round=round_, response__details__scripted=True)
    return rows.count()


def _chosen(round_: Round, now: datetime) -> DrawPlan:
    if not round_.systems.exists():
        raise NothingToDraw(_("Choose the releases to compare first."))
    if round_.of_pairs and round_.systems.count() < 2:
        raise NothingToDraw(_("Pairs need two releases. Choose one more to compare."))
    plan = draws.plan(round_, Draw.from_json(round_.draw), now)
    if not plan.items:
        raise NothingToDraw(
            _(
                "No item fits this draw. Import answers of these releases, or allow items that "
                "not every release has answered."
            )
        )
    return plan


def _sample(plan: DrawPlan) -> dict[str, Any]:
    """Return what is kept of how the draw went: by stratum, and what was drawn beside it."""
    kept: dict[str, Any] = {
        "algorithm": sampling.ALGORITHM,
        "strata": [asdict(one) for one in plan.strata],
        "by_lot": plan.drawn,
        "repeats": plan.n_repeats,
        "banked": draws.n_banked([one.candidate.item_id for one in plan.items]),
    }
    if mixed_in := plan.gold:
        kept["gold"] = asdict(mixed_in)
    if found := plan.anchors:
        kept["anchors"] = {
            "from": found.round.number,
            "wanted": found.wanted,
            "available": found.available,
            "drawn": found.drawn,
        }
    return kept


def _begin(round_: Round, now: datetime, n_items: int | None, tries: int = 0) -> None:
    drafting.touch(round_)
    begun = {"begun": now.isoformat(), "at": now.isoformat(), "items": n_items, "tries": tries}
    round_.draw = {**round_.draw, "preparing": begun}
    round_.save(update_fields=["draw"])


def _hold(round_: Round) -> None:
    """Lock the draft for this transaction.

    Raises:
        NotADraft: it is no longer what it was when this preparation began.
    """
    locked = Round.objects.select_for_update().get(pk=round_.pk)
    same_draw = _without_beats(locked.draw) == _without_beats(round_.draw)
    unchanged = same_draw and locked.n_seats == round_.n_seats
    if locked.state != Round.State.DRAFT or locked.opening_at is not None or not unchanged:
        raise drafting.NotADraft(
            _("The draft was changed while it was being prepared. Prepare it once more.")
        )
    round_.draw = locked.draw  # with the last beat


def _without_beats(draw: Mapping[str, Any]) -> dict[str, Any]:
    return {**draw, "preparing": {**draw.get("preparing", {}), "at": ""}}


@transaction.atomic
def _finish(round_: Round, counts: dict[str, int], sample: dict[str, Any], now: datetime) -> None:
    _hold(round_)
    wishes = {key: value for key, value in round_.draw.items() if key != "preparing"}
    # Names are looked for in calls of tools too; drafts that were prepared before know nothing of it.
    made = {**counts, **sample, "at": now.isoformat(), "calls": True}
    round_.draw = {**wishes, "prepared": made}
    round_.save(update_fields=["draw"])
    round_.refresh_from_db()
    audit.done(round_, "round.prepared", None, now, counts=counts)


def _forget(round_: Round) -> None:
    """Take back an earlier draw, a batch at a time; decisions on names are kept."""
    pace = Batches(start=200)
    while True:
        pks = list(RoundItem.objects.filter(round=round_).values_list("pk", flat=True)[: pace.size])
        if not pks:
            return
        RoundResponse.objects.filter(round_item__in=pks).delete()
        RoundItem.objects.filter(pk__in=pks).delete()


def _write_items(round_: Round, planned: Sequence[Planned]) -> None:
    rubrics = {row.capability_id: row.rubric_version_id for row in round_.rubrics.all()}
    rest = rubrics.get(None)
    for batch in Batches(start=100, breath=0.3).batches(enumerate(planned)):
        with transaction.atomic():
            _hold(round_)
            items = RoundItem.objects.bulk_create(
                RoundItem(
                    round=round_,
                    item_id=one.candidate.item_id,
                    ordinal=ordinal,
                    pair=one.pair,
                    occasion=one.occasion,
                    purpose=one.purpose,
                    stratum=one.stratum,
                    inclusion_probability=one.probability,
                    chance_unknown=one.unknown,
                    n_seats=round_.n_seats,
                    rubric_version_id=rubrics.get(one.candidate.capability_id, rest),
                )
                for ordinal, one in batch
            )
            RoundResponse.objects.bulk_create(
                RoundResponse(round_item=made, release_id=release, response_id=response)
                for made, (_ordinal, one) in zip(items, batch, strict=True)
                for release, response in one.candidate.responses.items()
            )


def lexicon(round_: Round) -> identity.Lexicon:
    """Return the names by which the systems of the round could give themselves away."""
    terms: set[str] = set()
    releases = SystemRelease.objects.filter(
        pk__in=round_.systems.values("release_id")
    ).select_related("system")
    for release in releases:
        terms.update([release.system.name, *release.system.aliases])
        if len(release.label) > 3:
            terms.add(release.label)
    masks = settings.masks_of(round_.project)
    return masks.lexicon(sorted(term for term in terms if term.strip()))


def scan(round_: Round) -> int:
    """Look for names, and openings of one system alone, in all responses; return how many were found.

    What the project has approved to be masked is masked from the start.

    Raises:
        PatternTooSlow: a pattern of the project's own takes too long on a response.
    """
    words = lexicon(round_)
    approval = _approval(round_.project)
    found: set[tuple[int, int, int]] = set()
    heads: defaultdict[int, dict[int, str]] = defaultdict(dict)
    seen: set[int] = set()  # in a round of pairs, an answer stands in several
    for rows in _pages(RoundResponse.objects.filter(round_item__round=round_)):
        page = list({one.response: one for one in rows if one.response not in seen}.values())
        seen.update(one.response for one in page)
        try:
            hits = list(_hits(round_, words, page, approval, heads))
        except identity.UnusablePattern as problem:
            raise PatternTooSlow(
                _("%(problem)s Mend it under Settings, Masks, and prepare the draft again.")
                % {"problem": problem}
            ) from problem
        found.update((hit.response_id, hit.start, hit.end) for hit in hits)
        IdentityHit.objects.bulk_create(hits, ignore_conflicts=True)
    for hits in Batches(start=500).batches(_openings(round_, heads)):
        found.update((hit.response_id, hit.start, hit.end) for hit in hits)
        IdentityHit.objects.bulk_create(hits, ignore_conflicts=True)
    stale = [
        pk
        for pk, response, start, end in round_.identity_hits.values_list(
            "pk", "response_id", "start", "end"
        )
        if (response, start, end) not in found
    ]
    for batch_of in Batches(start=500).batches(stale):
        IdentityHit.objects.filter(pk__in=batch_of).delete()
    return len(found)


def _pages(rows: QuerySet[RoundResponse], size: int = 1000) -> Iterator[list["_ResponseMessages"]]:
    """Yield responses in pages read to the end: no cursor stays open while we write.

    (On SQLite a write from within an open read fails at once if somebody else has written since.)
    """
    last = 0
    while page := list(
        rows.filter(pk__gt=last)
        .order_by("pk")
        .values_list("pk", "response_id", "release_id", "response__messages")[:size]
    ):
        last = page[-1][0]
        yield [_ResponseMessages(*said) for _pk, *said in page]


class _ResponseMessages(NamedTuple):
    response: int
    release: int
    messages: list[dict[str, object]]


def _hits(
    round_: Round,
    words: identity.Lexicon,
    rows: Iterable[_ResponseMessages],
    approval: SettingsVersion | None,
    heads: dict[int, dict[int, str]],
) -> Iterator[IdentityHit]:
    """Yield the names in some responses, and keep the beginning of each."""
    masks = Masks.read(approval.body) if approval else Masks()
    for response_id, release, messages in rows:
        text = faces.conversation(messages)
        heads[release][response_id] = text[: openings.HEAD]
        for hit in identity.scan(text, words):
            at_once = masks.masks_at_once(hit.kind)
            yield IdentityHit(
                round=round_,
                response_id=response_id,
                term=hit.term[:200],
                kind=str(hit.kind)[:20],
                start=hit.start,
                end=hit.end,
                excerpt=text[max(0, hit.start - 60) : hit.end + 60][:300],
                decision=Decision.MASK if at_once else Decision.UNDECIDED,
                decided_by_id=approval.by_id if approval and at_once else None,
                decided_at=approval.at if approval and at_once else None,
            )


def _openings(round_: Round, heads: Mapping[int, Mapping[int, str]]) -> Iterator[IdentityHit]:
    """Yield a place for each response that begins as only its system's do."""
    found = openings.shared({release: list(of.values()) for release, of in heads.items()})
    for release, opening in found.items():
        for response_id, head in heads[release].items():
            if head.startswith(opening):
                yield IdentityHit(
                    round=round_,
                    response_id=response_id,
                    term=" ".join(opening.split())[:200],
                    kind=identity.HitKind.OPENING,
                    start=0,
                    end=len(opening),
                    excerpt=head,
                )


def _approval(project: Project) -> SettingsVersion | None:
    """Return the masks that hold, if their places are masked from the start."""
    held = settings.newest(project, Section.MASKS)
    return held if held is not None and Masks.read(held.body).approved else None


@transaction.atomic
def decide(
    *,
    round_: Round,
    terms: Sequence[str] | None = None,
    hits: Sequence[int] | None = None,
    undecided_only: bool = False,
    decision: IdentityHit.Decision,
    by: User,
    now: datetime,
) -> int:
    """Mask these places for the annotators, or leave them as they are; return how many.

    Args:
        terms: all places of these terms.
        hits: these places only.
        undecided_only: leave what was decided before as it is.

    Raises:
        NotADraft: the round is open, and what annotators see is frozen.
    """
    locked = Round.objects.select_for_update().get(pk=round_.pk)
    if locked.state != Round.State.DRAFT or locked.opening_at is not None:
        raise drafting.NotADraft(
            _("This round has been opened; what its annotators see is frozen.")
        )
    chosen = round_.identity_hits.all()
    if terms is not None:
        chosen = chosen.filter(term__in=terms)
    if hits is not None:
        chosen = chosen.filter(pk__in=hits)
    if undecided_only:
        chosen = chosen.filter(decision=IdentityHit.Decision.UNDECIDED)
    decided = chosen.update(decision=decision, decided_by=by, decided_at=now)
    audit.done(round_, "round.identity_decided", by, now, decision=str(decision), n=decided)
    return decided
