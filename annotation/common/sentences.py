"""Sentences into which names go: one written from right to left keeps what stands around it in its place.

Whoever words a refusal, a message or a title imports `_` from here. What becomes a name itself, such as
that of a copy, is worded with Django's own: a name holds no such signs.
"""

from collections.abc import Mapping
from typing import Any

from django.utils import translation

from annotation.common import names
from annotation.common.fields import StoredName
from annotation.common.scales import UnfitValue
from evalsite.web import languages


class Sentence(str):
    """A sentence in the reader's language, with places for names."""

    __slots__ = ()

    def __mod__(self, given: Any) -> str:
        if isinstance(given, Mapping):
            return str.__mod__(self, {key: _apart(value) for key, value in given.items()})
        if isinstance(given, tuple):
            return str.__mod__(self, tuple(map(_apart, given)))
        return str.__mod__(self, _apart(given))


def gettext(message: str) -> str:
    """Return a sentence in the reader's language."""
    return Sentence(translation.gettext(message))


def ngettext(singular: str, plural: str, number: float) -> str:
    """Return a sentence about so many, in the reader's language."""
    return Sentence(translation.ngettext(singular, plural, number))


def of(problem: Exception) -> str:
    """Return what is wrong with a value, in the reader's language."""
    if isinstance(problem, UnfitValue):
        values = problem.values.items()
        lists = {key: languages.listed(one) for key, one in values if isinstance(one, tuple)}
        return gettext(problem.words) % {**problem.values, **lists}
    return translation.gettext(str(problem))


def _apart(value: Any) -> Any:
    """Return a value that rearranges nothing around it; in what was joined of names each stands apart already."""
    if isinstance(value, StoredName):
        return value.apart()
    if isinstance(value, str) and names.APART not in value:
        return names.isolated(value)
    return value
