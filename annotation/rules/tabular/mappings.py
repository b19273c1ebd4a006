"""What a person decided of a file's columns. Two mappings are the same if their content is."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any

from annotation.rules import contents, scales
from annotation.rules.tabular import targets
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.targets import Target

MAX_NAME = 200
MAX_RELEASE = 120


@dataclass(frozen=True, slots=True)
class Place:
    """Where one column goes."""

    column: str
    target: str
    system: str = ""
    release: str = ""
    rater: str = ""
    criterion: str = ""


@dataclass(frozen=True, slots=True)
class AnswerMapping:
    """A file of questions and answers.

    `system` answers where no column says who did; `release` is the release where none is named.
    """

    places: tuple[Place, ...]
    system: str = ""
    release: str = "1"
    create_missing: bool = False

    def column(self, target: Target) -> str:
        """Return the column that holds this; empty where none does."""
        return _column(self.places, target)

    def as_dict(self) -> dict[str, Any]:
        return _as_dict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "AnswerMapping":
        return cls(**{**stored, "places": _places(stored["places"])})

    def faults(self, columns: Iterable[str]) -> list[Problem]:
        """Return why this mapping cannot be used on these columns."""
        found = _common_faults(self.places, columns, targets.ANSWERS)
        used = {place.target for place in self.places}
        if Target.QUESTION in used and Target.MESSAGES in used:
            found.append(Problem("question_and_messages"))
        answered = used & {Target.RESPONSE, Target.ANSWER}
        if not used & {Target.QUESTION, Target.MESSAGES} and not (
            Target.EXTERNAL_ID in used and answered
        ):
            found.append(Problem("no_question_column"))
        if len(answered) == 2:
            found.append(Problem("long_and_wide"))
        if Target.RESPONSE in used and Target.SYSTEM not in used and not self.system:
            found.append(Problem("no_system_column"))
        if Target.SYSTEM in used and not used & {Target.RESPONSE, Target.MESSAGES}:
            found.append(Problem("no_response_column"))
        found += _missing_names(self.places, Target.ANSWER, ("system",))
        names = [(one.system, one.release) for one in self.places if one.target == Target.ANSWER]
        found += [
            Problem("system_twice", found=name) for (name, _), n in Counter(names).items() if n > 1
        ]
        return found


@dataclass(frozen=True, slots=True)
class NewRubric:
    """A rubric to be made of the criteria that a file of grades has."""

    name: str
    minimum: str
    maximum: str
    step: str = ""

    def scale(self) -> scales.Scale:
        """Return the scale of each criterion.

        Raises:
            ValueError: the numbers make no scale; the message says why.
        """
        step = scales.parse(self.step) if self.step else None
        return scales.Scale(scales.parse(self.minimum), scales.parse(self.maximum), step)


@dataclass(frozen=True, slots=True)
class GradeMapping:
    """A table of grades: by which rubric, under which name, and which criterion is called what.

    `rubric` is the key and number of a version, such as "factuality@2"; or there is `new_rubric`.
    """

    places: tuple[Place, ...]
    round_name: str
    rubric: str = ""
    new_rubric: NewRubric | None = None
    release: str = ""
    rater: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)

    def column(self, target: Target) -> str:
        """Return the column that holds this; empty where none does."""
        return _column(self.places, target)

    def as_dict(self) -> dict[str, Any]:
        return _as_dict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "GradeMapping":
        rubric = stored["new_rubric"]
        return cls(
            **{
                **stored,
                "places": _places(stored["places"]),
                "new_rubric": NewRubric(**rubric) if rubric else None,
            }
        )

    def criterion(self, written: str) -> str:
        """Return what a criterion of the file is called in the rubric."""
        return self.aliases.get(written, written)

    def criteria(self) -> list[str]:
        """Return the criteria that the columns of a wide table name, in order."""
        wide = [one.criterion for one in self.places if one.target == Target.GRADE]
        return list(dict.fromkeys(self.criterion(name) for name in wide))

    def faults(self, columns: Iterable[str]) -> list[Problem]:
        """Return why this mapping cannot be used on these columns."""
        found = _common_faults(self.places, columns, targets.GRADES)
        used = {place.target for place in self.places}
        found += [
            Problem(code)
            for code, wrong in (
                ("no_item_column", Target.ITEM not in used),
                ("no_system_column", Target.SYSTEM not in used),
                ("no_value_column", not used & {Target.VALUE, Target.GRADE}),
                ("long_and_wide", used >= {Target.VALUE, Target.GRADE}),
                ("no_criterion_column", Target.VALUE in used and Target.CRITERION not in used),
                (
                    "no_rater_column",
                    Target.VALUE in used and Target.RATER not in used and not self.rater,
                ),
                ("comment_in_wide_table", Target.GRADE in used and Target.COMMENT in used),
                ("no_round_name", not self.round_name.strip()),
                ("no_rubric", bool(self.rubric) == bool(self.new_rubric)),
            )
            if wrong
        ]
        return [*found, *self._grade_faults(), *self._scale_faults()]

    def _grade_faults(self) -> list[Problem]:
        found = _missing_names(self.places, Target.GRADE, ("rater", "criterion"))
        cells = [
            (one.rater, self.criterion(one.criterion))
            for one in self.places
            if one.target == Target.GRADE
        ]
        return found + [
            Problem("cell_twice", found=f"{rater}, {criterion}")
            for (rater, criterion), n in Counter(cells).items()
            if n > 1
        ]

    def _scale_faults(self) -> list[Problem]:
        if self.new_rubric is None:
            return []
        if not self.new_rubric.name.strip():
            return [Problem("no_rubric_name")]
        try:
            self.new_rubric.scale()
        except ValueError as problem:
            return [Problem("bad_scale", facts={"reason": str(problem)})]
        return []


def sha(mapping: AnswerMapping | GradeMapping) -> str:
    return hashlib.sha256(contents.canonical(mapping.as_dict())).hexdigest()


def decimal(written: str) -> Decimal | None:
    return scales.parse(written) if written else None


def _as_dict(mapping: AnswerMapping | GradeMapping) -> dict[str, Any]:
    plain = asdict(mapping)
    plain["places"] = sorted(plain["places"], key=lambda one: one["column"])
    return plain


def _places(stored: Iterable[Mapping[str, str]]) -> tuple[Place, ...]:
    return tuple(Place(**one) for one in stored)


def _column(places: Iterable[Place], target: Target) -> str:
    return next((place.column for place in places if place.target == target), "")


def _common_faults(
    places: Sequence[Place], columns: Iterable[str], known: Sequence[Target]
) -> list[Problem]:
    chosen = {place.column for place in places if place.target}
    found = [
        Problem("column_without_target", column=name) for name in columns if name not in chosen
    ]
    found += [
        Problem("unknown_target", column=one.column, found=one.target)
        for one in places
        if one.target and one.target not in known
    ]
    counts = Counter(one.target for one in places if one.target not in targets.REPEATABLE)
    found += [Problem("target_twice", found=name) for name, n in counts.items() if name and n > 1]
    return found


def _missing_names(places: Sequence[Place], target: Target, fields: Sequence[str]) -> list[Problem]:
    found = []
    for place in places:
        for name in fields if place.target == target else ():
            value = getattr(place, name).strip()
            if not value or len(value) > MAX_NAME:
                found.append(Problem(f"no_{name}_name", column=place.column))
    return found
