"""Forms of the question plan: the numbers in their table, and who is asked for what."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Domain, Project, User
from annotation.operations.plan import MOST_WANTED, Spot
from annotation.queries import plan as reads
from annotation.queries import taxonomy


class View(forms.Form):
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
            ("", _("all areas together")),
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
class Wanted:
    """The numbers that were typed, by the name of their field, and what is wrong with some."""

    typed: dict[str, str]
    spots: dict[Spot, int] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def wanted(post: Mapping[str, str], domain: Domain | None) -> Wanted:
    """Read the numbers of the table; an empty field is 0."""
    found = Wanted({name: post[name].strip() for name in post if name.startswith("w-")})
    for name, typed in found.typed.items():
        _w, _dash, place = name.partition("-")
        capability, _dash, difficulty = place.partition("-")
        if not capability.isdecimal() or len(capability) > 18:
            continue
        if typed and not (typed.isascii() and typed.isdecimal() and int(typed) <= MOST_WANTED):
            found.problems[name] = _("A whole number from 0 to %(most)d.") % {"most": MOST_WANTED}
            continue
        spot = Spot(int(capability), difficulty, domain.pk if domain else None)
        found.spots[spot] = int(typed or 0)
    return found


class Share(forms.Form):
    """Who is asked for how many questions, and until when."""

    designer = forms.TypedChoiceField(label=gettext_lazy("Who"), coerce=int, empty_value=None)
    n = forms.IntegerField(
        label=gettext_lazy("Questions"), min_value=1, max_value=MOST_WANTED, initial=1
    )
    due_on = forms.DateField(
        label=gettext_lazy("Due on"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.people: dict[int, User] = {one.pk: one for one in reads.writers(project)}
        names = [(pk, str(one.display_name)) for pk, one in self.people.items()]
        self.fields["designer"].choices = [("", "–"), *names]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> User:
        return self.people[self.cleaned_data["designer"]]
