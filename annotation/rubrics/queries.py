"""Which grades were given by which version of a rubric: what a new wording leaves behind.

* The rubrics that come with the product, to start from.
* What an annotator is shown of a seat: plain values only, so that a template cannot leak.
* Reads about rubrics: the list, a version's wording, what changed between versions.
"""

import functools
import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.common import scales
from annotation.domains.models import Capability
from annotation.grading.models import Grade
from annotation.people.models import Membership, Project, User
from annotation.rounds.models import Round
from annotation.rubrics import rules
from annotation.rubrics.models import Criterion, Level, Rubric, RubricVersion
from annotation.rubrics.rules import CriterionText, LevelText, RubricChange, Wording


@dataclass(frozen=True)
class RoundGrades:
    """The grades of a round by one version of a rubric."""

    round: Round
    n_grades: int
    n_responses: int
    n_raters: int


@dataclass(frozen=True)
class OfVersion:
    number: int
    is_newest: bool
    rounds: tuple[RoundGrades, ...]

    @property
    def n_grades(self) -> int:
        return sum(one.n_grades for one in self.rounds)


def by_version(rubric: Rubric) -> list[OfVersion]:
    """Return the versions by which grades were given, the newest first, with their rounds.

    Reference grades are not counted: they are nobody's opinion.
    """
    rows = (
        Grade.objects.current()
        .filter(criterion__rubric_version__rubric=rubric, kind=Grade.Kind.GIVEN)
        .order_by()
        .values_list("criterion__rubric_version__number", "round_id")
        .annotate(
            n=Count("pk"),
            n_responses=Count("response", distinct=True),
            n_raters=Count("rater", distinct=True),
        )
    )
    found = list(rows)
    rounds = Round.objects.in_bulk({row[1] for row in found})
    newest = rubric.versions.order_by("-number").values_list("number", flat=True).first()
    given: dict[int, list[RoundGrades]] = defaultdict(list)
    for number, round_id, n, n_responses, n_raters in found:
        given[number].append(RoundGrades(rounds[round_id], n, n_responses, n_raters))
    return [
        OfVersion(
            number,
            number == newest,
            tuple(sorted(given[number], key=lambda one: -one.round.number)),
        )
        for number in sorted(given, reverse=True)
    ]


Entry = dict[str, Any]


@functools.cache
def _read() -> tuple[Entry, ...]:
    folder = settings.BASE_DIR / "fixtures" / "rubrics"
    texts = [
        (folder / f"{name}.json").read_text(encoding="utf-8") for name in ("starters", "lalaeval")
    ]
    return tuple(entry for text in texts for entry in json.loads(text))


def list_rubrics_examples(keys: Collection[str] = ()) -> list[Entry]:
    """Return the example rubrics as the fixtures write them, the plain ones first: those of `keys`, else all."""
    return [entry for entry in _read() if not keys or entry["key"] in keys]


def rubric(key: str) -> Entry | None:
    return next((entry for entry in _read() if entry["key"] == key), None)


@dataclass(frozen=True)
class LevelFace:
    value: str
    label: str
    anchor: str
    #: Answers that get this level.
    examples: tuple[str, ...] = ()

    @property
    def box(self) -> str:
        """Of several labels, what is sent of this one: what it adds to the number of their set."""
        return scales.text(scales.one_number([int(self.value)]))


def ticked(value: str) -> frozenset[str]:
    """Return the boxes of a set of labels, by its number; "0" alone where it is empty."""
    try:
        places = scales.places(Decimal(value or "x"))
    except (ArithmeticError, ValueError):
        return frozenset()
    return frozenset(scales.text(scales.one_number([one])) for one in places) or frozenset("0")


@dataclass(frozen=True)
class CriterionFace:
    key: str
    name: str
    description: str
    levels: list[LevelFace]
    minimum: str
    maximum: str
    step: str
    mark: str = rules.LEVELS

    @property
    def by_number(self) -> bool:
        """Whether the value is typed in, because there are too many levels to choose from."""
        return self.mark in {rules.LEVELS, rules.NUMBER} and not 0 < len(self.levels) <= 11

    @property
    def worded(self) -> bool:
        """Whether a level is known by its word alone."""
        return self.mark == rules.YES_NO

    @property
    def by_text(self) -> bool:
        return self.mark == rules.TEXT

    @property
    def by_labels(self) -> bool:
        """Whether several levels can be chosen."""
        return self.mark == rules.LABELS

    @property
    def said_by_word(self) -> bool:
        """Whether its values mean nothing but the words they stand for."""
        return self.mark in rules.NAMED | {rules.YES_NO, rules.CHOICE}

    @property
    def by_choice(self) -> bool:
        """Whether it asks which of two answers is better."""
        return self.mark == rules.CHOICE

    def words(self, value: str) -> str:
        """Return a value as it is said: by the words of labels and of yes and no, else as it is."""
        if self.by_labels and value:
            boxes = ticked(value)
            chosen = "; ".join(one.label for one in self.levels if one.box in boxes)
            return chosen or (_("None of these") if boxes else value)
        if self.said_by_word:
            return next((one.label for one in self.levels if one.value == value), value)
        return value

    @property
    def required(self) -> bool:
        """Whether something has to be entered; a text may be of choice."""
        return not self.by_text or self.minimum != "0"


@dataclass(frozen=True)
class MarkFace:
    """Where a mark by a criterion is given, with what is entered."""

    criterion: CriterionFace
    name: str
    value: str = ""
    error: str = ""

    @property
    def chosen(self) -> frozenset[str]:
        """Of several labels, the boxes that are ticked."""
        return ticked(self.value) if self.criterion.by_labels else frozenset()

    @property
    def words(self) -> str:
        """Return the mark in words: of labels, and of yes and no, those of the levels."""
        return self.criterion.words(self.value)

    @property
    def sign(self) -> str:
        """Return the mark as it fits into the footer; a script says the same (entries.js)."""
        if self.criterion.by_text:
            return "✓" if self.value else ""
        if self.criterion.by_labels:
            return str(len(self.chosen - {"0"})) if self.chosen else ""
        return self.words if self.criterion.mark == rules.YES_NO else self.value

    @property
    def given(self) -> bool:
        return bool(self.value) or not self.criterion.required


def criterion_face(
    of: Criterion | CriterionText, levels: Sequence[Level] | None = None
) -> CriterionFace:
    """Return a criterion as an annotator sees it.

    Args:
        of: the row, or a text that is not saved yet.
        levels: its own, where they have been read already.

    Raises:
        ValueError: its range is open.
    """
    own = of.levels.all() if isinstance(of, Criterion) else of.levels
    described = {one.value: one for one in (own if levels is None else levels)}
    scale = of.scale
    by_words = scale.whole or of.mark == rules.CHOICE
    values = () if of.mark in rules.TYPED else tuple(described) if by_words else scale.levels()
    nothing = LevelText(Decimal(0))
    return CriterionFace(
        key=of.key,
        name=of.name,
        description=of.description,
        levels=[
            LevelFace(
                value=scales.text(value),
                label=(said := described.get(value, nothing)).label,
                anchor=said.description,
                examples=tuple(said.examples),
            )
            for value in values
        ],
        minimum=scales.text(scale.minimum),
        maximum=scales.text(scale.maximum),
        step=scales.text(of.step) if of.step else "any",
        mark=of.mark,
    )


#: Rubrics of metrics and judges are made by imports; nobody words them.
HUMAN = RubricVersion.Kind.HUMAN


@dataclass(frozen=True)
class RubricLine:
    """A rubric in a list, with its newest version."""

    rubric: Rubric
    newest: RubricVersion
    criteria: list[Criterion]
    capabilities: list[Capability]


@dataclass(frozen=True)
class RubricStep:
    """A version in the history, and what it changed against the one before."""

    version: RubricVersion
    changes: list[RubricChange]


def with_text(versions: "QuerySet[RubricVersion]") -> "QuerySet[RubricVersion]":
    return versions.select_related("rubric", "created_by__person").prefetch_related(
        Prefetch(
            "criteria", Criterion.objects.order_by("position", "pk").prefetch_related("levels")
        )
    )


def list_rubrics(project: Project) -> list[RubricLine]:
    """Return the rubrics of a project by name, each with its newest version."""
    return _lines([project])


def _lines(projects: Sequence[Project]) -> list[RubricLine]:
    newer = RubricVersion.objects.filter(rubric=OuterRef("rubric"), number__gt=OuterRef("number"))
    versions = RubricVersion.objects.filter(
        ~Exists(newer), rubric__project__in=projects, kind=HUMAN
    )
    newest = with_text(versions.order_by("rubric__name", "rubric__key"))
    capabilities: dict[int, list[Capability]] = {}
    for capability in Capability.objects.filter(project__in=projects, rubric__isnull=False):
        capabilities.setdefault(capability.rubric_id or 0, []).append(capability)
    return [
        RubricLine(
            rubric=version.rubric,
            newest=version,
            criteria=list(version.criteria.all()),
            capabilities=capabilities.get(version.rubric_id, []),
        )
        for version in newest
    ]


def to_copy(
    user: User, into: Project, roles: Collection[str]
) -> list[tuple[Project, list[RubricLine]]]:
    """Return the rubrics of other projects that somebody may read there, by project.

    Args:
        roles: whose holders read rubrics.
    """
    rows = _elsewhere(user, into, roles)
    projects = list(Project.objects.filter(pk__in=rows.values("project")).order_by("name", "pk"))
    found: dict[int, list[RubricLine]] = {one.pk: [] for one in projects}
    for line in _lines(projects):
        found[line.rubric.project_id].append(line)
    return [(one, found[one.pk]) for one in projects if found[one.pk]]


def has_to_copy(user: User, into: Project, roles: Collection[str]) -> bool:
    """Return whether somebody may read a rubric of another project."""
    places = _elsewhere(user, into, roles).values("project")
    return RubricVersion.objects.filter(kind=HUMAN, rubric__project__in=places).exists()


def _elsewhere(user: User, into: Project, roles: Collection[str]) -> QuerySet[Membership]:
    held = Membership.objects.with_role(sorted(roles)).filter(user=user).exclude(project=into)
    return held if user.confined_to is None else held.filter(project=user.confined_to)


def readable(
    user: User, slug: str, key: str, number: int | None, roles: Collection[str]
) -> RubricVersion | None:
    """Return a version of a rubric, the newest if none is named, where this person may read it."""
    held = Membership.objects.with_role(sorted(roles)).filter(user=user, project__slug=slug)
    place = held.select_related("project").first()
    if place is None or user.confined_to not in {None, place.project_id}:
        return None
    versions = versions_of(place.project, key)
    return next((one for one in versions if number in {None, one.number}), None)


def origin(rubric: Rubric, user: User, roles: Collection[str]) -> tuple[RubricVersion, bool] | None:
    """Return what a rubric was copied from, and whether this person may read it there."""
    if rubric.copied_from_id is None:
        return None
    version = RubricVersion.objects.select_related("rubric__project").get(pk=rubric.copied_from_id)
    held = Membership.objects.with_role(sorted(roles))
    return version, held.filter(project=version.rubric.project, user=user).exists()


def versions_of(project: Project, key: str) -> list[RubricVersion]:
    """Return the versions of a rubric, the newest first."""
    return list(_of(project, key).order_by("-number"))


def newest_of(project: Project, key: str) -> RubricVersion | None:
    return _of(project, key).order_by("-number").first()


def _of(project: Project, key: str) -> "QuerySet[RubricVersion]":
    return with_text(
        RubricVersion.objects.filter(rubric__project=project, rubric__key=key, kind=HUMAN)
    )


def history(versions: list[RubricVersion]) -> list[RubricStep]:
    """Return the versions, newest first, each with its differences from the one before."""
    texts = [wording(version) for version in versions]
    steps = [
        RubricStep(version, rules.differences(texts[place + 1], texts[place]))
        for place, version in enumerate(versions[:-1])
    ]
    return [*steps, *(RubricStep(version, []) for version in versions[-1:])]


def preview(wording: Wording) -> list[CriterionFace]:
    """Return criteria that are not saved yet as an annotator will see them."""
    return [criterion_face(one) for one in wording.criteria]


@dataclass(frozen=True, slots=True)
class Warned:
    """What is odd about a wording, though it can be used, and at which field."""

    path: str
    criterion: str
    message: str


def warnings(wording: Wording) -> list[Warned]:
    """Return what a curator should look at again: criteria that everything passes."""
    return [
        Warned(
            f"criteria.{one.place}.pass_at",
            one.name,
            _(
                "%(criterion)s: every grade passes, from %(at)s, the lowest. Accuracy is then 100 "
                "%%, without disputes. The upper half begins at %(instead)s."
            )
            % {
                "criterion": one.name,
                "at": scales.text(one.at),
                "instead": scales.text(one.instead),
            },
        )
        for one in rules.all_pass(wording)
    ]


def rounds_using(version: RubricVersion) -> list[tuple[int, str]]:
    """Return number and name of the rounds that grade by this version."""
    used = Q(rubrics__rubric_version=version)
    rounds = version.rubric.project.rounds.filter(used).distinct().order_by("number")
    return list(rounds.values_list("number", "name"))


def capabilities_using(rubric: Rubric) -> list[Capability]:
    """Return the capabilities whose questions a new round grades by this rubric."""
    return list(Capability.objects.filter(rubric=rubric))


def wording(version: RubricVersion) -> Wording:
    """Return everything the version says as plain values."""
    return Wording.of(version)
