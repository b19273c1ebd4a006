"""What the page of a judge that is tuned says and draws."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.systems.models import Response
from evalsite.templatetags.ui import score
from scoring.beside import pictures, verdicts
from scoring.beside.asked import Figure
from scoring.beside.pictures import Row
from scoring.charts.plot import People
from scoring.figures.labels import Reading
from scoring.kinds.judging.models import Tuning
from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.tuning.queries import KIND, STRICT, Apartness, Course
from scoring.tuning.said import OfCriterion, TuningFigure

NOTHING = Figure(None)


@dataclass(frozen=True)
class Drawn:
    """The agreement of every version, and its drawing; "" where it has none yet."""

    figures: Sequence[Figure]
    drawings: Sequence[SafeString | str]
    ruler: SafeString | str


def agreement(found: OfCriterion | None) -> Figure:
    """Return how far a judge agrees with people."""
    if found is None:
        return NOTHING
    one = found.agreement
    reason = why(one.reason or one.interval_reason)
    return Figure(one.value, one.low, one.high, reason, n=one.n)


def _of(figure: TuningFigure | None, criterion: str) -> OfCriterion | None:
    return None if figure is None else figure.of(criterion)


def _band(found: OfCriterion | None) -> People:
    if found is None:
        return People(None, None, None)
    return People(found.people.low, found.people.high, found.people.value)


def versions(course: Course, criterion: str) -> Drawn:
    """Return the versions on one axis, each beside what people reach."""
    known = [_of(one.figure, criterion) for one in course.tried]
    figures = [agreement(one) for one in known]
    rows = [
        Row(f"v{tried.version.number}", figure, _band(found))
        for tried, figure, found in zip(course.tried, figures, known, strict=True)
    ]
    if not any(one.value is not None for one in figures):
        return Drawn(figures, ["" for _one in rows], "")
    forest = pictures.agreement(rows, _("Agreement with people"))
    return Drawn(figures, forest.drawings, forest.ruler)


def title(course: Course, criterion: str) -> str:
    """Return how far the judge agrees with people: on what was set aside once that is known."""
    locked, words = course.locked, {"judge": course.tuning.name}
    if locked is not None and course.held_out is not None:
        held = agreement(_of(course.held_out, criterion)).value
        words = {"judge": locked.version.judge.name, "value": score(held, 2)}
        if held is None:
            return _("Whether %(judge)s agrees with people cannot be told") % words
        said = _("%(judge)s agrees with people at %(value)s on questions it was not tuned on")
        return said % words
    newest = course.version(None)
    value = agreement(_of(newest.figure, criterion) if newest else None).value
    if value is None:
        return _("Tune %(judge)s") % words
    words["value"] = score(value, 2)
    return _("%(judge)s agrees with people at %(value)s on the practice answers") % words


@dataclass(frozen=True)
class Measured:
    """The locked version where it was practised, and where it was not."""

    held_out: Figure
    practice: Figure
    optimism: float | None
    people: Figure
    n_unscored: int


def measured(course: Course, criterion: str) -> Measured | None:
    """Return what the last measurement came to; None while there is none."""
    found, locked = _of(course.held_out, criterion), course.locked
    if found is None or locked is None:
        return None
    top = found.people
    return Measured(
        held_out=agreement(found),
        practice=agreement(_of(locked.figure, criterion)),
        optimism=course.optimism(criterion),
        people=Figure(top.value, top.low, top.high, why(top.reason)),
        n_unscored=found.n_unscored,
    )


@dataclass(frozen=True, slots=True)
class Example:
    """An answer that the judge is shown, as the page lists it."""

    response: int
    title: str
    answer: str
    reason: str
    name: Name | None


def examples(tuning: Tuning, reading: Reading) -> list[Example]:
    """Return the examples of what is being worked on."""
    keys = [one["response"] for one in tuning.examples]
    known = Response.objects.select_related("item").in_bulk(keys)
    return [
        Example(
            response=one["response"],
            title=known[one["response"]].item.external_id,
            answer=verdicts.said(known[one["response"]]),
            reason=one["reason"],
            name=reading.names.get(known[one["response"]].release_id),
        )
        for one in tuning.examples
        if one["response"] in known
    ]


def facets(apart: Apartness, query: QueryDict) -> list[tuple[str, str, bool]]:
    """Return which disagreements can be looked at: address, words with their number, whether chosen."""
    counted = {
        "": (_("All"), len(apart.left)),
        STRICT: (_("Too strict"), apart.n_strict),
        KIND: (_("Too kind"), apart.n_kind),
        "aside": (_("Set aside"), len(apart.put_aside)),
    }
    made = []
    for key, (words, n) in counted.items():
        asked = query.copy()
        asked.pop("all", None)
        asked["which"] = key
        made.append((f"?{asked.urlencode()}", f"{words} {n}", query.get("which", "") == key))
    return made
