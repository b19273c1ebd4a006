"""What a judge of pairs is given: the pairs of answers of a round or an import, and what is asked of them."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotation.people.models import Project
from annotation.rounds.models import RoundItem, RoundResponse
from annotation.rubrics.models import Criterion, RubricVersion
from annotation.rubrics.rules import CHOICE
from annotation.systems.models import Display, Item, Response
from scoring.engine.models import Run, Step
from scoring.kinds.judging import queries as judging
from scoring.kinds.metrics import queries as measured
from scoring.kinds.pairs.v1 import PairTask

PAGE: Final = 500
#: What is asked where no criterion of a rubric is, by language, and the values that are offered.
PLAIN: Final[Mapping[str, str]] = {"en": "Which answer is better?", "zh": "哪份回答更好？"}
OFFERED: Final = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """Two answers to a question, by keys: those of `releases`, as people were shown them (`displays`)."""

    item: int
    responses: tuple[int, int]
    releases: tuple[int, int]
    displays: tuple[int | None, int | None] = (None, None)


@dataclass(frozen=True, slots=True)
class _Answer:
    item: int
    response: int
    release: int
    display: int | None


def pairs(run: Run) -> Iterator[AnswerPair]:
    """Yield the pairs of a run's answers, question by question, in an order that stays.

    Of a round of pairs these are the ones that people are shown.
    """
    found = _of_round(run) if run.round is not None else _of_import(run)
    against, seen = run.config.get("against"), set[tuple[int, int]]()
    for answers in found:
        for one, other in itertools.combinations(answers, 2):
            pair = _pair(one, other, against)
            if pair is not None and pair.responses not in seen:
                seen.add(pair.responses)
                yield pair


def _pair(one: _Answer, other: _Answer, against: int | None) -> AnswerPair | None:
    if one.release == other.release or (against and against not in {one.release, other.release}):
        return None
    left, right = sorted((one, other), key=lambda at: (at.release == against, at.release))
    return AnswerPair(
        left.item,
        (left.response, right.response),
        (left.release, right.release),
        (left.display, right.display),
    )


def _of_round(run: Run) -> Iterator[list[_Answer]]:
    places = RoundItem.objects.filter(
        round=run.round, purpose__in=judging.PURPOSES, occasion=1
    ).order_by("pk")
    last = 0
    while page := list(places.filter(pk__gt=last).values_list("pk", flat=True)[:PAGE]):
        rows = RoundResponse.objects.filter(round_item__in=page).order_by("round_item", "release")
        names = ("round_item_id", "round_item__item_id", "response_id", "release_id", "display_id")
        for _place, group in itertools.groupby(rows.values_list(*names), key=lambda row: row[0]):
            yield [_Answer(*row[1:]) for row in group]
        last = page[-1]


def _of_import(run: Run) -> Iterator[list[_Answer]]:
    rows = measured.measured_responses(run).order_by("item", "release", "pk")
    last = 0
    while page := _next_items(rows, last):
        found = rows.filter(item__in=page).values_list("item_id", "pk", "release_id")
        for _item, group in itertools.groupby(found, key=lambda row: row[0]):
            yield [_Answer(*row, None) for row in group]
        last = page[-1]


def _next_items(rows: Any, last: int) -> list[int]:
    items = rows.filter(item__gt=last).order_by("item").values_list("item", flat=True)
    return list(items.distinct()[:PAGE])


def tasks(pairs_: Sequence[AnswerPair], config: Mapping[str, Any]) -> list[PairTask]:
    """Return what is asked of these pairs."""
    items = Item.objects.in_bulk({one.item for one in pairs_})
    responses = Response.objects.in_bulk({pk for one in pairs_ for pk in one.responses})
    shown = Display.objects.in_bulk({pk for one in pairs_ for pk in one.displays if pk})
    return [
        _task(
            items[one.item],
            [responses[pk] for pk in one.responses],
            [shown.get(pk or 0) for pk in one.displays],
            config,
        )
        for one in pairs_
    ]


def _task(
    item: Item,
    answers: Sequence[Response],
    shown: Sequence[Display | None],
    config: Mapping[str, Any],
) -> PairTask:
    asked = config["criterion"]
    left, right = (
        judging.task(
            item=item,
            response=response,
            shown=display,
            criteria=(),
            principle=asked["principle"],
            reference=config["reference"],
            language=config["language"],
        )
        for response, display in zip(answers, shown, strict=True)
    )
    return PairTask(
        question=left.question,
        left=left.answer,
        right=right.answer,
        choices={int(value): label for value, label in asked["choices"].items()},
        asked=asked["asks"],
        description=asked["description"],
        reference=left.reference,
        key_points=left.key_points,
        principle=left.principle,
        language=config["language"],
        stored=(left.stored, right.stored),
    )


def pair_of(step: Step) -> AnswerPair:
    """Return the pair of a step, as it was planned."""
    assert step.item_id is not None
    spec = step.spec
    left, right = spec["responses"]
    one, other = spec["displays"]
    return AnswerPair(step.item_id, (left, right), tuple(spec["releases"]), (one, other))


# What is asked ----------------------------------------------------------------------------


def criteria(project: Project) -> list[Criterion]:
    """Return the criteria of a project that ask which of two answers is better, newest versions alone."""
    rows = Criterion.objects.filter(rubric_version__rubric__project=project, mark=CHOICE)
    rows = rows.select_related("rubric_version__rubric")
    newest: dict[str, Criterion] = {}
    for one in rows.order_by("rubric_version__number", "-position"):
        newest[name_of(one)] = one
    return [newest[name] for name in sorted(newest)]


def name_of(criterion: Criterion) -> str:
    """Return how a criterion is named in forms and in the API."""
    return f"{criterion.rubric_version.rubric.key}/{criterion.key}"


def of_round(run_round: Any) -> list[Criterion]:
    """Return the criteria by which people choose between two answers in a round."""
    used = RoundItem.objects.filter(round=run_round).values("rubric_version")
    rows = Criterion.objects.filter(rubric_version__in=used, mark=CHOICE)
    return list(rows.select_related("rubric_version__rubric").order_by("position", "pk"))


def asked_of(criterion: Criterion | None, language: str) -> dict[str, Any]:
    """Return what is asked as a run keeps it: the words of a criterion, or the plain question."""
    if criterion is None:
        plain = dict.fromkeys(map(str, OFFERED), "")
        blank = {"key": "", "description": "", "principle": ""}
        return {**blank, "asks": PLAIN[language], "choices": plain}
    version: RubricVersion = criterion.rubric_version
    return {
        "key": criterion.key,
        "name": name_of(criterion),
        "asks": criterion.name,
        "description": criterion.description,
        "principle": version.principle,
        "choices": {str(int(one.value)): one.label for one in _levels(criterion)},
    }


def _levels(criterion: Criterion) -> Iterable[Any]:
    return criterion.levels.order_by("value")
