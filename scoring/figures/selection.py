"""What reviewers made of a round, as its results offer it: what was settled, what was declared invalid."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.common.sentences import gettext as _
from annotation.domains.models import Difficulty, Domain, Priority
from annotation.grading.models import Grade, Invalidation
from annotation.people.models import Rater
from annotation.review.models import Decision
from annotation.rounds.models import Round, RoundItem
from evalsite import errors
from scoring.figures import labels as branches
from scoring.figures.labels import NONE, Capabilities, Domains, Labels
from scoring.shown.names import Name


def counts(round_: Round) -> dict[str, int]:
    """Return how many adjudicated grades stand, and how many invalidations."""
    standing = Invalidation.objects.filter(
        round=round_, reverses__isnull=True, reversed_by__isnull=True
    )
    # Only decisions make adjudicated grades: a round has few of them, and perhaps a million grades.
    # Adding nothing to the round's key keeps SQLite from going through all of those by it.
    decided = Decision.objects.filter(round=round_, response__isnull=False).values("response_id")
    settled = (
        Grade.objects.current()
        .alias(of=F("round_id") + 0)
        .filter(of=round_.pk, kind=Grade.Kind.ADJUDICATED, response__in=decided)
    )
    valid = settled.exclude(pk__in=standing.filter(grade__isnull=False).values("grade_id"))
    struck = standing.exclude(grade__kind=Grade.Kind.ADJUDICATED)
    return {"adjudicated": valid.count(), "struck": struck.count()}


FACETS = (
    "capability",
    "difficulty",
    "domain",
    "priority",
    "purpose",
    "annotator",
    "release",
    "review",
)
#: The purposes that count unless a page says otherwise: the one default filter.
USUAL = ("NORMAL", "ANCHOR")
Kind = tuple[int | None, str, int | None, str]  # capability, difficulty, domain, purpose


class BadFilter(errors.Invalid): ...


@dataclass(frozen=True, slots=True)
class FilterChoice:
    """A value of a filter; `n` items of the round have it, None where that is not counted."""

    key: str
    title: str
    depth: int
    n: int | None
    is_on: bool = False


@dataclass(frozen=True, slots=True)
class Facet:
    name: str
    title: str
    choices: tuple[FilterChoice, ...]

    @property
    def on(self) -> list[FilterChoice]:
        return [one for one in self.choices if one.is_on]


@dataclass(frozen=True)
class Ground:
    """What a round can be filtered by: read once for a page, and only where it is shown or asked for."""

    round: Round
    capabilities: Capabilities
    labels: Labels
    names: Mapping[int, Name]

    @cached_property
    def domains(self) -> Domains:
        return branches.domains(self.round)

    @cached_property
    def kinds(self) -> Mapping[Kind, int]:
        """Return how many items of the round there are of each kind."""
        rows = RoundItem.objects.filter(round=self.round).order_by()
        by = ("item__capability_id", "item__difficulty", "item__domain_id", "purpose")
        counted = rows.values_list(*by).annotate(n=Count("pk"))
        return {(area, hard, domain, use): n for area, hard, domain, use, n in counted}

    @cached_property
    def reviewed(self) -> Mapping[str, int]:
        """Return how many grades reviewers wrote, and how many decisions declare grades invalid."""
        return counts(self.round)

    @cached_property
    def raters(self) -> set[str]:
        """Return the keys of those who may have graded in the round."""
        return {str(pk) for pk in raters_of(self.round)}

    @cached_property
    def priorities(self) -> dict[int, str]:
        """Return the priority of every area of the project."""
        rows = Domain.objects.filter(project_id=self.round.project_id)
        return dict(rows.values_list("pk", "priority"))

    def places(self) -> dict[str, int]:
        """Return the releases by their place in the draw, as addresses name them."""
        return {str(n): pk for n, pk in enumerate(self.names, start=1)}

    def choices(self, facet: str) -> list[FilterChoice]:
        """Return the values that a filter can take, with the items of the round that have them."""
        made: list[FilterChoice] = getattr(self, f"_{facet}")()
        return made

    def _capability(self) -> list[FilterChoice]:
        made = []
        groups = self.capabilities.groups
        for one in self.capabilities.branches:
            mark, _dash, key = one.key.partition("-")
            if mark == "t" or (mark == "c" and f"t-{key}" not in groups):
                depth = one.depth - (2 if self.capabilities.kinds and key != NONE else 1)
                known = {key, *map(str, groups.get(one.key, ()))}
                made.append(FilterChoice(key, one.title, depth, self._n(0, known)))
        return made

    def _difficulty(self) -> list[FilterChoice]:
        titles = [*Difficulty.choices, (NONE, _("not said"))]
        return self._counted(1, titles)

    def _domain(self) -> list[FilterChoice]:
        made = []
        for one in self.domains.branches:
            known = {NONE} if one.key == NONE else set(map(str, self.domains.below(int(one.key))))
            made.append(FilterChoice(one.key, one.title, one.depth - 1, self._n(2, known)))
        return made

    def _priority(self) -> list[FilterChoice]:
        made = []
        for key, title in [*Priority.choices, (NONE, _("without an area"))]:
            areas = {_text(pk) for pk in (None, *self.priorities) if self.priority_of(pk) == key}
            if n := self._n(2, areas):
                made.append(FilterChoice(key, str(title), 0, n))
        return made

    def _purpose(self) -> list[FilterChoice]:
        return self._counted(3, RoundItem.Purpose.choices)

    def _annotator(self) -> list[FilterChoice]:
        titles = self.labels.raters.items()
        return [FilterChoice(key, title, 0, None) for key, title in titles if key in self.raters]

    def _release(self) -> list[FilterChoice]:
        named = self.names.values()
        return [FilterChoice(str(n), name.text, 0, None) for n, name in enumerate(named, start=1)]

    def _review(self) -> list[FilterChoice]:
        titles = {
            "adjudicated": _("adjudicated grades"),
            "struck": _("invalid grades, too"),
        }
        counts = self.reviewed
        return [
            FilterChoice(key, text, 0, counts[key])
            for key, text in titles.items()
            if counts.get(key)
        ]

    def _counted(self, place: int, titles: Iterable[tuple[Any, Any]]) -> list[FilterChoice]:
        counted = ((str(key), str(title), self._n(place, {str(key)})) for key, title in titles)
        return [FilterChoice(key, title, 0, n) for key, title, n in counted if n]

    def _n(self, place: int, known: Collection[str]) -> int:
        """Count the items of a kind; of those that usually count, unless the purpose is asked."""
        return sum(
            n
            for kind, n in self.kinds.items()
            if _text(kind[place]) in known and (place == 3 or kind[3] in USUAL)
        )

    def priority_of(self, domain: int | None) -> str:
        return self.priorities.get(domain or 0, NONE)


@dataclass(frozen=True)
class Selection:
    """The values that were chosen, by filter; a filter without any lets everything through."""

    ground: Ground
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_usual(self) -> bool:
        return not self.chosen

    @property
    def purposes(self) -> tuple[str, ...]:
        return self.chosen.get("purpose", USUAL)

    @property
    def is_widened(self) -> bool:
        """Whether grades are looked at that usually do not count: gold items, repeats."""
        return not set(self.purposes) <= set(USUAL)

    @property
    def review(self) -> tuple[str, ...]:
        """Return what of the review is looked at besides the grades as they were given and count."""
        return self.chosen.get("review", ())

    @property
    def is_part(self) -> bool:
        """Whether other grades are looked at than usual, whatever is made of the review."""
        return bool(set(self.chosen) - {"review"})

    @cached_property
    def facets(self) -> list[Facet]:
        """Return the filters that have something to choose from."""
        titles = {
            "capability": _("Capability"),
            "difficulty": _("Difficulty"),
            "domain": _("Area"),
            "priority": _("Priority"),
            "purpose": _("Purpose"),
            "annotator": _("Annotators"),
            "release": _("Systems"),
            "review": _("Review"),
        }
        made = []
        for name in FACETS:
            on = self.chosen.get(name, ())
            choices = [
                FilterChoice(one.key, one.title, one.depth, one.n, one.key in on)
                for one in self.ground.choices(name)
            ]
            if len(choices) > 1 or on or (name == "review" and choices):
                made.append(Facet(name, titles[name], tuple(choices)))
        return made

    @property
    def query(self) -> list[tuple[str, str]]:
        """Return the part of an address that says this selection."""
        return [(name, key) for name in FACETS for key in self.chosen.get(name, ())]

    @cached_property
    def capabilities(self) -> set[int | None] | None:
        """Return the capabilities that are chosen, with all below; None for all."""
        keys = self.chosen.get("capability")
        if keys is None:
            return None
        members = self.ground.capabilities.members
        found: set[int | None] = {pk for key in keys if key != NONE for pk in members[int(key)]}
        return found | ({None} if NONE in keys else set())

    @cached_property
    def domains(self) -> set[int | None] | None:
        """Return the areas that are chosen by area and priority; None for all."""
        found: set[int | None] | None = None
        if keys := self.chosen.get("domain"):
            areas = self.ground.domains
            found = {pk for key in keys if key != NONE for pk in areas.below(int(key))}
            found |= {None} if NONE in keys else set()
        if keys := self.chosen.get("priority"):
            known: set[int | None] = {None, *self.ground.priorities}
            of_priority = {pk for pk in known if self.ground.priority_of(pk) in keys}
            found = of_priority if found is None else found & of_priority
        return found

    @property
    def raters(self) -> list[int]:
        return [int(key) for key in self.chosen.get("annotator", ())]

    @property
    def releases(self) -> list[int]:
        places = self.ground.places()
        return [places[key] for key in self.chosen.get("release", ())]

    @property
    def params(self) -> dict[str, Any]:
        """Return what a figure depends on; nothing for the usual selection."""
        made: dict[str, Any] = {}
        if self.capabilities is not None:
            made["capability"] = sorted(map(_text, self.capabilities))
        if "difficulty" in self.chosen:
            made["difficulty"] = sorted(self.chosen["difficulty"])
        if self.domains is not None:
            made["domain"] = sorted(map(_text, self.domains))
        if "purpose" in self.chosen:
            made["purpose"] = sorted(self.purposes)
        if self.raters:
            made["annotator"] = sorted(self.raters)
        if self.releases:
            made["release"] = sorted(self.releases)
        if "review" in self.chosen:
            made["review"] = sorted(self.chosen["review"])
        return made

    def items(self) -> "QuerySet[RoundItem]":
        """Return the places of the round that are looked at, whether graded or not."""
        rows = RoundItem.objects.filter(round=self.ground.round).filter(where(self.params))
        if self.raters:
            given = Grade.objects.current().filter(
                round=self.ground.round,
                rater__in=self.raters,
                response__item=OuterRef("item"),
            )
            rows = rows.filter(Exists(given))
        return rows

    def reading(self, query: Mapping[str, Sequence[str]]) -> "Selection":
        """Return the selection that an address asks for.

        Raises:
            BadFilter: it names a value that this round does not know.
        """
        chosen: dict[str, tuple[str, ...]] = {}
        problems: dict[str, list[str]] = {}
        for name in FACETS:
            wanted = tuple(dict.fromkeys(key for key in query.get(name, ()) if key))
            if not wanted:
                continue
            choices = {one.key: one for one in self.ground.choices(name)}
            if unknown := [key for key in wanted if key not in choices]:
                problems[name] = [
                    _("%(name)s: this round knows no “%(key)s”. Choose among those on the page.")
                    % {"name": name, "key": unknown[0][:40]}
                ]
                continue
            chosen[name] = tuple(key for key in choices if key in wanted)
        if set(chosen.get("purpose", ())) == set(USUAL) & set(self._known_purposes()):
            chosen.pop("purpose", None)
        if problems:
            said = " ".join(text for texts in problems.values() for text in texts)
            raise BadFilter(said, fields=problems)
        return Selection(self.ground, chosen)

    def _known_purposes(self) -> list[str]:
        return [one.key for one in self.ground.choices("purpose")]


def raters_of(round_: Round) -> "QuerySet[Rater, int]":
    """Return the keys of those who may have graded in a round."""
    if round_.kind != Round.Kind.IMPORTED:
        return Rater.objects.filter(round_places__round=round_).values_list("pk", flat=True)
    given = Grade.objects.filter(round=round_, rater=OuterRef("pk"))
    found = Rater.objects.filter(project_id=round_.project_id)
    return found.filter(Exists(given)).values_list("pk", flat=True)


def where(params: Mapping[str, Any]) -> Q:
    """Return the condition on the places of a round; annotators and releases play no part."""
    purposes = params.get("purpose", USUAL)
    made = Q(purpose__in=purposes)
    if "capability" in params:
        made &= _among("item__capability", params["capability"])
    if "difficulty" in params:
        made &= Q(item__difficulty__in=["" if key == NONE else key for key in params["difficulty"]])
    if "domain" in params:
        made &= _among("item__domain", params["domain"])
    return made


def _among(field_: str, keys: Iterable[str]) -> Q:
    known = [int(key) for key in keys if key != NONE]
    made = Q(**{f"{field_}__in": known})
    return made | Q(**{f"{field_}__isnull": True}) if NONE in keys else made


def _text(key: int | str | None) -> str:
    """Return how an address names a value: "none" where there is none."""
    return str(key) if key else NONE


def selection_of(
    round_: Round, tree: Capabilities, labels: Labels, names: Mapping[int, Name]
) -> Selection:
    """Return the usual selection of a round."""
    return Selection(Ground(round_, tree, labels, names))
