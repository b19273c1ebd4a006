"""What of a page was kept with its labels as codes: in words, in the language of whoever reads it.

A code is written by `{{ "call"|word }}`, with a number by `{{ "characters"|word:3 }}`.
"""

from django import template

from annotation.common import traces
from annotation.domains.models import Difficulty

register = template.Library()
register.filter("word", traces.word)
register.filter("worded", traces.worded)


@register.filter
def difficulty(code: str) -> str:
    """Return what a difficulty is called; earlier rounds have kept its name."""
    return str(dict(Difficulty.choices).get(code, code))
