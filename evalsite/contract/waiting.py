"""What is taken on and done later: 202, with where to ask what became of it."""

from typing import Any, Final

from django.urls import reverse
from rest_framework.response import Response

RETRY_SECONDS: Final = 2


def taken_on(data: Any, name: str, *parts: Any) -> Response:
    """Return 202 with the address, by its name and parts, that tells how far it is."""
    headers = {"Location": reverse(name, args=parts), "Retry-After": str(RETRY_SECONDS)}
    return Response(data, status=202, headers=headers)
