"""Rounds and what stands in them."""

from collections.abc import Collection
from typing import Any

from tests.doors.row import CURATORS, UNBLINDED, Row, row


def of_draft(see: Collection[str], do: Collection[str] = (), **kwargs: Any) -> Row:
    return row(see, do, number=lambda world: world.draft.number, **kwargs)


def of_open(see: Collection[str], do: Collection[str] = (), **kwargs: Any) -> Row:
    return row(see, do, number=lambda world: world.open_round.number, **kwargs)


ROUNDS: dict[str, Row] = {
    "rounds": row(UNBLINDED),
    "round_new": row(CURATORS, CURATORS),
    "round": of_open(UNBLINDED),
    "round_standing": of_open(UNBLINDED),
    # An empty request has no name.
    "round_copy": of_open(CURATORS, CURATORS),
    "round_discard": of_draft(CURATORS, CURATORS, done=[302]),
    "round_systems": of_draft(CURATORS, CURATORS),
    "round_draw": of_draft(CURATORS, CURATORS, done=[302]),
    "round_draw_count": of_draft(CURATORS, CURATORS, done=[200]),
    # Nobody wrote any of it; and only an owner may say so.
    "round_own": of_draft(CURATORS, CURATORS, got=[], done=[403, 409]),
    "round_collect": of_draft(CURATORS, CURATORS),
    "round_collect_sheet": of_draft(CURATORS, form=lambda world: "csv"),
    "round_answers": of_draft(CURATORS, CURATORS),
    "answers": row(CURATORS, CURATORS),
    "collect": row(CURATORS, CURATORS),
    "collect_sheet": row(CURATORS, form=lambda world: "xlsx"),
    "round_manifest": of_open(UNBLINDED),
    "round_manifest_file": of_open(UNBLINDED),
    "round_rubrics": of_draft(CURATORS, CURATORS, done=[302]),
    "round_annotators": of_draft(CURATORS, CURATORS, done=[302]),
    "round_settings": of_draft(CURATORS, CURATORS),
    "round_prepare": of_draft(UNBLINDED, CURATORS, got=[], done=[302]),
    # An empty request decides about a place that does not exist.
    "round_identity": of_draft(UNBLINDED, CURATORS, done=[404]),
    "round_preview": of_draft(UNBLINDED, place=lambda world: 1),
    "round_open": of_draft(UNBLINDED, CURATORS, got=[], done=[302]),
    "round_pause": of_open(UNBLINDED, CURATORS, got=[], done=[302]),
    # It was not paused.
    "round_resume": of_open(UNBLINDED, CURATORS, got=[], done=[409]),
    # An empty time is none.
    "round_prolong": of_open(CURATORS, CURATORS, done=[302]),
    # It is not being opened.
    "round_withdraw": of_open(UNBLINDED, CURATORS, got=[], done=[409]),
    "round_close": of_open(CURATORS, CURATORS, done=[302]),
    # A round is finished from its review only.
    "round_finish": of_open(CURATORS, CURATORS, done=[409]),
    "round_seats": of_open(UNBLINDED),
    "round_flags": of_open(UNBLINDED, CURATORS),
    "seat_release": of_open(CURATORS, CURATORS, seat=lambda world: world.seat.ordinal + 1),
    "seat_add": of_open(CURATORS, CURATORS, place=lambda world: 1),
}

ROUNDS_API: dict[str, Row] = {
    "api_rounds": row(UNBLINDED, CURATORS, done=[400]),
    # An empty request changes nothing.
    "api_round": of_draft(UNBLINDED, CURATORS, done=[200]),
    "api_round_prepare": of_draft(UNBLINDED, CURATORS, got=[], done=[200]),
    "api_round_open": of_draft(UNBLINDED, CURATORS, got=[], done=[200]),
    # It is not being opened.
    "api_round_withdraw": of_open(UNBLINDED, CURATORS, got=[], done=[409]),
    "api_round_pause": of_open(UNBLINDED, CURATORS, got=[], done=[200]),
    # It was not paused.
    "api_round_resume": of_open(UNBLINDED, CURATORS, got=[], done=[409]),
    "api_round_prolong": of_open(UNBLINDED, CURATORS, got=[], done=[400]),
    "api_round_close": of_open(UNBLINDED, CURATORS, got=[], done=[200]),
    # A round is finished from its review only.
    "api_round_finish": of_open(UNBLINDED, CURATORS, got=[], done=[409]),
    "api_round_copy": of_open(UNBLINDED, CURATORS, got=[], done=[201]),
    "api_round_discard": of_draft(UNBLINDED, CURATORS, got=[], done=[204]),
    "api_round_identity": of_draft(UNBLINDED, CURATORS, done=[400]),
    "api_round_identity_places": of_draft(UNBLINDED),
    "api_round_seats": of_open(UNBLINDED),
    "api_seat_release": of_open(
        UNBLINDED, CURATORS, got=[], done=[400], seat=lambda world: world.seat.ordinal + 1
    ),
    "api_seat_add": of_open(UNBLINDED, CURATORS, got=[], done=[400], place=lambda world: 1),
    "api_round_flags": of_open(UNBLINDED, CURATORS, done=[400]),
}
