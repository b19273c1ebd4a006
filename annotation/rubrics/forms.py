"""The editor of a rubric: criteria and levels as plain fields, added and removed by buttons."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from annotation.common import scales
from annotation.common.forms import NameInput, RecordForm, field_of
from annotation.common.scales import Scale
from annotation.common.sentences import gettext
from annotation.people.models import Project
from annotation.rubrics import rules
from annotation.rubrics.models import Criterion, Rubric, RubricVersion
from annotation.rubrics.queries import RubricLine
from annotation.rubrics.rules import CriterionText, LevelText, RubricNamed, Wording
from evalsite import records
from evalsite.errors import Refusal

#: What was typed, as text: name, key, principle, criteria of {…, levels}.
Draft = dict[str, Any]
RESERVED = frozenset({"new", "examples"})


class RubricHeadForm(RecordForm, record=RubricNamed):
    key = forms.SlugField(
        label=_("Key"),
        required=False,
        max_length=80,
        help_text=_("For addresses and files. Empty: from the name."),
    )
    principle = field_of(records.part(Wording, "principle"))

    def clean_key(self) -> str:
        key: str = self.cleaned_data["key"] or slugify(self.cleaned_data.get("name", ""))[:80]
        if not key:
            raise forms.ValidationError(_("Give a key in letters and digits, such as factuality."))
        if key in RESERVED:
            raise forms.ValidationError(_("This word is taken by a page. Choose another key."))
        return key


class CopyRubric(forms.Form):
    """Which rubric of another project is copied."""

    rubric = forms.ChoiceField(label=_("Rubric"))
    name = NameInput(
        label=_("Name here"),
        required=False,
        max_length=200,
        help_text=_("Empty: unchanged."),
    )

    def __init__(
        self, *args: Any, projects: Sequence[tuple[Project, Sequence[RubricLine]]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._versions = {
            f"{project.slug}/{line.rubric.key}": line.newest
            for project, lines in projects
            for line in lines
        }
        self.fields["rubric"].choices = [  # type: ignore[attr-defined]
            ("", _("Choose a rubric")),
            *(
                (
                    project.name,
                    [
                        (
                            f"{project.slug}/{line.rubric.key}",
                            f"{line.rubric.name}, v{line.newest.number}",
                        )
                        for line in lines
                    ],
                )
                for project, lines in projects
            ),
        ]

    def chosen(self) -> RubricVersion:
        return self._versions[self.cleaned_data["rubric"]]


class RubricCriterionForm(RecordForm, record=CriterionText):
    key = forms.SlugField(required=False, max_length=80, widget=forms.HiddenInput)
    mark = forms.ChoiceField(label=_("Mark"), choices=Criterion.Mark, widget=forms.HiddenInput)


class LevelForm(RecordForm, record=LevelText):
    examples = forms.CharField(
        label=_("Example answers"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Answers of this grade, divided by three dashes."),
    )

    def text(self) -> LevelText:
        given = self.cleaned_data
        return LevelText(**{**given, "examples": rules.split(given["examples"])})


@dataclass
class CriterionBlock:
    """A criterion in the editor, with its levels."""

    form: RubricCriterionForm
    levels: list[LevelForm]

    @property
    def mark(self) -> str:
        return str(self.form["mark"].value())

    @property
    def is_named(self) -> bool:
        """Whether levels are labels in an order, without numbers."""
        return self.mark in rules.NAMED

    @property
    def is_worded(self) -> bool:
        """Whether a level is nothing without its word."""
        return self.mark != rules.LEVELS

    #: What is offered where one of two answers is chosen, ticked or not.
    offers: "list[ChoiceOffer]" = field(default_factory=list)


@dataclass(frozen=True)
class ChoiceWord:
    """The field of a choice's words."""

    name: str
    label: str
    form: LevelForm | None

    @property
    def errors(self) -> list[str]:
        return [str(one) for one in self.form["label"].errors] if self.form else []


@dataclass(frozen=True)
class ChoiceOffer:
    """A tick box (without one: always offered) and the words that go with it."""

    tick: str
    title: str
    is_ticked: bool
    words: list[ChoiceWord]


#: Which values each tick box of the editor offers; the two without one are always there.
OFFERS = {
    "": ("", (2, 4)),
    "much": (_("Much better"), (1, 5)),
    "tie": (_("About the same"), (3,)),
    "bad": (_("Both are bad"), (6,)),
}


class RubricEditor:
    """A rubric as it is being edited. Bound, it can be checked and read; else it only shows."""

    def __init__(self, draft: Draft, *, bound: bool = False) -> None:
        self.draft = draft
        self.bound = bound
        self.head = self._form(RubricHeadForm, "head", draft)
        self.blocks = [
            CriterionBlock(
                self._form(RubricCriterionForm, f"c{place}", criterion),
                [
                    self._form(LevelForm, f"c{place}l{_rank(criterion, rank)}", level)
                    for rank, level in enumerate(criterion["levels"])
                ],
            )
            for place, criterion in enumerate(draft["criteria"])
        ]
        for place, block in enumerate(self.blocks):
            if block.mark == rules.CHOICE:
                block.offers = _offers(place, draft["criteria"][place], block.levels)
        self.problems: list[str] = []

    def _form(self, kind: type[Any], prefix: str, row: Mapping[str, Any]) -> Any:
        values = {name: row.get(name, "") for name in kind.base_fields}
        if not self.bound:
            return kind(initial=values, prefix=prefix)
        return kind({f"{prefix}-{name}": value for name, value in values.items()}, prefix=prefix)

    @property
    def parts(self) -> list[forms.Form]:
        inner = [form for block in self.blocks for form in (block.form, *block.levels)]
        return [self.head, *inner]

    @property
    def is_on_scale(self) -> bool:
        """Return whether a criterion has a range, and so a lowest right grade."""
        return any(one.mark in (rules.LEVELS, rules.NUMBER) for one in self.blocks)

    @property
    def told(self) -> list[tuple[str, forms.BoundField, str]]:
        """Return where an error is (nowhere in particular for the head), at which field, and what it is."""
        return [
            (where, field, str(error))
            for where, form in self._places()
            for field in form
            for error in field.errors
        ]

    def _places(self) -> list[tuple[str, forms.Form]]:
        found: list[tuple[str, forms.Form]] = [("", self.head)]
        for place, block in enumerate(self.blocks):
            found.append((self._where(place), block.form))
            found += [(self._where(place, rank), one) for rank, one in enumerate(block.levels)]
        return found

    def _where(self, place: int, rank: int | None = None) -> str:
        """Return a criterion by its number and name, with a level of it by its place."""
        facts = {"number": place + 1, "name": self.draft["criteria"][place].get("name", "")}
        where = gettext("Criterion %(number)d “%(name)s”") if facts["name"] else ""
        where = (where or gettext("Criterion %(number)d")) % facts
        if rank is None:
            return where
        return gettext("%(criterion)s, level %(place)d") % {"criterion": where, "place": rank + 1}

    @property
    def has_errors(self) -> bool:
        return bool(self.problems) or (self.bound and any(form.errors for form in self.parts))

    def is_valid(self) -> bool:
        return self.bound and all(form.is_valid() for form in self.parts)

    def wording(self) -> Wording:
        """Return what was written; only after `is_valid`."""
        taken = {block.form.cleaned_data["key"] for block in self.blocks}
        return Wording(
            principle=self.head.cleaned_data["principle"],
            criteria=tuple(
                self._criterion(place, block, taken) for place, block in enumerate(self.blocks)
            ),
        )

    def show(self, refusal: Refusal) -> None:
        """Put what an operation refused beside the fields it is about."""
        placed = [self._place(path, messages) for path, messages in refusal.fields.items()]
        if not any(placed):
            self.problems.append(refusal.message)

    def _place(self, path: str, messages: list[str]) -> bool:
        form, name = self._at(path.split("."))
        if form is None or name not in form.fields:
            where = self._of(path.split("."))
            self.problems.extend(f"{where}: {one}" if where else one for one in messages)
        else:
            form.add_error(name, messages)
        return True

    def _of(self, parts: list[str]) -> str:
        """Return the criterion or level that a path of a refusal leads to, if it leads to one."""
        if parts[0] != "criteria" or len(parts) < 2:
            return ""
        in_level = len(parts) > 3 and parts[2] == "levels"
        return self._where(int(parts[1]), int(parts[3]) if in_level else None)

    def _at(self, parts: list[str]) -> tuple[forms.Form | None, str]:
        if parts[0] != "criteria":
            return self.head, parts[0]
        if len(parts) < 3:
            return None, ""
        block = self.blocks[int(parts[1])]
        if parts[2] == "levels":
            return (block.levels[int(parts[3])], parts[4]) if len(parts) > 4 else (None, "")
        return block.form, parts[2]

    def _criterion(self, place: int, block: CriterionBlock, taken: set[str]) -> CriterionText:
        given = block.form.cleaned_data
        levels = tuple(level.text() for level in block.levels)
        key = given["key"] or _free_key(
            slugify(given["name"])[:70] or f"criterion-{place + 1}", taken
        )
        taken.add(key)
        return CriterionText(**{**given, "key": key, "levels": levels})


def _rank(criterion: Draft, rank: int) -> int:
    """Return the place of a level's fields: of choices by their value, of others as they come."""
    if criterion["mark"] != rules.CHOICE:
        return rank
    value = str(criterion["levels"][rank]["value"])
    return int(value) - 1 if value.isdecimal() else rank


def _offers(place: int, criterion: Draft, forms_: Sequence[LevelForm]) -> list[ChoiceOffer]:
    forms_of = {
        str(one["value"]): form for one, form in zip(criterion["levels"], forms_, strict=True)
    }
    said = {str(one["value"]): one["label"] for one in criterion["levels"]}
    ticked = criterion.get("ticked", ())
    return [
        ChoiceOffer(
            tick,
            str(title),
            not tick or tick in ticked,
            [
                ChoiceWord(
                    f"c{place}l{value - 1}",
                    said.get(str(value), str(gettext(rules.CHOICES[value]))),
                    forms_of.get(str(value)),
                )
                for value in values
            ],
        )
        for tick, (title, values) in OFFERS.items()
    ]


def _all_choices(criterion: Draft) -> Draft:
    """Return a criterion of choices with a row for each of them, and which are ticked."""
    known = {str(one["value"]): one for one in criterion["levels"]}
    levels = [
        known.get(str(value)) or {**empty_level(str(value)), "label": gettext(words)}
        for value, words in rules.CHOICES.items()
    ]
    ticked = [tick for tick, (_title, values) in OFFERS.items() if tick and str(values[0]) in known]
    return {**criterion, "levels": levels, "ticked": ticked}


def empty_level(value: str = "") -> Draft:
    return {"value": value, "label": "", "description": "", "examples": ""}


def empty_criterion() -> Draft:
    return {
        "key": "",
        "name": "",
        "description": "",
        "minimum": "0",
        "maximum": "2",
        "step": "1",
        "pass_at": "1",
        "weight": "1",
        "mark": rules.LEVELS,
        "levels": [empty_level("0"), empty_level("1"), empty_level("2")],
    }


def empty_draft() -> Draft:
    return {"name": "", "key": "", "principle": "", "criteria": [empty_criterion()]}


def draft_of(name: str, key: str, wording: Wording) -> Draft:
    draft = {"name": name, "key": key, **rules.plain(wording)}
    for criterion in draft["criteria"]:
        criterion.setdefault("mark", rules.LEVELS)
        for level in criterion["levels"]:
            level["examples"] = rules.joined(level.get("examples", ()))
    draft["criteria"] = [
        _all_choices(one) if one["mark"] == rules.CHOICE else one for one in draft["criteria"]
    ]
    return draft


def posted(post: Mapping[str, str]) -> Draft:
    """Read what was typed, and leave out levels in which nothing was."""

    def row(kind: type[forms.Form], prefix: str) -> Draft:
        return {name: post.get(f"{prefix}-{name}", "").strip() for name in kind.base_fields}

    draft = row(RubricHeadForm, "head")
    draft["criteria"] = []
    for place in range(_count(post, "criteria", rules.MAX_CRITERIA)):
        criterion = row(RubricCriterionForm, f"c{place}")
        criterion["mark"] = criterion["mark"] or rules.LEVELS
        n_levels = _count(post, f"c{place}-levels", scales.MOST_LABELS)
        levels = [row(LevelForm, f"c{place}l{rank}") for rank in range(n_levels)]
        if criterion["mark"] == rules.CHOICE:
            levels = [{**one, "value": str(n)} for n, one in enumerate(levels, 1)]
            criterion["ticked"] = [one for one in OFFERS if one and post.get(f"c{place}-{one}")]
        criterion["levels"] = levels
        draft["criteria"].append(criterion)
    return draft


def tidy(draft: Draft) -> Draft:
    """Return the draft without levels in which nothing was typed, labels by their places."""
    criteria = [
        {**one, "levels": [level for level in one["levels"] if any(level.values())]}
        for one in draft["criteria"]
    ]
    return {**draft, "criteria": [_placed(one) for one in criteria]}


def _placed(criterion: Draft) -> Draft:
    """Return a criterion with the numbers that its page does not ask for."""
    if criterion["mark"] not in rules.SETTLED:
        return criterion
    if criterion["mark"] == rules.CHOICE:
        offered = {
            str(one)
            for tick, (_title, values) in OFFERS.items()
            for one in values
            if not tick or tick in criterion.get("ticked", ())
        }
        levels = [one for one in criterion["levels"] if one["value"] in offered]
        return {**criterion, **_CHOICE_ENDS, "levels": levels}
    first = 0 if criterion["mark"] == rules.YES_NO else 1
    levels = [{**one, "value": str(n)} for n, one in enumerate(criterion["levels"], first)]
    ends = {"minimum": criterion["minimum"] or "0", "maximum": "1", "step": "1"}
    return {**criterion, **ends, "weight": criterion["weight"] or "0", "levels": levels}


#: Of a criterion of choices; its page asks for none of them.
_CHOICE_ENDS = {"minimum": "1", "maximum": "6", "step": "1", "pass_at": "", "weight": "0"}


def apply_act(draft: Draft, act: str) -> Draft:
    """Return the draft after a button was pressed: add or drop a criterion or a level, or fill in.

    A button that does not exist changes nothing.
    """
    what, *where = act.split(":")
    places = [int(one) for one in where if one.isdecimal()]
    criteria = draft["criteria"]
    if what == "add_criterion" and len(criteria) < rules.MAX_CRITERIA:
        criteria.append(empty_criterion())
    if not places or places[0] >= len(criteria):
        return draft
    levels = criteria[places[0]]["levels"]
    if what == "drop_criterion":
        del criteria[places[0]]
    elif what == "add_level" and len(levels) < scales.MOST_LABELS:
        levels.append(empty_level())
    elif what in _REWRITES:
        criteria[places[0]] = _REWRITES[what](criteria[places[0]], where[-1])
    elif what == "drop_level" and len(places) > 1 and places[1] < len(levels):
        del levels[places[1]]
    return draft


def _remarked(criterion: Draft, mark: str) -> Draft:
    """Return a criterion that asks for another kind of mark; its words stay where they fit."""
    if mark not in rules.MARKS:
        return criterion
    kept = {name: criterion[name] for name in ("key", "name", "description")}
    was_choice = criterion["mark"] == rules.CHOICE
    levels = () if was_choice else criterion["levels"]
    words = [one for one in levels if one["label"] or one["description"]]
    fresh = {**empty_criterion(), **kept, "mark": mark}
    if mark == rules.YES_NO:
        fresh["levels"] = [{**empty_level(), "label": str(one)} for one in (_("No"), _("Yes"))]
    elif mark == rules.CHOICE:
        return _all_choices({**fresh, **_CHOICE_ENDS, "levels": []}) | {"ticked": ["tie"]}
    elif mark in rules.TYPED:
        fresh |= {"levels": [], "maximum": "10", "pass_at": ""}
    elif words:
        fresh["levels"] = [{**one, "value": str(n)} for n, one in enumerate(words)]
        fresh["maximum"] = str(max(1, len(words) - 1))
    return fresh


def _filled(criterion: Draft, _place: str) -> Draft:
    """Return a criterion with a level for every value; those that are described stay."""
    scale = _scale(criterion)
    if scale is None or scale.step is None:
        return criterion
    known = {level["value"]: level for level in criterion["levels"]}
    values = [f"{value:f}" for value in scale.levels()[: rules.MAX_LEVELS]]
    return {**criterion, "levels": [known.get(value) or empty_level(value) for value in values]}


def _upper_half(criterion: Draft, _place: str) -> Draft:
    scale = _scale(criterion)
    return {**criterion, "pass_at": f"{scale.upper_half():f}"} if scale else criterion


#: What a button makes of a criterion, by the criterion and the end of the button's value.
_REWRITES = {"mark": _remarked, "fill_levels": _filled, "upper_half": _upper_half}


def _scale(criterion: Draft) -> Scale | None:
    """Return the scale as it is typed; None while it cannot be used."""
    low, high, step = (criterion[name] for name in ("minimum", "maximum", "step"))
    try:
        return Scale(Decimal(low), Decimal(high), Decimal(step) if step else None)
    except (ArithmeticError, ValueError):
        return None


def _count(post: Mapping[str, str], name: str, most: int) -> int:
    written = post.get(f"{name}-count", "")
    return min(int(written), most) if written.isdecimal() and len(written) < 5 else 0


def _free_key(wish: str, taken: set[str]) -> str:
    key, n = wish, 2
    while key in taken:
        key, n = f"{wish}-{n}", n + 1
    return key


def free_name(rubric: Rubric, lines: Sequence[RubricLine]) -> tuple[str, str]:
    """Return the name of a copy, numbered, and its key: the first that no rubric of these has."""
    keys = {line.rubric.key for line in lines}
    number = 2
    while (key := f"{rubric.key[:75]}-{number}") in keys:
        number += 1
    return f"{rubric.name} {number}", key
