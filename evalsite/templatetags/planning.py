"""Looking things up in templates by a name that is only known there."""

from collections.abc import Mapping

from django import template

register = template.Library()


@register.filter
def at(table: Mapping[str, str], name: str) -> str:
    """Return what stands in the table under this name; nothing if nothing does."""
    return table.get(name, "")
