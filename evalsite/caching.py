"""Pages are for the person who asked; nobody in between keeps them."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class PrivatePages:
    """Mark every answer that does not say otherwise as private and to be asked for again."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-cache")
        return response
