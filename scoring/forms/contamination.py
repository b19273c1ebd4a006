"""What interview scores are set against."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from scoring.forms.interviews import ProfileFilter
from scoring.queries import contamination_options


class ContaminationFilter(ProfileFilter):
    """The other axis, and how verdicts become scores."""

    axis = forms.ChoiceField(label=_("Set against"), required=False)
    field_order = ("axis",)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["axis"].choices = contamination_options.axes(project)  # type: ignore[attr-defined]
