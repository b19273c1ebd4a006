"""Pages as tests read them."""

import re
from typing import Any

from django.http import HttpResponse
from django.urls import reverse


def squeezed(html: str) -> str:
    """Return a page with every run of white space as one blank, and none before the end of a tag."""
    return re.sub(r"\s+>", ">", re.sub(r"\s+", " ", html))


def words(response: HttpResponse) -> str:
    """Return what a page holds with single blanks."""
    return " ".join(response.content.decode().split())


def url(name: str, *args: Any) -> str:
    """Return the address of a route in Northport."""
    return reverse(name, args=["northport", *args])
