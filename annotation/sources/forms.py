"""Forms of the corpus: its filters, a new source, what a source says now, what was found of it."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.common.forms import Filter, NameInput, RecordForm, initial_of
from annotation.people.models import User
from annotation.sources import queries as sources
from annotation.sources.models import Source, SourceCheck, SourceCollection, SourceVersion
from annotation.sources.records import (
    PARTICULARS,
    CheckWords,
    CollectionIn,
    Particulars,
    SourceAbout,
    SourceSaid,
    SourceWords,
)
from evalsite import documents, errors
from evalsite.documents import ReadDocument

#: A longer text is not put into the form again.
MOST_IN_FORM = 50_000


def collection_options(collections: Iterable[SourceCollection]) -> list[tuple[Any, Any]]:
    return [(one.pk, one.name) for one in collections]


class SourceFilter(Filter):
    text = forms.CharField(
        label=_("Search"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("Search")}),
    )
    kind = forms.ChoiceField(
        label=_("Kind"), required=False, choices=[("", _("Any kind")), *Source.Kind.choices]
    )
    stale = forms.ChoiceField(
        label=_("Dates"),
        required=False,
        choices=[("", _("Any date")), ("yes", _("Expired"))],
    )
    standing = forms.ChoiceField(
        label=_("Checked"),
        required=False,
        choices=[("", _("Checked or not")), *sources.STANDING_NAMES.items()],
    )
    collection = forms.TypedChoiceField(label=_("Collection"), coerce=int, required=False)

    def __init__(
        self, *args: Any, collections: Iterable[SourceCollection] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        found = collection_options(collections)
        if found:
            choices = [("", _("Any collection")), (sources.NONE, _("In no collection")), *found]
            self.fields["collection"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["collection"]

    def filters(self) -> sources.SourceFilters:
        return sources.SourceFilters(
            text=self.given("text") or "",
            kind=self.given("kind") or "",
            stale=self.given("stale") == "yes",
            standing=self.given("standing") or "",
            collection=self.given("collection"),
        )


class SaidForm(RecordForm, record=SourceWords):
    """What a source says, pasted or from a file, and when that holds."""

    field_order: tuple[str, ...] = ("text", "file")
    file = forms.FileField(
        label=_("Or a file"),
        required=False,
        widget=forms.ClearableFileInput(attrs={"accept": documents.FORMATS}),
        help_text=_("Text, Markdown, HTML, PDF or .docx, up to 20 MB."),
    )

    #: What the file said, once the form is valid.
    document: ReadDocument | None = None
    #: A text too long to stand in the form: left empty, it stays as it is.
    kept = ""

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        file = given.get("file")
        if file is None:
            return given
        if file.size > documents.MOST_BYTES:
            self.add_error("file", _("The file is larger than 20 MB. Split it."))
            return given
        if self._is_pasted(given.get("text", "")):
            self.add_error("file", gettext("Paste the text or choose a file, not both. Clear one."))
            return given
        try:
            self.document = documents.read_document(file.read(), file.name or "")
        except errors.Refusal as refusal:
            self.add_error("file", refusal.message)
        return given

    def _is_pasted(self, text: str) -> bool:
        """Return whether somebody wrote the text; what stood there before does not count."""
        before = str(self.initial.get("text", ""))
        return bool(text.strip()) and text.replace("\r\n", "\n") != before

    def said(self) -> SourceSaid:
        given = self.cleaned_data
        names = ("retrieved_on", "valid_from", "valid_until", "note")
        dates = {name: given[name] for name in names}
        if self.document is None:
            return SourceSaid(text=given["text"] if given["text"].strip() else self.kept, **dates)
        return SourceSaid(text=self.document.text, file=self._file(self.document), **dates)

    def _file(self, document: ReadDocument) -> dict[str, Any]:
        return {
            "name": str(self.cleaned_data["file"].name)[:200],
            "format": document.format,
            "sha256": document.sha,
            "pages": document.n_pages,
            "silent": list(document.silent)[:50],
        }

    @classmethod
    def of(cls, version: SourceVersion, data: Any = None, files: Any = None) -> "SaidForm":
        """Return the form as a version filled it."""
        said = initial_of(SourceWords, version)
        if len(version.text) <= MOST_IN_FORM:
            return cls(data, files, initial=said)
        form = cls(data, files, initial={**said, "text": ""})
        form.kept = version.text
        form.fields["text"].help_text = _("Too long to show. Empty: unchanged.")
        return form


class AboutForm(RecordForm, record=Particulars):
    """Where a source comes from."""

    def told(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in PARTICULARS}


class EditForm(AboutForm):
    """A correction of where a source comes from; `seen` is what its writer corrected."""

    seen = forms.JSONField(widget=forms.HiddenInput)

    @classmethod
    def of(cls, source: Source, data: Any = None) -> "EditForm":
        now = initial_of(Particulars, source)
        return cls(data, initial={**now, "seen": now})

    def about(self) -> SourceAbout:
        return SourceAbout(**self.told())

    def before(self) -> SourceAbout:
        """Return the source as it was when the form was drawn; what a form never said is nothing."""
        seen = self.cleaned_data["seen"]
        told = seen if isinstance(seen, dict) else {}
        given: dict[str, Any] = {name: str(told.get(name, "")) for name in PARTICULARS}
        return SourceAbout(**given)


class SourceForm(AboutForm, SaidForm):
    """A source that is new, with what it says."""

    title = NameInput(
        label=_("Title"),
        max_length=300,
        required=False,
        help_text=_("Empty: the file’s own."),
    )
    collection = forms.TypedChoiceField(
        label=_("Collection"), coerce=int, required=False, empty_value=None
    )

    field_order = (
        "title", "text", "file", "kind", "address", "publisher", "licence", "collection",
    )  # fmt: skip

    def __init__(
        self, *args: Any, collections: Iterable[SourceCollection] = (), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        found = collection_options(collections)
        if found:
            choices = [("", _("None: open to all")), *found]
            self.fields["collection"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["collection"]

    def about(self) -> SourceAbout:
        given = self.cleaned_data
        told = self.told()
        if not told["title"].strip() and self.document is not None:
            told["title"] = (self.document.title or str(given["file"].name))[:300]
        return SourceAbout(**told, collection_id=given.get("collection"))


OUTCOMES = (
    (SourceCheck.Outcome.VERIFIED, _("It is there, and says this")),
    (SourceCheck.Outcome.NOT_VERIFIED, _("Not found, or says something else")),
    (SourceCheck.Outcome.WITHDRAWN, _("Withdrawn")),
)


class CheckForm(RecordForm, record=CheckWords):
    """What somebody found who read a source against where it comes from."""

    outcome = forms.ChoiceField(label=_("Finding"), widget=forms.RadioSelect, choices=OUTCOMES)
    number = forms.IntegerField(widget=forms.HiddenInput, min_value=1)

    def __init__(self, *args: Any, may_withdraw: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not may_withdraw:
            field = self.fields["outcome"]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [one for one in OUTCOMES if one[0] != SourceCheck.Outcome.WITHDRAWN]


class CollectionForm(RecordForm, record=CollectionIn):
    """A collection of sources."""


class AppointForm(forms.Form):
    user = forms.TypedChoiceField(label=_("Designer"), coerce=int)

    def __init__(self, *args: Any, designers: Iterable[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        options = [(one.pk, one.display_name) for one in designers]
        self.fields["user"].choices = options  # type: ignore[attr-defined]
