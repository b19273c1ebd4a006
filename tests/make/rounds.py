"""Rounds, and what annotators do in them."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal

from annotation import models
from annotation.common import texts as tokens
from annotation.grading import operations as grading
from annotation.grading import seating
from annotation.people.models import Role
from annotation.rounds import drafting, drawing, opening
from tests import copies
from tests.make.accounts import NOW, at, count, member, project
from tests.make.things import item, release, responses, rubric_version

SYSTEMS = ("Kestrel", "Heron", "Osprey", "Plover", "Curlew", "Dunlin", "Avocet", "Turnstone")
SECRET = b"a secret of the round for tests."


def secret_of(home: models.Project) -> bytes:
    """Return the secret of a project's rounds: tokens of two projects on one site must differ."""
    return SECRET if home.slug == "northport" else SECRET + home.slug.encode()


@copies.made_once_among
def draft_round(
    *,
    n_items: int = 2,
    n_releases: int = 2,
    n_annotators: int = 3,
    n_seats: int = 3,
    in_: models.Project | None = None,
    criteria: Sequence[str] = ("grade",),
    pairs: int | None = None,
    seed: str = "a seed",
    lease_minutes: int = 30,
    now: datetime = NOW,
) -> models.Round:
    """Return a prepared draft: everything is chosen, and it can be opened.

    Questions Q01, Q02, … are answered by the first systems of SYSTEMS, each in words of its own;
    by criteria of `make.CHOICES` it is a round of pairs; the annotators are ann-1, ann-2, … Beside a
    site that is running, `now` is the true time: to its sweeper a preparation of long ago is one that
    was left, and it begins anew.
    """
    home = in_ or project()
    owner = home.memberships.filter(role=Role.OWNER).earliest("pk").user
    releases = [release(name, in_=home) for name in SYSTEMS[:n_releases]]
    _bank(home, n_items, releases)
    version = rubric_version(in_=home, key="-".join(criteria), criteria=criteria)
    round_ = drafting.create_round(
        project=home, name="A round", seed=seed, secret=secret_of(home), by=owner, now=now
    )
    drafting.configure(
        round_=round_,
        settings=drafting.RoundSettings(
            name="A round",
            n_seats=n_seats,
            seats_override="A test." if n_seats < 3 else "",
            lease_minutes=lease_minutes,
        ),
        by=owner,
        by_owner=True,
        now=now,
    )
    drafting.choose_releases(round_=round_, releases=releases, by=owner, now=now)
    drafting.choose_rubrics(round_=round_, by_capability={}, rest=version, by=owner, now=now)
    draw = drafting.Draw(n_items=n_items, pairs=pairs)
    drafting.choose_draw(round_=round_, draw=draw, by=owner, now=now)
    users = [
        member(Role.ANNOTATOR, in_=home, username=f"ann-{place + 1}")
        for place in range(n_annotators)
    ]
    drafting.invite(round_=round_, users=users, by=owner, by_owner=True, now=now, override="")
    drawing.prepare(round_=round_, now=now)
    return round_


def _bank(home: models.Project, n_items: int, releases: Sequence[models.SystemRelease]) -> None:
    there = {one.external_id: one for one in models.Item.objects.filter(project=home)}
    answered = set(
        models.Response.objects.filter(item__project=home).values_list("item", "release")
    )
    wanted = []
    for number in range(1, n_items + 1):
        name = f"Q{number:02}"
        asked = there.get(name) or item(name, in_=home, question=f"What is meant by {number}?")
        wanted += [
            (asked, one, f"Answer {number}, told in way {place}.")
            for place, one in enumerate(releases)
            if (asked.pk, one.pk) not in answered
        ]
    responses(wanted)


@copies.made_once_among
def open_round(
    *,
    n_items: int = 2,
    n_releases: int = 2,
    n_annotators: int = 3,
    n_seats: int = 3,
    in_: models.Project | None = None,
    criteria: Sequence[str] = ("grade",),
    pairs: int | None = None,
    seed: str = "a seed",
    lease_minutes: int = 30,
    now: datetime = NOW,
) -> models.Round:
    """Return an open round, as `draft_round` makes it."""
    round_ = draft_round(
        n_items=n_items,
        n_releases=n_releases,
        n_annotators=n_annotators,
        n_seats=n_seats,
        in_=in_,
        criteria=criteria,
        pairs=pairs,
        seed=seed,
        lease_minutes=lease_minutes,
        now=now,
    )
    opening.request_opening(round_=round_, by=round_.created_by, now=now)
    opening.open_round(round_=round_, now=now)
    return round_


def annotators(of: models.Round) -> list[models.Rater]:
    """Return the annotators of a round, ann-1 first."""
    places = of.annotators.select_related("rater__user").order_by("rater__user__username")
    return [place.rater for place in places]


def claim(
    of: models.Round, by: models.Rater | None = None, *, now: datetime = NOW
) -> models.Assignment:
    """Return the next seat of somebody, by default of ann-1."""
    of.refresh_from_db()
    return seating.claim_next(round_=of, rater=by or annotators(of)[0], now=now)


def holder(of: models.Assignment) -> models.Rater:
    """Return who holds a seat (that is held)."""
    assert of.rater is not None
    return of.rater


def account(of: models.Rater) -> models.User:
    """Return the account of a rater who is a person."""
    assert of.user is not None
    return of.user


def marks(
    on: models.Assignment, values: int | Mapping[str, int | str] = 1
) -> list[grading.EnteredMark]:
    """Return a mark for every response × criterion: one value for all, or by letter.

    A text instead of a number is the reason why a response cannot be graded; a letter that is
    not named is left out.
    """
    version = on.round_item.rubric_version
    assert version is not None
    letters = [tokens.letter(position) for position in range(on.slots.count())]
    if on.round.of_pairs:  # a choice is one mark, at the answer that stands first
        letters = letters[:1]
    by_letter = dict.fromkeys(letters, values) if isinstance(values, int) else values
    return [
        grading.EnteredMark(letter, criterion.key, cannot=value)
        if isinstance(value, str)
        else grading.EnteredMark(letter, criterion.key, text=f"Rather {value}.")
        if criterion.mark == criterion.Mark.TEXT
        else grading.EnteredMark(letter, criterion.key, Decimal(value))
        for letter, value in by_letter.items()
        for criterion in version.criteria.all()
    ]


def submit(
    on: models.Assignment,
    values: int | Mapping[str, int | str] = 1,
    *,
    now: datetime | None = None,
    base_rev: int = 0,
    comments: Mapping[str, str] | None = None,
    op_id: uuid.UUID | None = None,
    by: models.Rater | None = None,
    active_ms: int | None = None,
) -> models.Receipt:
    """Submit a seat as it was claimed (`on` may be out of date since)."""
    rater = by or holder(on)
    return grading.submit_grades(
        token=on.token or "",
        rater=rater,
        marks=marks(on, values),
        comments=comments or {},
        base_rev=base_rev,
        op_id=op_id or uuid.UUID(int=next(count)),
        now=now or at(1),
        active_ms=active_ms,
    )
