"""The trees that results are read along: capabilities with their groups, and subject areas.

* Rounds that have results, as lists show them.
* Who reads the results of a round, and what they may see of them: asked by every page and address.
* The result of a round as its page shows it: plain data of the figure, with names put in.
* What capabilities, criteria and annotators of a round are called on the analysts' pages.
"""

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from threading import Lock
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.http import Http404
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _

from annotation.domains.models import Capability, Domain
from annotation.files.models import SEEN
from annotation.grading import counting
from annotation.grading import facts as grade_table
from annotation.grading.models import Grade
from annotation.people.models import Project, Rater, RaterKind
from annotation.people.permissions import Scope
from annotation.rounds import queries as unblinding
from annotation.rounds import rules
from annotation.rounds.models import Round, RoundAnnotator, RoundItem
from annotation.rubrics.models import Criterion
from evalsite import errors
from evalsite.web import keyset
from scoring.engine import queries
from scoring.shown import names
from scoring.shown.names import Name

#: Stands in addresses and figures for what has no capability, area or difficulty.
NONE = "none"
ALL = "all"


@dataclass(frozen=True, slots=True)
class AreaLabel:
    """A line of a tree: "all", a kind (g-), a node with all below it (t-), or itself (c-)."""

    key: str
    below: str
    depth: int
    title: str
    #: The weight that is stored; None for a group, which multiplies by 1.
    weight: str | None = None


@dataclass(frozen=True)
class Capabilities:
    """The capabilities that the items of a round are about, and what stands above them."""

    nodes: Sequence[Capability]
    drawn: frozenset[int]
    with_none: bool

    @cached_property
    def _children(self) -> dict[int | None, list[Capability]]:
        found: dict[int | None, list[Capability]] = {}
        for node in self.nodes:
            found.setdefault(node.parent_id, []).append(node)
        return found

    @cached_property
    def members(self) -> dict[int, tuple[int, ...]]:
        """Return of every node the capabilities of the round at it and below, in tree order."""

        def walk(node: Capability) -> tuple[int, ...]:
            own = (node.pk,) if node.pk in self.drawn else ()
            below = [one for child in self._children.get(node.pk, []) for one in walk(child)]
            found[node.pk] = (*own, *below)
            return found[node.pk]

        found: dict[int, tuple[int, ...]] = {}
        for root in self._children.get(None, []):
            walk(root)
        return found

    @cached_property
    def order(self) -> list[int]:
        """Return the capabilities of the round in the order of the tree."""
        roots = self._children.get(None, [])
        return [pk for root in roots for pk in self.members[root.pk]]

    @cached_property
    def by_key(self) -> dict[int, Capability]:
        return {node.pk: node for node in self.nodes}

    @cached_property
    def kinds(self) -> dict[str, tuple[int, ...]]:
        """Return the capabilities of each kind, if there are some of both."""
        found = {
            kind: tuple(pk for pk in self.order if self.by_key[pk].kind == kind)
            for kind in Capability.Kind.values
        }
        return found if all(found.values()) else {}

    @cached_property
    def groups(self) -> dict[str, tuple[int, ...]]:
        """Return what each group row spans: kinds, and nodes with something below them."""
        made = {f"g-{kind}": pks for kind, pks in self.kinds.items()}
        for pk, members in self.members.items():
            if self._is_group(pk):
                made[f"t-{pk}"] = members
        return made

    def _is_group(self, pk: int) -> bool:
        return bool(set(self.members[pk]) - {pk})

    def above(self, pk: int) -> list[str]:
        """Return the groups that a capability belongs to."""
        return [key for key, members in self.groups.items() if pk in members]

    @cached_property
    def branches(self) -> list[AreaLabel]:
        """Return the lines of the tree, groups before what they hold."""
        made = [AreaLabel(ALL, "", 0, _("Overall"))]
        for kind in Capability.Kind.values if self.kinds else [""]:
            if kind:
                title = kind_title(kind)
                made.append(AreaLabel(f"g-{kind}", ALL, 1, title))
            for root in self._children.get(None, []):
                if not kind or root.kind == kind:
                    made += self._walk(root, f"g-{kind}" if kind else ALL, 2 if kind else 1)
        if self.with_none:
            made.append(AreaLabel(f"c-{NONE}", ALL, 1, _("Without a capability"), "1"))
        return made

    def _walk(self, node: Capability, below: str, depth: int) -> list[AreaLabel]:
        if not self.members[node.pk]:
            return []
        made = []
        if self._is_group(node.pk):
            made.append(AreaLabel(f"t-{node.pk}", below, depth, node.name))
            below, depth = f"t-{node.pk}", depth + 1
        if node.pk in self.drawn:
            weight = f"{node.weight.normalize():f}"
            made.append(AreaLabel(f"c-{node.pk}", below, depth, node.name, weight))
        for child in self._children.get(node.pk, []):
            made += self._walk(child, below, depth)
        return made


def kind_title(kind: str) -> str:
    """Return what the group of a kind of capabilities is called."""
    return _("General") if kind == Capability.Kind.GENERAL else _("Domain")


def capabilities(round_: Round) -> Capabilities:
    """Return the capabilities of a round as a tree. Two queries."""
    drawn = RoundItem.objects.filter(round=round_).order_by()
    found = set(drawn.values_list("item__capability_id", flat=True).distinct())
    nodes = list(Capability.objects.filter(project_id=round_.project_id))
    return Capabilities(nodes, frozenset(found - {None}), None in found)


def criteria(round_: Round) -> dict[int | None, list[Criterion]]:
    """Return the criteria each capability of a round is graded on, each key once."""
    pairs = RoundItem.objects.filter(round=round_).order_by()
    rubrics: dict[int | None, list[int]] = {}
    for capability, version in pairs.values_list(
        "item__capability_id", "rubric_version_id"
    ).distinct():
        if version is not None:
            rubrics.setdefault(capability, []).append(version)
    rows: dict[int, list[Criterion]] = {}
    versions = {one for some in rubrics.values() for one in some}
    for row in Criterion.objects.filter(rubric_version__in=versions):
        rows.setdefault(row.rubric_version_id, []).append(row)
    return {
        capability: list(
            {row.key: row for version in sorted(some) for row in rows.get(version, [])}.values()
        )
        for capability, some in rubrics.items()
    }


@dataclass(frozen=True)
class Domains:
    """The subject areas of a round's items, in tree order, with those above them."""

    branches: Sequence[AreaLabel]
    #: Of every area of the tree itself and what stands above it, the top first.
    lines: Mapping[int, tuple[int, ...]]

    def below(self, pk: int) -> list[int]:
        """Return an area and all below it."""
        return [one for one, line in self.lines.items() if pk in line]


def domains(round_: Round) -> Domains:
    """Return the areas of a round. Two queries."""
    drawn = RoundItem.objects.filter(round=round_).order_by()
    found = set(drawn.values_list("item__domain_id", flat=True).distinct())
    nodes = list(Domain.objects.filter(project_id=round_.project_id))
    children: dict[int | None, list[Domain]] = {}
    for node in nodes:
        children.setdefault(node.parent_id, []).append(node)
    lines: dict[int, tuple[int, ...]] = {}

    def walk(node: Domain, above: tuple[int, ...]) -> list[AreaLabel]:
        line = (*above, node.pk)
        lines[node.pk] = line
        below = [branch for child in children.get(node.pk, []) for branch in walk(child, line)]
        if node.pk not in found and not below:
            del lines[node.pk]
            return []
        mine = AreaLabel(str(node.pk), str(above[-1]) if above else ALL, len(line), node.name)
        return [mine, *below]

    branches = [branch for root in children.get(None, []) for branch in walk(root, ())]
    if None in found and branches:
        branches.append(AreaLabel(NONE, ALL, 1, _("Without an area")))
    return Domains(branches, lines)


NEWEST = 5
MOST_GROUPS = 8
#: Above so many grades a round's count is kept until its grades change.
LARGE = 50_000
MOST_KEPT = 100
_KEPT: dict[str, int] = {}
_KEEPING = Lock()


@dataclass(frozen=True, slots=True)
class FigureRound:
    round: Round
    n_grades: int
    n_releases: int

    @property
    def since(self) -> datetime | None:
        """When the round came into its state."""
        one = self.round
        return one.final_at or one.review_at or one.opened_at


def of_rounds(project: Project) -> "QuerySet[Round]":
    return Round.objects.filter(SEEN, project=project)


def with_results(project: Project) -> "QuerySet[Round]":
    """Return the rounds that have been opened or imported; a trial counts in no result."""
    return of_rounds(project).exclude(state=Round.State.DRAFT).exclude(kind=Round.Kind.TRIAL)


def readable(scope: Scope) -> "QuerySet[Round]":
    """Return the rounds whose results this person may read now: none in which they still grade."""
    told = [
        one
        for one in rules.RoundState
        if rules.allows(one, rules.RoundAct.READ_RESULTS_AS_ANNOTATOR)
    ]
    mine = RoundAnnotator.objects.filter(
        round=OuterRef("pk"), rater__user=scope.user, ended_at__isnull=True
    )
    return with_results(scope.project).filter(Q(state__in=told) | ~Exists(mine))


def graded(project: Project) -> "QuerySet[Round]":
    """Return the rounds with results in which somebody has graded."""
    given = Grade.objects.current().filter(
        round=OuterRef("pk"), kind=Grade.Kind.GIVEN, outcome=Grade.Outcome.VALUE
    )
    return with_results(project).filter(Exists(given))


def page(project: Project, *, after: str = "") -> keyset.Page[Round]:
    return keyset.page(with_results(project), by=("-number",), after=after)


def newest(project: Project) -> list[FigureRound]:
    return lines(list(with_results(project).order_by("-number")[:NEWEST]))


def lines(rounds: list[Round]) -> list[FigureRound]:
    """Return the rounds, each with the grades its results count and its releases counted."""
    grades = _counted(rounds)
    releases = dict(
        Round.objects.filter(pk__in=[one.pk for one in rounds])
        .order_by()
        .values_list("pk")
        .annotate(n=Count("systems"))
    )
    return [FigureRound(one, grades.get(one.pk, 0), releases.get(one.pk, 0)) for one in rounds]


def _counted(rounds: Sequence[Round]) -> dict[int, int]:
    """Return how many grades count in the results of each round; of large ones as often as they change."""
    versions = grade_table.versions(rounds)
    kept = {pk: _KEPT.get(version) for pk, version in versions.items()}
    known = {pk: n for pk, n in kept.items() if n is not None}
    left = [one for one in rounds if one.pk not in known]
    if not left:
        return known
    given = counting.given(left).order_by().values_list("round_id").annotate(n=Count("pk"))
    grades = Counter(dict(given))
    # Those that count are a million at times, the others few: these are read, and taken away.
    grades.subtract(Counter(round_ for round_, _pk in counting.uncounted(left)))
    for one in left:
        if grades[one.pk] > LARGE:
            _keep(versions[one.pk], grades[one.pk])
    return {**grades, **known}


def _keep(version: str, n_grades: int) -> None:
    """Keep a count in place of the oldest ones; requests in other threads do so too."""
    with _KEEPING:
        while len(_KEPT) >= MOST_KEPT:
            _KEPT.pop(next(iter(_KEPT)), None)
        _KEPT[version] = n_grades


class ResultsNotOpened(errors.Conflict):
    code = "not_opened"


@dataclass
class ReadRound:
    """Somebody reads the results of a round."""

    scope: Scope
    round: Round

    @cached_property
    def shown(self) -> bool:
        """Whether this person has the names shown."""
        return self.is_imported or unblinding.has_seen(self.round, self.scope.user.pk)

    @cached_property
    def names(self) -> Mapping[int, Name]:
        return names.names(self.round, shown=self.shown)

    @cached_property
    def groups(self) -> Mapping[str, tuple[int, ...]]:
        """The groups of the round's annotators, if there are several."""
        return groups(self.round)

    @cached_property
    def has_words_alone(self) -> bool:
        """Whether labels and texts are all that was graded, of which there are no scores."""
        given = Grade.objects.current().filter(round=self.round, kind=Grade.Kind.GIVEN)
        words = (Criterion.Mark.LABEL, Criterion.Mark.LABELS, Criterion.Mark.TEXT)
        kinds = set(given.values_list("criterion__mark", flat=True).order_by().distinct())
        return bool(kinds) and kinds <= set(words)

    @property
    def is_draft(self) -> bool:
        return self.round.state == Round.State.DRAFT

    @property
    def is_imported(self) -> bool:
        return self.round.kind == Round.Kind.IMPORTED

    @property
    def is_interim(self) -> bool:
        return not rules.allows(rules.RoundState(self.round.state), rules.RoundAct.READ_RESULTS)

    @cached_property
    def is_closed(self) -> bool:
        """Whether this person grades in the round, which is not final: then it is not for them."""
        state = rules.RoundState(self.round.state)
        if rules.allows(state, rules.RoundAct.READ_RESULTS_AS_ANNOTATOR):
            return False
        return unblinding.grades_in(self.round, self.scope.user)


def of_reading(scope: Scope, number: int) -> ReadRound:
    """Return the reading of a round.

    Raises:
        Http404: there is no such round.
    """
    found = of_rounds(scope.project).filter(number=number).first()
    if found is None:
        raise Http404
    found.project = scope.project
    return ReadRound(scope, found)


def allowed(scope: Scope, number: int) -> ReadRound:
    """Return the reading of a round whose results this person may read now.

    Raises:
        Http404: there is no such round.
        ResultsNotOpened: it is still a draft.
        NotForItsAnnotators: they grade in it, and it is not final.
    """
    reading = of_reading(scope, number)
    if reading.is_draft:
        raise ResultsNotOpened(
            _("This round has not been opened, so there is nothing to read yet.")
        )
    if reading.is_closed:
        raise queries.NotForItsAnnotators(
            _("You grade in this round. Its results open to you when it is final.")
        )
    return reading


def criteria_names(round_: Round) -> dict[str, str]:
    versions = RoundItem.objects.filter(round=round_).order_by().values("rubric_version_id")
    rows = Criterion.objects.filter(rubric_version__in=versions.distinct())
    return dict(rows.values_list("key", "name"))


@dataclass(frozen=True)
class Labels:
    """Names by key. People are told apart by numbers, not by their names."""

    capabilities: Mapping[str, str]
    criteria: Mapping[str, str]
    raters: Mapping[str, str]

    def capability(self, key: object) -> str:
        if key is None:
            return _("Without a capability")
        return self.capabilities.get(str(key), _("Removed capability"))

    def criterion(self, key: str) -> str:
        return self.criteria.get(key, key)

    def rater(self, key: object) -> str:
        return self.raters.get(str(key), _("Former annotator"))

    def in_order(self, keys: Iterable[Any]) -> list[Any]:
        """Return the keys of capabilities, each once, as the project orders them; none comes last."""
        place = {key: n for n, key in enumerate(self.capabilities)}
        return sorted(dict.fromkeys(keys), key=lambda key: place.get(str(key), len(place)))


def _numbered(n: int) -> str:
    return _("Annotator %(number)d") % {"number": n}


def labels_of(round_: Round, tree: Capabilities | None = None, *, with_refs: bool = True) -> Labels:
    """Return the labels of a round; raters of an imported file keep the name they have in it.

    Args:
        round_: whose labels.
        tree: its capabilities, where they were read already.
        with_refs: otherwise people in imported files who graded in the round get numbers as well.
    """
    known = tree or capabilities(round_)
    parts = {str(pk): known.by_key[pk].name for pk in known.order}
    # Many pages show neither, so that they are read where one does.
    criteria: Any = SimpleLazyObject(lambda: criteria_names(round_))
    raters: Any = SimpleLazyObject(lambda: _raters(round_, with_refs=with_refs))
    return Labels(parts, criteria, raters)


def _raters(round_: Round, *, with_refs: bool) -> dict[str, str]:
    drawn = round_.annotators.order_by("rater_id").values_list("rater_id", flat=True)
    raters = {str(pk): _numbered(n) for n, pk in enumerate(dict.fromkeys(drawn), start=1)}
    others = Rater.objects.filter(project=round_.project).exclude(kind=RaterKind.PERSON)
    if not with_refs:
        graded = Grade.objects.filter(round=round_, rater=OuterRef("pk"))
        others = others.exclude(~Exists(graded), kind=RaterKind.IMPORTED)
    next_ones = itertools.count(len(raters) + 1)
    for pk, ref, kind in others.order_by("pk").values_list("pk", "ref", "kind"):
        hidden = kind == RaterKind.IMPORTED and not with_refs
        raters[str(pk)] = _numbered(next(next_ones)) if hidden else ref
    return raters


def stems(rounds: Collection[Round], *, but: Collection[str] = ()) -> dict[str, tuple[int, ...]]:
    """Return the raters whose names differ in the number at their end alone, by what stands before it.

    Args:
        rounds: in which they graded.
        but: kinds of raters that are left out.
    """
    graded = Grade.objects.filter(round__in=rounds, rater=OuterRef("pk"))
    rows = Rater.objects.filter(Exists(graded)).exclude(kind__in=but).order_by("pk")
    found: dict[str, list[int]] = {}
    for pk, name in rows.values_list("pk", "ref"):
        stem = name.rstrip("0123456789")
        if stem and stem != name:
            found.setdefault(f"{stem}*", []).append(pk)
    return {pattern: tuple(pks) for pattern, pks in sorted(found.items())}


def knowing(rounds: Collection[Round]) -> dict[str, tuple[int, ...]]:
    """Return the people who were asked to grade in these rounds, by what they know about."""
    drawn = RoundAnnotator.objects.filter(
        round__in=rounds, rater__user__expertise__project=F("round__project")
    )
    rows = drawn.values_list("rater__user__expertise__tag", "rater_id").order_by().distinct()
    found: dict[str, list[int]] = {}
    for tag, pk in sorted(rows):
        found.setdefault(tag, []).append(pk)
    return {tag: tuple(pks) for tag, pks in found.items()}


def groups(round_: Round) -> dict[str, tuple[int, ...]]:
    """Return the groups of a round's annotators, if there are several: the keys of each by its name.

    Imported ones belong together if their names differ in their number alone, others by what they
    know about. Of very many the largest are returned: they are compared two by two.
    """
    found = stems([round_], but=[RaterKind.PERSON])
    for tag, pks in knowing([round_]).items():
        found[tag] = tuple(sorted({*found.get(tag, ()), *pks}))
    several = len(found) > 1 and any(len(pks) > 1 for pks in found.values())
    largest = sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))[:MOST_GROUPS]
    return dict(sorted(largest)) if several else {}


def numbered(round_: Round) -> Labels:
    """Return the labels of a round with a number for every annotator, those of an imported file too."""
    return labels_of(round_, with_refs=False)


def named(round_: Round) -> Labels:
    """Return the labels of a round with the names of its annotators, as files of grades hold them."""
    people = Rater.objects.filter(project=round_.project, kind=RaterKind.PERSON)
    names = {str(pk): name for pk, name in people.values_list("pk", "user__username")}
    usual = labels_of(round_)
    return replace(usual, raters={key: names.get(key, text) for key, text in usual.raters.items()})
