"""What a person decided of a file's columns. Two mappings are the same if their content is."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from operator import attrgetter
from typing import Any, Protocol

from annotation.common import names, scales
from annotation.common import texts as contents
from annotation.files import cells as problems
from annotation.files import columns as targets
from annotation.files.asks import KIND
from annotation.files.cells import Problem
from annotation.files.columns import Guess, Target

MAX_NAME = 200
_NAMES = attrgetter("system", "release", "rater", "criterion")
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

    `system` answers where no column says who did; `release` is the release where none is named. Of
    an answer in several messages the last one of the assistant is taken, or the `whole_conversation`.
    """

    places: tuple[Place, ...]
    system: str = ""
    release: str = "1"
    create_missing: bool = False
    whole_conversation: bool = False

    def column(self, target: Target) -> str:
        """Return the column that holds this; empty where none does."""
        return column_of(self.places, target)

    @property
    def samples(self) -> bool:
        """Whether columns of answers are numbered samples of the system that a column names."""
        numbers = [one.system for one in self.places if one.target == Target.ANSWER]
        named = bool(self.column(Target.SYSTEM))
        return named and bool(numbers) and all(map(str.isdecimal, numbers))

    def as_dict(self) -> dict[str, Any]:
        plain = as_plain(self)
        if not self.whole_conversation:
            del plain["whole_conversation"]  # as before there was the choice
        return plain

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "AnswerMapping":
        return cls(**{**stored, "places": places_of(stored["places"])})

    def faults(self, columns: Iterable[str]) -> list[Problem]:
        """Return why this mapping cannot be used on these columns."""
        found = common_faults(self.places, columns, targets.ANSWERS, self.system, self.release)
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
        if Target.SYSTEM in used and not (
            used & {Target.RESPONSE, Target.MESSAGES} or self.samples
        ):
            found.append(Problem("no_response_column"))
        found += missing_names(self.places, Target.ANSWER, ("system",))
        names = [(one.system, one.release) for one in self.places if one.target == Target.ANSWER]
        found += [
            Problem("system_twice", found=name) for (name, _), n in Counter(names).items() if n > 1
        ]
        return found


@dataclass(frozen=True, slots=True)
class QuestionMapping:
    """A file of questions for the bank.

    `capability` (a name or path), `difficulty`, `domain` and `language` hold where a row says
    nothing; `author` is a user name, empty for whoever imports. A row that differs from the
    question that the bank has under its id is refused, or becomes a draft of the next version.
    """

    places: tuple[Place, ...]
    capability: str = ""
    difficulty: str = ""
    domain: str = ""
    language: str = ""
    author: str = ""
    new_versions: bool = False
    create_missing: bool = False
    make_sources: bool = False

    def column(self, target: Target) -> str:
        """Return the column that holds this; empty where none does."""
        return column_of(self.places, target)

    def as_dict(self) -> dict[str, Any]:
        return as_plain(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "QuestionMapping":
        return cls(**{**stored, "places": places_of(stored["places"])})

    def faults(self, columns: Iterable[str]) -> list[Problem]:
        """Return why this mapping cannot be used on these columns."""
        found = common_faults(self.places, columns, targets.QUESTIONS)
        used = {place.target for place in self.places}
        asked = used & {Target.QUESTION, Target.MESSAGES}
        single = used & {Target.SOURCE_TITLE, Target.SOURCE_ADDRESS}
        return found + [
            Problem(code)
            for code, wrong in (
                ("question_and_messages", len(asked) == 2),
                ("no_question_to_bring", not asked),
                ("sources_twice", bool(single) and Target.SOURCES in used),
                ("place_without_source", Target.SOURCE_PLACE in used and not single),
            )
            if wrong
        ]


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
    `words` are the grades of what is written in words, such as "tie". `rater`, `system` and `criterion`
    hold where no column says so.
    """

    places: tuple[Place, ...]
    round_name: str
    rubric: str = ""
    new_rubric: NewRubric | None = None
    release: str = ""
    rater: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)
    system: str = ""
    criterion: str = ""

    def column(self, target: Target) -> str:
        """Return the column that holds this; empty where none does."""
        return column_of(self.places, target)

    def as_dict(self) -> dict[str, Any]:
        plain = as_plain(self)
        for name in ("words", "system", "criterion"):
            if not plain[name]:
                del plain[
                    name
                ]  # a mapping without any is the same as before there was such a thing
        return plain

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "GradeMapping":
        rubric = stored["new_rubric"]
        return cls(
            **{
                **stored,
                "places": places_of(stored["places"]),
                "new_rubric": NewRubric(**rubric) if rubric else None,
            }
        )

    @property
    def across(self) -> bool:
        """Whether columns of grades say whose answers they mark."""
        return any(one.system for one in self.places if one.target == Target.GRADE)

    def called(self, written: str) -> str:
        """Return what a criterion of the file is called in the rubric."""
        return self.aliases.get(written, written)

    def criteria(self) -> list[str]:
        """Return the criteria that the columns of a wide table name, in order."""
        wide = [one.criterion for one in self.places if one.target == Target.GRADE]
        return list(dict.fromkeys(self.called(name) for name in wide))

    def faults(self, columns: Iterable[str]) -> list[Problem]:
        """Return why this mapping cannot be used on these columns."""
        given = (self.rater, self.round_name, self.system, self.criterion)
        found = common_faults(self.places, columns, targets.GRADES, *given)
        used = {place.target for place in self.places}
        n_wide = sum(place.target == Target.GRADE for place in self.places)
        found += [
            Problem(code)
            for code, wrong in (
                ("no_item_column", Target.ITEM not in used),
                ("no_system_column", not (self.system or self.across or Target.SYSTEM in used)),
                ("no_value_column", not used & {Target.VALUE, Target.GRADE}),
                ("long_and_wide", used >= {Target.VALUE, Target.GRADE}),
                (
                    "no_criterion_column",
                    Target.VALUE in used and Target.CRITERION not in used and not self.criterion,
                ),
                (
                    "no_rater_column",
                    Target.VALUE in used and Target.RATER not in used and not self.rater,
                ),
                ("comment_in_wide_table", n_wide > 1 and Target.COMMENT in used),
                ("no_round_name", not self.round_name.strip()),
                ("no_rubric", bool(self.rubric) == bool(self.new_rubric)),
            )
            if wrong
        ]
        return [*found, *self._grade_faults(), *self._scale_faults()]

    def _grade_faults(self) -> list[Problem]:
        used = {place.target for place in self.places}
        # What a column says of every row need not be said of each column of grades.
        by_row = {
            "rater": bool(self.rater) or Target.RATER in used,
            "criterion": bool(self.criterion) or Target.CRITERION in used,
        }
        if self.across:
            by_row["system"] = bool(self.system) or Target.SYSTEM in used
        needed = [name for name, said in by_row.items() if not said]
        found = missing_names(self.places, Target.GRADE, needed)
        cells = [
            (one.rater, self.called(one.criterion), one.system)
            for one in self.places
            if one.target == Target.GRADE
        ]
        return found + [
            Problem("cell_twice", found=", ".join(filter(None, names)))
            for names, n in Counter(cells).items()
            if n > 1
        ]

    def _scale_faults(self) -> list[Problem]:
        if self.new_rubric is None:
            return []
        if not self.new_rubric.name.strip():
            return [Problem("no_rubric_name")]
        try:
            scale = self.new_rubric.scale()
        except ValueError as problem:
            return [Problem("bad_scale", facts={"reason": str(problem)})]
        return list(self._word_faults(scale))

    def _word_faults(self, scale: scales.Scale) -> Iterator[Problem]:
        for word, written in self.words.items():
            try:
                scale.check(scales.parse(written))
            except ValueError as problem:
                yield Problem("word_off_scale", found=word, facts={"reason": str(problem)})


AnyMapping = AnswerMapping | QuestionMapping | GradeMapping


class FileMapping(Protocol):
    """What the mapping of every kind of file can say."""

    @property
    def places(self) -> tuple[Place, ...]: ...
    def as_dict(self) -> dict[str, Any]: ...
    def faults(self, columns: Iterable[str]) -> list[Problem]: ...


def sha_of(stored: Mapping[str, Any], told: Mapping[str, str]) -> str:
    """Return what tells a mapping, with what a person said of the file, from every other one."""
    answers = {key: said for key, said in told.items() if key != KIND}
    said = {"mapping": stored, "told": answers} if answers else stored
    return hashlib.sha256(contents.canonical(said)).hexdigest()


def decimal(written: str) -> Decimal | None:
    return scales.parse(written) if written else None


def as_plain(mapping: Any) -> dict[str, Any]:
    """Return a mapping as JSON values, its columns in the order of their names."""
    plain = asdict(mapping)
    plain["places"] = sorted(plain["places"], key=lambda one: one["column"])
    return plain


def places_of(stored: Iterable[Mapping[str, str]]) -> tuple[Place, ...]:
    return tuple(Place(**one) for one in stored)


def written_place(column: str, written: str, guess: Guess) -> Place:
    """Return where a column goes, as a program writes it.

    Args:
        written: a target; `answer:SYSTEM:RELEASE` names whose answers stand in the column,
            `grade:RATER:CRITERION:SYSTEM` and `score:JUDGE:CRITERION` whose marks of what.
        guess: what the column's name suggests, for what is not written.
    """
    target, *names = written.split(":")
    if target == Target.ANSWER:
        name = names[0] if names else guess.system or column.rpartition(".")[2]
        return Place(column, target, system=name, release=names[1] if len(names) > 1 else "")
    if target in {Target.GRADE, Target.SCORE}:
        guessed = [guess.rater, guess.criterion, guess.system]
        rater, criterion, system = [*names, "", "", ""][:3] if names else guessed
        rater = rater or (column if target == Target.SCORE else "")
        return Place(column, target, system, rater=rater, criterion=criterion)
    return Place(column, target)


def column_of(places: Iterable[Place], target: Target) -> str:
    """Return the column that holds this; empty where none does."""
    return next((place.column for place in places if place.target == target), "")


def common_faults(
    places: Sequence[Place], columns: Iterable[str], known: Sequence[Target], *named: str
) -> list[Problem]:
    """Return what is wrong with the places of any kind of file, and with names for the whole of it."""
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
    given = [(one.column, name) for one in places for name in _NAMES(one)]
    return found + [
        Problem("unseen_sign", None, column, problems.excerpt(name), {"sign": names.called(sign)})
        for column, name in [*given, *(("", name) for name in named)]
        if (sign := names.unseen_in(name))
    ]


def missing_names(places: Sequence[Place], target: Target, fields: Sequence[str]) -> list[Problem]:
    """Return the columns that need a name and have none that can be used."""
    found = []
    for place in places:
        for name in fields if place.target == target else ():
            value = getattr(place, name).strip()
            if not value or len(value) > MAX_NAME:
                found.append(Problem(f"no_{name}_name", column=place.column))
    return found
