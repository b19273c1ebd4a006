"""The contract of a route: which query parameters it takes, which body, what it answers.

* What was sent with a call, read by its serializer.
* Answers that are files: the address says the form.
* Filters of a page's form, held more strictly by the API: a page leaves out what it cannot read.
* What is taken on and done later: 202, with where to ask what became of it.
"""

import functools
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from django import forms
from django.http import HttpRequest
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from evalsite import errors, kinds, records
from evalsite.contract.shapes import FILE, NamedShape, Schema, answers, shape
from evalsite.web import keyset

View = TypeVar("View", bound=Callable[..., Any])

STRING: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}


class UnknownParameter(errors.Refusal):
    """The address has parameters that this route does not take; `fields` names them."""


class InvalidParameter(errors.Refusal):
    """A parameter has a value that it cannot have; `fields` names it, and what it may be."""


@dataclass(frozen=True)
class Query:
    """A query parameter. With `…` in its name it stands for all that begin as it does."""

    name: str
    text: str = ""
    schema: Mapping[str, Any] = field(default_factory=lambda: STRING)
    #: It may stand several times in the address.
    many: bool = False

    def fits(self, name: str) -> bool:
        if "…" not in self.name:
            return name == self.name
        return re.fullmatch(re.escape(self.name).replace("…", ".+"), name) is not None


AFTER = Query(
    "after",
    "The key of the page, as the `next` of the page before has it.",
    {"type": "string", "format": "page-key"},
)


def choice(name: str, values: Sequence[str], text: str = "") -> Query:
    """Return a parameter with the values it may have, the usual one first."""
    return Query(name, text, {"type": "string", "enum": list(dict.fromkeys(values))})


def whole(name: str, text: str = "") -> Query:
    """Return a parameter that is a whole number."""
    return Query(name, text, INTEGER)


def of_form(form: "type[forms.Form]") -> tuple[Query, ...]:
    """Return the parameters that a page's form of filters reads."""
    return tuple(_of_field(name, one) for name, one in form.base_fields.items())


def _of_field(name: str, one: forms.Field) -> Query:
    text = str(one.help_text or one.label or "")
    many = isinstance(one, forms.MultipleChoiceField)
    if isinstance(one, forms.BooleanField):
        return Query(name, text, {"type": "string", "enum": ["on", "true", ""]})
    if isinstance(one, forms.IntegerField) or getattr(one, "coerce", None) is int:
        return Query(name, text, INTEGER, many)
    if isinstance(one, forms.DateField):
        return Query(name, text, {"type": "string", "format": "date"})
    if isinstance(one, forms.ChoiceField):
        values = [str(key) for key, _title in _flat(one.choices) if key]
        return Query(name, text, {"type": "string", "enum": values} if values else STRING, many)
    return Query(name, text, STRING, many)


def _flat(choices: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    for key, title in choices:
        found += _flat(title) if isinstance(title, list | tuple) else [(key, title)]
    return found


@dataclass(frozen=True)
class Call:
    """One method of a route. `answers` has for every status what is answered (None: nothing)."""

    method: str
    answers: Mapping[int, Any]
    summary: str = ""
    takes: Any = None
    query: tuple[Query, ...] = ()
    #: Of what is filled into the address, what needs more to be said of it.
    parts: tuple[Query, ...] = ()


@dataclass(frozen=True)
class Promise:
    """What stands in the place of a schema at a view: its calls, and the view itself."""

    calls: Mapping[str, Call]
    view: Callable[..., Any]

    def roles(self, method: str) -> frozenset[str] | None:
        """Return the roles in a project that may make this call; None: whoever is signed in."""
        found: frozenset[str] | None = getattr(
            self.view, "seers" if method == "GET" else "doers", None
        )
        return found


COMPUTING = shape(
    "Computing",
    _text="The figures are being computed. Ask again at the same address (`Retry-After` says when).",
    state=str,
    message=str,
)


def get(
    answer: Any,
    summary: str = "",
    *,
    query: Sequence[Query] = (),
    figure: bool = False,
    parts: Sequence[Query] = (),
) -> Call:
    """Return the contract of GET.

    Args:
        answer: what is answered with 200.
        summary: what it does; by default what the view says of itself.
        query: the parameters it takes.
        figure: 202 is answered while what was asked for is computed.
        parts: what is filled into the address, where its name does not say enough.
    """
    answers = {200: answer, 202: COMPUTING} if figure else {200: answer}
    return Call("GET", answers, summary, query=tuple(query), parts=tuple(parts))


def post(
    answer: Any,
    summary: str = "",
    *,
    takes: Any = None,
    status: int = 200,
    also: Mapping[int, Any] | None = None,
    query: Sequence[Query] = (),
) -> Call:
    """Return the contract of POST.

    Args:
        answer: what is answered with `status`.
        summary: what it does; by default what the view says of itself.
        takes: the serializer of the body.
        status: the status of the usual answer.
        also: other answers it may have, by status.
        query: the parameters it takes; as a rule none.
    """
    return Call("POST", {status: answer, **(also or {})}, summary, takes, tuple(query))


def contract(*calls: Call) -> Callable[[View], View]:
    """Make a view a route of the API, and say what it promises.

    Raises:
        UnknownParameter: from the view, where the address has a parameter that is not named.
        InvalidParameter: from the view, where one has a value that is not promised.
    """
    # Its settings name classes that know contracts.
    from rest_framework.decorators import api_view

    by_method = {one.method: one for one in calls}

    def wrap(view: View) -> View:
        @functools.wraps(view)
        def held(request: Any, *args: Any, **kwargs: Any) -> Any:
            method = "GET" if request.method == "HEAD" else request.method
            if (call := by_method.get(method)) is not None:
                refuse_unknown(call, request.GET)
                refuse_unfit(call, request.GET)
            return view(request, *args, **kwargs)

        # REST framework hands this one name on to the class that it makes of the view.
        held.schema = Promise(by_method, view)  # type: ignore[attr-defined]
        if FILE in by_method.get("GET", Call("", {})).answers.values():
            held.content_negotiation_class = AnyForm  # type: ignore[attr-defined]
        return api_view([*by_method])(held)  # type: ignore[return-value]

    return wrap


def refuse_unknown(call: Call, names: Any) -> None:
    unknown = sorted(name for name in names if not any(one.fits(name) for one in call.query))
    if not unknown:
        return
    known = ", ".join(one.name for one in call.query)
    said = (
        _("Unknown here. This address takes: %(names)s.") % {"names": known}
        if known
        else _("Unknown here. This address takes no parameters.")
    )
    raise UnknownParameter(
        _("The address has parameters that are not known: %(names)s.")
        % {"names": ", ".join(name[:60] for name in unknown[:10])},
        fields={name[:60]: [said] for name in unknown[:10]},
    )


def unfit_value(name: str, said: str) -> InvalidParameter:
    """Return the refusal of a parameter whose value nothing here has, with what it may be."""
    message = _("Parameters have values that they cannot have: %(names)s.") % {"names": name}
    return InvalidParameter(message, fields={name: [said]})


def refuse_unfit(call: Call, given: Any) -> None:
    """Refuse values that a parameter cannot have; an empty one is as good as none."""
    found: dict[str, list[str]] = {}
    for name in given:
        one = next(one for one in call.query if one.fits(name))
        if any(value and not _is_one(value, one.schema) for value in given.getlist(name)):
            found[name[:60]] = [_may_be(one.schema)]
    if found:
        message = _("Parameters have values that they cannot have: %(names)s.")
        raise InvalidParameter(message % {"names": ", ".join(found)}, fields=found)


def _is_one(value: str, schema: Mapping[str, Any]) -> bool:
    if "enum" in schema:
        return value in {str(one) for one in schema["enum"]}
    if schema.get("type") == "integer":
        return re.fullmatch(r"-?[0-9]{1,18}", value) is not None
    if schema.get("format") == "date":
        try:
            return parse_date(value) is not None
        except ValueError:
            return False
    if schema.get("format") == "page-key":
        return keyset.is_key(value)
    return True


def _may_be(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        values = ", ".join(str(one) for one in schema["enum"] if one != "")
        return _("One of these: %(values)s.") % {"values": values}
    if schema.get("type") == "integer":
        return _("A whole number.")
    if schema.get("format") == "page-key":
        return _("The key in the `next` of the page before.")
    return _("A date such as 2026-03-31.")


#: So many unknown names are told of, cut to so many characters.
MOST, LONGEST = 10, 60


class Body(serializers.Serializer[Any]):  # no docstring: those of its kinds stand in the document
    # What may be sent with a call, or stand in it: fields of these names, and no others. A name with
    # a slip of the pen would otherwise change nothing, and be answered as if it had.

    def to_internal_value(self, data: Any) -> Any:
        """Return what was sent, read.

        Raises:
            ValidationError: a field is unknown, or cannot be used; by field.
        """
        unknown = self._unknown(data)
        try:
            read = super().to_internal_value(data)
        except serializers.ValidationError as problem:
            if not unknown or not isinstance(problem.detail, dict):
                raise
            raise serializers.ValidationError({**unknown, **problem.detail}) from None
        if unknown:
            raise serializers.ValidationError(unknown)
        return read

    def _unknown(self, data: Any) -> dict[str, list[str]]:
        if not isinstance(data, Mapping):
            return {}
        takes = [name for name, one in self.fields.items() if not one.read_only]
        names = [str(name)[:LONGEST] for name in data if name not in takes]
        said = _("Unknown here. This takes: %(names)s.") % {"names": ", ".join(takes)}
        return {name: [said] for name in names[:MOST]}


def valid(kind: type[serializers.Serializer[Any]], request: HttpRequest) -> dict[str, Any]:
    """Return what was sent, by the names of this serializer.

    Args:
        kind: the serializer.
        request: what holds the body.

    Raises:
        ValidationError: something of it cannot be used; by field.
    """
    given = kind(data=getattr(request, "data", None))
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)


R = TypeVar("R", bound=records.Record)


def taken(record: type[R], request: Any, *, onto: records.Record | None = None) -> R:
    """Return what was sent with a call as the record that it is.

    Args:
        record: which.
        request: what holds the body.
        onto: what is said now, of this record or one of its bases: what is not named stays just so.

    Raises:
        ValidationError: something of it cannot be used; by field.
    """
    if onto is None or not isinstance(request.data, dict):
        return as_sent(record, request.data)
    made = as_sent(record, {**records.plain(onto, sent=True), **request.data})
    known = records.parts(type(onto))
    kept = {one.name for one in known if one.called not in request.data}
    return replace(made, **{name: getattr(onto, name) for name in kept})  # type: ignore[type-var]


def as_form(record: type[R], request: Any) -> R:
    """Return what was sent as multipart/form-data: objects and lists stand in it as the text of JSON.

    Raises:
        ValidationError: something of it cannot be used; by field.
    """
    told = {one.called: one for one in records.parts(record)}
    return as_sent(
        record, {name: _of_form(told.get(name), one) for name, one in request.data.items()}
    )


def _of_form(part: records.RecordPart | None, value: Any) -> Any:
    if part is None or not (part.record or isinstance(part.kind, kinds.ByName | kinds.Json)):
        return value
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value


def as_sent(record: type[R], data: object) -> R:
    """Return a part of what was sent as the record that it is.

    Raises:
        ValidationError: something of it cannot be used; by field, and by place within it.
    """
    try:
        return records.read(record, data, sent=True)
    except records.NoSuchRecord as problem:
        found: dict[Any, Any] = {}
        for one in problem.faults[: MOST * 5]:
            at, steps = found, one.path.split(".") if one.path else ["non_field_errors"]
            for step in steps[:-1]:  # of a list that is itself wrong, its parts do not matter
                at = inner if isinstance(inner := at.setdefault(step, {}), dict) else {}
            told = at.setdefault(steps[-1][:LONGEST], [])
            if isinstance(told, list):  # of a list whose parts are wrong, they say enough
                told.append(records.said(one, _))
        raise serializers.ValidationError(_listed(found)) from None


def _listed(found: Any) -> Any:
    """Return what is wrong in a list of objects as a list: nothing for those that are right."""
    if not isinstance(found, dict):
        return found
    made = {name: _listed(one) for name, one in found.items()}
    if not all(name.isdecimal() and isinstance(one, dict) for name, one in made.items()):
        return made
    return [made.get(str(place), {}) for place in range(max(map(int, made)) + 1)]


class AnyForm(BaseContentNegotiation):
    """The address says the form; whatever somebody accepts besides it does not matter."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


Form = TypeVar("Form", bound=forms.Form)


def readable(form: Form) -> Form:
    """Return a form of filters all of whose values can be used.

    Raises:
        InvalidParameter: one cannot, such as a capability that there is not; by parameter.
    """
    found = {name: [str(one) for one in said] for name, said in form.errors.items()}
    for name in form.base_fields.keys() - form.fields.keys():
        if form.data.get(name):
            found[name] = [_("There is nothing to choose from. Leave it out.")]
    if found:
        message = _("Parameters have values that they cannot have: %(names)s.")
        raise InvalidParameter(message % {"names": ", ".join(sorted(found))}, fields=found)
    return form


RETRY_SECONDS: Final = 2


def listed(
    request: Any, of: NamedShape, page: keyset.Page[Any], lines: Iterable[Any] | None = None
) -> Response:
    """Return a page of a list by the shape of its rows; `lines` are what is told of these."""
    results = answers(of, page.rows if lines is None else lines)
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


def taken_on(data: Any, name: str, *parts: Any) -> Response:
    """Return 202 with the address, by its name and parts, that tells how far it is."""
    headers = {"Location": reverse(name, args=parts), "Retry-After": str(RETRY_SECONDS)}
    return Response(data, status=202, headers=headers)
