"""What a file holds and where its columns belong, by its shape, by what the project has, and by their names."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from django.db.models import QuerySet
from django.db.models.functions import Lower

from annotation.files import choices, guessing, shapes
from annotation.files import columns as targets
from annotation.files import stored as files
from annotation.files.columns import Guess, Target
from annotation.files.guessing import KnownNames, fold
from annotation.files.look.layouts import FileColumn, Layout
from annotation.files.look.objects import KEY_2
from annotation.files.mappings import written_place
from annotation.files.models import ImportKind, Upload
from annotation.files.scores import is_judge
from annotation.files.shapes import Shape
from annotation.people.models import Project, Rater, RaterKind
from annotation.rubrics.models import Criterion
from annotation.systems.models import Item, System

#: So many names of a project are read at once; of ids only those that the file has are asked for.
MOST_NAMES: Final = 2000

_SUGGEST: Final[dict[ImportKind, guessing.Suggest]] = {
    ImportKind.ANSWERS: guessing.suggest_answers,
    ImportKind.QUESTIONS: guessing.suggest_questions,
    ImportKind.GRADES: guessing.suggest_grades,
    ImportKind.SCORES: guessing.suggest_scores,
    ImportKind.CHOICES: guessing.suggest_choices,
    ImportKind.FIGURES: guessing.suggest_figures,
    ImportKind.PAIRS: guessing.suggest_pairs,
}
_TARGETS: Final = {
    ImportKind.ANSWERS: targets.ANSWERS,
    ImportKind.QUESTIONS: targets.QUESTIONS,
    ImportKind.GRADES: targets.GRADES,
    ImportKind.SCORES: targets.SCORES,
    ImportKind.CHOICES: targets.CHOICES,
    ImportKind.FIGURES: targets.FIGURES,
    ImportKind.PAIRS: targets.PAIRS,
}


def guesses(upload: Upload) -> list[tuple[FileColumn, Guess]]:
    """Return the columns of a file, each with where it probably belongs."""
    layout, kind = files.layout_of(upload), ImportKind(upload.kind)
    return list(zip(layout.columns, suggest(kind, layout, upload.project), strict=True))


def suggest(kind: ImportKind, layout: Layout, project: Project) -> list[Guess]:
    """Return where each column of a file of this kind probably belongs."""
    shape = layout.known_shape
    of = {ImportKind.ANSWERS, shapes.CONVERSATIONS} if kind == ImportKind.ANSWERS else {kind}
    if shape is not None and shape.kind in of and shape.places:
        return [_of_shape(shape, column, kind) for column in layout.columns]
    guessed = _SUGGEST[kind](layout.columns, known(project, layout.columns))
    return guessing.settled(layout.columns, guessed)


def _of_shape(shape: Shape, column: FileColumn, kind: ImportKind) -> Guess:
    """Return where a maker's column belongs; one that is not named is a detail of its row."""
    if column.name in shape.places:
        place = written_place(column.name, shape.places[column.name], Guess())
        return Guess(place.target, place.system, place.rater, place.criterion)
    kept = Target.RESPONSE_DETAILS in _TARGETS[kind]
    return Guess(Target.RESPONSE_DETAILS if kept else Target.IGNORE)


def known(project: Project, columns: Sequence[FileColumn]) -> KnownNames:
    """Return which names of a project a file may mean; of ids, those that it has."""
    said = {fold(value) for column in columns for value in column.values}
    items = Item.objects.seen().filter(project=project)
    in_lower = items.annotate(lower=Lower("external_id")).filter(lower__in=sorted(said))
    criteria = Criterion.objects.filter(rubric_version__rubric__project=project)
    return KnownNames(
        items=_folded(in_lower, "external_id"),
        systems=_folded(System.objects.seen().filter(project=project), "name"),
        criteria=_folded(criteria, "key") | _folded(criteria, "name"),
        raters=_folded(Rater.objects.filter(project=project, kind=RaterKind.IMPORTED), "ref"),
    )


def _folded(rows: "QuerySet[Any]", name: str) -> frozenset[str]:
    return frozenset(map(fold, rows.values_list(name, flat=True).distinct()[:MOST_NAMES]))


def kind_of(layout: Layout, project: Project) -> ImportKind | None:
    """Return what a file holds, as far as that is clear; None where a person has to say it."""
    shape = layout.known_shape
    if shape is not None and shape.kind == shapes.CONVERSATIONS:
        return ImportKind.ANSWERS  # the last turn of each is an answer
    if shape is not None:
        return ImportKind(shape.kind) if shape.kind in ImportKind.values else None
    if choices.recognise(layout) is not None:
        return ImportKind.CHOICES
    if layout.turn == "texts" and all(column.name != KEY_2 for column in layout.columns):
        return None  # these may be the answers of a system, or the right ones
    found = known(project, layout.columns)
    return next((kind for kind, fits in _KINDS if fits(layout.columns, found)), None)


def _found(guessed: Iterable[Guess]) -> set[str]:
    return {one.target for one in guessed if one.target and one.sure}


def _are_scores(columns: Sequence[FileColumn], found: KnownNames) -> bool:
    """Say whether marks are of machines: they are called so, or what gave them is.

    Beside answers a number a row is a detail of them, unless a column says which judge gave it.
    """
    guessed = guessing.suggest_scores(columns, found)
    targets_found = _found(guessed)
    if not ({Target.ITEM, Target.SYSTEM} <= targets_found and _has_no_texts(columns, guessed)):
        return False
    by_machines = [
        _is_machine(column, guess)
        for column, guess in zip(columns, guessed, strict=True)
        if guess.target == Target.RATER or (guess.target == Target.SCORE and guess.rater)
    ]
    judged = Target.RATER in targets_found
    return bool(by_machines) and all(by_machines) and (judged or not _names_answers(columns, found))


def _is_machine(column: FileColumn, guess: Guess) -> bool:
    if guess.target == Target.SCORE:
        return is_judge(guess.rater) or guessing.names_metric(guess.rater)
    plain = column.name.casefold()
    called = any(word in plain for word in ("judge", "metric", "scorer"))
    return called or _names_machines(column)


def _names_machines(column: FileColumn) -> bool:
    names = column.values
    return bool(names) and all(is_judge(one) or guessing.names_metric(one) for one in names)


def _are_grades(columns: Sequence[FileColumn], found: KnownNames) -> bool:
    guessed = guessing.suggest_grades(columns, found)
    there = _found(guessed)
    marks = {Target.GRADE, Target.VALUE} & {one.target for one in guessed}
    one_each = {Target.RATER, Target.VALUE} <= there
    by_machines = any(
        guess.target == Target.RATER and _names_machines(column)
        for column, guess in zip(columns, guessed, strict=True)
    )
    marked = {guess.target for guess in guessed if guess.sure}
    told = {Target.SYSTEM, Target.RATER, Target.GRADE, Target.VALUE} & marked
    return (
        bool(marks and told)
        and not by_machines
        and Target.ITEM in there
        and _has_no_texts(columns, guessed)
        and (one_each or not _names_answers(columns, found))
    )


def _names_answers(columns: Sequence[FileColumn], found: KnownNames) -> bool:
    """Say whether columns are called the answers of systems."""
    return bool(_found(guessing.suggest_answers(columns, found)) & {Target.RESPONSE, Target.ANSWER})


def _has_no_texts(columns: Sequence[FileColumn], guessed: Sequence[Guess]) -> bool:
    """Say whether no column without a place, or of questions and answers, holds long texts."""
    return not any(
        column.longest > guessing.LONG and guess.target in {"", Target.SCORE, Target.GRADE}
        for column, guess in zip(columns, guessed, strict=True)
    )


def _are_answers(columns: Sequence[FileColumn], found: KnownNames) -> bool:
    guessed = guessing.suggest_answers(columns, found)
    there = {one.target for one in guessed}
    talks = any(
        one.target == Target.MESSAGES and not guessing.asks_by_name(column.name)
        for column, one in zip(columns, guessed, strict=True)
    )
    asked = there & {Target.QUESTION, Target.MESSAGES, Target.EXTERNAL_ID}
    answered = there & {Target.RESPONSE, Target.ANSWER}
    return bool(asked and answered) or talks


def _are_questions(columns: Sequence[FileColumn], found: KnownNames) -> bool:
    there = _found(guessing.suggest_questions(columns, found))
    return bool(there & {Target.QUESTION, Target.MESSAGES})


_KINDS: Final[tuple[tuple[ImportKind, Callable[[Sequence[FileColumn], KnownNames], bool]], ...]] = (
    (ImportKind.SCORES, _are_scores),
    (ImportKind.GRADES, _are_grades),
    (ImportKind.ANSWERS, _are_answers),
    (ImportKind.QUESTIONS, _are_questions),
)
