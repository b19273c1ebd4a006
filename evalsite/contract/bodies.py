"""What was sent with a call, read by its serializer."""

from typing import Any

from django.http import HttpRequest
from rest_framework import serializers


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
