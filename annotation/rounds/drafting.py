"""Whether a round asks for qualification, and why it may open although too few have qualified.

* Sketch a round: what is graded, of whom, by which rubric, by which people.
* Let people grade questions they wrote or inspected: an owner says why, and it is recorded.
* Show somebody the names of a round's systems; from then on they are not blind in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotation.common import texts as tokens
from annotation.common.draws import Preference
from annotation.common.sentences import gettext as _
from annotation.domains.models import Capability
from annotation.people import audit
from annotation.people import operations as people
from annotation.people.models import UNBLINDED, Membership, Project, Role, User
from annotation.qualification import queries as qualifications
from annotation.rounds import queries as rounds
from annotation.rounds import readiness as anchors
from annotation.rounds import rules
from annotation.rounds.models import Round, RoundAnnotator, RoundRubric, RoundSystem, Unblinding
from annotation.rounds.records import RoundSettings as RoundSettings
from annotation.rounds.rules import (
    FEWEST_SEATS,
    LONGEST_LEASE,
    LONGEST_NAME,
    LONGEST_REASON,
    MOST_RELEASES,
    MOST_SEATS,
    SHORTEST_LEASE,
    DrawHow,
)
from annotation.rubrics.models import RubricVersion
from annotation.systems.models import SystemRelease
from evalsite import errors
from evalsite.records import values


def asked_since(round_: Round, asked: bool | None, now: datetime) -> datetime | None:
    """Return since when a round asks for qualification; one that trains people never does.

    Args:
        round_: a draft.
        asked: what was entered; None leaves it as it is.
        now: the clock.
    """
    if asked is None:
        return round_.qualified_only_since
    if round_.kind != Round.Kind.PRODUCTION or not asked:
        return None
    return round_.qualified_only_since or now


def too_few_may(round_: Round, said: str | None, *, by_owner: bool) -> str | None:
    """Return the reason that a draft keeps; None: it may not open with too few.

    Args:
        round_: a draft.
        said: what was entered; None leaves the reason as it is, an empty one takes it back.
        by_owner: whether an owner entered it.

    Raises:
        OverrideNeeded: somebody else entered another reason than the one that stands.
    """
    before = round_.qualified_override
    wanted = before if said is None else " ".join(said.split())[:LONGEST_REASON] or None
    if wanted and wanted != before and not by_owner:
        message = _("Only an owner may let a round open although too few have qualified.")
        raise OverrideNeeded(message, fields={"qualified_override": [message]})
    return wanted


#: What `Round.draw` holds besides the wishes: since when it is being prepared, what came of it, why nothing.
UNDERWAY = frozenset({"preparing", "prepared", "stopped"})
Draw = rules.Draw


class NotADraft(errors.Conflict): ...


class DesignInvalid(errors.Invalid): ...


class OverrideNeeded(errors.NotAllowed): ...


@transaction.atomic
def create_round(
    *,
    project: Project,
    name: str,
    seed: str,
    secret: bytes,
    by: User,
    now: datetime,
    kind: Round.Kind = Round.Kind.PRODUCTION,
) -> Round:
    """Begin a draft. `seed` and `secret` (16 bytes or more) are drawn by the door.

    A round of production asks for qualification from the start if the project says so.
    """
    if len(secret) < tokens.SECRET_LENGTH:
        raise ValueError(f"The secret of a round has at least {tokens.SECRET_LENGTH} bytes.")
    Project.objects.select_for_update().get(pk=project.pk)
    asks = kind == Round.Kind.PRODUCTION and qualifications.is_asked(project)
    made = Round.objects.create(
        project=project,
        number=next_number(project),
        name=name,
        kind=kind,
        qualified_only_since=now if asks else None,
        seed=seed,
        secret=secret,
        created_by=by,
        created_at=now,
    )
    audit.done(made, "round.created", by, now)
    return made


def next_number(project: Project) -> int:
    """Return the number of the round that is begun next."""
    top = Round.everything.filter(project=project).aggregate(top=Max("number"))["top"]
    return (top or 0) + 1


def touch(round_: Round, **fields: Any) -> None:
    """Change a draft and take back its preparation: what was prepared is no longer what is wanted.

    Raises:
        NotADraft: the round has been opened, or is being opened.
    """
    draw = {key: value for key, value in round_.draw.items() if key not in UNDERWAY}
    changed = Round.objects.filter(
        pk=round_.pk, state=Round.State.DRAFT, opening_at__isnull=True
    ).update(draw=draw, **fields)
    if not changed:
        raise NotADraft(
            _("This round has been opened; its design is frozen. Begin a new round to change it.")
        )
    round_.refresh_from_db()


@transaction.atomic
def configure(
    *, round_: Round, settings: RoundSettings, by: User, by_owner: bool, now: datetime
) -> None:
    """Set the name, the seats and the terms of a draft.

    Raises:
        DesignInvalid: a value that cannot be used; `fields` says which.
        OverrideNeeded: fewer than three seats without an owner's reason.
        OverrideNeeded: somebody else than an owner says why too few who qualified are enough.
    """
    _check_settings(settings, now)
    asked = (settings.n_seats, settings.seats_override)
    allowed = by_owner or asked == (round_.n_seats, round_.seats_override)
    if settings.n_seats < FEWEST_SEATS and not (allowed and settings.seats_override.strip()):
        raise OverrideNeeded(
            _(
                "Fewer than three annotators per question say little. Only an owner may allow it, "
                "and has to write down why."
            ),
            fields={"n_seats": [_("3 or more, or an owner's reason.")]},
        )
    since = asked_since(round_, settings.asks_qualification, now)
    too_few = too_few_may(round_, settings.qualified_override, by_owner=by_owner)
    touch(
        round_,
        **{
            **{name: one for name, one in values(settings).items() if name != "asks_qualification"},
            "name": settings.name.strip(),
            "seats_override": settings.seats_override if settings.n_seats < FEWEST_SEATS else "",
            "qualified_only_since": since,
            "qualified_override": too_few if since else None,
        },
    )
    audit.done(
        round_,
        "round.configured",
        by,
        now,
        note=" ".join(one for one in (settings.seats_override, too_few) if one),
        n_seats=settings.n_seats,
        lease_minutes=settings.lease_minutes,
    )


def _check_settings(settings: RoundSettings, now: datetime) -> None:
    problems: dict[str, list[str]] = {}
    if not 1 <= len(settings.name.strip()) <= LONGEST_NAME:
        text = _("Give a name of up to %(most)s characters.")
        problems["name"] = [text % {"most": LONGEST_NAME}]
    if not 1 <= settings.n_seats <= MOST_SEATS:
        text = _("An item is graded by 1 to %(most)s annotators.")
        problems["n_seats"] = [text % {"most": MOST_SEATS}]
    if not SHORTEST_LEASE <= settings.lease_minutes <= LONGEST_LEASE:
        text = _("A seat is held for %(least)s to %(most)s minutes.")
        problems["lease_minutes"] = [text % {"least": SHORTEST_LEASE, "most": LONGEST_LEASE}]
    if settings.deadline is not None and settings.deadline <= now:
        problems["deadline"] = [_("The closing time has passed. Choose a later one.")]
    if problems:
        raise DesignInvalid(" ".join(texts[0] for texts in problems.values()), fields=problems)


@transaction.atomic
def choose_releases(
    *, round_: Round, releases: Sequence[SystemRelease], by: User, now: datetime
) -> None:
    """Make exactly these the releases that are compared.

    Raises:
        DesignInvalid: none, more than eight, or one of another project.
    """
    if not 1 <= len(releases) <= MOST_RELEASES:
        message = _("Choose between one and eight releases.")
        raise DesignInvalid(message, fields={"releases": [message]})
    if any(release.system.project_id != round_.project_id for release in releases):
        raise DesignInvalid(_("One of these releases belongs to another project."))
    touch(round_)
    RoundSystem.objects.filter(round=round_).exclude(release__in=releases).delete()
    RoundSystem.objects.bulk_create(
        [RoundSystem(round=round_, release=release) for release in releases],
        ignore_conflicts=True,
    )
    audit.done(
        round_,
        "round.releases_chosen",
        by,
        now,
        releases=sorted(release.pk for release in releases),
    )


@transaction.atomic
def choose_rubrics(
    *,
    round_: Round,
    by_capability: Mapping[Capability, RubricVersion],
    rest: RubricVersion | None,
    by: User,
    now: datetime,
) -> None:
    """Say by which rubric version each capability's items are graded, and by which all the others.

    If they ask which of two answers is better, it is a round of pairs.

    Raises:
        DesignInvalid: of another project, without criteria, of both kinds, or a trial of choices.
    """
    versions = [*by_capability.values(), *([rest] if rest else [])]
    if any(version.rubric.project_id != round_.project_id for version in versions):
        raise DesignInvalid(_("One of these rubrics belongs to another project."))
    if any(capability.project_id != round_.project_id for capability in by_capability):
        raise DesignInvalid(_("One of these capabilities belongs to another project."))
    if empty := next((v for v in versions if not v.criteria.exists()), None):
        raise DesignInvalid(
            _("%(rubric)s has no criterion yet. Add one, or choose another rubric.")
            % {"rubric": empty}
        )
    touch(round_, of_pairs=_asks_choices(round_, versions))
    RoundRubric.objects.filter(round=round_).delete()
    RoundRubric.objects.bulk_create(
        RoundRubric(round=round_, capability=capability, rubric_version=version)
        for capability, version in [*by_capability.items(), *([(None, rest)] if rest else [])]
    )
    audit.done(
        round_,
        "round.rubrics_chosen",
        by,
        now,
        rubrics={str(row.capability_id): row.rubric_version_id for row in round_.rubrics.all()},
    )


def _asks_choices(round_: Round, versions: Sequence[RubricVersion]) -> bool:
    """Return whether these rubrics ask which of two answers is better; all of them do, or none."""
    choosing = RubricVersion.objects.asking_choices().filter(pk__in=[one.pk for one in versions])
    n_choosing = choosing.count()
    if 0 < n_choosing < len({one.pk for one in versions}):
        message = _(
            "Some of these rubrics ask which of two answers is better, others for marks. Make a "
            "round for each."
        )
        raise DesignInvalid(message, fields={"rubrics": [message]})
    if n_choosing and round_.kind != Round.Kind.PRODUCTION:
        message = untrained()
        raise DesignInvalid(message, fields={"rubrics": [message]})
    return bool(n_choosing)


def untrained() -> str:
    return _(
        "Choosing the better of two answers cannot be trained yet. Choose a rubric that asks for "
        "marks."
    )


@transaction.atomic
def choose_draw(*, round_: Round, draw: Draw, by: User, now: datetime) -> None:
    """Say which items are drawn; of a round of published outputs, which of those.

    Raises:
        DesignInvalid: a number that cannot be drawn; `fields` says which.
    """
    _check_draw(round_, draw)
    # What was published for rating stays what this round is about.
    draw = replace(draw, published=draw.published or Draw.from_json(round_.draw).published)
    touch(round_)
    Round.objects.filter(pk=round_.pk).update(draw=draw.as_json())
    round_.refresh_from_db(fields=["draw"])
    chosen = {**draw.as_json(), "published": len(draw.published)}  # the round itself holds them
    audit.done(round_, "round.draw_chosen", by, now, **chosen)


def _check_draw(round_: Round, draw: Draw) -> None:
    problems = {**_wrong_numbers(draw), **_wrong_strata(draw)}
    tie = draw.anchors_from
    if tie is not None and not anchors.earlier(round_).filter(number=tie).exists():
        problems["anchors_from"] = [
            _("Anchors come from an earlier round of this project that was opened.")
        ]
    if problems:
        raise DesignInvalid(" ".join(texts[0] for texts in problems.values()), fields=problems)


def _wrong_numbers(draw: Draw) -> dict[str, list[str]]:
    problems: dict[str, list[str]] = {}
    if draw.n_items is not None and not 1 <= draw.n_items <= rules.MOST_ITEMS:
        text = _("Draw from 1 to %(most)s items, or leave the number empty for all.")
        problems["n_items"] = [text % {"most": rules.MOST_ITEMS}]
    if not 0 <= draw.repeats <= rules.MOST_REPEATS:
        text = _("From 0 to %(most)s percent of the items can be repeated.")
        problems["repeats"] = [text % {"most": rules.MOST_REPEATS}]
    if draw.pairs is not None and not 1 <= draw.pairs <= rules.MOST_PAIRS:
        text = _("Compare from 1 to %(most)s pairs, or leave the number empty for all.")
        problems["pairs"] = [text % {"most": rules.MOST_PAIRS}]
    for name, most in (("avoid_rounds", rules.MOST_ROUNDS), ("avoid_days", rules.MOST_DAYS)):
        if not 0 <= getattr(draw, name) <= most:
            problems[name] = [_("Give a number from 0 to %(most)s.") % {"most": most}]
    return problems


def _wrong_strata(draw: Draw) -> dict[str, list[str]]:
    if draw.how not in set(DrawHow) or draw.preference not in set(Preference):
        return {"how": [_("Choose one of the ways to draw.")]}
    if draw.is_stratified and not set(draw.strata) & set(rules.DIMENSIONS):
        return {"strata": [_("Say by what items are stratified.")]}
    if any(count < 0 for count in draw.quotas.values()):
        return {"quotas": [_("A quota is 0 or more.")]}
    if draw.how == DrawHow.QUOTAS and not any(draw.quotas.values()):
        return {"quotas": [_("Say how many items at least one stratum gets.")]}
    return {}


@transaction.atomic
def invite(
    *, round_: Round, users: Sequence[User], by: User, by_owner: bool, now: datetime, override: str
) -> None:
    """Make exactly these people the annotators of the round; until it is final it takes new ones.

    Raises:
        DesignInvalid: somebody is no annotator of the project.
        OverrideNeeded: somebody can see which system gave which answer, and no owner says why not.
    """
    roles = roles_held(round_.project, users)
    for user in users:
        if Role.ANNOTATOR not in roles.get(user.pk, set()):
            raise DesignInvalid(
                _("%(name)s is not an annotator of this project. Give them the role first.")
                % {"name": user.display_name}
            )
    seeing = {user.pk for user in users if roles[user.pk] & UNBLINDED}
    seeing |= rounds.have_seen(round_, users)
    _keep_to_annotators(round_, users, seeing, override if by_owner else "", now)
    audit.done(
        round_,
        "round.annotators_chosen",
        by,
        now,
        note=override if seeing else "",
        annotators=sorted(str(user.public_id) for user in users),
    )


def roles_held(project: Project, users: Sequence[User]) -> dict[int, set[str]]:
    held: dict[int, set[str]] = {}
    rows = Membership.objects.active().filter(project=project, user__in=users)
    for user_id, role in rows.values_list("user_id", "role"):
        held.setdefault(user_id, set()).add(role)
    return held


def _keep_to_annotators(
    round_: Round, users: Sequence[User], seeing: set[int], override: str, now: datetime
) -> None:
    if round_.state == Round.State.FINAL:
        raise NotADraft(_("This round takes no annotators any more."))
    places = {
        place.rater.user_id: place for place in round_.annotators.select_related("rater").all()
    }
    fresh = {pk for pk in seeing if pk not in places or not places[pk].override}
    if fresh and not override.strip():
        names = ", ".join(str(user.display_name) for user in users if user.pk in fresh)
        raise OverrideNeeded(
            _(
                "%(names)s can see which system gave which answer, so their grades would not be "
                "blind. Only an owner may allow it, and has to write down why."
            )
            % {"names": names},
            fields={"override": [_("An owner's reason is needed.")]},
        )
    wanted = {user.pk for user in users}
    for user in users:
        rater = people.rater_of(project=round_.project, user=user, now=now)
        place, created = RoundAnnotator.objects.get_or_create(
            round=round_,
            rater=rater,
            defaults={"override": override if user.pk in seeing else ""},
        )
        if not created:
            reason = place.override or (override if user.pk in seeing else "")
            RoundAnnotator.objects.filter(pk=place.pk).update(ended_at=None, override=reason)
    for user_id, place in places.items():
        if user_id not in wanted and place.ended_at is None:
            RoundAnnotator.objects.filter(pk=place.pk).update(ended_at=now)


class OwnerMustOverride(errors.NotAllowed):
    code = "owner_needed"


class NobodyInvolved(errors.Conflict): ...


@transaction.atomic
def allow_own(*, round_: Round, reason: str, by: User, by_owner: bool, now: datetime) -> int:
    """Let the annotators grade what they wrote or inspected; an empty reason takes that back.

    What they have graded stays. Returns how many people it concerns.

    Raises:
        OwnerMustOverride: only an owner may say so.
        NobodyInvolved: nobody of the round wrote or inspected any of its questions.
        NotADraft: the round is final.
    """
    locked = Round.objects.select_for_update(no_key=True).get(pk=round_.pk)
    if not by_owner:
        raise OwnerMustOverride(_("Only an owner may let people grade questions of their own."))
    if locked.state == Round.State.FINAL:
        raise NotADraft(_("This round takes no grades any more."))
    places = [one.place.pk for one in rounds.involved(locked)]
    if not places:
        raise NobodyInvolved(
            _("Nobody of this round wrote or inspected one of its questions. Nothing was changed.")
        )
    said = " ".join(reason.split())[:LONGEST_REASON]
    RoundAnnotator.objects.filter(pk__in=places).update(own_override=said)
    audit.done(
        locked,
        "round.own_allowed" if said else "round.own_forbidden",
        by,
        now,
        note=said,
        annotators=len(places),
    )
    return len(places)


class StillBlind(errors.NotAllowed): ...


@transaction.atomic
def show_names(*, round_: Round, by: User, now: datetime) -> None:
    """Write down that this person sees the names from now on; a second time changes nothing.

    Raises:
        StillBlind: they grade in the round or in a copy of it, and that is not final.
    """
    if round_.state != Round.State.FINAL and rounds.grades_in(round_, by):
        raise StillBlind(
            _(
                "You grade in this round, so its names stay hidden from you until it is final. "
                "Nothing was changed."
            )
        )
    if rounds.grades_in_a_copy(round_, by):
        raise StillBlind(
            _(
                "You grade in a copy of this round, so its names stay hidden from you until the copy "
                "is final. Nothing was changed."
            )
        )
    _seen, first = Unblinding.objects.get_or_create(round=round_, user=by, defaults={"at": now})
    if first:
        audit.done(round_, "round.unblinded", by, now)
