"""What the page of a judge that is tuned says and draws."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.systems.models import Response
from evalsite.templatetags.ui import score
from scoring.beside import pictures, verdicts
from scoring.beside.asked import ShownFigure
from scoring.beside.pictures import JudgeForestRow
from scoring.charts.plot import PeopleBand
from scoring.figures.labels import ReadRound
from scoring.kinds.judging.models import Tuning
from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.tuning.queries import KIND, STRICT, Apartness, TuningCourse
from scoring.tuning.said import OfCriterion, TuningFigure

NOTHING = ShownFigure(None)


@dataclass(frozen=True)
class DrawnAgreement:
    """The agreement of every version, and its drawing; "" where it has none yet."""

    figures: Sequence[ShownFigure]
    drawings: Sequence[SafeString | str]
    ruler: SafeString | str


def agreement(found: OfCriterion | None) -> ShownFigure:
    """Return how far a judge agrees with people."""
    if found is None:
        return NOTHING
    one = found.agreement
    reason = why(one.reason or one.interval_reason)
    return ShownFigure(one.value, one.low, one.high, reason, n=one.n)


def _of(figure: TuningFigure | None, criterion: str) -> OfCriterion | None:
    return None if figure is None else figure.of(criterion)


def _band(found: OfCriterion | None) -> PeopleBand:
    if found is None:
        return PeopleBand(None, None, None)
    return PeopleBand(found.people.low, found.people.high, found.people.value)


def versions(course: TuningCourse, criterion: str) -> DrawnAgreement:
    """Return the versions on one axis, each beside what people reach."""
    known = [_of(one.figure, criterion) for one in course.tried]
    figures = [agreement(one) for one in known]
    rows = [
        JudgeForestRow(f"v{tried.version.number}", figure, _band(found))
        for tried, figure, found in zip(course.tried, figures, known, strict=True)
    ]
    if not any(one.value is not None for one in figures):
        return DrawnAgreement(figures, ["" for _one in rows], "")
    forest = pictures.agreement(rows, _("Agreement with people"))
    return DrawnAgreement(figures, forest.drawings, forest.ruler)


def title(course: TuningCourse, criterion: str) -> str:
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
class MeasuredVersion:
    """The locked version where it was practised, and where it was not."""

    held_out: ShownFigure
    practice: ShownFigure
    optimism: float | None
    people: ShownFigure
    n_unscored: int


def measured(course: TuningCourse, criterion: str) -> MeasuredVersion | None:
    """Return what the last measurement came to; None while there is none."""
    found, locked = _of(course.held_out, criterion), course.locked
    if found is None or locked is None:
        return None
    top = found.people
    return MeasuredVersion(
        held_out=agreement(found),
        practice=agreement(_of(locked.figure, criterion)),
        optimism=course.optimism(criterion),
        people=ShownFigure(top.value, top.low, top.high, why(top.reason)),
        n_unscored=found.n_unscored,
    )


@dataclass(frozen=True, slots=True)
class ShownExample:
    """An answer that the judge is shown, as the page lists it."""

    response: int
    title: str
    answer: str
    reason: str
    name: Name | None


def examples(tuning: Tuning, reading: ReadRound) -> list[ShownExample]:
    """Return the examples of what is being worked on."""
    keys = [one["response"] for one in tuning.examples]
    known = Response.objects.select_related("item").in_bulk(keys)
    return [
        ShownExample(
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
