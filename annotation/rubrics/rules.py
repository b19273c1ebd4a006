"""The wording of a rubric: criteria, levels, what is wrong with it, what changed in it.

* What a machine's scores are measured on: a criterion whose range may be open at either end.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from annotation.common import diffs, names, scales
from annotation.common import texts as contents
from annotation.common.scales import Scale
from evalsite import kinds, records
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, KeptAs, Record

MAX_CRITERIA = 12
MAX_LEVELS = 21
MAX_EXAMPLES = 10
MAX_LABEL = 120
#: What a criterion asks for; the rows have words for each (`Criterion.Mark`).
LEVELS, YES_NO, LABEL, LABELS = "LEVELS", "YES_NO", "LABEL", "LABELS"
NUMBER, TEXT, CHOICE = "NUMBER", "TEXT", "CHOICE"
MARKS = (LEVELS, YES_NO, LABEL, LABELS, NUMBER, TEXT, CHOICE)
#: Answered by names without an order: no means, no pass mark, no weight.
NAMED = frozenset({LABEL, LABELS})
#: Answered by no level.
TYPED = frozenset({NUMBER, TEXT})
#: Of these, bounds and steps follow from the mark and the levels.
SETTLED = frozenset({YES_NO, LABEL, LABELS, TEXT, CHOICE})
#: Which of two answers, A or B, is better: the values of a choice, and what they are called at first.
CHOICES = {
    1: _("A is much better"),
    2: _("A is better"),
    3: _("About the same"),
    4: _("B is better"),
    5: _("B is much better"),
    6: _("Both are bad"),
}
BOTH_BAD = 6
#: The same choice where the two stand the other way round.
TURNED = {1: 5, 2: 4, 3: 3, 4: 2, 5: 1, 6: 6}
#: Those that are offered unless a rubric says otherwise, those it has to offer, and pairs of which both.
_CHOSEN = (2, 3, 4)
BETTER = frozenset({2, 4})
MUCH = frozenset({1, 5})
MIXED = (
    "A rubric asks which of two answers is better, or for marks of each answer, not for both. "
    "Give the other criteria a rubric of their own."
)
#: Stands between two examples where several are written into one field.
BETWEEN = "---"

#: Path of a field, such as "criteria.0.levels.2.value", and what is wrong with it.
Problems = dict[str, list[str]]


Grade = Annotated[Decimal, kinds.Number(12, 4)]
Key = Annotated[str, kinds.slug(80)]
Name = Annotated[str, names.NameKind(200)]
Long = Annotated[str, kinds.Text()]

Principle = Annotated[
    Long,
    Ask(
        _("Grading principle"),
        _("Stands beside every response. Markdown."),
        rows=6,
    ),
]


@dataclass(frozen=True)
class LevelText(Record):
    component: ClassVar[str] = "Level"

    value: Annotated[Grade, Ask(_("Value"))]
    label: Annotated[str, names.NameKind(MAX_LABEL, empty=True), Ask(_("Level"))] = ""
    description: Annotated[Long, Ask(_("When to give it"), rows=2)] = ""
    #: Answers that would get this grade.
    examples: tuple[Long, ...] = ()


@dataclass(frozen=True)
class CriterionText(Record):
    """A criterion. A null `step` allows every number between `min` and `max`.

    Of levels and numbers, `min` and `max` have to be said. Otherwise they follow from `mark`: yes is 1
    and no 0, labels have the values 1, 2, 3 … in their order, and several labels are the sum of
    2^(value-1). The `min` of a text is 1 if one has to be written, else 0.
    """

    component: ClassVar[str] = "RubricsCriterion"
    younger: ClassVar[frozenset[str]] = frozenset({"mark"})

    key: Key
    name: Annotated[Name, Ask(_("Criterion"))]
    minimum: Annotated[Grade, Field(alias="min"), Ask(_("Lowest"))] = Decimal(0)
    maximum: Annotated[Grade, Field(alias="max"), Ask(_("Top score"))] = Decimal(0)
    description: Annotated[Long, Ask(_("Description"), rows=2)] = ""
    step: Annotated[Grade | None, Ask(_("Step"))] = Decimal(1)
    pass_at: Annotated[Grade | None, Ask(_("Passes from"))] = None
    weight: Annotated[Decimal, kinds.Number(8, 4, Decimal(0)), Ask(_("Weight"))] = Decimal(1)
    levels: tuple[LevelText, ...] = ()
    mark: Annotated[str, kinds.Choice(MARKS), Ask(_("Mark"))] = LEVELS

    @property
    def scale(self) -> Scale:
        """Its values.

        Raises:
            ValueError: they make no scale.
        """
        offered = (one.value for one in self.levels if self.mark == CHOICE)
        ends = self.minimum, self.maximum, self.step, self.pass_at
        return Scale(*ends, whole=self.mark == LABELS, only=frozenset(offered))

    def settled(self) -> "CriterionText":
        """Return it with the bounds, steps and words that follow from its mark."""
        if self.mark == YES_NO:
            words = self.levels or (LevelText(Decimal(0), "No"), LevelText(Decimal(1), "Yes"))
            no, yes = Decimal(0), Decimal(1)
            return replace(self, minimum=no, maximum=yes, step=yes, levels=words)
        plain: dict[str, Any] = {"step": None, "pass_at": None, "weight": Decimal(0)}
        if self.mark == TEXT:
            least = Decimal(self.minimum > 0)
            return replace(self, **plain, minimum=least, maximum=Decimal(scales.LONGEST_ANSWER))
        if self.mark == CHOICE:
            chosen = {one.value: one for one in self.levels or _offered(_CHOSEN)}
            levels = tuple(chosen[value] for value in sorted(chosen))
            ends = {"minimum": Decimal(1), "maximum": Decimal(len(CHOICES)), "step": Decimal(1)}
            return replace(self, **(plain | ends), levels=levels)
        if self.mark == LABEL:
            most = Decimal(max(2, len(self.levels)))
            plain |= {"step": Decimal(1), "minimum": Decimal(1), "maximum": most}
        elif self.mark == LABELS:
            places = range(1, 1 + min(max(1, len(self.levels)), scales.MOST_LABELS))
            plain |= {"minimum": Decimal(0), "maximum": scales.one_number(places)}
        return replace(self, **plain) if self.mark in NAMED else self


@dataclass(frozen=True, kw_only=True)
class RubricNamed(Record):
    """What a rubric is called."""

    name: Annotated[Name, KeptAs("rubric.name"), Ask(_("Name"))]
    key: Annotated[
        Key,
        KeptAs("rubric.key"),
        Ask(_("Key"), _("For addresses and files. Empty: from the name.")),
    ]


@dataclass(frozen=True)
class Wording(Record):
    """Everything that one version of a rubric says."""

    principle: Principle
    criteria: tuple[CriterionText, ...]

    def sha(self) -> str:
        """Return the fingerprint by which an editor knows what it started from."""
        return hashlib.sha256(contents.canonical(plain(self))).hexdigest()

    def settled(self) -> Self:
        """Return it with what follows from the marks of its criteria."""
        return replace(self, criteria=tuple(one.settled() for one in self.criteria))


@dataclass(frozen=True, slots=True)
class RubricChange:
    """One thing that differs: where (criterion, level, field), before and after."""

    criterion: str
    level: str
    field: str
    old: str
    new: str

    @property
    def before(self) -> tuple[diffs.DiffRun, ...]:
        """What stood there, the words that have gone marked."""
        return diffs.FieldChange(self.field, diffs.between(self.old, self.new)).before

    @property
    def after(self) -> tuple[diffs.DiffRun, ...]:
        """What stands there now, the words that are new marked."""
        return diffs.FieldChange(self.field, diffs.between(self.old, self.new)).after


def plain(wording: Wording) -> dict[str, Any]:
    """Return the wording as JSON values, the numbers as text."""
    return {
        "principle": wording.principle,
        "criteria": [
            {
                **_texts(criterion, leave_out="levels"),
                "levels": [_level(level) for level in criterion.levels],
            }
            for criterion in wording.criteria
        ],
    }


def from_entry(entry: Mapping[str, Any]) -> Wording:
    """Read a rubric as the fixtures write it.

    Raises:
        ValueError: a number is missing or cannot be read.
    """
    criteria = [{"min": 0, **one} for one in entry.get("criteria", [])]
    said = {"principle": entry.get("principle", ""), "criteria": criteria}
    return records.read(Wording, said, sent=True).settled()


@dataclass(frozen=True, slots=True)
class AllPass:
    """A criterion whose lowest grade passes: by its place; `instead` begins the upper half."""

    place: int
    name: str
    at: Decimal
    instead: Decimal


def all_pass(wording: Wording) -> tuple[AllPass, ...]:
    """Return the criteria by which everything passes; the wording may have problems."""
    found = []
    for place, one in enumerate(wording.criteria):
        try:
            scale = one.scale
        except ValueError:
            continue
        if scale.all_pass:
            found.append(AllPass(place, one.name, scale.minimum, scale.upper_half()))
    return tuple(found)


def problems(wording: Wording) -> Problems:
    """Return everything that keeps the wording from being used; nothing if all is well."""
    found: Problems = {one.path: [records.said(one)] for one in records.faults(wording)}
    if not wording.criteria:
        found["criteria"] = ["A rubric needs at least one criterion. Add one."]
    if len(wording.criteria) > MAX_CRITERIA:
        found["criteria"] = [f"A rubric has at most {MAX_CRITERIA} criteria. Remove some."]
    if len({one.mark == CHOICE for one in wording.criteria}) > 1:
        found["criteria"] = [MIXED]
    keys: set[str] = set()
    for place, criterion in enumerate(wording.criteria):
        where = f"criteria.{place}"
        if criterion.key in keys:
            found[f"{where}.name"] = ["Two criteria have the same key. Give one another name."]
        keys.add(criterion.key)
        for path, message in _criterion_problems(criterion):
            found.setdefault(f"{where}.{path}", []).append(message)
    return found


def differences(old: Wording, new: Wording) -> list[RubricChange]:
    """Return what changed, in the order of the newer wording; criteria are matched by key."""
    changes = []
    if old.principle != new.principle:
        changes.append(RubricChange("", "", "principle", old.principle, new.principle))
    before = {one.key: one for one in old.criteria}
    after = {one.key: one for one in new.criteria}
    for key, criterion in after.items():
        if key in before:
            changes.extend(_criterion_changes(before[key], criterion))
        else:
            changes.append(RubricChange(criterion.name, "", "criterion", "", criterion.name))
    changes.extend(
        RubricChange(gone.name, "", "criterion", gone.name, "")
        for key, gone in before.items()
        if key not in after
    )
    return changes


def oriented(
    response: int, criterion: str, against: int | None, value: Decimal | None
) -> tuple[int, str, Decimal | None]:
    """Return where a mark belongs and its value, a choice the same whichever answer stood first.

    Args:
        response: what was marked, or stood at A.
        criterion: its key.
        against: what stood at B, where it was asked which of the two is better.
        value: the mark.
    """
    if against is None:
        return response, criterion, value
    if against < response:
        response, against = against, response
        value = None if value is None else Decimal(TURNED[int(value)])
    return response, f"{criterion}/{against}", value


def joined(examples: Iterable[str]) -> str:
    """Return examples as they are written into one field, a line of dashes between them."""
    return f"\n{BETWEEN}\n".join(examples)


def split(written: str) -> tuple[str, ...]:
    """Return the examples of one field; a line of three dashes or more divides them."""
    found: list[list[str]] = [[]]
    for line in written.splitlines():
        if line.strip() and not line.strip().strip("-") and len(line.strip()) >= len(BETWEEN):
            found.append([])
        else:
            found[-1].append(line)
    texts = ("\n".join(lines).strip() for lines in found)
    return tuple(text for text in texts if text)


def _offered(values: Iterable[int]) -> tuple[LevelText, ...]:
    return tuple(LevelText(Decimal(one), str(CHOICES[one])) for one in values)


def _criterion_problems(criterion: CriterionText) -> Iterator[tuple[str, str]]:
    if criterion.mark == CHOICE:
        yield from _choice_problems(criterion)
        return
    if criterion.mark in NAMED | {YES_NO}:
        yield from _label_problems(criterion)
        return
    if criterion.mark in TYPED and criterion.levels:
        yield "levels", "A number or a text has no levels. Remove them, or choose another mark."
        return
    trials = (
        ("maximum", None, None),
        ("step", criterion.step, None),
        ("pass_at", criterion.step, criterion.pass_at),
    )
    for field, step, pass_at in trials:
        try:
            Scale(criterion.minimum, criterion.maximum, step, pass_at)
        except ValueError as problem:
            yield field, str(problem)
            return
    yield from _level_problems(criterion)


def _choice_problems(criterion: CriterionText) -> Iterator[tuple[str, str]]:
    values = [one.value for one in criterion.levels]
    for place, value in enumerate(values):
        if value not in CHOICES:
            yield f"levels.{place}.value", "A choice has the values 1 to 6."
        elif value in values[:place]:
            yield f"levels.{place}.value", "This value is described twice. Remove one of the two."
        elif not criterion.levels[place].label.strip():
            yield f"levels.{place}.label", "Give it a name."
    if not set(values) >= BETTER:
        yield "levels", "Offer both: A is better (2) and B is better (4)."
    if len(MUCH & set(values)) == 1:
        yield "levels", "Offer much better for both sides (1 and 5), or for none."


def _label_problems(criterion: CriterionText) -> Iterator[tuple[str, str]]:
    levels, first = criterion.levels, 0 if criterion.mark == YES_NO else 1
    fewest, most = {YES_NO: (2, 2), LABEL: (2, scales.MOST_LABELS)}.get(
        criterion.mark, (1, scales.MOST_LABELS)
    )
    if not fewest <= len(levels) <= most:
        wanted = "Give two words, one for no and one for yes."
        named = f"Give {fewest} to {most} labels."
        yield "levels", wanted if criterion.mark == YES_NO else named
        return
    seen: set[str] = set()
    for place, level in enumerate(levels):
        if level.value != place + first:
            yield f"levels.{place}.value", f"The values are {first}, {first + 1} …, in this order."
        if not level.label.strip():
            yield f"levels.{place}.label", "Give it a name."
        elif level.label.casefold() in seen:
            yield f"levels.{place}.label", "Two have this name. Give one another."
        seen.add(level.label.casefold())
        if len(level.examples) > MAX_EXAMPLES:
            yield f"levels.{place}.examples", f"At most {MAX_EXAMPLES} examples. Remove some."
    if criterion.pass_at not in {None, Decimal(1)}:
        yield "pass_at", "Yes, or none, is what passes: 1, or empty."


def _level_problems(criterion: CriterionText) -> Iterator[tuple[str, str]]:
    scale = Scale(criterion.minimum, criterion.maximum, criterion.step)
    if len(criterion.levels) > MAX_LEVELS:
        yield "levels", f"At most {MAX_LEVELS} levels can be described. Remove some."
    seen: set[Decimal] = set()
    for place, level in enumerate(criterion.levels):
        try:
            value = scale.check(level.value)
        except ValueError as problem:
            yield f"levels.{place}.value", str(problem)
            continue
        if value in seen:
            yield f"levels.{place}.value", "This value is described twice. Remove one of the two."
        seen.add(value)
        if len(level.examples) > MAX_EXAMPLES:
            yield f"levels.{place}.examples", f"At most {MAX_EXAMPLES} examples. Remove some."


#: What says nothing of labels that their number does not.
_FOLLOWS = ("minimum", "maximum")


def _criterion_changes(old: CriterionText, new: CriterionText) -> Iterator[RubricChange]:
    follows = _FOLLOWS if old.mark == new.mark and new.mark in NAMED else ()
    for field, before, after in _unequal(old, new, leave_out="levels"):
        if field not in follows:
            yield RubricChange(new.name, "", field, before, after)
    levels_before = {scales.text(one.value): one for one in old.levels}
    levels_after = {scales.text(one.value): one for one in new.levels}
    nothing = LevelText(Decimal(0))
    for value in sorted(levels_before.keys() | levels_after.keys(), key=Decimal):
        pair = levels_before.get(value, nothing), levels_after.get(value, nothing)
        for field, before, after in _unequal(*pair, leave_out="value"):
            yield RubricChange(new.name, value, field, before, after)


def _unequal(old: Any, new: Any, leave_out: str) -> Iterator[tuple[str, str, str]]:
    before, after = _texts(old, leave_out), _texts(new, leave_out)
    for field in before | after:
        if before.get(field) != after.get(field):
            yield field, before.get(field, LEVELS), after.get(field, LEVELS)


def _level(level: LevelText) -> dict[str, Any]:
    """Return a level as JSON values; one without examples is written as before there were any."""
    said: dict[str, Any] = _texts(level, leave_out="examples")
    return {**said, "examples": list(level.examples)} if level.examples else said


def _texts(row: Any, leave_out: str = "") -> dict[str, str]:
    return {
        field.name: _text(getattr(row, field.name))
        for field in fields(row)
        if field.name != leave_out and (field.name, getattr(row, field.name)) != ("mark", LEVELS)
    }


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return joined(value)
    return scales.text(value) if isinstance(value, Decimal) else str(value)


@dataclass(frozen=True, slots=True)
class Measure:
    """A criterion of a judge or a metric. Labels are the words of single values."""

    name: str
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    higher_is_better: bool = True
    labels: tuple[tuple[Decimal, str], ...] = ()
    #: What kind of mark it gives (`Criterion.Mark`).
    mark: str = "LEVELS"

    def bounds(self) -> str:
        """Return the range as a clause: between 0 and 1, from 0 on, up to 0, anywhere."""
        low, high = (None if end is None else f"{end.normalize():f}" for end in self.ends)
        if low is not None and high is not None:
            return f"between {low} and {high}"
        if low is not None:
            return f"from {low} on"
        return "anywhere" if high is None else f"up to {high}"

    @property
    def ends(self) -> tuple[Decimal | None, Decimal | None]:
        return self.minimum, self.maximum
