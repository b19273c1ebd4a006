"""Begin a round: on one page, filled in as the last round was or from what there is, or as a copy of one.

* A copy has the same questions, or a new draw with the same settings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef

from annotation.common.sentences import gettext as _
from annotation.domains.models import Capability
from annotation.people import audit
from annotation.people.models import UNBLINDED, Project, Role, User
from annotation.qualification.answers import TrialCandidate
from annotation.rounds import drafting, draws
from annotation.rounds import queries as reads
from annotation.rounds.models import Round, RoundItem, RoundSystem
from annotation.rounds.opening import Seen, seen
from annotation.rounds.rules import (
    FEWEST_SEATS,
    LONGEST_LEASE,
    LONGEST_NAME,
    MOST_RELEASES,
    MOST_SEATS,
    SHORTEST_LEASE,
    Draw,
    DrawHow,
    RoundDesign,
)
from annotation.rubrics.models import RubricVersion
from annotation.systems import queries as systems
from annotation.systems.models import Item, Response, SystemRelease
from annotation.systems.queries import CountedRelease, SystemLine
from evalsite import errors

#: Answers that are counted along while somebody chooses; of more, the preparation tells.
MOST_COUNTED = 50_000
#: What stands for more than one rubric in the choice of one.
LAST, OWN = "last", "own"


@dataclass(frozen=True)
class RubricChoice:
    """By which rubrics a round is graded, under the key that the form has for the choice."""

    key: str
    title: str
    rest: RubricVersion | None = None
    by_capability: Mapping[Capability, RubricVersion] = field(default_factory=dict)

    #: Whether it asks which of two answers is better.
    of_pairs: bool = False

    def versions(self) -> set[RubricVersion]:
        return {one for one in (self.rest, *self.by_capability.values()) if one is not None}

    def version_for(self, capability: Capability | None) -> RubricVersion | None:
        return (capability and self.by_capability.get(capability)) or self.rest


@dataclass(frozen=True)
class Usual:
    """What a round is made of here: what the last one had, else what there is."""

    last: Round | None
    name: str
    systems: list[SystemLine]
    releases: list[int]
    rubrics: list[RubricChoice]
    rubric: str
    people: list[reads.PossibleAnnotator]
    annotators: list[str]
    n_seats: int

    def initial(self) -> dict[str, Any]:
        names = ("name", "releases", "rubric", "annotators", "n_seats")
        return {name: getattr(self, name) for name in names}


def usual(project: Project) -> Usual:
    """Return what the page of a new round has filled in."""
    made = RoundSystem.objects.filter(round=OuterRef("pk"))
    before = reads.rounds_of(project).filter(Exists(made), kind=Round.Kind.PRODUCTION)
    last = next((one for one in before.order_by("-number")[:20] if not why_not(one)), None)
    lines = systems.list_systems(project)
    rubrics = _rubrics(project, last)
    people = reads.people_of(project)
    return Usual(
        last=last,
        name=_("Round %(n)s") % {"n": drafting.next_number(project)},
        systems=lines,
        releases=_releases(lines, last),
        rubrics=rubrics,
        rubric=rubrics[0].key if len(rubrics) == 1 or (rubrics and rubrics[0].key == LAST) else "",
        people=people,
        annotators=_annotators(people, last),
        n_seats=max(FEWEST_SEATS, last.n_seats) if last else FEWEST_SEATS,
    )


def _releases(lines: Sequence[SystemLine], last: Round | None) -> list[int]:
    """Return the newest release with answers of every system of the last round, else of them all."""
    newest = {one.system.pk: _newest(one.releases) for one in lines}
    if last is not None:
        had = set(last.systems.values_list("release__system_id", flat=True))
        newest = {pk: one for pk, one in newest.items() if pk in had}
    return [one for one in newest.values() if one is not None][:MOST_RELEASES]


def _newest(releases: Sequence[CountedRelease]) -> int | None:
    return max((one.release.pk for one in releases if one.n_items), default=None)


def _rubrics(project: Project, last: Round | None) -> list[RubricChoice]:
    """Return the rubrics that may be chosen: those of the last round, those of capabilities, each."""
    newest: dict[int, RubricVersion] = {}
    for version in reads.versions_of(project):
        newest.setdefault(version.rubric_id, version)
    found = [RubricChoice(str(one.pk), str(one), rest=one) for one in newest.values()]
    own = {
        one: newest[one.rubric_id]
        for one, _n in reads.capabilities_with_items(project)
        if one.rubric_id in newest
    }
    if own:
        found.insert(0, RubricChoice(OWN, _("each capability by its own"), None, own))
    rows = list(last.rubrics.select_related("capability", "rubric_version__rubric")) if last else []
    if last and rows:
        names = sorted({str(one.rubric_version) for one in rows})
        several = _("%(n)s rubrics") % {"n": len(names)}
        title = _("as in round %(n)s: %(rubrics)s") % {
            "n": last.number,
            "rubrics": names[0] if len(names) == 1 else several,
        }
        rest = next((one.rubric_version for one in rows if one.capability is None), None)
        said = {one.capability: one.rubric_version for one in rows if one.capability}
        found.insert(0, RubricChoice(LAST, title, rest, said))
    choosing = set(reads.versions_of(project).asking_choices().values_list("pk", flat=True))
    return [
        replace(one, of_pairs=bool(choosing & {version.pk for version in one.versions()}))
        for one in found
    ]


def _annotators(people: Sequence[reads.PossibleAnnotator], last: Round | None) -> list[str]:
    """Return who is filled in: who graded last, else everybody; never who sees identities."""
    blind = [one.user for one in people if not one.sees_identities]
    if last is not None:
        places = last.annotators.filter(ended_at__isnull=True)
        graded = set(places.values_list("rater__user_id", flat=True))
        blind = [one for one in blind if one.pk in graded]
    return [str(one.public_id) for one in blind]


@dataclass(frozen=True)
class RoundWish:
    """What somebody wants a round to be; what is left empty is chosen on its page later."""

    name: str
    seed: str
    n_items: int | None
    pairs: int | None
    n_seats: int
    deadline: datetime | None
    releases: Sequence[SystemRelease]
    rubrics: RubricChoice | None
    annotators: Sequence[User]


@transaction.atomic
def begin(
    *, project: Project, asked: RoundWish, secret: bytes, by: User, by_owner: bool, now: datetime
) -> Round:
    """Make the draft, all of it or nothing.

    Raises:
        drafting.DesignInvalid: a part of it that cannot be so; `fields` says which.
        drafting.OverrideNeeded: too few seats, or somebody who can see identities.
    """
    made = drafting.create_round(
        project=project, name=asked.name, seed=asked.seed, secret=secret, by=by, now=now
    )
    given: dict[str, Any] = {"round_": made, "by": by, "now": now}
    settings = drafting.RoundSettings(
        name=asked.name, n_seats=asked.n_seats, deadline=asked.deadline
    )
    drafting.configure(settings=settings, by_owner=by_owner, **given)
    if asked.releases:
        drafting.choose_releases(releases=asked.releases, **given)
    if asked.rubrics:
        chosen = asked.rubrics
        drafting.choose_rubrics(by_capability=chosen.by_capability, rest=chosen.rest, **given)
    draw = Draw(n_items=asked.n_items, pairs=asked.pairs if made.of_pairs else None)
    if draw != Draw():
        drafting.choose_draw(draw=draw, **given)
    if asked.annotators:
        drafting.invite(users=asked.annotators, by_owner=by_owner, override="", **given)
    made.refresh_from_db()
    return made


@dataclass(frozen=True)
class Reckoned:
    """What a round would ask of people, all of whom do as much. Hours are at the given pace."""

    n_fit: int
    n_items: int
    n_answers: int
    n_seats: int
    hours: float
    n_people: int
    n_each: int
    hours_each: float
    #: How many people are missing for as many as grade every question.
    n_short: int
    #: The questions that fit, with their answers.
    fits: Sequence[TrialCandidate]
    #: Pairs of answers that are compared; none where answers are marked.
    n_pairs: int = 0


def reckon(
    project: Project,
    releases: Sequence[int],
    *,
    n_items: int | None,
    n_seats: int,
    n_people: int,
    minutes: float,
    now: datetime,
    of_pairs: bool = False,
    pairs: int | None = None,
) -> Reckoned | None:
    """Return what a round over all that these releases answered would take; None: too many to count.

    Args:
        of_pairs: answers are compared by twos, `pairs` of them (None: all) on each question.
    """
    some = Response.objects.filter(release_id__in=releases)[: MOST_COUNTED + 1]
    if some.count() > MOST_COUNTED:
        return None
    made = Round(project=project, of_pairs=of_pairs)
    listed = draws.listed(made, releases, Draw(), now) if releases else ()
    fits = [one for one in listed if one.fits]
    drawn = len(fits) if n_items is None else min(n_items, len(fits))
    possible = len(releases) * (len(releases) - 1) // 2
    n_pairs = drawn * min(possible, possible if pairs is None else pairs) if of_pairs else 0
    n_places = n_pairs if of_pairs else drawn
    each = RoundDesign(n_once=n_places, n_twice=0, n_seats=n_seats, n_people=n_people).fair_share
    return Reckoned(
        n_fit=len(fits),
        n_items=drawn,
        n_answers=drawn * len(releases),
        n_seats=n_seats,
        hours=n_places * n_seats * minutes / 60,
        n_people=n_people,
        n_each=each,
        hours_each=each * minutes / 60,
        n_short=max(0, n_seats - n_people),
        fits=fits,
        n_pairs=n_pairs,
    )


def n_bare(fits: Sequence[TrialCandidate], rubrics: RubricChoice | None) -> int:
    """Return how many of these questions would have no rubric."""
    graded = {one.pk for one in rubrics.by_capability} if rubrics else set()
    is_whole = rubrics is not None and rubrics.rest is not None
    return 0 if is_whole else sum(1 for one in fits if one.capability_id not in graded)


def sample(
    project: Project, fits: Sequence[TrialCandidate], rubrics: RubricChoice | None
) -> Seen | None:
    """Return a question as annotators would see it, one with a rubric if there is one; None of none."""
    graded = {one.pk for one in rubrics.by_capability} if rubrics and not rubrics.rest else set()
    of = next((one for one in fits if one.capability_id in graded), next(iter(fits), None))
    if of is None:
        return None
    item = Item.objects.select_related("capability").get(pk=of.item_id)
    version = rubrics.version_for(item.capability) if rubrics else None
    place = RoundItem(round=Round(project=project), item=item, rubric_version=version)
    shown = list(of.responses.values())
    if rubrics and rubrics.of_pairs:
        shown = shown[:2]
    return seen(place, list(Response.objects.filter(pk__in=shown)))


class Questions(StrEnum):
    SAME = "SAME"
    NEW = "NEW"


class CannotCopy(errors.Conflict): ...


def usual_name(of: Round) -> str:
    return (_("Copy of %(name)s") % {"name": of.name})[:LONGEST_NAME]


@transaction.atomic
def copy(
    *,
    round_: Round,
    questions: Questions,
    seed: str,
    secret: bytes,
    by: User,
    by_owner: bool,
    now: datetime,
    name: str = "",
) -> Round:
    """Return a new draft with the settings, releases, rubrics, annotators and draw of a round.

    What an owner allowed in it, with a reason, holds in the copy only if an owner makes it: else there
    are three seats a question, and whoever needs such a reason is left out.

    Args:
        questions: the same, in their newest versions, or a new draw with the same settings.
        seed: of the copy; a new draw comes from it.

    Raises:
        CannotCopy: it is a trial, holds imported grades, or was published from a run.
    """
    if reason := why_not(round_):
        raise CannotCopy(reason)
    made = drafting.create_round(
        project=round_.project,
        name=name.strip() or usual_name(round_),
        seed=seed,
        secret=secret,
        by=by,
        now=now,
    )
    drafting.touch(made, parent=round_)  # whoever has seen its names is not blind in the copy
    given: dict[str, Any] = {"round_": made, "by": by, "now": now}
    drafting.configure(
        settings=_settings(round_, made.name, by_owner=by_owner, now=now),
        by_owner=by_owner,
        **given,
    )
    if releases := [one.release for one in round_.systems.select_related("release__system")]:
        drafting.choose_releases(releases=releases, **given)
    rubrics = list(round_.rubrics.select_related("capability", "rubric_version__rubric"))
    drafting.choose_rubrics(
        by_capability={one.capability: one.rubric_version for one in rubrics if one.capability},
        rest=next((one.rubric_version for one in rubrics if one.capability_id is None), None),
        **given,
    )
    drafting.choose_draw(draw=_draw(round_, questions), **given)
    _invite(round_, made, by, by_owner=by_owner, now=now)
    audit.done(made, "round.copied", by, now, source=round_.number, questions=str(questions))
    made.refresh_from_db()
    return made


def why_not(of: Round) -> str:
    """Return why a round cannot be copied, or ""."""
    if of.kind != Round.Kind.PRODUCTION:
        return _("Only rounds of production are copied. Begin trials under Training.")
    if Draw.from_json(of.draw).published:
        return _(
            "This round was published from a run. Publish the run again to have its outputs "
            "rated once more."
        )
    return ""


def left_behind(of: Round, made: Round) -> list[str]:
    """Return the names of the settings that a copy does not share with its round, as fields are named."""
    names = {"n_seats", "lease_minutes", "deadline"}
    return [
        str(one.verbose_name)
        for one in Round._meta.fields
        if one.name in names and getattr(of, one.name) != getattr(made, one.name)
    ]


def _settings(of: Round, name: str, *, by_owner: bool, now: datetime) -> drafting.RoundSettings:
    """Return the settings of a round; what nobody may set so today, or who copies may not, is the default."""
    few = of.n_seats < FEWEST_SEATS and not (by_owner and of.seats_override.strip())
    unfit = few or of.n_seats > MOST_SEATS
    over = of.deadline is not None and of.deadline <= now
    lasts = SHORTEST_LEASE <= of.lease_minutes <= LONGEST_LEASE
    return replace(
        drafting.RoundSettings.of(of),
        name=name,
        n_seats=FEWEST_SEATS if unfit else of.n_seats,
        seats_override="" if unfit else of.seats_override,
        lease_minutes=of.lease_minutes if lasts else drafting.RoundSettings.lease_minutes,
        deadline=None if over else of.deadline,
        qualified_override=of.qualified_override if by_owner else None,
    )


def _draw(of: Round, questions: Questions) -> Draw:
    wishes = Draw.from_json(of.draw)
    same = of.items.filter(purpose__in=[RoundItem.Purpose.NORMAL, RoundItem.Purpose.ANCHOR])
    drawn = same.order_by("ordinal").values_list("item__external_id", flat=True)
    named = list(dict.fromkeys(drawn))  # in a round of pairs, a question stands several times
    if questions != Questions.SAME or not named:
        return wishes
    return replace(
        wishes,
        capabilities=(),
        external_ids=named,
        n_items=None,
        how=DrawHow.LOT,
        quotas={},
        avoid_rounds=0,
        avoid_days=0,
        anchors_from=None,
    )


def _invite(of: Round, made: Round, by: User, *, by_owner: bool, now: datetime) -> None:
    """Put the annotators of a round into its copy; who sees identities comes with an owner's reason."""
    places = of.annotators.filter(ended_at__isnull=True).select_related("rater__user")
    reasons = {one.rater.user: one.override for one in places if one.rater.user is not None}
    roles = drafting.roles_held(of.project, list(reasons))
    there = [user for user in reasons if Role.ANNOTATOR in roles.get(user.pk, set())]
    seen = reads.have_seen(made, there)
    seeing = {user.pk for user in there if user.pk in seen or roles[user.pk] & UNBLINDED}
    chosen = [user for user in there if user.pk not in seeing]
    given: dict[str, Any] = {"round_": made, "by": by, "by_owner": by_owner, "now": now}
    drafting.invite(users=chosen, override="", **given)
    for user in there:
        if user.pk in seeing and by_owner and reasons[user]:
            chosen.append(user)
            drafting.invite(users=chosen, override=reasons[user], **given)
