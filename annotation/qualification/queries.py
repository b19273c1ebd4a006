"""Who is qualified in what: the state of each annotator in each capability, and its history.

"Is this person qualified?" is answered by `is_qualified`; what was never recorded for a capability
counts as it stands for the nearest capability above it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils.functional import cached_property

from annotation.domains.models import Capability
from annotation.people.models import Membership, Project, Rater, Role, User
from annotation.qualification import rules
from annotation.qualification.models import Expertise, Qualification, QualificationRule
from annotation.qualification.rules import PoolState
from annotation.rounds.models import Round, RoundItem


@dataclass(frozen=True)
class CapabilityCell:
    """Where somebody stands in a capability; `inherited` from the one above it."""

    capability: Capability
    state: Qualification.State
    inherited: bool
    last: Qualification | None


@dataclass(frozen=True)
class PoolMember:
    """An annotator of the pool."""

    user: User
    name: str
    tags: tuple[str, ...]
    cells: tuple[CapabilityCell, ...]

    @property
    def n_qualified(self) -> int:
        return sum(one.state == Qualification.State.QUALIFIED for one in self.cells)


class Ladder:
    """The capabilities of a project with what stands above each."""

    def __init__(self, project: Project | int) -> None:
        key = project if isinstance(project, int) else project.pk
        rows = Capability.objects.filter(project=key).values_list("pk", "parent_id")
        self._above: Mapping[int, int | None] = dict(rows)

    def line(self, capability: int) -> list[int]:
        """Return a capability and those above it, the nearest first."""
        found: list[int] = []
        at: int | None = capability
        while at is not None and at not in found:
            found.append(at)
            at = self._above.get(at)
        return found

    def below(self, capability: int) -> list[int]:
        """Return a capability and all those below it."""
        return [one for one in self._above if capability in self.line(one)]

    def state(self, capability: int, known: Mapping[int, PoolState]) -> PoolState:
        return rules.standing([known.get(one) for one in self.line(capability)])

    @cached_property
    def every(self) -> list[int]:
        return list(self._above)


def last_steps(raters: Iterable[Rater]) -> QuerySet[Qualification]:
    """Return the last step of each of these people in each capability."""
    later = Qualification.objects.filter(
        rater=OuterRef("rater"), capability=OuterRef("capability"), number__gt=OuterRef("number")
    )
    return Qualification.objects.filter(~Exists(later), rater__in=list(raters))


def states_of(rater: Rater) -> dict[int, PoolState]:
    """Return the recorded state of somebody by capability."""
    rows = last_steps([rater]).values_list("capability_id", "state")
    return {capability: PoolState(state) for capability, state in rows}


def is_qualified(rater: Rater, capability: Capability) -> bool:
    """Return whether somebody may grade a capability in rounds that ask for qualification."""
    ladder = Ladder(capability.project_id)
    return ladder.state(capability.pk, states_of(rater)) is PoolState.QUALIFIED


def qualified_in(rater: Rater) -> set[int]:
    """Return the capabilities in which somebody is qualified."""
    ladder, known = Ladder(rater.project_id), states_of(rater)
    return {one for one in ladder.every if ladder.state(one, known) is PoolState.QUALIFIED}


def closed_to(round_: Round, rater: Rater, round_items: Collection[int]) -> set[int]:
    """Return those of these round items of a capability in which somebody has not qualified.

    A round that does not ask for qualification closes nothing, nor does an item without capability.
    """
    if not round_.asks_qualification or not round_items:
        return set()
    rows = RoundItem.objects.filter(pk__in=round_items, item__capability__isnull=False)
    open_ones = qualified_in(rater)
    pairs = rows.values_list("pk", "item__capability_id")
    return {pk for pk, capability in pairs if capability not in open_ones}


def barred(rater: Rater, rounds: Sequence[Round]) -> list[tuple[int, int]]:
    """Return the items of these rounds that somebody would have to qualify for, each with its round."""
    asking = [one.pk for one in rounds if one.asks_qualification]
    if not asking:
        return []
    rows = RoundItem.objects.filter(round__in=asking, occasion=1, item__capability__isnull=False)
    closed = rows.exclude(item__capability__in=qualified_in(rater))
    return list(closed.values_list("round_id", "item_id"))


def lacking(round_: Round, rater: Rater) -> list[Capability]:
    """Return the capabilities of a round in which somebody would have to qualify first."""
    if not round_.asks_qualification:
        return []
    asked = Capability.objects.filter(
        pk__in=round_.items.filter(item__capability__isnull=False).values("item__capability")
    )
    open_ones = qualified_in(rater)
    return [one for one in asked if one.pk not in open_ones]


def waiting_for(rater: Rater) -> list[Capability]:
    """Return the capabilities of which questions wait for somebody once they have qualified."""
    asking = Round.objects.filter(
        annotators__rater=rater,
        annotators__ended_at__isnull=True,
        state=Round.State.OPEN,
        qualified_only_since__isnull=False,
    )
    found = {one.pk: one for round_ in asking for one in lacking(round_, rater)}
    return list(found.values())


def names_lacking(round_: Round, users: Sequence[User]) -> dict[int, list[str]]:
    """Return, by user, the capabilities of a round in which they would have to qualify first."""
    if not round_.asks_qualification:
        return {}
    asked = Capability.objects.filter(
        pk__in=round_.items.filter(item__capability__isnull=False).values("item__capability")
    )
    wanted = list(asked.order_by("position", "name"))
    raters = Rater.objects.filter(project=round_.project_id, user__in=users)
    of_user = {one.user_id: one.pk for one in raters}
    ladder, known = Ladder(round_.project_id), states_of_many(list(raters))
    return {
        user.pk: [
            one.name
            for one in wanted
            if ladder.state(one.pk, known[of_user.get(user.pk, 0)]) is not PoolState.QUALIFIED
        ]
        for user in users
    }


@dataclass(frozen=True)
class Short:
    """A capability of a round in which fewer have qualified than grade each of its questions."""

    capability: Capability
    n_qualified: int
    n_wanted: int


def short_of(round_: Round) -> list[Short]:
    """Return where the annotators of a round who have qualified are too few to fill its seats."""
    wanted: dict[int, int] = dict(
        round_.items.filter(item__capability__isnull=False)
        .order_by()
        .values_list("item__capability")
        .annotate(n=Max("n_seats"))
    )
    places = round_.annotators.filter(ended_at__isnull=True).select_related("rater")
    raters = [one.rater for one in places]
    ladder, known = Ladder(round_.project_id), states_of_many(raters)
    found = []
    for capability in Capability.objects.filter(pk__in=wanted).order_by("position", "name"):
        states = [ladder.state(capability.pk, known[one.pk]) for one in raters]
        n = sum(state is PoolState.QUALIFIED for state in states)
        if n < wanted[capability.pk]:
            found.append(Short(capability, n, wanted[capability.pk]))
    return found


def states_of_many(raters: Sequence[Rater]) -> dict[int, dict[int, PoolState]]:
    """Return the recorded states of several people, by person and capability."""
    found: dict[int, dict[int, PoolState]] = defaultdict(dict)
    for rater, capability, state in last_steps(raters).values_list(
        "rater_id", "capability_id", "state"
    ):
        found[rater][capability] = PoolState(state)
    return found


def capabilities(project: Project) -> list[Capability]:
    return list(Capability.objects.filter(project=project).order_by("position", "name"))


def annotators(project: Project) -> list[User]:
    """Return the annotators of a project by name."""
    rows = Membership.objects.with_role([Role.ANNOTATOR]).filter(project=project)
    users = [row.user for row in rows.select_related("user__person")]
    return sorted(users, key=lambda one: str(one.display_name).lower())


def pool(
    project: Project, *, tag: str = "", state: str = "", capability: int = 0
) -> list[PoolMember]:
    """Return the annotators of a project with where each stands.

    Args:
        project: whose pool.
        tag: only those who know about this.
        state: only those who stand so, in `capability` if one is given, else in any.
        capability: for which `state` is asked.
    """
    users = annotators(project)
    tags = tags_of(project)
    raters = {
        rater.user_id: rater for rater in Rater.objects.filter(project=project, user__in=users)
    }
    steps: dict[int, dict[int, Qualification]] = defaultdict(dict)
    for step in last_steps(raters.values()):
        steps[step.rater_id][step.capability_id] = step
    ladder, every = Ladder(project), capabilities(project)
    members = []
    for user in users:
        rater = raters.get(user.pk)
        mine = steps[rater.pk] if rater else {}
        cells = tuple(_cell(one, ladder, mine) for one in every)
        asked = [one for one in cells if not capability or one.capability.pk == capability]
        if state and all(one.state != state for one in asked):
            continue
        if tag and tag not in tags[user.pk]:
            continue
        members.append(PoolMember(user, user.display_name, tuple(tags[user.pk]), cells))
    return members


def trained(project: Project) -> dict[int, list[Capability]]:
    """Return, by user, in which capabilities a trial can be taken: their training is finished."""
    return {
        one.user.pk: ready
        for one in pool(project)
        if (
            ready := [
                cell.capability for cell in one.cells if cell.state == Qualification.State.TRAINED
            ]
        )
    }


def cells_of(rater: Rater) -> list[CapabilityCell]:
    """Return where one person stands in every capability."""
    mine = {step.capability_id: step for step in last_steps([rater])}
    ladder = Ladder(rater.project_id)
    return [_cell(one, ladder, mine) for one in capabilities(rater.project)]


def _cell(
    capability: Capability, ladder: Ladder, mine: Mapping[int, Qualification]
) -> CapabilityCell:
    own = mine.get(capability.pk)
    near = next((mine[one] for one in ladder.line(capability.pk) if one in mine), None)
    state = Qualification.State(near.state if near else PoolState.NEW)
    return CapabilityCell(capability, state, own is None and near is not None, own)


def tags_of(project: Project) -> dict[int, list[str]]:
    """Return what each person of a project knows about."""
    found: dict[int, list[str]] = defaultdict(list)
    for user, tag in Expertise.objects.filter(project=project).values_list("user_id", "tag"):
        found[user].append(tag)
    return found


def history(rater: Rater) -> QuerySet[Qualification]:
    """Return every step of somebody, the newest first."""
    rows = Qualification.objects.filter(rater=rater).order_by("-pk")
    return rows.select_related("capability", "by__person", "round")


def rule_of(project: Project, capability: Capability | None = None) -> QualificationRule | None:
    """Return the rule that holds: the capability's own, else the project's; None: the usual one."""
    rows = QualificationRule.objects.filter(project=project)
    own = rows.filter(capability=capability).first() if capability else None
    return own or rows.filter(capability__isnull=True).first()


def own_rules(project: Project) -> dict[int, QualificationRule]:
    """Return the rules that capabilities have of their own."""
    rows = QualificationRule.objects.filter(project=project, capability__isnull=False)
    return {one.capability_id or 0: one for one in rows.order_by("pk")}


def threshold_of(project: Project, capability: Capability | None = None) -> rules.Threshold:
    rule = rule_of(project, capability)
    return rule.threshold if rule else rules.Threshold()


def is_asked(project: Project) -> bool:
    """Return whether new rounds of a project ask for qualification."""
    rule = rule_of(project)
    return rule is not None and rule.asked
