"""Figures of the judge pages with their intervals, as the worker stored them.

* What the address of a judge page asks of the figure behind it: every page has wishes of its own.
* What is said wherever results rest on a script that stands in for a language model.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotation.people.models import RaterKind
from annotation.people.permissions import Scope
from annotation.rounds.models import Round
from scoring.beside import options as judge_options
from scoring.beside.options import BadChoice, BesideChoice, ToCompare
from scoring.beside.records import Correlated
from scoring.figures import typed
from scoring.figures.labels import ReadRound
from scoring.kinds.judging import queries as machines
from scoring.shown.names import BANNER, of_rounds
from scoring.shown.wording import why
from scoring.stats.judges.said import JudgeCell, JudgeValue, RatersCeiling

#: With fewer questions than these, intervals are too wide to choose a judge by.
FEW_QUESTIONS = 10


@dataclass(frozen=True, slots=True)
class ShownFigure:
    """One coefficient with its interval; `why` stands where there is none."""

    value: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""
    p: float | None = None
    n: int = 0


def of_cell(cell: Correlated | JudgeCell | Mapping[str, Any]) -> ShownFigure:
    """Return a coefficient with its interval, also as a figure stores it."""
    found = typed.read_figure(Correlated, cell) if isinstance(cell, Mapping) else cell
    point, bounds = found.correlation, found.interval
    made = ShownFigure(point.value, why=why(point.reason), p=point.p, n=point.n)
    if bounds is None:
        return made
    return replace(made, low=bounds.low, high=bounds.high, why=made.why or why(bounds.reason))


def of_coefficient(cells: Iterable[Correlated], name: str) -> ShownFigure:
    """Return one of the coefficients with its interval; nothing where it is not among them."""
    found = (of_cell(one) for one in cells if one.correlation.coefficient == name)
    return next(found, ShownFigure(None))


def ceiling(found: Iterable[RatersCeiling], name: str, level: str) -> ShownFigure:
    """Return how well each person agrees with the others by a coefficient: mean, lowest, highest."""
    for one in found:
        if (one.coefficient, one.level) == (name, level):
            return ShownFigure(one.value, one.low, one.high, why(one.reason), n=one.n_raters)
    return ShownFigure(None)


def few_questions(cells: Iterable[Correlated | JudgeCell]) -> int:
    """Return on how many questions coefficients rest, where those are too few to tell much; else 0."""
    most = max((one.interval.n_groups for one in cells if one.interval), default=0)
    return most if most < FEW_QUESTIONS else 0


def estimate(found: JudgeValue) -> ShownFigure:
    """Return an estimate with its interval."""
    reason = found.reason or found.interval_reason
    return ShownFigure(found.value, found.low, found.high, why(reason))


#: Figures of one judge: its key stands in the path of the address.
OF_ONE = frozenset({"judge", "judge_apart"})
DIRECTIONS = ("kinder", "harsher")
LEAST_GAPS = ("0.1", "0.25", "0.5")
#: What a person may cost beyond a judge that stands in for them, as a share of wins, by who they are.
EPSILONS = {"expert": "0.2", "skilled": "0.15", "crowd": "0.1"}
NEARNESS = ("rmse", "exact")
TESTS = ("by_question", "as_published")
#: What stays when the people of another round are chosen: judges and criteria belong to a round.
OF_EVERY_ROUND = ("round", "level", "coefficient")


def options(name: str, scope: Scope, query: QueryDict, judge: int | None = None) -> ToCompare:
    """Return what a project has to compare, and what an address chooses of it for a figure.

    Raises:
        BadChoice: something that is named is not there, or cannot be compared.
        Http404: there is no such judge.
    """
    found = judge_options.options_of(scope, judge_options.about(scope, query, judge))
    if found.choice is None or name not in _WISHES:
        return found
    return _WISHES[name](found, found.choice, query)


def ahead(*, mine: ReadRound) -> list[tuple[str, Round, dict[str, Any]]]:
    """Return the figures that the pages of judges take first of a round: of all judges, and of each."""
    query = QueryDict(f"round={mine.round.number}")
    try:
        found = options("judges", mine.scope, query)
        if found.choice is None:
            return []
        each = [("judge", options("judge", mine.scope, query, one)) for one in found.choice.judges]
    except BadChoice:
        return []
    return [
        (name, one.round, params(name, one.choice))
        for name, one in [("judges", found), *each]
        if one.choice is not None
    ]


def of_another_round(query: QueryDict) -> QueryDict | None:
    """Return the address without what was chosen for the round that its form was `of`.

    None if it is of no form, or of that round still.
    """
    if query.getlist("of") in ([], query.getlist("round")):
        return None
    made = QueryDict(mutable=True)
    for name in OF_EVERY_ROUND:
        made.setlist(name, query.getlist(name))
    return made


def params(name: str, choice: BesideChoice) -> dict[str, Any]:
    """Return what a figure is stored under: nothing that changes none of its numbers."""
    if name in {"judges", "judge_mixes"}:
        choice = replace(choice, criterion="", coefficient="pearson")
    return choice.params()


def _mixes(found: ToCompare, choice: BesideChoice, query: QueryDict) -> ToCompare:
    """Take over which judges are ticked for which criterion: `align.criterion=judge`, repeatable.

    Unless it is said which, what was made of judges already is not mixed once more, and a judge that was
    tuned, and so has scores of part of the answers alone, is left out.
    """
    if not query.getlist("judge"):
        choice = _without_made(found, choice)
    alignment: dict[str, list[int]] = {}
    for key in choice.criteria:
        ticked = set(query.getlist(f"align.{key}"))
        known = [one for one in choice.judges if str(one) in ticked]
        if known:
            alignment[key] = known
    extra = {"alignment": alignment, "by_data": query.get("open") == "data"}
    return replace(found, choice=replace(choice, extra=extra))


def _without_made(found: ToCompare, choice: BesideChoice) -> BesideChoice:
    """Return the choice without combined scores and tuned judges; as it is where there is nothing else."""
    made = {one.rater_id for one in found.machines if one.rater.kind == RaterKind.DERIVED}
    made |= machines.tuned_on(choice.judges).keys()
    judges = tuple(one for one in choice.judges if one not in made)
    if not judges:
        return choice
    criteria = {
        key: {judge: name for judge, name in own.items() if judge in judges}
        for key, own in choice.criteria.items()
    }
    return replace(choice, judges=judges, criteria=criteria)


def _powered(found: ToCompare, choice: BesideChoice, query: QueryDict) -> ToCompare:
    """Take one round and one judge: the first one chosen that has the criterion."""
    if len(choice.rounds) > 1:
        raise BadChoice(_("A chance of being drawn belongs to one round. Choose one."))
    known = choice.criteria.get(choice.criterion, {})
    judge = next((one for one in choice.judges if one in known), choice.judges[0])
    return replace(found, choice=_narrowed(choice, judge))


def _judge(found: ToCompare, choice: BesideChoice, query: QueryDict) -> ToCompare:
    """Take over how it is tested whether a judge may stand in: `kind`, `epsilon`, `nearness`, `test`."""
    kind = _known(query, "kind", tuple(EPSILONS)) or "expert"
    extra = {
        "epsilon": float(_known(query, "epsilon", judge_options.EPSILONS) or EPSILONS[kind]),
        "nearness": _known(query, "nearness", NEARNESS) or NEARNESS[0],
        "test": _known(query, "test", TESTS) or TESTS[0],
    }
    chosen = {name: query.get(name, "") for name in ("kind", "epsilon", "nearness", "test")}
    return replace(found, choice=replace(choice, extra=extra), filters=chosen)


def _apart(found: ToCompare, choice: BesideChoice, query: QueryDict) -> ToCompare:
    """Take filters over, which leave the figure as it is: `system`, `direction`, `least`, `response`."""
    filters = {
        "response": query.get("response", ""),
        "system": query.get("system", ""),
        "direction": _known(query, "direction", DIRECTIONS),
        "least": _known(query, "least", LEAST_GAPS),
        "after": query.get("after", ""),
    }
    return replace(found, choice=_narrowed(choice, choice.judges[0]), filters=filters)


def _narrowed(choice: BesideChoice, judge: int) -> BesideChoice:
    """Return the choice of one judge and one criterion, whatever level and coefficient."""
    own = choice.criteria.get(choice.criterion, {}).get(judge)
    criteria = {choice.criterion: {} if own is None else {judge: own}}
    return replace(
        choice, judges=(judge,), criteria=criteria, level="pooled", coefficient="pearson"
    )


def _known(query: QueryDict, name: str, known: tuple[str, ...]) -> str:
    value = query.get(name, "")
    if value and value not in known:
        raise BadChoice(
            _("“%(value)s” is no %(name)s here. Choose from the list.")
            % {"value": value[:40], "name": name}
        )
    return value


_WISHES: Mapping[str, Callable[[ToCompare, BesideChoice, QueryDict], ToCompare]] = {
    "judge_mixes": _mixes,
    "powered": _powered,
    "judge": _judge,
    "judge_apart": _apart,
}


def of_judges(raters: Collection[int], rounds: Collection[Round] = ()) -> str:
    """Return the banner if scores of one of these machines, or what they judged, come from a script."""
    if raters and machines.scripted(raters):
        return BANNER
    return of_rounds(rounds)
