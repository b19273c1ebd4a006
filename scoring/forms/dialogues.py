"""The form by which dialogues come in from a file."""

from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.names import NameField
from annotation.models import Project
from annotation.queries import rounds
from scoring.operations.dialogue_imports import Wish
from scoring.queries.dialogue_files import MOST_BYTES, Source
from scoring.queries.dialogue_records import MOST_EXCHANGES


class DialogueImportForm(forms.Form):
    """A file of dialogues; what follows the name is for files that do not say it themselves."""

    key = forms.UUIDField(widget=forms.HiddenInput)
    file = forms.FileField(
        label=_("File"),
        widget=forms.FileInput(attrs={"accept": ".json,.jsonl,.zip"}),
        help_text=_("An archive exported here, its dialogues.jsonl, or interact_details.json."),
    )
    name = NameField(
        label=_("Name"), max_length=120, help_text=_("As it stands in the list of runs.")
    )
    release = forms.ChoiceField(
        label=_("System"),
        required=False,
        help_text=_("Whose dialogues interact_details.json holds. Archives say it themselves."),
    )
    new_system = NameField(label=_("Or a new system, by this name"), required=False, max_length=200)
    evaluator = NameField(
        label=_("Evaluator"),
        required=False,
        max_length=120,
        help_text=_("Who gave the verdicts; a rater of this name is made if there is none."),
    )
    dataset = NameField(label=_("Data set"), required=False, max_length=120)
    planned = forms.IntegerField(
        label=_("Exchanges that were planned"),
        required=False,
        min_value=1,
        max_value=MOST_EXCHANGES,
        initial=5,
    )

    def __init__(self, *args: Any, project: Project, key: UUID, **kwargs: Any) -> None:
        kwargs["initial"] = {"key": key, **(kwargs.get("initial") or {})}
        super().__init__(*args, **kwargs)
        self._releases = {str(one.pk): one for one in rounds.releases_of(project)}
        self.fields["release"].choices = [  # type: ignore[attr-defined]
            ("", _("As the file says")),
            *((key, str(one)) for key, one in self._releases.items()),
        ]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_BYTES:
            raise forms.ValidationError(_("The file is larger than 64 MB. Split it."))
        return file

    def wish(self) -> Wish:
        given = self.cleaned_data
        release = self._releases.get(given["release"])
        system = release.system.name if release else given["new_system"].strip()
        source = Source(
            system=system,
            release=release.label if release else "1",
            dataset=given["dataset"],
            planned=given["planned"] or 5,
        )
        return Wish(
            name=given["name"],
            file_name=given["file"].name,
            source=source,
            evaluator=given["evaluator"] or str(_("Evaluator of %(name)s") % given),
        )
