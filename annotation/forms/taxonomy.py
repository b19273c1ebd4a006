"""Forms about capabilities and domains."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import (
    Capability,
    Difficulty,
    Domain,
    Priority,
    Project,
    QuestionType,
    Rubric,
)
from annotation.operations.taxonomy import CapabilityText, DomainText
from annotation.queries import taxonomy
from annotation.queries.taxonomy import Branch

Option = tuple[Any, str]


def places(tree: list[Branch[Capability]] | list[Branch[Domain]]) -> list[Option]:
    """Return the nodes of a tree as choices, indented as deep as they stand."""
    nodes = [(one.node.pk, "\u2003" * one.depth + one.node.name) for one in tree]
    return [("", str(_("at the top"))), *nodes]


class CapabilityForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=200)
    parent = forms.TypedChoiceField(
        label=_("Part of"), coerce=int, empty_value=None, required=False
    )
    kind = forms.ChoiceField(
        label=_("Kind"),
        choices=Capability.Kind,
        initial=Capability.Kind.DOMAIN,
        help_text=_("General capabilities count for any field, the others for yours."),
    )
    definition = forms.CharField(
        label=_("Definition"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("What a question of this capability puts to the test."),
    )
    question_type = forms.ChoiceField(
        label=_("Question type"), choices=QuestionType, initial=QuestionType.FACTUAL
    )
    weight = forms.DecimalField(
        label=_("Weight"),
        min_value=Decimal(0),
        max_digits=8,
        decimal_places=4,
        initial=Decimal(1),
        help_text=_("In the overall score, against the others. 0 leaves it out."),
    )
    rubric = forms.TypedChoiceField(
        label=_("Rubric"),
        coerce=int,
        empty_value=None,
        required=False,
        help_text=_("What a new round grades questions of this capability by."),
    )
    simple = forms.CharField(
        label=_("What is simple here"), required=False, widget=forms.Textarea(attrs={"rows": 2})
    )
    intermediate = forms.CharField(
        label=_("What is intermediate here"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    difficult = forms.CharField(
        label=_("What is difficult here"), required=False, widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(self, *args: Any, project: Project, old: Capability | None, **kwargs: Any) -> None:
        if old is not None:
            kwargs["initial"] = self.initial_of(old)
        super().__init__(*args, **kwargs)
        tree = [one for one in taxonomy.capability_tree(project) if old is None or one.node != old]
        self.nodes = {one.node.pk: one.node for one in tree}
        self.rubrics = {one.pk: one for one in Rubric.objects.filter(project=project)}
        self.fields["parent"].choices = places(tree)  # type: ignore[attr-defined]
        none = ("", _("the rubric of the rest of the round"))
        self.fields["rubric"].choices = [  # type: ignore[attr-defined]
            none,
            *((pk, rubric.name) for pk, rubric in self.rubrics.items()),
        ]

    @staticmethod
    def initial_of(old: Capability) -> dict[str, Any]:
        return {
            "name": old.name,
            "parent": old.parent_id,
            "kind": old.kind,
            "definition": old.definition,
            "question_type": old.question_type,
            "weight": old.weight.normalize(),
            "rubric": old.rubric_id,
            **{one.lower(): old.difficulties.get(one, "") for one in Difficulty.values},
        }

    def text(self) -> CapabilityText:
        given = self.cleaned_data
        return CapabilityText(
            name=given["name"],
            parent=self.nodes.get(given["parent"]),
            kind=given["kind"],
            definition=given["definition"],
            difficulties={one: given[one.lower()] for one in Difficulty.values},
            weight=given["weight"],
            question_type=given["question_type"],
            rubric=self.rubrics.get(given["rubric"]),
        )


class DomainForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=200)
    parent = forms.TypedChoiceField(
        label=_("Part of"), coerce=int, empty_value=None, required=False
    )
    priority = forms.ChoiceField(label=_("Priority"), choices=Priority, initial=Priority.P1)
    in_scope = forms.BooleanField(
        label=_("In scope"),
        required=False,
        initial=True,
        help_text=_(
            "An area out of scope stays in the tree, so that it is clear what is left out."
        ),
    )

    def __init__(self, *args: Any, project: Project, old: Domain | None, **kwargs: Any) -> None:
        if old is not None:
            kwargs["initial"] = {
                "name": old.name,
                "parent": old.parent_id,
                "priority": old.priority,
                "in_scope": old.in_scope,
            }
        super().__init__(*args, **kwargs)
        tree = [one for one in taxonomy.domain_tree(project) if old is None or one.node != old]
        self.nodes = {one.node.pk: one.node for one in tree}
        self.fields["parent"].choices = places(tree)  # type: ignore[attr-defined]

    def text(self) -> DomainText:
        given = self.cleaned_data
        return DomainText(
            name=given["name"],
            parent=self.nodes.get(given["parent"]),
            priority=given["priority"],
            in_scope=given["in_scope"],
        )
