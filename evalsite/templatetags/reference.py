"""Words of the API's reference: what stands between backticks is code."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def ticked(text: str) -> SafeString:
    """Return a text with what stands between backticks as code."""
    parts = str(text).split("`")
    if len(parts) % 2 == 0:
        return format_html("{}", text)
    wrap = ("{}", "<code>{}</code>")
    return format_html_join(
        "", "{}", ((format_html(wrap[place % 2], one),) for place, one in enumerate(parts))
    )
