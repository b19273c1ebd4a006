"""Put a refusal where the person who was refused will look for it.

* Filters of lists, as they stand in the URL. What cannot be read is as if it were not there.
* Fields of forms in which something is named.
* Forms of records: each field asks for what the record says of it.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar, Self

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.forms.forms import DeclarativeFieldsMetaclass
from django.http import HttpRequest, QueryDict
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy
from django.utils.translation import gettext_lazy as _

from annotation.common import names
from annotation.common.fields import fault_of
from evalsite import kinds, records
from evalsite.errors import Refusal


def show(form: forms.BaseForm, refusal: Refusal) -> None:
    """Add what a refusal says to the fields it names, or to the form as a whole."""
    placed = False
    for name, told_of in refusal.fields.items():
        if name in form.fields:
            form.add_error(name, told_of)
            placed = True
    if not placed:
        form.add_error(None, refusal.message)


def entered(data: Mapping[str, str], name: str) -> str:
    """Return what was entered under a name; of several boxes of labels, their sum.

    "None of these" beside others is no number, and is refused as such.
    """
    boxes = data.getlist(name) if isinstance(data, QueryDict) else []
    if len(boxes) < 2:
        return data.get(name, "").replace("\r\n", "\n").strip()
    if "0" in boxes or not all(one.isdecimal() and len(one) < 9 for one in boxes):
        return " + ".join(boxes)[:40]
    return str(sum(map(int, set(boxes))))


class Boxes(forms.NumberInput):
    """A number that a page may ask for by the boxes of labels."""

    def value_from_datadict(self, data: Mapping[str, Any], files: Any, name: str) -> Any:
        if isinstance(data, QueryDict):
            return entered(data, name)
        return super().value_from_datadict(data, files, name)  # of a program: a number


class ShownRefusal:
    """Say a refusal of what is done within: `with shown(form): …`. What follows within is then not done."""

    def __init__(self, say: Callable[[Refusal], None]) -> None:
        self._say = say
        #: Of the answer, once something was refused.
        self.status = 200

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: Any, problem: BaseException | None, _trace: Any) -> bool:
        if isinstance(problem, Refusal):
            self._say(problem)
            self.status = problem.status
            return True
        return False


def shown(form: forms.BaseForm) -> ShownRefusal:
    """Have a refusal stand at the fields of a form that it names."""
    return ShownRefusal(lambda refusal: show(form, refusal))


def told(request: HttpRequest) -> ShownRefusal:
    """Have a refusal stand above the next page."""
    return ShownRefusal(lambda refusal: messages.error(request, refusal.message))


def status_of(*shown: Any) -> int:
    """Return 422 if one of the forms was sent and cannot be used, else 200."""
    return 422 if any(form.is_bound and form.errors for form in shown) else 200


class Filter(forms.Form):
    """A form whose bad values are left out instead of being refused."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["auto_id"] = "filter_%s"
        super().__init__(*args, **kwargs)

    def given(self, name: str) -> Any:
        self.is_valid()
        return self.cleaned_data.get(name) or None

    @property
    def is_set(self) -> bool:
        return any(self.given(name) for name in self.fields)


def check(name: str) -> None:
    """Refuse a name that deceives the eye.

    Raises:
        ValidationError: it holds a sign that nobody sees.
    """
    if fault := fault_of(name):
        raise ValidationError(fault, code="bad_name")


class NameInput(forms.CharField):
    """A text of one line that names something."""

    default_validators = [check]


class UserNameField(forms.RegexField):
    """A user name: letters, digits and . @ + - _ and nothing else."""

    default_validators = [check]

    def __init__(self, **given: Any) -> None:
        super().__init__(r"\A[\w.@+-]+\Z", **given)


class LinesField(forms.CharField):
    """Texts, one in each line; each once."""

    def to_python(self, value: Any) -> Any:
        """Return the texts."""
        if isinstance(value, list | tuple):
            return list(value)
        lines = (line.strip() for line in str(super().to_python(value) or "").splitlines())
        return list(dict.fromkeys(line for line in lines if line))

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """Return what a browser is told: the limit is that of a line, not of them all."""
        told: dict[str, Any] = super().widget_attrs(widget)
        return {name: one for name, one in told.items() if name != "maxlength"}

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list | tuple) else value

    def run_validators(self, value: list[str]) -> None:
        """Look at each of the texts.

        Raises:
            ValidationError: one is too long, or deceives the eye.
        """
        for one in value:
            super().run_validators(one)


ONE_A_LINE = _("One per line.")


class PairsField(forms.CharField):
    """Texts by name, a pair in each line: as in the file = as here."""

    widget = forms.Textarea(attrs={"rows": 3})

    def to_python(self, value: Any) -> Any:
        """Return what stands before and after the equals sign of each line.

        Raises:
            ValidationError: a line has none.
        """
        pairs = {}
        for line in str(super().to_python(value) or "").splitlines():
            written, sign, key = line.rpartition("=")
            if line.strip() and not (sign and written.strip() and key.strip()):
                raise ValidationError(
                    _("“%(line)s” needs an equals sign, and something on both sides of it."),
                    params={"line": line},
                )
            if line.strip():
                pairs[written.strip()] = key.strip()
        return pairs

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return "\n".join(f"{written} = {key}" for written, key in value.items())

    def run_validators(self, value: Any) -> None:
        """Look at nothing: what is said of a pair depends on the file."""


def _lines(part: records.RecordPart, said: dict[str, Any]) -> forms.Field:
    ask, kind = part.ask or records.Ask(), part.kind
    checks = [check] if isinstance(kind, names.NameKind) else []
    most = kind.most if isinstance(kind, kinds.Text) else 0
    said |= {"required": False, "max_length": most or None, "validators": checks}
    attrs = {"rows": ask.rows or 3, "spellcheck": "false", "dir": "auto"}
    return LinesField(**said, widget=forms.Textarea(attrs=attrs))


class KnownField(forms.TypedChoiceField):
    """Yes, no, or not known."""

    def prepare_value(self, value: Any) -> Any:
        return {True: "yes", False: "no"}.get(value, value)


def _known(ask: records.Ask, said: dict[str, Any]) -> forms.Field:
    """Return the field for what may be so, or not, or not be known."""
    choices = [("", gettext_lazy(ask.none)), ("yes", _("yes")), ("no", _("no"))]
    said |= {"required": False, "empty_value": None}
    return KnownField(**said, choices=choices, coerce=lambda one: one == "yes")


def _of_text(kind: kinds.Text, said: dict[str, Any], rows: int) -> forms.Field:
    said |= {"required": said["required"] and not kind.empty, "max_length": kind.most or None}
    if rows:
        said["widget"] = forms.Textarea(attrs={"rows": rows})
    if isinstance(kind, names.NameKind):
        return NameInput(**said)
    if kind.like is None:
        return forms.CharField(**said)
    if kind.like == kinds.SLUG:
        return forms.SlugField(**said)
    return forms.RegexField(rf"\A(?:{kind.like.pattern})\Z", **said)


def _of_number(kind: kinds.Number, said: dict[str, Any], _rows: int) -> forms.Field:
    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
    given = {"max_digits": kind.digits, "decimal_places": kind.places, "min_value": kind.low}
    return forms.DecimalField(**{"widget": widget, "max_value": kind.high, **given, **said})


def _of_day(_kind: kinds.Day, said: dict[str, Any], _rows: int) -> forms.Field:
    return forms.DateField(
        **said, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )


def _of_moment(_kind: kinds.Moment, said: dict[str, Any], _rows: int) -> forms.Field:
    attrs = {"type": "datetime-local"}
    return forms.DateTimeField(
        **said, widget=forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs=attrs)
    )


def _of_choice(kind: kinds.Choice, said: dict[str, Any], _rows: int) -> forms.Field:
    said["required"] = not kind.empty
    choices = kind.titles or [(one, one) for one in kind.of]
    return forms.ChoiceField(**said, choices=[("", "–"), *choices] if kind.empty else choices)


def _of_flag(_kind: kinds.YesNo, said: dict[str, Any], _rows: int) -> forms.Field:
    return forms.BooleanField(**{**said, "required": False})


def _of_table(_kind: kinds.ByName, said: dict[str, Any], _rows: int) -> forms.Field:
    return PairsField(**said | {"help_text": format_lazy("{} {}", ONE_A_LINE, said["help_text"])})


def _of_real(kind: kinds.Real, said: dict[str, Any], _rows: int) -> forms.Field:
    widget = forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"})
    return forms.FloatField(**said, min_value=kind.low, max_value=kind.high, widget=widget)


def _of_whole(kind: kinds.Whole, said: dict[str, Any], _rows: int) -> forms.Field:
    return forms.IntegerField(**said, min_value=kind.low, max_value=kind.high)


_FIELDS: Mapping[type[kinds.Kind], Callable[[Any, dict[str, Any], int], forms.Field]] = {
    kinds.Text: _of_text,
    kinds.Number: _of_number,
    kinds.Day: _of_day,
    kinds.Moment: _of_moment,
    kinds.Choice: _of_choice,
    kinds.YesNo: _of_flag,
    kinds.Whole: _of_whole,
    kinds.Real: _of_real,
    kinds.ByName: _of_table,
}


def field_of(part: records.RecordPart, **more: Any) -> forms.Field:
    """Return the field of a form that asks for a field of a record; `more` of it than the record says."""
    ask, said = part.ask or records.Ask(), said_of(part) | more
    if part.many:
        return _lines(part, said)
    if ask.none:
        return _known(ask, said)
    make = next(made for kind, made in _FIELDS.items() if isinstance(part.kind, kind))
    return make(part.kind, said, ask.rows)


def said_of(part: records.RecordPart) -> dict[str, Any]:
    """Return what every field of a form is told of a field of a record."""
    ask = part.ask or records.Ask()
    said: dict[str, Any] = {"required": not (part.nullable or ask.blank)}
    said |= {"label": gettext_lazy(ask.label) if ask.label else None}
    said |= {"help_text": gettext_lazy(ask.help) if ask.help else ""}
    if not part.required and part.default not in (None, ""):
        said["initial"] = part.default
    return said


def one_of(record: type[records.Record], name: str, **more: Any) -> forms.ChoiceField:
    """Return the field for what is chosen of what the form offers, once it knows for whom."""
    part = records.part(record, name)
    required = not (part.nullable or (isinstance(part.kind, kinds.Text) and part.kind.empty))
    given = {**said_of(part), "required": required, **more}
    if isinstance(part.kind, kinds.Whole):
        return forms.TypedChoiceField(**{"coerce": int, "empty_value": None, **given})
    return forms.ChoiceField(**given)


def some_of(record: type[records.Record], name: str, **more: Any) -> forms.TypedMultipleChoiceField:
    """Return the field of which several are chosen, as numbers or as texts."""
    part = records.part(record, name)
    coerce = int if isinstance(part.kind, kinds.Whole) else str
    given = {"coerce": coerce, "widget": forms.CheckboxSelectMultiple, **more}
    return forms.TypedMultipleChoiceField(**{**said_of(part), **given})


class _OfRecord(DeclarativeFieldsMetaclass):
    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        attrs: dict[str, Any],
        record: type[records.Record] | None = None,
        leave_out: Collection[str] = (),
    ) -> Any:
        made: dict[str, Any] = {}
        known = {*leave_out}.union(*(getattr(one, "settled", ()) for one in bases))
        for one in records.parts(record) if record else ():
            if one.name in known or one.kind is None:
                continue
            if one.name in attrs or not one.many or one.ask:
                made[one.name] = attrs.pop(one.name, None) or field_of(one)
        if record is not None:
            attrs |= {"record": record, "settled": known | {*made}}
        return super().__new__(mcs, name, bases, {**made, **attrs})


class RecordForm(forms.Form, metaclass=_OfRecord):
    """A form that asks for a record: `class NameForm(RecordForm, record=Named)`.

    A field that the class writes itself stands in the place of the one that the record has.
    """

    record: ClassVar[type[records.Record] | None] = None
    #: What a form below it need not ask anew, or must not.
    settled: ClassVar[frozenset[str]] = frozenset()

    def clean(self) -> dict[str, Any]:
        """Return what was given; what may be left empty is then what it is by default."""
        given: dict[str, Any] = super().clean() or self.cleaned_data
        for one in records.parts(self.record) if self.record else ():
            if one.ask and one.ask.blank and given.get(one.name) is None:
                given[one.name] = one.default
        return given


def initial_of(record: type[records.Record], row: Any) -> dict[str, Any]:
    """Return what a row says now, as the form of its record shows it."""
    return records.plain(record.of(row))
