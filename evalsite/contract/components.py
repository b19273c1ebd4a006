"""Schemas of serializers and of named shapes, gathered under `components` of the document."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from django.http import HttpRequest
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ComponentRegistry
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer, FileField
from rest_framework.views import APIView

from evalsite.contract.shapes import NamedShape, Schema

SCHEMAS_ROOT = "#/components/schemas/"


class ComponentNameTaken(Exception):
    """Two shapes of one name differ."""


class Components(AutoSchema):
    """Maps serializers by drf-spectacular, which knows their fields; names and keeps what it makes."""

    def __init__(self) -> None:
        super().__init__()
        self.registry = ComponentRegistry()
        self.method, self.path, self._view = "GET", "", APIView()
        self._view.request = Request(HttpRequest())  # an empty one: the same holds for all
        self._shapes: dict[str, tuple[NamedShape, Schema]] = {}
        often = Counter(_named(one) for one in {*_ours(BaseSerializer)})
        if taken := sorted(name for name, n in often.items() if n > 1):
            raise ComponentNameTaken(
                f"Several serializers are called so: {taken}. Give them a `component`."
            )

    def refer(self, of: Any, make: Callable[[], Schema] | None) -> Schema:
        """Return a reference to a component; with `make` being dict, a serializer's own schema.

        Raises:
            ComponentNameTaken: another shape has the name.
        """
        if isinstance(of, NamedShape):
            return self._refer_shape(of, make or dict)
        found = self.resolve_serializer(of, "response")
        if not found:
            return {"type": "object"}
        return self._whole(found.name, found.schema) if make is dict else dict(found.ref)

    def _refer_shape(self, of: NamedShape, make: Callable[[], Schema]) -> Schema:
        known = self._shapes.get(of.name)
        if known is None:
            self._shapes[of.name] = (of, {})
            self._shapes[of.name] = (of, make())
        elif known[0] is not of:
            raise ComponentNameTaken(f"Two shapes are called {of.name}.")
        return {"$ref": SCHEMAS_ROOT + of.name}

    def _map_serializer_field(
        self, field: Any, direction: Any, bypass_extensions: bool = False
    ) -> Any:
        if isinstance(field, FileField):
            return {"type": "string", "format": "binary"}
        if field.default is None:  # what is not there is told as null
            field.allow_null = True
        found: Any = AutoSchema._map_serializer_field(  # type: ignore[no-untyped-call]
            self, field, direction, bypass_extensions
        )
        return found

    def get_serializer_name(self, serializer: Any, direction: Any) -> str:
        """Return what a serializer's class says of itself in `component`, else its name without Out."""
        return _named(type(serializer))

    def _whole(self, name: str, schema: Schema) -> Schema:
        """Return the schema of a serializer; one that answers has all of its fields, always."""
        if "properties" not in schema:
            return dict(schema)
        if name.endswith("In"):
            return {**schema, "additionalProperties": False}
        return {**schema, "required": list(schema["properties"])}

    def built(self) -> dict[str, Schema]:
        """Return every component by its name.

        Raises:
            ComponentNameTaken: a shape and a serializer have the same name.
        """
        made = self.registry.build({}).get("schemas", {})
        found = {name: self._whole(name, one) for name, one in made.items()}
        if both := found.keys() & self._shapes.keys():
            raise ComponentNameTaken(f"Shapes and serializers are called the same: {sorted(both)}.")
        found |= {name: one for name, (_shape, one) in self._shapes.items()}
        return {name: _without_marks(found[name]) for name in sorted(found)}


def _without_marks(schema: Any) -> Any:
    """Drop `readOnly` and empty choices: bodies and answers are different components here."""
    if isinstance(schema, dict):
        if {} in schema.get("oneOf", []):  # anything, or null: anything
            schema = {name: one for name, one in schema.items() if name != "oneOf"}
        if "pattern" in schema and schema.get("default") == "":  # left out, not a value like others
            schema = {name: one for name, one in schema.items() if name != "default"}
        return {name: _without_marks(one) for name, one in schema.items() if name != "readOnly"}
    return [_without_marks(one) for one in schema] if isinstance(schema, list) else schema


def _named(kind: type[Any]) -> str:
    name = kind.__name__
    return str(vars(kind).get("component") or name.removesuffix("Out") or name)


def _ours(kind: type[Any]) -> Iterator[type[Any]]:
    """Yield every serializer class of the site."""
    for one in {*kind.__subclasses__()}:
        if one.__module__.startswith(("annotation.", "scoring.")):
            yield one
        yield from _ours(one)


def complaints() -> list[str]:
    """Return what drf-spectacular could not make out since the process began."""
    return sorted({*GENERATOR_STATS._warn_cache, *GENERATOR_STATS._error_cache})
