"""What was sent with a call, read by its serializer."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from rest_framework import serializers

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


def valid(
    kind: type[serializers.Serializer[Any]], request: HttpRequest, *, partial: bool = False
) -> dict[str, Any]:
    """Return what was sent, by the names of this serializer.

    Args:
        kind: the serializer.
        request: what holds the body.
        partial: what it requires may be left out.

    Raises:
        ValidationError: something of it cannot be used; by field.
    """
    given = kind(data=getattr(request, "data", None), partial=partial)
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)
