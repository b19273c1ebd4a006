"""Forms about systems and releases."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.names import NameField
from annotation.operations.systems import Attributes

KNOWN = (("", _("not known")), ("yes", _("yes")), ("no", _("no")))
SAID = {"yes": True, "no": False}


class SystemForm(forms.Form):
    name = NameField(label=_("Name"), max_length=200)
    aliases = forms.CharField(
        label=_("Other names"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_(
            "One per line: maker, product, nickname. Before a round opens, responses that hold one "
            "of these names are shown to the curator."
        ),
    )
    family = NameField(
        label=_("Family"),
        required=False,
        max_length=80,
        help_text=_(
            "Of the language model behind it, in the same word as a judge's family: then judges are "
            "tested for favouring their own. Left empty, the system belongs to none that is known."
        ),
    )

    def clean_aliases(self) -> list[str]:
        lines = (line.strip() for line in self.cleaned_data["aliases"].splitlines())
        return list(dict.fromkeys(line for line in lines if line))


class NewSystem(SystemForm):
    release = NameField(
        label=_("First release"),
        required=False,
        max_length=120,
        help_text=_("One configuration of the system: a version, a date, a setting."),
    )


class ReleaseForm(forms.Form):
    label = NameField(
        label=_("Release"),
        max_length=120,
        help_text=_("One configuration of the system: a version, a date, a setting."),
    )
    notes = forms.CharField(
        label=_("Notes"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("Parameters, prompt, date of collection: what somebody will ask later."),
    )
    web_access = forms.ChoiceField(
        label=_("Web access"),
        required=False,
        choices=KNOWN,
        help_text=_("It looks things up on the web while it answers."),
    )
    retrieval = forms.ChoiceField(
        label=_("Retrieval"),
        required=False,
        choices=KNOWN,
        help_text=_("It is given passages of documents of its maker or of yours."),
    )
    tools = forms.ChoiceField(
        label=_("Tools"),
        required=False,
        choices=KNOWN,
        help_text=_("It may run code or call other programs."),
    )
    context_length = forms.IntegerField(
        label=_("Context in tokens"), required=False, min_value=1, max_value=2**31 - 1
    )
    knowledge_until = forms.CharField(
        label=_("Knowledge until"),
        required=False,
        max_length=40,
        help_text=_("Up to when its training data reach, as its maker says: 2025-06."),
    )

    def __init__(self, *args: Any, release: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if release is not None:
            self.initial = {**self._initial(release), **self.initial}

    def _initial(self, release: Any) -> dict[str, Any]:
        found = {name: getattr(release, name) for name in self.fields}
        words = {True: "yes", False: "no", None: ""}
        return found | {name: words[found[name]] for name in ("web_access", "retrieval", "tools")}

    def given(self) -> dict[str, Any]:
        """Return what the form says, as the operations take it."""
        said = self.cleaned_data
        return {
            "label": said["label"],
            "notes": said["notes"],
            "attributes": Attributes(
                web_access=SAID.get(said["web_access"]),
                retrieval=SAID.get(said["retrieval"]),
                tools=SAID.get(said["tools"]),
                context_length=said["context_length"],
                knowledge_until=said["knowledge_until"],
            ),
        }
