"""Worlds that differ only in what an annotator must not know.

Clock, seeds, the secret of rounds, public ids of accounts and the signs that forms are signed with
are the same in every world; names of systems, database ids, the order of import and the providers'
notes are not.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import connection

from annotation import models
from annotation.common import texts as contents
from annotation.people import operations as people
from annotation.people.models import Role
from annotation.review import operations as looks
from annotation.review.rules import ReviewAct
from annotation.rounds import drafting, drawing, opening, states
from annotation.running import operations as flags
from tests import make, taught

SLUG, ELSEWHERE = "northport", "southgate"
NAMES = ("owner", "ann-1", "ann-2", "ann-3")
N_ITEMS = 5


@dataclass(frozen=True)
class Flavour:
    """What differs between worlds."""

    systems: tuple[str, ...] = ("Kestrel", "Heron", "Osprey")
    label: str = "1"
    #: Ids that were used up before, more of them in each further table.
    burnt: int = 0
    backwards: bool = False
    details: dict[str, Any] = field(default_factory=dict)
    file_name: str = "answers.csv"
    notes: str = ""
    made_at: datetime = make.NOW
    #: Every second item's grades are known, and reviewers have been at work.
    watched: bool = False
    #: Its rounds ask which of two answers is better.
    of_pairs: bool = False


def build(flavour: Flavour) -> None:
    """Make a project with rounds in every state; ann-1 has graded, holds a seat and lost one."""
    _burn(flavour.burnt)
    for place, name in enumerate(NAMES):
        user = models.User.objects.create_user(name, public_id=uuid.UUID(int=1000 + place))
        models.Person.objects.create(user=user, name=name.title())
    owner = models.User.objects.get(username="owner")
    home = people.create_project(slug=SLUG, name="Northport", by=owner, now=make.NOW)
    people.create_project(slug=ELSEWHERE, name="Southgate", by=owner, now=make.NOW)
    for name in NAMES[1:]:
        user = models.User.objects.get(username=name)
        people.grant(project=home, user=user, role=Role.ANNOTATOR, by=owner, now=make.NOW)
    releases = _import(home, owner, flavour)
    rounds = [_round(home, owner, releases, number, flavour) for number in range(1, 6)]
    if flavour.watched:
        for round_ in rounds:
            _watch(round_, owner)
    _live(rounds, owner)
    taught.teach(home, owner, releases, models.User.objects.get(username=NAMES[1]))
    if flavour.watched:
        _review(rounds[2], owner)


def _watch(round_: models.Round, owner: models.User) -> None:
    """Make every second item gold, and say what is right for its answers."""
    places = [one for one in round_.items.order_by("ordinal") if one.ordinal % 2]
    for place in places:
        models.RoundItem.objects.filter(pk=place.pk).update(
            purpose="GOLD", chance_unknown="GOLD", inclusion_probability=None
        )
        assert place.rubric_version is not None
        for answer in place.responses.all():
            for criterion in place.rubric_version.criteria.exclude(mark="TEXT"):
                models.Grade.objects.create(
                    round=round_,
                    response=answer.response,
                    criterion=criterion,
                    rater=make.rater(owner, in_=round_.project),
                    kind="REFERENCE",
                    value=1 if criterion.key in make.KINDS else 2,
                )


def _review(final: models.Round, owner: models.User) -> None:
    """Decide about what ann-1 graded: adjudicated, invalid, looked into, by two reviewers from now on."""
    one = models.Grade.objects.filter(round=final, kind="GIVEN").earliest("pk")
    home, item = final.project, one.response.item
    final.refresh_from_db()
    wishes = (
        looks.DecisionWish(
            ReviewAct.ADJUDICATE,
            item,
            response=one.response,
            criterion=one.criterion,
            value=Decimal(0),
        ),
        looks.DecisionWish(ReviewAct.STRIKE_GRADE, item, grade=one),
        looks.DecisionWish(ReviewAct.KEEP, item),
    )
    for n, wish in enumerate(wishes):
        key = uuid.UUID(int=n)
        made = {"reason": "Canary of the desk.", "by": owner, "now": make.NOW}
        looks.decide(round_=final, wish=wish, key=key, **made)
    looks.look(
        round_=final,
        rater=one.rater,
        because={"gold": 2},
        note="Canary of a look.",
        by=owner,
        now=make.NOW,
    )
    looks.set_rule(project=home, n_reviewers=2, hide_people=True, by=owner, now=make.NOW)


def _burn(count: int) -> None:
    """Use up ids: so many in the first table, and each table a thousand more than the one before."""
    if not count:
        return
    counted = (model._meta for model in _all_models() if model._meta.auto_field)
    tables = sorted(one.db_table for one in counted)
    with connection.cursor() as cursor:
        for place, table in enumerate(tables):
            last = count + 1000 * place
            if connection.vendor == "sqlite":
                cursor.execute("delete from sqlite_sequence where name = %s", [table])
                cursor.execute(
                    "insert into sqlite_sequence (name, seq) values (%s, %s)", [table, last]
                )
            else:
                sequence = f"pg_get_serial_sequence('{table}', 'id')"
                cursor.execute(f"select setval({sequence}, %s)", [last])


def _all_models() -> list[Any]:
    names = (getattr(models, name) for name in models.__all__)
    return [one for one in names if isinstance(one, type) and hasattr(one, "_meta")]


def _import(
    home: models.Project, owner: models.User, flavour: Flavour
) -> list[models.SystemRelease]:
    """Bring in the same questions and answers, whoever gave them and in whatever order."""
    batch = models.ImportBatch.objects.create(
        project=home,
        number=1,
        kind="ANSWERS",
        file_name=flavour.file_name,
        file_sha="0" * 64,
        mapping={},
        mapping_sha="0" * 64,
        state="APPLIED",
        created_by=owner,
        created_at=make.NOW,
        touched_at=make.NOW,
    )
    turn = (lambda rows: list(reversed(rows))) if flavour.backwards else list
    releases: dict[int, models.SystemRelease] = {}
    for place, name in turn(list(enumerate(flavour.systems))):
        system = models.System.objects.create(
            project=home,
            name=name,
            aliases=[f"{name} Labs"],
            colour=place + 1,
            batch=batch,
            created_at=flavour.made_at,
        )
        releases[place] = models.SystemRelease.objects.create(
            system=system,
            label=flavour.label,
            notes=flavour.notes,
            batch=batch,
            created_at=flavour.made_at,
        )
    for number in turn(list(range(1, N_ITEMS + 1))):
        asked = make.item(f"Q{number}", in_=home, question=f"What is meant by {number}?")
        models.Item.objects.filter(pk=asked.pk).update(batch=batch)
        for place in turn(list(releases)):
            _response(asked, releases[place], place, batch, flavour)
    return [releases[place] for place in turn(list(releases))]


def _response(
    asked: models.Item,
    release: models.SystemRelease,
    place: int,
    batch: models.ImportBatch,
    flavour: Flavour,
) -> None:
    text = f"In way {place}, **{asked.external_id}** means {place * 7}.\n\n- I am ChatGPT."
    messages = [
        {"role": "assistant", "content": "" if (place, asked.external_id) == (1, "Q2") else text}
    ]
    models.Response.objects.create(
        item=asked,
        release=release,
        content_sha=contents.response_sha(messages),
        messages=messages,
        details=flavour.details,
        batch=batch,
        created_at=flavour.made_at,
    )


def _round(
    home: models.Project,
    owner: models.User,
    releases: Sequence[models.SystemRelease],
    number: int,
    flavour: Flavour,
) -> models.Round:
    round_ = drafting.create_round(
        project=home,
        name=f"Round {number}",
        seed=f"seed {number}",
        secret=b"the same secret in all worlds %d" % number,
        by=owner,
        now=make.NOW,
    )
    # The round in which the journey grades asks for marks of every kind.
    asked = {"key": "kinds", "criteria": ("grade", *make.KINDS)} if number == 1 else {}
    if flavour.of_pairs:
        asked = {"key": "which", "criteria": ("better",)}
    version = make.rubric_version(in_=home, **asked)
    raters = [models.User.objects.get(username=name) for name in NAMES[1:]]
    made: dict[str, Any] = {"round_": round_, "by": owner, "now": make.NOW}
    drafting.choose_releases(releases=releases, **made)
    drafting.choose_rubrics(by_capability={}, rest=version, **made)
    drafting.invite(users=raters, by_owner=True, override="", **made)
    drawing.prepare(round_=round_, now=make.NOW)
    round_.identity_hits.update(decision="MASK")
    return round_


def _live(rounds: Sequence[models.Round], owner: models.User) -> None:
    """Let 1 be under way, 2 stay a draft, 3 become final, 4 pause and 5 be in review."""
    for round_ in (one for one in rounds if one.number != 2):
        opening.request_opening(round_=round_, by=owner, now=make.NOW)
        opening.open_round(round_=round_, now=make.NOW)
    under_way, _draft, final, paused, review = rounds
    one, two, three = make.annotators(under_way)
    for rater in (one, two, three):
        make.submit(make.claim(under_way, rater), now=make.NOW, comments={"A": f"By {rater.ref}."})
    graded = models.Assignment.objects.filter(round=under_way, rater=one).get()
    asked = models.Remark.objects.create(
        slot=graded.slots.get(position=0), rater=one, kind="FLAG", text="Is it 7?", at=make.NOW
    )
    flags.answer(flag=asked, round_=under_way, text="It is.", by=owner, now=make.NOW)
    lost = make.claim(under_way, one)
    states.vacate(assignment=lost, kind=models.ClaimEvent.Kind.REASSIGNED, now=make.NOW)
    for rater in (one, two, three):
        make.claim(under_way, rater)
    for round_ in (final, paused, review):
        make.submit(make.claim(round_, one), now=make.NOW)
    made: dict[str, Any] = {"by": owner, "now": make.NOW}
    states.pause(round_=paused, **made)
    for round_ in (final, review):
        states.close(round_=round_, **made)
    states.finish(round_=final, **made)


def tokens_of(name: str) -> list[str]:
    claims = models.ClaimEvent.objects.filter(kind="CLAIMED", rater__user__username=name)
    return list(
        claims.order_by("assignment__round__number", "assignment__ordinal", "claim_no").values_list(
            "token", flat=True
        )
    )
