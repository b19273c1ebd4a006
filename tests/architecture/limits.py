"""Which form of a page and which body of the API take the same, and where the two may differ.

Both are named by their dotted names.
"""

import importlib
import inspect
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.module_loading import import_string
from rest_framework import serializers

from annotation.common.forms import Filter, RecordForm, field_of
from evalsite.kinds import ByName
from evalsite.records import Record, parts
from tests.architecture import sources
from tests.architecture.limits_table import TWINS

LIMITS = ("min_value", "max_value", "max_length", "max_digits", "decimal_places")
#: What ends a body that is sent, not answered.
SENT = "In"
MADE_OF = {"forms": "from django import forms", "api": "serializers"}
ASIDE = {"management", "migrations"}


def forms_there_are() -> set[str]:
    """Return the forms of both packages that say limits: not filters, which are the API's too.

    What a record's form asks for is what the record says, to the API as well.
    """
    return {
        name
        for name, kind in _classes("forms", forms.BaseForm)
        if kind is not RecordForm
        and not issubclass(kind, Filter)
        and getattr(kind, "record", None) is None
    }


def bodies_there_are() -> set[str]:
    return {
        name for name, _kind in _classes("api", serializers.BaseSerializer) if name.endswith(SENT)
    }


def _classes(layer: str, base: type) -> Iterator[tuple[str, type[Any]]]:
    for path in sources.modules("annotation", "scoring"):
        if MADE_OF[layer] in path.read_text() and not ASIDE.intersection(path.parts):
            module = importlib.import_module(sources.dotted(path))
            for name, kind in vars(module).items():
                own = inspect.isclass(kind) and kind.__module__ == module.__name__
                if own and issubclass(kind, base):
                    yield f"{module.__name__}.{name}", kind


def differences(name: str) -> list[str]:
    """Return how the fields of a form differ from those of its twin, a sentence each."""
    twin = TWINS[name]
    here, there = import_string(name).base_fields, _fields(import_string(twin.body))
    found = []
    for field_name, one in here.items():
        other = there.get(twin.renamed.get(field_name, field_name))
        if other is None:
            if field_name not in twin.only_here:
                found.append(f"{field_name} is not in {twin.body}")
        elif field_name in twin.only_here:
            found.append(f"{field_name} is in {twin.body} too")
        elif said := list(_apart(one, other)):
            if field_name not in twin.differs:
                found += [f"{field_name}: {words}" for words in said]
        elif field_name in twin.differs:
            found.append(f"{field_name} does not differ (any more)")
    return found


def _fields(body: type[Any]) -> Mapping[str, Any]:
    """Return what a body takes: the fields of a serializer, or those that ask for a record's."""
    if not issubclass(body, Record):
        found: Mapping[str, Any] = body().fields
        return found
    asked = [one for one in parts(body) if one.kind and not isinstance(one.kind, ByName)]
    return {one.called: field_of(one) for one in asked}


def _apart(here: forms.Field, there: serializers.Field[Any, Any, Any, Any]) -> Iterator[str]:
    """Yield what one of two fields takes that the other refuses."""
    chosen = isinstance(here, forms.ChoiceField) or isinstance(there, serializers.ChoiceField)
    lists = isinstance(there, (serializers.ListField, serializers.DictField, serializers.FileField))
    for limit in () if chosen or lists else LIMITS:
        one, other = getattr(here, limit, None), getattr(there, limit, None)
        if _number(one) != _number(other):
            yield f"{limit} is {one} on the page and {other} by the API"
    if there.required and not getattr(there, "allow_null", False) and not here.required:
        yield "may be left empty on the page and not by the API"
    if here.required and getattr(there, "allow_blank", False) and not chosen:
        yield "may be empty by the API and not on the page"
    choices, others = _choices(here), _choices(getattr(there, "child", there))
    if choices and others and choices != others:
        yield f"choices are {sorted(choices)} on the page and {sorted(others)} by the API"


def _number(limit: Any) -> Decimal | None:
    return None if limit is None else Decimal(str(limit))


def _choices(of: Any) -> set[str]:
    found = getattr(of, "choices", None) or ()
    if hasattr(found, "items"):
        found = found.items()
    try:
        return {str(value) for value, _label in found} - {""}
    except (TypeError, ValueError):
        return set()
