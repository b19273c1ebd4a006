"""Forms about capabilities and domains.

* Forms of the question plan: the numbers in their table, and who is asked for what.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _

from annotation.common import trees
from annotation.common.forms import RecordForm, initial_of
from annotation.domains import plan as reads
from annotation.domains import queries as taxonomy
from annotation.domains.coverage import Covered
from annotation.domains.models import Capability, Difficulty, Domain
from annotation.domains.operations import MOST_WANTED, PlanSpot
from annotation.domains.queries import AreaBranch
from annotation.domains.records import (
    CapabilityIn,
    CapabilityText,
    CapabilityWords,
    DomainIn,
    DomainText,
    ShareWords,
)
from annotation.people.models import Project, User
from annotation.rubrics.models import Rubric
from evalsite import records

Option = tuple[Any, str]


def places(tree: list[AreaBranch[Capability]] | list[AreaBranch[Domain]]) -> list[Option]:
    """Return the nodes of a tree as choices, indented as deep as they stand."""
    nodes = [(one.node.pk, "\u2003" * one.depth + one.node.name) for one in tree]
    return [("", str(_("at the top"))), *nodes]


def words(label: Any, help_text: Any = "", rows: int = 2) -> forms.CharField:
    """Return a field for a few sentences that may stay empty."""
    return forms.CharField(
        label=label,
        required=False,
        widget=forms.Textarea(attrs={"rows": rows}),
        help_text=help_text,
    )


@dataclass(frozen=True)
class DifficultyFields:
    """What is written of one difficulty, side by side."""

    label: str
    definition: forms.BoundField
    example: forms.BoundField


class CapabilityForm(RecordForm, record=CapabilityIn):
    field_order = ("name", "parent", "kind", "definition", "question_type", "weight", "rubric")
    parent = forms.TypedChoiceField(
        label=_("Part of"), coerce=int, empty_value=None, required=False
    )
    rubric = forms.TypedChoiceField(
        label=_("Rubric"),
        coerce=int,
        empty_value=None,
        required=False,
    )
    simple = words(_("Simple"))
    simple_example = words(_("Example"))
    intermediate = words(_("Intermediate"))
    intermediate_example = words(_("Example"))
    difficult = words(_("Difficult"))
    difficult_example = words(_("Example"))

    def __init__(
        self, *args: Any, project: Project, old: Capability | None, below: str = "", **kwargs: Any
    ) -> None:
        if old is not None:
            kwargs["initial"] = self.initial_of(old)
        elif below:
            kwargs["initial"] = {"parent": below}
        super().__init__(*args, **kwargs)
        tree = [one for one in taxonomy.capability_names(project) if old is None or one.node != old]
        self.nodes = {one.node.pk: one.node for one in tree}
        rubrics = Rubric.objects.for_people().filter(project=project)
        self.rubrics = {one.pk: one for one in rubrics}
        self.fields["parent"].choices = places(tree)  # type: ignore[attr-defined]
        none = ("", _("as the rest of the round"))
        self.fields["rubric"].choices = [  # type: ignore[attr-defined]
            none,
            *((pk, rubric.name) for pk, rubric in self.rubrics.items()),
        ]

    @property
    def head(self) -> list[forms.BoundField]:
        """The fields of the capability itself."""
        told = {name for pair in self.difficulties for name in (pair.definition, pair.example)}
        return [field for field in self if field not in told]

    @property
    def difficulties(self) -> list[DifficultyFields]:
        return [
            DifficultyFields(str(one.label), self[one.lower()], self[f"{one.lower()}_example"])
            for one in Difficulty
        ]

    @staticmethod
    def initial_of(old: Capability) -> dict[str, Any]:
        return {
            **initial_of(CapabilityWords, old),
            "name": old.name,
            "parent": old.parent_id,
            "rubric": old.rubric_id,
            **{one.code.lower(): one.definition for one in old.described},
            **{f"{one.code.lower()}_example": one.example for one in old.described},
        }

    def text(self) -> CapabilityText:
        given = self.cleaned_data
        words = {one.name: given[one.name] for one in records.parts(CapabilityIn)}
        difficulties = {
            one: {"definition": given[one.lower()], "example": given[f"{one.lower()}_example"]}
            for one in Difficulty.values
        }
        return CapabilityText(
            **{
                **words,
                "parent": self.nodes.get(given["parent"]),
                "rubric": self.rubrics.get(given["rubric"]),
            },
            difficulties=difficulties,
        )


class DomainForm(RecordForm, record=DomainIn):
    field_order = ("name", "parent", "priority", "definition", "completeness_note", "in_scope")
    parent = forms.TypedChoiceField(
        label=_("Part of"), coerce=int, empty_value=None, required=False
    )

    def __init__(
        self, *args: Any, project: Project, old: Domain | None, below: str = "", **kwargs: Any
    ) -> None:
        if old is not None:
            kwargs["initial"] = initial_of(DomainIn, old)
        elif below:
            kwargs["initial"] = {"parent": below}
        super().__init__(*args, **kwargs)
        tree = [one for one in taxonomy.domain_names(project) if old is None or one.node != old]
        self.nodes = {one.node.pk: one.node for one in tree}
        self.fields["parent"].choices = places(tree)  # type: ignore[attr-defined]

    def text(self) -> DomainText:
        given = self.cleaned_data
        return DomainText(**{**given, "parent": self.nodes.get(given["parent"])})

    def beside(self, lines: list[Covered[Domain]]) -> list[Covered[Domain]]:
        """Return the areas that a new one will stand beside."""
        parent = str(self["parent"].value() or "")
        return [one for one in lines if str(one.node.parent_id or "") == parent]


class MoveNodeForm(forms.Form):
    """Where a node of a tree goes: a step, or below a parent and before one of its parts."""

    step = forms.ChoiceField(
        choices=[(one.value, one.value) for one in trees.TreeStep], required=False
    )
    parent = forms.IntegerField(required=False)
    before = forms.IntegerField(required=False)


class PlanViewForm(forms.Form):
    """Which plan is shown: of one area or of all, in which order, and whether it can be typed in."""

    domain = forms.TypedChoiceField(
        label=gettext_lazy("Area"), coerce=int, empty_value=None, required=False
    )
    order = forms.ChoiceField(
        label=gettext_lazy("Order"),
        choices=[
            ("", gettext_lazy("gaps first")),
            ("tree", gettext_lazy("as in the tree")),
        ],
        required=False,
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        tree = taxonomy.domain_names(project)
        self.nodes: dict[int, Domain] = {one.node.pk: one.node for one in tree}
        names = [(one.node.pk, "\u2003" * one.depth + one.node.name) for one in tree]
        self.fields["domain"].choices = [  # type: ignore[attr-defined]
            ("", gettext("all areas together")),
            *names,
        ]
        self.is_valid()

    @property
    def chosen(self) -> Domain | None:
        return self.nodes.get(self.cleaned_data.get("domain") or 0)

    @property
    def gaps_first(self) -> bool:
        return self.cleaned_data.get("order") != "tree"


@dataclass
class TypedNumbers:
    """The numbers that were typed, by the name of their field, and what is wrong with some."""

    typed: dict[str, str]
    spots: dict[PlanSpot, int] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def wanted(post: Mapping[str, str], domain: Domain | None) -> TypedNumbers:
    """Read the numbers of the table; an empty field is 0."""
    found = TypedNumbers({name: post[name].strip() for name in post if name.startswith("w-")})
    for name, typed in found.typed.items():
        _w, _dash, place = name.partition("-")
        capability, _dash, difficulty = place.partition("-")
        if not capability.isdecimal() or len(capability) > 18:
            continue
        if typed and not (typed.isascii() and typed.isdecimal() and int(typed) <= MOST_WANTED):
            found.problems[name] = gettext("A whole number from 0 to %(most)d.") % {
                "most": MOST_WANTED
            }
            continue
        spot = PlanSpot(int(capability), difficulty, domain.pk if domain else None)
        found.spots[spot] = int(typed or 0)
    return found


class PlanShareForm(RecordForm, record=ShareWords):
    """Who is asked for how many questions, and until when."""

    field_order = ("designer",)
    designer = forms.TypedChoiceField(label=gettext_lazy("Who"), coerce=int, empty_value=None)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["n"].initial = 1
        self.people: dict[int, User] = {one.pk: one for one in reads.writers(project)}
        names = [(pk, str(one.display_name)) for pk, one in self.people.items()]
        self.fields["designer"].choices = [("", "–"), *names]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> User:
        return self.people[self.cleaned_data["designer"]]
