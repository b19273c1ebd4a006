"""Forms of conversations: bringing a file of them in, and filters of their list."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.lists import Filter
from annotation.forms.names import NameField
from annotation.models import Project, SystemRelease
from scoring.operations.conversations import Wish
from scoring.queries import suites
from scoring.queries.conversations import Filters


class ConversationsForm(forms.Form):
    """A file of conversations, and under which names it goes."""

    file = forms.FileField(
        label=_("File"),
        allow_empty_file=True,  # the operation says what is wrong with an empty one
        help_text=_(
            "JSONL with a conversation on each line, as in {“messages”: [{“role”, “content”}]}; a JSON "
            "list of them; or CSV with the columns conversation, role and content. Or the database "
            "with the results of FlexEval: its values come in as well."
        ),
    )
    set_name = NameField(
        label=_("Name of these conversations"),
        max_length=120,
        help_text=_("A name that is there already gets more conversations."),
    )
    system = NameField(label=_("System"), max_length=120, help_text=_("That took part in them."))
    release = NameField(label=_("Release"), max_length=120, initial="1")

    def wish(self) -> Wish:
        given = self.cleaned_data
        return Wish(given["set_name"], given["system"], given["release"], given["file"].name)


class ConversationFilter(Filter):
    q = forms.CharField(
        label=_("Search"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("What was said")}),
    )
    set = forms.TypedChoiceField(label=_("Set"), coerce=int, required=False)
    release = forms.TypedChoiceField(label=_("System"), coerce=int, required=False)
    tools = forms.BooleanField(label=_("With tool calls"), required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sets = suites.sets_of(project)
        self.fields["set"].choices = [  # type: ignore[attr-defined]
            ("", _("Every set")),
            *((one.set.number, one.set.name) for one in sets),
        ]
        used = SystemRelease.objects.filter(
            system__project=project, responses__conversations__isnull=False
        )
        self.fields["release"].choices = [  # type: ignore[attr-defined]
            ("", _("Every system")),
            *((one.pk, str(one)) for one in used.distinct().select_related("system")[:200]),
        ]

    def filters(self) -> Filters:
        return Filters(
            text=self.given("q") or "",
            set=self.given("set"),
            release=self.given("release"),
            tools=bool(self.given("tools")),
        )
