"""Open a round: freeze what is shown, deal the orders, set out the seats.

* Prepare or open a draft at once where that is quick, else have a worker do it.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max, OuterRef, Subquery
from django.utils.translation import gettext as _

from annotation.common import draws as seeds
from annotation.common import identity, texts, traces
from annotation.common.pace import Batches
from annotation.people import audit
from annotation.people.models import User
from annotation.rounds import drafting, drawing, manifests, orders, readiness
from annotation.rounds import draws as draw_plans
from annotation.rounds.models import (
    Assignment,
    IdentityHit,
    Manifest,
    Round,
    RoundItem,
    RoundResponse,
    RoundSystem,
    Slot,
)
from annotation.rounds.rules import Draw
from annotation.rubrics.models import RubricVersion
from annotation.rubrics.queries import CriterionFace, MarkFace, criterion_face
from annotation.systems.models import Display, Response
from annotation.systems.queries import face
from evalsite import errors, queue
from evalsite.text import markdown

PAGE = 400
RENDERER = "md-1"
UNIFORM_RENDERER = "md-1-uniform"
#: After the name of a renderer: of responses of several messages, or with calls of tools.
OF_TRACES = "-talk"
#: An opening that has not finished after so long has died; it may be taken up again.
STALE = timedelta(minutes=10)
PATIENCE = timedelta(seconds=30)
#: A round of more items takes long to open.
MANY = 500


class RoundNotReady(errors.Conflict):
    code = "not_ready"


class OpeningUnderWay(errors.Conflict): ...


class _OpeningOvertaken(Exception):
    """Another worker opens the same round and is further on."""


@transaction.atomic
def request_opening(*, round_: Round, by: User, now: datetime, in_background: bool = False) -> None:
    """Freeze the draft so that it can be opened; `open_round` does the work.

    Args:
        in_background: a worker is told to do it.

    Raises:
        RoundNotReady: something is missing; the message names it.
        OpeningUnderWay: it is being opened already.
    """
    locked = Round.objects.select_for_update().get(pk=round_.pk)
    if locked.state != Round.State.DRAFT:
        raise drafting.NotADraft(_("This round is open already."))
    if locked.opening_at is not None and locked.opening_at > now - STALE:
        raise OpeningUnderWay(_("This round is being opened. Wait until it is done."))
    if locked.deadline is not None and locked.deadline <= now:
        raise RoundNotReady(_("The closing time of this round has passed. Choose a later one."))
    _freeze_rubrics(locked, now)  # before their marks are looked at
    missing = [need.text for need in readiness.needs(locked) if not need.met]
    if missing:
        raise RoundNotReady(_("The round cannot be opened yet. Missing: ") + " ".join(missing))
    Round.objects.filter(pk=locked.pk).update(opening_at=now)
    round_.refresh_from_db()
    audit.done(round_, "round.opening", by, now)
    if in_background:
        ring(round_.pk)


def ring(round_id: int) -> None:
    """Ring for a worker; a large round takes turns with other long work."""
    round_ = Round.objects.get(pk=round_id)
    queue.enqueue(
        "annotation.jobs.open_round",
        queue=queue.for_amount(round_.items.count(), many=MANY),
        key=f"open-{round_id}",
        turn=f"project-{round_.project_id}",
        round_id=round_id,
    )


def sweep(now: datetime) -> None:
    """Ring again for openings that were asked for and are not done."""
    waiting = Round.objects.filter(state=Round.State.DRAFT, opening_at__lt=now - PATIENCE)
    for pk in waiting.values_list("pk", flat=True):
        ring(pk)


def open_round(*, round_: Round, now: datetime) -> bool:
    """Carry out an opening that was requested; running it again takes it up where it stopped.

    Returns:
        Whether this call opened the round (False: it was open, or somebody else is opening it).
    """
    round_.refresh_from_db()
    if round_.state != Round.State.DRAFT or round_.opening_at is None:
        return False
    _show_items(round_)
    _show_responses(round_)
    _seat_releases(round_)
    try:
        _deal_seats(round_)
    except _OpeningOvertaken:
        return False
    entries = manifests.body(round_, _renderer(round_))
    return _reveal(round_, now, manifest(round_, entries), entries)


def _show_items(round_: Round) -> None:
    """Write the face of every item: rendered once, so that serving it costs nothing."""
    waiting = RoundItem.objects.filter(round=round_, face={}).select_related("item__capability")
    pace = Batches(start=20)
    last = -1
    while page := list(waiting.filter(ordinal__gt=last).order_by("ordinal")[:PAGE]):
        last = page[-1].ordinal
        for batch in pace.batches(page):
            for one in batch:
                one.face = face(one)
            RoundItem.objects.bulk_update(batch, ["face"])


def _show_responses(round_: Round) -> None:
    """Make or find the display of every response of the round."""
    masks = _masks(round_)
    renderer = _renderer(round_)
    waiting = (
        RoundResponse.objects.filter(round_item__round=round_, display__isnull=True)
        .select_related("response")
        .order_by("pk")
    )
    pace = Batches(start=40)
    last = 0
    while page := list(waiting.filter(pk__gt=last)[:PAGE]):
        last = page[-1].pk
        for batch in pace.batches(page):
            _show_batch(batch, masks, renderer)


def _masks(round_: Round) -> dict[int, list[tuple[int, int]]]:
    spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
    rows = round_.identity_hits.filter(decision=IdentityHit.Decision.MASK)
    for response_id, start, end in rows.values_list("response_id", "start", "end"):
        spans[response_id].append((start, end))
    return spans


def _show_batch(
    batch: list[RoundResponse], masks: dict[int, list[tuple[int, int]]], renderer: str
) -> None:
    keys = {
        row.response_id: (
            _mask_set(sorted(masks.get(row.response_id, []))),
            _renderer_of(row.response, renderer),
        )
        for row in batch
    }
    found = {
        (response, (mask_set, made_by))
        for response, mask_set, made_by in Display.objects.filter(response_id__in=keys).values_list(
            "response_id", "mask_set", "renderer"
        )
    }
    fresh = [
        shown(row.response, sorted(masks.get(row.response_id, [])), renderer)
        for row in batch
        if (row.response_id, keys[row.response_id]) not in found
    ]
    pks: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in batch:
        pks[keys[row.response_id]].append(row.pk)
    with transaction.atomic():
        Display.objects.bulk_create(fresh, ignore_conflicts=True)
        for (mask_set, made_by), rows in pks.items():
            made = Display.objects.filter(
                response=OuterRef("response"), renderer=made_by, mask_set=mask_set
            )
            RoundResponse.objects.filter(pk__in=rows).update(
                display=Subquery(made.values("pk")[:1])
            )


def _mask_set(spans: list[tuple[int, int]]) -> str:
    return hashlib.sha256(texts.canonical(spans)).hexdigest() if spans else ""


def shown(response: Response, spans: list[tuple[int, int]], renderer: str) -> Display:
    """Return the display of a response: normalised, masked, rendered."""
    text = identity.mask(texts.conversation(response.messages), spans)
    uniform = renderer == UNIFORM_RENDERER
    if uniform:
        text = texts.uniform(text)
    if texts.is_empty(text):
        html = ""
    elif traces.is_trace(response.messages):
        html = traces.html(response.messages, spans, uniform=uniform)
    else:
        html = markdown.render(text)
    return Display(
        response=response,
        renderer=_renderer_of(response, renderer),
        mask_set=_mask_set(spans),
        text=text,
        html=html,
    )


@dataclass(frozen=True)
class SeenResponse:
    letter: str
    html: str
    masked: bool
    marks: list[MarkFace]


@dataclass(frozen=True)
class Seen:
    """An item as its annotators will see it: plain values, the responses in an order that stands for any."""

    face: Mapping[str, Any]
    principle: str
    criteria: list[CriterionFace]
    responses: list[SeenResponse]
    #: In a round of pairs, where it is said which of two is better; the responses have no marks then.
    choices: list[MarkFace] = field(default_factory=list)


def seen(of: RoundItem, responses: Sequence[Response]) -> Seen:
    """Return how an item of a draft would be shown with these responses, names that are masked covered."""
    round_, version, face_ = of.round, of.rubric_version, of.face or face(of)
    masks = readiness.masks_of(of) if of.pk else {}
    rows = version.criteria.prefetch_related("levels") if version else ()
    criteria = [criterion_face(one) for one in rows]
    own = markdown.render(version.principle) if version and version.principle else ""
    made = []
    order = sorted(responses, key=lambda one: seeds.rank_key(round_.seed, one.content_sha))
    for place, one in enumerate(order):
        letter = texts.letter(place % len(texts.LETTERS))
        html = shown(one, masks.get(one.pk, []), _renderer(round_)).html
        marks = [
            MarkFace(criterion, f"{letter}.{criterion.key}")
            for criterion in criteria
            if not criterion.by_choice
        ]
        made.append(SeenResponse(letter, html, one.pk in masks, marks))
    first = texts.letter(0)
    choices = [MarkFace(one, f"{first}.{one.key}") for one in criteria if one.by_choice]
    return Seen(face_, face_.get("principle") or own, criteria, made, choices)


def _renderer_of(response: Response, renderer: str) -> str:
    """Return by what a response is made page text; what several messages were before stays as it was."""
    return f"{renderer}{OF_TRACES}" if traces.is_trace(response.messages) else renderer


def _seat_releases(round_: Round) -> None:
    """Give every release its place in the squares by lot: by what it said, never by name or id."""
    seats = list(round_.systems.all())
    if all(seat.ordinal is not None for seat in seats):
        return
    ranked = sorted(
        seats, key=lambda seat: seeds.rank_key(round_.seed, _voice(round_, seat.release_id))
    )
    for ordinal, seat in enumerate(ranked):
        seat.ordinal = ordinal
    RoundSystem.objects.bulk_update(ranked, ["ordinal"])


def _voice(round_: Round, release_id: int) -> str:
    digest = hashlib.sha256()
    rows = (
        RoundResponse.objects.filter(round_item__round=round_, release_id=release_id)
        .order_by("round_item__ordinal")
        .values_list("round_item__ordinal", "display__text")
    )
    for ordinal, text in rows.iterator(chunk_size=2000):
        digest.update(texts.canonical([ordinal, text]))
    return digest.hexdigest()


def _deal_seats(round_: Round) -> None:
    """Set out every seat with its slots in the order dealt to it."""
    plan = _plan(round_)
    dealt = orders.deal([sorted(seat["responses"]) for seat in plan], seed=round_.seed)
    done = Assignment.objects.filter(round=round_).aggregate(top=Max("ordinal"))["top"]
    waiting = list(zip(plan, dealt, strict=True))[0 if done is None else done + 1 :]
    for batch in Batches(start=100, breath=0.3).batches(waiting):
        seats = [
            Assignment(
                round=round_,
                round_item_id=seat["item"],
                seat=seat["seat"],
                ordinal=seat["ordinal"],
                order_version=deal.version,
                order_row=deal.row,
            )
            for seat, deal in batch
        ]
        with transaction.atomic():
            _check_turn(round_, seats[0].ordinal)
            made = Assignment.objects.bulk_create(seats)
            Slot.objects.bulk_create(_slots(made, batch))


def _check_turn(round_: Round, ordinal: int) -> None:
    """See to it that this seat is the next one; two workers who open a round do not mix."""
    Round.objects.select_for_update().get(pk=round_.pk)
    top = Assignment.objects.filter(round=round_).aggregate(top=Max("ordinal"))["top"]
    if ordinal != (0 if top is None else top + 1):
        raise _OpeningOvertaken


def _slots(
    made: list[Assignment], batch: list[tuple[dict[str, Any], orders.Deal]]
) -> Iterator[Slot]:
    for assignment, (seat, deal) in zip(made, batch, strict=True):
        for position, release in enumerate(deal.order):
            yield Slot(
                assignment=assignment,
                position=position,
                round_response_id=seat["responses"][release],
            )


def _plan(round_: Round) -> list[dict[str, Any]]:
    """Return every seat in draw order with its responses by the release's seeded ordinal."""
    places = {row.release_id: row.ordinal for row in round_.systems.all()}
    responses: dict[int, dict[int, int]] = defaultdict(dict)
    rows = RoundResponse.objects.filter(round_item__round=round_)
    for pk, item, release in rows.values_list("pk", "round_item_id", "release_id"):
        responses[item][places[release] or 0] = pk
    plan: list[dict[str, Any]] = []
    for item, n_seats in round_.items.order_by("ordinal").values_list("pk", "n_seats"):
        for seat in range(1, n_seats + 1):
            plan.append(
                {"item": item, "seat": seat, "ordinal": len(plan), "responses": responses[item]}
            )
    return plan


@transaction.atomic
def _reveal(round_: Round, now: datetime, frozen: dict[str, Any], entries: dict[str, Any]) -> bool:
    """Make it open: the one update that everybody sees."""
    opened = Round.objects.filter(
        pk=round_.pk, state=Round.State.DRAFT, opening_at__isnull=False
    ).update(state=Round.State.OPEN, opened_at=now, opening_at=None, manifest=frozen)
    if opened:
        Manifest.objects.update_or_create(
            round=round_,
            defaults={"body": entries, "sha": frozen["entries_sha"], "at": now},
        )
        _freeze_rubrics(round_, now)
        round_.refresh_from_db()
        audit.done(round_, "round.opened", None, now, manifest=round_.manifest["sha"])
    return bool(opened)


def _freeze_rubrics(round_: Round, now: datetime) -> None:
    RubricVersion.objects.filter(
        pk__in=round_.items.values("rubric_version_id"), frozen_at__isnull=True
    ).update(frozen_at=now)


def _renderer(round_: Round) -> str:
    return UNIFORM_RENDERER if round_.uniform_rendering else RENDERER


def manifest(round_: Round, entries: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return what was frozen, with hashes, so that it can be proved later.

    Args:
        entries: the same entry by entry, if it is at hand.
    """
    if entries is None:
        entries = manifests.body(round_, _renderer(round_))
    items = hashlib.sha256()
    rows = round_.items.order_by("ordinal").values_list(
        "ordinal", "item__external_id", "item__content_sha"
    )
    for row in rows:
        items.update(texts.canonical(row))
    responses = hashlib.sha256()
    answers = (
        RoundResponse.objects.filter(round_item__round=round_)
        .order_by("round_item__ordinal", "response__content_sha")
        .values_list("round_item__ordinal", "response__content_sha", "display__mask_set")
    )
    for row in answers.iterator(chunk_size=5000):
        responses.update(texts.canonical(row))
    kept = round_.identity_hits.filter(decision=IdentityHit.Decision.KEEP)
    body: dict[str, Any] = {
        "seed": round_.seed,
        "order_algorithm": orders.ALGORITHM,
        "renderer": _renderer(round_),
        "draw": round_.draw,
        "n_seats": round_.n_seats,
        "seats_override": round_.seats_override,
        "items_sha": items.hexdigest(),
        "responses_sha": responses.hexdigest(),
        "entries_sha": manifests.digest(entries),
        "rubrics": sorted(
            round_.rubrics.values_list("rubric_version__rubric__key", "rubric_version__number")
        ),
        "names_left_visible": sorted(set(kept.values_list("term", flat=True))),
    }
    return {**body, "sha": hashlib.sha256(texts.canonical(body)).hexdigest()}


#: What a request carries out by itself; more is left to a worker.
MOST_RESPONSES = 2_000
MOST_SEATS = 500


def prepare(*, round_: Round, by: User, now: datetime) -> dict[str, int] | None:
    """Prepare a draft; return what came of it, or None where a worker does it.

    Raises:
        NotADraft: the round is open, or the draft was changed meanwhile.
        NothingToDraw: no item fits.
    """
    wanted = Draw.from_json(round_.draw)
    if draw_plans.plan(round_, wanted, now).n_responses > MOST_RESPONSES:
        drawing.request_preparing(round_=round_, by=by, now=now)
        return None
    return drawing.prepare(round_=round_, now=now)


def open_(*, round_: Round, by: User, now: datetime) -> bool:
    """Open a draft; return whether it is open now (False: a worker opens it).

    Raises:
        RoundNotReady: something is missing; the message names it.
        NotADraft, OpeningUnderWay: it is open, or is being opened.
    """
    large = readiness.cost(round_).n_seats > MOST_SEATS
    request_opening(round_=round_, by=by, now=now, in_background=large)
    return not large and open_round(round_=round_, now=now)
