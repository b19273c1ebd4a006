"""What is set against what on the judge–human pages: people, judges, criteria, level. Loads no pandas.

* What may be set against what on the judge–human pages, and what an address asks of it.
* What systems are called on the judge pages: by numbers unless the names of all rounds are shown.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.http import Http404, QueryDict
from django.utils.translation import gettext_lazy

from annotation.common.sentences import gettext as _
from annotation.grading.models import Grade
from annotation.people.models import Rater
from annotation.people.permissions import Scope
from annotation.rounds.models import Round, RoundItem, RoundResponse, RoundRubric
from annotation.rubrics.models import Criterion
from evalsite import errors
from scoring.engine.models import Judgment, Machine
from scoring.figures import labels as rounds
from scoring.figures.labels import ReadRound
from scoring.kinds.judging import queries as machines
from scoring.shown.names import Name
from scoring.stats.judges.said import LEVELS, Level
from scoring.stats.told import COEFFICIENTS, Coefficient


class UnfitComparison(ValueError):
    """A choice that cannot be read; the message says what and how to mend it."""


@dataclass(frozen=True, slots=True)
class BesideChoice:
    """One comparison.

    `rounds` are numbers of rounds, all of one project; `raters` patterns of names, empty for
    everybody; `judges` keys of raters. `criteria` maps a criterion of the people to what each judge
    calls it; a judge that is missing there has no such criterion.
    """

    rounds: tuple[int, ...]
    judges: tuple[int, ...]
    criteria: Mapping[str, Mapping[int, str]]
    raters: tuple[str, ...] = ()
    level: Level = "pooled"
    coefficient: Coefficient = "pearson"
    criterion: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    def params(self) -> dict[str, Any]:
        """Return the choice as plain data: what a figure is stored under."""
        return {
            "rounds": sorted(self.rounds),
            "judges": sorted(self.judges),
            "criteria": {
                name: {str(judge): key for judge, key in sorted(of.items())}
                for name, of in sorted(self.criteria.items())
            },
            "raters": sorted(self.raters),
            "level": self.level,
            "coefficient": self.coefficient,
            "criterion": self.criterion,
            **self.extra,
        }


def read_choice(params: Mapping[str, Any]) -> BesideChoice:
    """Return the choice that stored parameters say.

    Raises:
        UnfitComparison: a level or coefficient is none, or no rounds or judges are named.
    """
    known = {"rounds", "judges", "criteria", "raters", "level", "coefficient", "criterion"}
    level, coefficient = params.get("level", "pooled"), params.get("coefficient", "pearson")
    if level not in LEVELS:
        raise UnfitComparison(f"There is no level {level!r}. Choose one of: {', '.join(LEVELS)}.")
    if coefficient not in COEFFICIENTS:
        raise UnfitComparison(
            f"There is no coefficient {coefficient!r}. Choose one of: {', '.join(COEFFICIENTS)}."
        )
    rounds = tuple(int(one) for one in params.get("rounds", ()))
    judges = tuple(int(one) for one in params.get("judges", ()))
    if not rounds:
        raise UnfitComparison(
            "Choose at least one round whose people the judges are compared with."
        )
    if not judges:
        raise UnfitComparison("Choose at least one judge or metric.")
    return BesideChoice(
        rounds=rounds,
        judges=judges,
        criteria={
            str(name): {int(judge): str(key) for judge, key in of.items()}
            for name, of in dict(params.get("criteria", {})).items()
        },
        raters=tuple(str(one) for one in params.get("raters", ())),
        level=cast("Level", level),
        coefficient=cast("Coefficient", coefficient),
        criterion=str(params.get("criterion", "")),
        extra={name: value for name, value in params.items() if name not in known},
    )


def matched(
    people: Mapping[str, str],
    judges: Mapping[int, Mapping[str, str]],
    apart: Collection[str] = (),
) -> dict[str, dict[int, str]]:
    """Return which of a judge's criteria probably means each of the people's.

    A judge with one criterion has it for all that are measured; otherwise keys or names must be equal
    but for case and signs, or one begin with the other.

    Args:
        people: names of criteria by key.
        judges: by key of the rater, names of its criteria by key.
        apart: keys of the people's criteria whose marks are no measure: labels, texts, choices.
    """
    made: dict[str, dict[int, str]] = {key: {} for key in people}
    for key, name in people.items():
        for judge, own in judges.items():
            if len(own) == 1 and key not in apart:
                made[key][judge] = next(iter(own))
            elif (found := _like(key, name, own)) is not None:
                made[key][judge] = found
    return made


def _like(key: str, name: str, own: Mapping[str, str]) -> str | None:
    wanted = {_bare(key), _bare(name)}
    for other, called in own.items():
        if wanted & {_bare(other), _bare(called)}:
            return other
    for other, called in own.items():
        short = {_bare(other), _bare(called)}
        if any(_begins(a, b) for a in wanted for b in short):
            return other
    return None


def _bare(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _begins(a: str, b: str) -> bool:
    least = 3  # coh is coherence; c is anything
    return min(len(a), len(b)) >= least and (a.startswith(b) or b.startswith(a))


MOST_JUDGES = 24
MOST_ROUNDS = 50
#: The usual round is one of so many newest: that of them which has most to show.
MOST_USUAL = 6
#: From so many questions of a rubric on, judges can be told apart.
ENOUGH = 10
#: So many questions of a round, the first drawn, tell how much it has to show.
LOOKED_AT = 100
LEVEL_NAMES = {
    "pooled": gettext_lazy("over all responses"),
    "item": gettext_lazy("within each question"),
    "system": gettext_lazy("over systems"),
}
COEFFICIENT_NAMES = {
    "pearson": gettext_lazy("Pearson’s r"),
    "spearman": gettext_lazy("Spearman’s ρ"),
    "kendall_b": gettext_lazy("Kendall’s τ-b"),
    "kendall_c": gettext_lazy("Kendall’s τ-c"),
}
EPSILONS = ("0.05", "0.1", "0.15", "0.2", "0.25", "0.3")
#: How it is tested whether a judge may stand in for a person: label, name and choices of each field.
STANDING_IN = (
    (
        gettext_lazy("The people are"),
        "kind",
        (
            ("", gettext_lazy("experts")),
            ("skilled", gettext_lazy("skilled annotators")),
            ("crowd", gettext_lazy("a crowd")),
        ),
    ),
    (
        gettext_lazy("Allowance ε"),
        "epsilon",
        (("", gettext_lazy("as usual for them")), *((one, one) for one in EPSILONS)),
    ),
    (
        gettext_lazy("Near to the others"),
        "nearness",
        (("", gettext_lazy("by distance")), ("exact", gettext_lazy("if equal"))),
    ),
    (
        gettext_lazy("Test"),
        "test",
        (
            ("", gettext_lazy("by question")),
            ("as_published", gettext_lazy("as published, each response alone")),
        ),
    ),
)
#: Marks that correlate; labels are compared apart.
MEASURED = (Criterion.Mark.LEVELS, Criterion.Mark.YES_NO, Criterion.Mark.NUMBER)
SIGNS = {"pearson": "r", "spearman": "ρ", "kendall_b": "τ-b", "kendall_c": "τ-c"}


class BadChoice(errors.Invalid): ...


@dataclass(frozen=True)
class ToCompare:
    """What a project has to compare, and what is chosen of it; `choice` is None where nothing can be.

    `criteria` names the criteria of the people by key, `own` those of each judge; `patterns` are
    names of raters that differ in their number alone, and what people know about, with how many there
    are. `filters` narrow a list without changing its figure.
    """

    readings: Sequence[ReadRound]
    machines: Sequence[Machine]
    criteria: Mapping[str, str]
    own: Mapping[int, Mapping[str, str]]
    patterns: Mapping[str, int]
    choice: BesideChoice | None
    filters: Mapping[str, str] = field(default_factory=dict)

    @property
    def round(self) -> Round:
        """The round that figures of the choice are kept under: the first one chosen."""
        assert self.choice is not None
        return next(one.round for one in self.chosen)

    @property
    def chosen(self) -> list[ReadRound]:
        numbers = () if self.choice is None else self.choice.rounds
        return [one for one in self.readings if one.round.number in numbers]

    @property
    def mapped(self) -> list[tuple[str, list[tuple[str, str, list[tuple[str, str, bool]]]]]]:
        """Return for each criterion of the people a field of every chosen judge.

        A field has its name in the address, the judge, and what may be chosen.
        """
        choice = self.choice
        if choice is None:
            return []
        return [
            (
                name,
                [
                    (
                        f"map.{key}.{judge}",
                        self.name(judge),
                        [
                            (own, text, choice.criteria.get(key, {}).get(judge) == own)
                            for own, text in self.own[judge].items()
                        ],
                    )
                    for judge in choice.judges
                ],
            )
            for key, name in self.criteria.items()
        ]

    @property
    def compared(self) -> list[tuple[Machine, bool]]:
        """Return every machine and whether it is chosen."""
        chosen = () if self.choice is None else self.choice.judges
        return [(one, one.rater_id in chosen) for one in self.machines]

    def name(self, judge: int) -> str:
        return next((one.rater.ref for one in self.machines if one.rater_id == judge), "")


def options_of(scope: Scope, query: QueryDict) -> ToCompare:
    """Return the options of a project and what an address chooses of them.

    Without a wish the round with most graded and judged responses stands, of grades that were given here
    if there is one, and every machine that scored answers of it. Where judges are named, they judged it.

    Raises:
        BadChoice: something that is named is not there, or cannot be compared.
    """
    known = list(machines.of_machines(scope.project).order_by("rater__kind", "rater__ref"))
    own = _own(known)
    readings = _readings(scope) if known else []
    chosen = _rounds(readings, query)
    criteria, apart = _criteria(chosen)
    stems = rounds.stems(chosen)
    patterns = {pattern: len(raters) for pattern, raters in stems.items() if len(raters) > 1}
    patterns |= {tag: len(raters) for tag, raters in rounds.knowing(chosen).items()}
    if not chosen or not known:
        return ToCompare(readings, known, criteria, own, patterns, None)
    judges = _judges(known, chosen, query)
    mapping = matched(criteria, {judge: own[judge] for judge in judges}, apart)
    _mapped(mapping, query, {judge: own[judge] for judge in judges})
    choice = BesideChoice(
        rounds=tuple(one.number for one in chosen),
        judges=tuple(judges),
        criteria=mapping,
        raters=_raters(query, patterns),
        level=cast("Level", _one_of(query, "level", LEVELS, "pooled")),
        coefficient=cast("Coefficient", _one_of(query, "coefficient", COEFFICIENTS, "pearson")),
        criterion=_one_of(query, "criterion", tuple(criteria), "")
        or _usual_criterion(mapping, chosen),
    )
    return ToCompare(readings, known, criteria, own, patterns, choice)


def about(scope: Scope, query: QueryDict, judge: int | None) -> QueryDict:
    """Return an address that chooses this judge alone; as it is where none is named.

    Raises:
        Http404: there is no such judge.
    """
    if judge is None:
        return query
    if not machines.of_machines(scope.project).filter(rater=judge).exists():
        raise Http404
    wished = query.copy()
    wished.setlist("judge", [str(judge)])
    return wished


def _readings(scope: Scope) -> list[ReadRound]:
    """Return rounds in which responses were judged and that this person may read, newest first."""
    judged = Judgment.objects.counted().filter(response=OuterRef("response"))
    here = RoundResponse.objects.filter(round_item__round=OuterRef("pk")).filter(Exists(judged))
    rows = list(rounds.readable(scope).filter(Exists(here)).order_by("-number")[:MOST_ROUNDS])
    for one in rows:
        one.project = scope.project
    return [ReadRound(scope, one) for one in rows]


def _rounds(readings: Sequence[ReadRound], query: QueryDict) -> list[Round]:
    wanted = query.getlist("round")
    by_number = {str(one.round.number): one.round for one in readings}
    if not wanted:
        return _likeliest(readings, query.getlist("judge"))
    missing = [one for one in wanted if one not in by_number]
    if missing:
        raise BadChoice(
            _(
                "There is no round %(number)s with judged responses that you may read. Choose another."
            )
            % {"number": missing[0][:20]}
        )
    return [by_number[one] for one in dict.fromkeys(wanted)]


def _likeliest(readings: Sequence[ReadRound], judges: Sequence[str]) -> list[Round]:
    """Return the round with most to show: the newest where there is nothing to choose between.

    Rounds of grades come first, and of those the rounds of the project's own people, if one has enough
    questions of a rubric.
    """
    readings = [one for one in readings if not one.round.of_pairs] or readings
    if len(readings) < 2:
        return [one.round for one in readings]
    named = [int(one) for one in judges if one.isdecimal() and len(one) < 10]
    judged = Judgment.objects.counted().filter(response=OuterRef("response"))
    if named:
        judged = judged.filter(rater__in=named)
    shared = RoundResponse.objects.filter(Exists(judged))
    here = shared.filter(round_item__round=OuterRef("pk"))
    known = [one.round for one in readings]
    likely = (_where(Exists(here), known) if named else known) or known
    # A round without any grade is found by its index; only the others are gone through.
    with_grades = _where(Exists(_given().filter(round=OuterRef("pk"))), likely)
    graded = _where(Exists(here.filter(Exists(_marks()))), with_grades) if with_grades else []
    of_these = graded or likely
    given = [one for one in of_these if one.kind != Round.Kind.IMPORTED]
    brought = [one for one in of_these if one.kind == Round.Kind.IMPORTED]
    usual = [*given[:MOST_USUAL], *brought[:MOST_USUAL]]
    if len(usual) < 2 or not graded:
        return usual[:1]
    sizes = _sizes(shared.filter(Exists(_marks())), usual)
    enough = [one for one in given if sizes.get(one.pk, 0) >= ENOUGH]
    return [max(enough or usual, key=lambda one: (sizes.get(one.pk, 0), one.number))]


def _sizes(counted: QuerySet[RoundResponse], of: Sequence[Round]) -> dict[int, float]:
    """Return about how many questions with these responses share a rubric in each round.

    It is told by the first questions of a round.
    """
    looked_at = counted.filter(round_item__round__in=of, round_item__ordinal__lt=LOOKED_AT)
    by_rubric = looked_at.values_list("round_item__round", "round_item__rubric_version")
    asked = RoundItem.objects.filter(round__in=of).values_list("round")
    n_items = dict(asked.annotate(Count("pk")).order_by())
    sizes: dict[int, float] = {}
    for key, _rubric, n in by_rubric.annotate(Count("round_item", distinct=True)).order_by():
        sizes[key] = max(sizes.get(key, 0), n * max(1.0, n_items[key] / LOOKED_AT))
    return sizes


def _given() -> QuerySet[Grade]:
    return Grade.objects.current().filter(kind=Grade.Kind.GIVEN, outcome=Grade.Outcome.VALUE)


def _marks() -> QuerySet[Grade]:
    """Return the marks of a response in the round that shows it."""
    return _given().filter(response=OuterRef("response"), round=OuterRef("round_item__round"))


def _where(condition: Exists, of: Sequence[Round]) -> list[Round]:
    rows = Round.objects.filter(condition, pk__in=[one.pk for one in of])
    found = set(rows.values_list("pk", flat=True))
    return [one for one in of if one.pk in found]


def _judges(
    known: Sequence[Machine], chosen_rounds: Sequence[Round], query: QueryDict
) -> list[int]:
    keys = [one.rater_id for one in known]
    wanted = query.getlist("judge")
    chosen = [key for key in keys if str(key) in wanted] if wanted else _usual(keys, chosen_rounds)
    if len(chosen) < len(set(wanted)):
        raise BadChoice(_("One of these judges is not there. Choose from the list."))
    if len(chosen) > MOST_JUDGES:
        raise BadChoice(
            _("At most %(most)d judges can be compared at once.") % {"most": MOST_JUDGES}
        )
    return chosen


def _usual(keys: Sequence[int], of: Sequence[Round]) -> list[int]:
    """Return the first machines that scored answers of these rounds; all of them where none has."""
    here = RoundResponse.objects.filter(round_item__round__in=of, response=OuterRef("response"))
    judged = Judgment.objects.counted().filter(Exists(here), rater=OuterRef("pk"))
    found = Rater.objects.filter(Exists(judged), pk__in=keys).values_list("pk", flat=True)
    scored = set(found)
    return [key for key in keys if key in scored or not scored][:MOST_JUDGES]


def _raters(query: QueryDict, patterns: Mapping[str, int]) -> tuple[str, ...]:
    wanted = [one for one in query.getlist("raters") if one]
    if any(one not in patterns for one in wanted):
        raise BadChoice(
            _("There are no people of this name in these rounds. Choose from the list.")
        )
    return tuple(dict.fromkeys(wanted))


def _usual_criterion(mapping: Mapping[str, Mapping[int, str]], of: Sequence[Round]) -> str:
    """Return the criterion of most items that a judge has too; else the first of the people."""
    shared = [key for key, own in mapping.items() if own]
    if len(shared) < 2:
        return next(iter(shared or mapping), "")
    measured = RoundItem.objects.filter(round__in=of, rubric_version__criteria__mark__in=MEASURED)
    used = measured.values_list("rubric_version__criteria__key")
    sizes = dict(used.annotate(Count("pk")).order_by())
    return max(shared, key=lambda key: sizes.get(key, 0))


def _one_of(query: QueryDict, name: str, known: Sequence[str], usual: str) -> str:
    value = query.get(name) or usual
    if value != usual and value not in known:
        raise BadChoice(
            _("“%(value)s” is no %(name)s here. Choose from the list.")
            % {"value": value[:40], "name": name}
        )
    return value


def _mapped(
    mapping: dict[str, dict[int, str]], query: QueryDict, own: Mapping[int, Mapping[str, str]]
) -> None:
    """Take over what an address maps: `map.criterion.judge=own`, empty for none."""
    for key, value in query.items():
        if not key.startswith("map."):
            continue
        criterion, _dot, judge = key.removeprefix("map.").rpartition(".")
        if criterion not in mapping or not judge.isdecimal() or int(judge) not in own:
            continue  # of a judge or a criterion that is not chosen now
        if value and value not in own[int(judge)]:
            raise BadChoice(_("A judge has no criterion “%(key)s”.") % {"key": str(value)[:40]})
        mapping[criterion].pop(int(judge), None)
        if value:
            mapping[criterion][int(judge)] = str(value)


def _own(known: Sequence[Machine]) -> dict[int, dict[str, str]]:
    """Return the names of every machine's criteria by key."""
    rubrics = {one.rubric_id: one.rater_id for one in known}
    made: dict[int, dict[str, str]] = {one.rater_id: {} for one in known}
    rows = Criterion.objects.filter(rubric_version__rubric__in=list(rubrics))
    for rubric, key, name in rows.order_by("rubric_version__number", "position").values_list(
        "rubric_version__rubric_id", "key", "name"
    ):
        made[rubrics[rubric]][key] = name
    return made


def _criteria(chosen: Sequence[Round]) -> tuple[dict[str, str], set[str]]:
    """Return the names of the people's criteria by key, and which of them measure nothing."""
    used = RoundRubric.objects.filter(round__in=chosen).values("rubric_version")
    laid = RoundItem.objects.filter(round__in=chosen).values("rubric_version")
    rows = Criterion.objects.filter(Q(rubric_version__in=used) | Q(rubric_version__in=laid))
    names: dict[str, str] = {}
    measured: set[str] = set()
    for key, name, mark in rows.order_by("-rubric_version__number", "position").values_list(
        "key", "name", "mark"
    ):
        names.setdefault(key, name)
        measured |= {key} if mark in MEASURED else set()
    return names, names.keys() - measured


def names(options: ToCompare) -> Mapping[int, Name]:
    """Return the name of every release of the chosen rounds by its key."""
    chosen = options.chosen
    made = {key: name for one in chosen for key, name in one.names.items()}
    if len(chosen) == 1 or all(one.shown for one in chosen):
        return made
    hidden = [_("System %(number)d") % {"number": n} for n in range(1, len(made) + 1)]
    return {key: Name(key, hidden[n], "", hidden[n], n) for n, key in enumerate(made)}


def system(found: Mapping[int, Name], release: int) -> str:
    """Return what a release is called; one that took part in no round is told by no name."""
    name = found.get(release)
    return name.text if name else _("another system")
