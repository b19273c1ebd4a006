"""Pages as tests read them."""

import re


def squeezed(html: str) -> str:
    """Return a page with every run of white space as one blank, and none before the end of a tag."""
    return re.sub(r"\s+>", ">", re.sub(r"\s+", " ", html))
