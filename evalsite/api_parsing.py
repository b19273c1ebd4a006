"""How bodies are read."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import exceptions, parsers


class Json(parsers.JSONParser):
    """JSON, but not so deeply nested that reading it breaks."""

    def parse(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().parse(*args, **kwargs)
        except RecursionError as problem:
            raise exceptions.ParseError(_("The JSON is nested too deeply.")) from problem
