"""What a person says about a file: what it is, where its columns go, and what holds for all of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from annotation.common import scales
from annotation.common.forms import NameField
from annotation.domains.models import Capability
from annotation.files.columns import Guess, Target
from annotation.files.look.layouts import Column
from annotation.files.mappings import AnswerMapping, GradeMapping, NewRubric, Place
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
    Target.EXPLANATION: _("Explanation of the answer"),
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
                "CSV, JSONL, JSON, XLSX or a log of Inspect, at most {most} MB, unpacked too; text files "
                "may be compressed with gzip."
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
        help_text=_("As they are copied from a spreadsheet, or CSV or JSON."),
    )
    kind = forms.ChoiceField(label=_("What is in it"), required=False)
    anyway = forms.BooleanField(
        label=_("It is something else"),
        required=False,
        help_text=_("Tick this, then choose the file again: you say what its columns hold."),
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
    name = NameField(label=_("Name"), max_length=120)


class AnswerOptions(forms.Form):
    system = NameField(
        label=_("Who answered, where no column says so"), required=False, max_length=200
    )
    release = NameField(
        label=_("Release, where none is named"),
        initial="1",
        max_length=120,
        help_text=_("One configuration of a system in time, such as a version or a date."),
    )
    create_missing = forms.BooleanField(
        label=_("Create capabilities and subject areas that are missing"), required=False
    )
    whole_conversation = forms.BooleanField(
        label=_("Show whole conversations as answers"),
        required=False,
        help_text=_(
            "Otherwise an answer in several messages is the last one of the assistant; system prompts "
            "and what led to it are kept, but annotators do not see them."
        ),
    )

    def mapping(self, places: tuple[Place, ...]) -> AnswerMapping:
        said = self.cleaned_data
        return AnswerMapping(
            places,
            said["system"],
            said["release"],
            said["create_missing"],
            said["whole_conversation"],
        )


def words_field() -> forms.CharField:
    return forms.CharField(
        label=_("Words that stand for numbers"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("One per line: as in the file = its number. Example: A better = 1"),
    )


def pairs_of(text: str) -> dict[str, str]:
    """Return what stands before and after the equals sign of each line.

    Raises:
        ValidationError: a line has none.
    """
    pairs = {}
    for line in text.splitlines():
        written, sign, key = line.rpartition("=")
        if line.strip() and not (sign and written.strip() and key.strip()):
            raise forms.ValidationError(
                _("“%(line)s” needs an equals sign, and something on both sides of it."),
                params={"line": line},
            )
        if line.strip():
            pairs[written.strip()] = key.strip()
    return pairs


def lines_of(pairs: Mapping[str, str]) -> str:
    return "\n".join(f"{written} = {key}" for written, key in pairs.items())


class GradeOptions(forms.Form):
    round_name = NameField(label=_("Shown under the name"), max_length=200)
    rubric = forms.ChoiceField(label=_("Graded by the rubric"))
    new_name = NameField(label=_("Name of the new rubric"), required=False, max_length=200)
    minimum = forms.CharField(label=_("Lowest grade"), required=False, max_length=20)
    maximum = forms.CharField(label=_("Highest grade"), required=False, max_length=20)
    step = forms.CharField(
        label=_("Step"),
        required=False,
        initial="1",
        max_length=20,
        help_text=_("Leave it empty if any number between the two was allowed."),
    )
    aliases = forms.CharField(
        label=_("Other names of criteria"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("One per line: as in the file = as in the rubric. Example: coh = coherence"),
    )
    words = words_field()
    release = NameField(
        label=_("Release that was graded"),
        required=False,
        max_length=120,
        help_text=_("Needed where a system has several and no column says which."),
    )
    rater = NameField(
        label=_("Who graded, where no column says so"), required=False, max_length=200
    )
    system = NameField(
        label=_("Who answered, where no column says so"), required=False, max_length=200
    )
    criterion = NameField(
        label=_("What was graded, where no column says so"), required=False, max_length=200
    )

    def __init__(self, rubrics: Iterable[RubricVersion], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["rubric"].choices = [  # type: ignore[attr-defined]
            (NEW, _("a new one, made of the criteria in the file")),
            *((f"{one.rubric.key}@{one.number}", str(one)) for one in rubrics),
        ]

    def clean_aliases(self) -> dict[str, str]:
        return pairs_of(self.cleaned_data["aliases"])

    def clean_words(self) -> dict[str, str]:
        return pairs_of(self.cleaned_data["words"])

    def mapping(self, places: tuple[Place, ...]) -> GradeMapping:
        said = self.cleaned_data
        new = None
        if said["rubric"] == NEW:
            new = NewRubric(said["new_name"], said["minimum"], said["maximum"], said["step"])
        return GradeMapping(
            places,
            said["round_name"],
            "" if new else said["rubric"],
            new,
            said["release"],
            said["rater"],
            said["aliases"],
            said["words"],
            whole(places, Target.SYSTEM, said["system"]),
            whole(places, Target.CRITERION, said["criterion"]),
        )


def whole(places: Iterable[Place], target: Target, said: str) -> str:
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
    aliases = stored.get("aliases") or {}
    initial["aliases"] = lines_of(aliases)
    initial["words"] = lines_of(stored.get("words") or {})
    return GradeOptions(rubrics, data, initial=initial)


def fitting(guesses: Sequence[tuple[Column, Guess]], rubrics: Iterable[RubricVersion]) -> str:
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


def _numbers(column: Column) -> Iterator[Decimal]:
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
