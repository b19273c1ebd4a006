"""The figure of a trial: each annotator against the reference and the others. Loads scipy: workers only."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from django.utils.translation import gettext as _

from annotation.common import draws as seeds
from annotation.common import scales
from annotation.grading import counting
from annotation.grading.models import Grade
from annotation.qualification import answers as references
from annotation.rounds.models import Round as RoundRow
from annotation.rounds.models import RoundItem
from annotation.rubrics import queries as rubrics
from annotation.rubrics.models import Criterion
from scoring.shown.wording import NothingYet
from scoring.stats import frame
from scoring.stats.people import trials
from scoring.stats.plain import Plain, plain


def trial_of(round_: RoundRow, params: Mapping[str, Any]) -> Plain:
    """Return agreement, severity and confusions by annotator, and what the units say.

    Annotators, responses and criteria go by their keys. Grades that were declared invalid do not
    exist.

    Args:
        round_: a trial.
        params: `statistic` and `at`, the threshold of agreement with the reference.

    Raises:
        NothingYet: no answer has a reference.
    """
    right = references.values(round_)
    if not right:
        raise NothingYet(
            _("No answer of this trial has a reference grade yet. Give some on the trial's page.")
        )
    asked = Criterion.objects.prefetch_related("levels")
    criteria = asked.in_bulk({criterion for _response, criterion in right})
    said = _Words(criteria)
    places = sorted(right)
    given = _given(round_, right)
    people = sorted({rater for rater, _place in given})
    number = {place: n for n, place in enumerate(places)}
    table = np.full((len(people), len(places)), np.nan)
    for (rater, place), value in given.items():
        table[people.index(rater), number[place]] = _share(criteria[place[1]], float(value))
    marks = trials.TrialMarks(
        table,
        np.array([_share(criteria[place[1]], float(right[place])) for place in places]),
        _clusters(round_, places),
        np.array([criterion for _response, criterion in places], dtype=np.int64),
        np.array([criteria[criterion].mark in frame.LABELLED for _response, criterion in places]),
    )
    statistic = params["statistic"]
    seed = seeds.integer(round_.seed, "trial", below=2**32)
    found = trials.diagnose(marks, at=float(params["at"]), statistic=statistic)
    return {
        "raters": [
            {
                **cast("dict[str, Plain]", plain(one)),
                "rater": people[one.rater],
                "confusions": _confusions(people[one.rater], given, right, said),
            }
            for one in trials.rate(marks, statistic=statistic, seed=seed)
        ],
        "diagnosis": {
            **cast("dict[str, Plain]", plain(found)),
            "below": [people[one] for one in found.below],
            "helped": [people[one] for one in found.helped],
            "units": [
                {
                    **cast("dict[str, Plain]", plain(one)),
                    "response": places[one.unit][0],
                    "criterion": places[one.unit][1],
                    "right": said.of(places[one.unit], right[places[one.unit]]),
                    "given": _tally(places[one.unit], given, said),
                }
                for one in found.units
                if one.n_wrong
            ],
        },
        "n_units": len(places),
    }


Given = dict[tuple[int, references.Place], Any]


def _given(round_: RoundRow, right: Mapping[references.Place, Any]) -> Given:
    """Return what each annotator gave, where it is known what is right."""
    struck = counting.struck([round_])
    rows = Grade.objects.current().filter(
        round=round_, kind=Grade.Kind.GIVEN, late=False, value__isnull=False
    )
    found: Given = {}
    columns = (
        "pk",
        "rater_id",
        "response_id",
        "criterion_id",
        "value",
        "response__item_id",
        "response__item__capability_id",
    )
    for pk, rater, response, criterion, value, item, capability in rows.values_list(*columns):
        if (response, criterion) not in right:
            continue
        if struck and struck.hits(pk, round_.pk, rater, capability, item):
            continue
        found[rater, (response, criterion)] = value
    return found


class _Words:
    """Says a mark as it is read: a number, or the words of labels and of yes and no."""

    def __init__(self, criteria: Mapping[int, Criterion]) -> None:
        self._faces = {pk: rubrics.criterion_face(one) for pk, one in criteria.items()}

    def name(self, place: references.Place) -> str:
        return self._faces[place[1]].name

    def of(self, place: references.Place, value: Any) -> str:
        return self._faces[place[1]].words(scales.text(value))


def _share(criterion: Criterion, value: float) -> float:
    if criterion.mark in frame.LABELLED:
        return value
    low, high = (float(end) for end in criterion.ends)
    return (value - low) / (high - low)


def _clusters(round_: RoundRow, places: list[references.Place]) -> "np.ndarray[Any, Any]":
    """Return the question of each place, numbered."""
    rows = RoundItem.objects.filter(round=round_).values_list(
        "responses__response_id", "item__group"
    )
    question = dict(rows)
    names = [question.get(response, "") for response, _criterion in places]
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def _confusions(
    rater: int,
    given: Given,
    right: Mapping[references.Place, Any],
    said: _Words,
) -> Plain:
    """Return how often this person gave which grade for which right one, the wrong ones first."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for (who, place), value in given.items():
        if who == rater:
            counts[said.name(place), said.of(place, right[place]), said.of(place, value)] += 1
    rows = sorted(counts.items(), key=lambda one: (one[0][1] == one[0][2], -one[1], one[0]))
    return [
        {"criterion": name, "right": truth, "given": value, "n": n}
        for (name, truth, value), n in rows
    ]


def _tally(place: references.Place, given: Given, said: _Words) -> Plain:
    counts = Counter(said.of(place, value) for (_who, at), value in given.items() if at == place)
    return [{"value": value, "n": n} for value, n in sorted(counts.items())]
