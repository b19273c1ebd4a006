"""What a person says about a file: what it is, where its columns go, and what holds for all of it."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from annotation.common import scales
from annotation.common.forms import NameInput, RecordForm, one_of
from annotation.domains.models import Capability
from annotation.files.columns import Guess, Target
from annotation.files.look.layouts import FileColumn
from annotation.files.mappings import (
    MOST_OF_SCALE,
    AnswerMapping,
    ColumnTarget,
    FileRubric,
    GradeMapping,
)
from annotation.files.models import ImportKind, Upload
from annotation.imports.places import only_criterion, only_system
from annotation.rubrics.models import RubricVersion

NEW = "new"
#: Signs that may be pasted at a time.
MOST_PASTED = 500_000
UPLOAD_PIECE = 1024 * 1024

LABELS = {
    Target.IGNORE: _("Ignore this column"),
    Target.EXTERNAL_ID: _("Id of the question"),
    Target.QUESTION: _("Question"),
    Target.MESSAGES: _("Conversation"),
    Target.STANDARD_ANSWER: _("Standard answer"),
    Target.KEY_POINTS: _("Key points"),
    Target.CAPABILITY: _("Capability"),
    Target.DIFFICULTY: _("Difficulty"),
    Target.DOMAIN: _("Subject area"),
    Target.TYPE: _("Type of question"),
    Target.AS_OF: _("As of (date)"),
    Target.LANGUAGE: _("Language"),
    Target.GROUP: _("Group of questions"),
    Target.FINGERPRINT: _("Fingerprint of the question"),
    Target.REFERENCES: _("Reference texts (several, for metrics)"),
    Target.QUESTION_DETAILS: _("Keep with the question"),
    Target.SYSTEM: _("System"),
    Target.RELEASE: _("Release of the system"),
    Target.RESPONSE: _("Answer"),
    Target.SAMPLE_NO: _("Number of the sample"),
    Target.RESPONSE_DETAILS: _("Keep with the answer"),
    Target.ANSWER: _("Answers of one system"),
    Target.ITEM: _("Id of the question"),
    Target.CRITERION: _("Criterion"),
    Target.RATER: _("Rater"),
    Target.VALUE: _("Grade"),
    Target.AT: _("Date and time"),
    Target.COMMENT: _("Comment"),
    Target.GRADE: _("Grades of one rater"),
    Target.OPTION: _("Option"),
    Target.RIGHT: _("Right option (letter or text)"),
    Target.SUBJECT: _("Subject"),
    Target.EXPLANATION: _("Explanation"),
}


class Files(forms.ClearableFileInput):
    """A field of files that takes several at once."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Files, one or more: a list of them."""

    widget = Files

    def clean(self, data: Any, initial: Any = None) -> Any:
        return [super(FilesField, self).clean(one, initial) for one in data or ()]


class NewUpload(forms.Form):
    file = FilesField(
        label=_("Files"),
        required=False,
        allow_empty_file=True,  # the operation says what is wrong with an empty one
        help_text=format_lazy(
            _(
                "CSV, JSONL, JSON, XLSX, ODS, tables in a Word document or web page, an Inspect log or "
                "a ZIP of files, at most {most} MB unpacked; gzip is fine."
            ),
            most=settings.FILE_MOST // 1024**2,
        ),
    )
    pasted = forms.CharField(
        label=_("Or paste the rows"),
        required=False,
        strip=False,
        max_length=MOST_PASTED,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=_("Copied from a spreadsheet, or CSV or JSON."),
    )
    kind = forms.ChoiceField(label=_("Contents"), required=False)
    anyway = forms.BooleanField(
        label=_("It is something else"),
        required=False,
        help_text=_("Then choose the file again and name its columns."),
    )
    #: Whether a file was held back for what it looks like.
    held_back = False

    def __init__(
        self, *args: Any, kinds: Sequence[ImportKind] = tuple(ImportKind), **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["kind"]
        field.choices = [(one.value, one.label.capitalize()) for one in kinds]
        if len(kinds) > 1:
            field.choices = [("", _("Find out")), *field.choices]
        else:
            self.initial["kind"] = kinds[0]
            field.widget = forms.HiddenInput()
        self._only = kinds[0] if len(kinds) == 1 else ""

    def clean_kind(self) -> str:
        return self._only or str(self.cleaned_data["kind"])

    def clean(self) -> dict[str, Any]:
        said = super().clean() or self.cleaned_data
        if not self.errors and not said.get("file") and not said.get("pasted", "").strip():
            self.add_error("file", _("Choose a file, or paste its rows."))
        return said

    def given(self) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Yield the name and the pieces of each file; what was pasted is one, too."""
        for one in self.cleaned_data["file"]:
            yield one.name, one.chunks(UPLOAD_PIECE)
        if (text := self.cleaned_data["pasted"]).strip():
            yield _pasted_name(text), [text.encode()]


def _pasted_name(text: str) -> str:
    """Return the name of a file of pasted rows, by which it is read as what it looks like."""
    start = text.lstrip()[:1]
    if start not in {"{", "["}:
        return "pasted.csv"
    return "pasted.jsonl" if start == "{" else "pasted.json"


class KeepMapping(forms.Form):
    name = NameInput(label=_("Name"), max_length=120)


class WholeForm(RecordForm):
    """What holds for the whole of a file."""

    def mapping(self, places: tuple[ColumnTarget, ...]) -> Any:
        """Return what was said, as the mapping of the file."""
        made: Any = self.record
        return made(places, **self.cleaned_data)


class AnswerOptions(WholeForm, record=AnswerMapping):
    pass


class GradeOptions(WholeForm, record=GradeMapping):
    rubric = one_of(GradeMapping, "rubric", required=True)
    new_name = NameInput(label=_("Name of the new rubric"), required=False, max_length=200)
    minimum = forms.CharField(label=_("Lowest grade"), required=False, max_length=MOST_OF_SCALE)
    maximum = forms.CharField(label=_("Highest grade"), required=False, max_length=MOST_OF_SCALE)
    step = forms.CharField(
        label=_("Step"),
        required=False,
        initial="1",
        max_length=MOST_OF_SCALE,
        help_text=_("Empty: any number between the two."),
    )
    field_order = (
        "round_name",
        "rubric",
        "new_name",
        "minimum",
        "maximum",
        "step",
        "aliases",
        "words",
    )

    def __init__(self, rubrics: Iterable[RubricVersion], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["rubric"].choices = [  # type: ignore[attr-defined]
            (NEW, _("a new one, from the file")),
            *((f"{one.rubric.key}@{one.number}", str(one)) for one in rubrics),
        ]

    def mapping(self, places: tuple[ColumnTarget, ...]) -> GradeMapping:
        said = dict(self.cleaned_data)
        scale = [said.pop(name) for name in ("new_name", "minimum", "maximum", "step")]
        if said["rubric"] == NEW:
            said |= {"rubric": "", "new_rubric": FileRubric(*scale)}
        said["system"] = whole(places, Target.SYSTEM, said["system"])
        said["criterion"] = whole(places, Target.CRITERION, said["criterion"])
        return GradeMapping(places, **said)


def whole(places: Iterable[ColumnTarget], target: Target, said: str) -> str:
    """Return what holds for the whole file; empty where a column says so."""
    by_name = {Target.CRITERION: "criterion", Target.SYSTEM: "system"}[target]
    by_column = any(one.target == target or getattr(one, by_name) for one in places)
    return "" if by_column else said


def options_of(
    upload: Upload, rubrics: Sequence[RubricVersion], data: Any = None, fitting: str = ""
) -> AnswerOptions | GradeOptions:
    """Return the form for the whole file; `fitting` is the rubric that its criteria and grades fit."""
    stored = dict(upload.mapping or {})
    if upload.kind == ImportKind.ANSWERS:
        empty = not Capability.objects.filter(project=upload.project_id).exists()
        return AnswerOptions(data, initial={"create_missing": empty, **stored})
    name = upload.name.removesuffix(".gz").rpartition(".")[0] or upload.name
    initial: dict[str, Any] = {
        "round_name": name,
        "new_name": name,
        "rubric": fitting or NEW,
        "system": only_system(upload.project),
        "criterion": only_criterion(upload.project),
        **stored,
    }
    if new := stored.get("new_rubric"):
        initial |= {**new, "new_name": new["name"], "rubric": NEW}
    return GradeOptions(rubrics, data, initial=initial)


def fitting(guesses: Sequence[tuple[FileColumn, Guess]], rubrics: Iterable[RubricVersion]) -> str:
    """Return the rubric that has all criteria of a file and whose scales hold all grades found so far.

    Empty where none does: then a person says on which scale they were given.
    """
    named = {guess.criterion for _column, guess in guesses if guess.target == Target.GRADE}
    said = {
        value
        for column, guess in guesses
        for value in column.values
        if guess.target == Target.CRITERION
    }
    criteria = (named - {""}) | said
    values = {
        number
        for column, guess in guesses
        if guess.target in {Target.GRADE, Target.VALUE}
        for number in _numbers(column)
    }
    newest: dict[int, RubricVersion] = {}
    for one in rubrics:
        newest.setdefault(one.rubric_id, one)
    for version in newest.values():
        scales_of = {one.key: one.scale for one in version.criteria.all()}
        used = [scale for key, scale in scales_of.items() if key in criteria]
        if criteria and len(used) == len(criteria) and _hold(used, values):
            return f"{version.rubric.key}@{version.number}"
    return ""


def _numbers(column: FileColumn) -> Iterator[Decimal]:
    for value in column.values:
        try:
            yield scales.parse(value.replace(",", "."))
        except ValueError:
            continue


def _hold(used: Iterable[scales.Scale], values: Iterable[Decimal]) -> bool:
    used = list(used)
    return all(any(_on(scale, value) for scale in used) for value in values)


def _on(scale: scales.Scale, value: Decimal) -> bool:
    try:
        scale.check(value)
    except ValueError:
        return False
    return True
