"""HEAD below /api/v1/: what GET says before its body."""

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

ROOT: Final = "/api/v1/"


class Heads:
    """Answer HEAD as GET would be, without the body; REST framework's views know GET only."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method != "HEAD" or not request.path_info.startswith(ROOT):
            return self.get_response(request)
        request.method = "GET"
        response = self.get_response(request)
        request.method = "HEAD"
        # The server closes the bare answer; a stream that nobody began to read holds nothing.
        return HttpResponse(status=response.status_code, headers=response.headers)
