"""The filters of the search, as they stand in the address."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from annotation.forms.lists import Filter
from annotation.forms.questions import capability_options, domain_options
from annotation.models import Project, QuestionVersion, SearchText, Source, SourceCollection
from annotation.queries import questions
from annotation.queries.text_search import Limits
from annotation.rules.settings import MAX_LANGUAGE

Kind = SearchText.Kind
#: What each filter is of; who may not see any of it is not offered the filter.
OF = {
    "domain": {Kind.QUESTION, Kind.ITEM, Kind.RESPONSE},
    "capability": {Kind.QUESTION, Kind.ITEM, Kind.RESPONSE},
    "state": {Kind.QUESTION},
    "language": {Kind.QUESTION},
    "collection": {Kind.SOURCE},
}


class SearchFilter(Filter):
    capability = forms.TypedChoiceField(label=_("Capability"), coerce=int, required=False)
    domain = forms.TypedChoiceField(label=_("Area"), coerce=int, required=False)
    state = forms.ChoiceField(
        label=_("State"),
        required=False,
        choices=[("", _("Any state")), *QuestionVersion.State.choices],
    )
    language = forms.CharField(
        label=_("Language"),
        required=False,
        max_length=MAX_LANGUAGE,
        widget=forms.TextInput(attrs={"placeholder": _("Language"), "size": 8}),
    )
    collection = forms.TypedChoiceField(label=_("Collection"), coerce=int, required=False)

    def __init__(
        self,
        *args: Any,
        project: Project,
        kinds: Collection[str],
        collections: Collection[SourceCollection],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.project = project
        chosen: dict[str, list[tuple[Any, Any]]] = {
            "capability": [("", _("Any capability")), *capability_options(project)],
            "domain": [("", _("Any area")), *domain_options(project)],
            "collection": [
                ("", _("Any collection")),
                *((one.pk, one.name) for one in collections),
            ],
        }
        for name, options in chosen.items():
            self.fields[name].choices = options  # type: ignore[attr-defined]
        for name, of in OF.items():
            if of.isdisjoint(kinds) or len(chosen.get(name, (1, 2))) == 1:
                del self.fields[name]

    def given(self, name: str) -> Any:
        return super().given(name) if name in self.fields else None

    def limits(self, kinds: Collection[str], sources: "QuerySet[Source] | None") -> Limits:
        """Return what is wanted of what somebody may see: these kinds, and of sources these."""
        domain = self.given("domain")
        return Limits(
            kinds=kinds,
            sources=sources,
            domains=questions.below(self.project, domain) if domain else None,
            capability=self.given("capability"),
            state=self.given("state") or "",
            language=self.given("language") or "",
            collection=self.given("collection"),
        )
