"""Which language a text is in, by the package py3langid with the model that comes with it.

References:
    Lui and Baldwin (2012), langid.py: an off-the-shelf language identification tool.
"""

import functools
from pathlib import Path
from typing import Any, Final

#: A text whose likeliest language is less likely than this is in none that one could tell.
LEAST: Final = 0.3
#: What the package calls a text without any language, such as numbers.
NONE: Final = "zxx"
#: So much of a text decides; the package trusts a text that repeats itself less, the longer it is.
READ: Final = 1_000


def language(text: str) -> str:
    """Return the ISO 639 code of a text's language; nothing where it cannot be told."""
    if not any(one.isalpha() for one in text):
        return ""
    found, likely = _identifier().classify(text[:READ])
    return "" if likely < LEAST or found == NONE else str(found)


@functools.cache
def _identifier() -> Any:
    # Here, and not above: reading the model takes a second and 100 MB, and few processes need it.
    from py3langid import langid

    model = Path(langid.__file__).parent / langid.MODEL_FILE
    return langid.LanguageIdentifier.from_modelpath(model, norm_probs=True)
