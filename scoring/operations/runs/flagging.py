"""What a step's result says was found in the texts of systems: kept beside it, so that it can be counted.

Every procedure that puts a system's text before a judge names what it found under `flags`; one that
holds exchanges names it for each of them as well.
"""

from collections.abc import Mapping
from typing import Any

from scoring.protocols.untrusted import Flag


def flags_of(result: Any) -> list[str]:
    """Return the flags of a result, once each, in the order in which they are declared."""
    if not isinstance(result, Mapping):
        return []
    parts = [result, *(one for one in result.get("exchanges") or () if isinstance(one, Mapping))]
    found = {flag for one in parts for flag in one.get("flags") or ()}
    return [flag.value for flag in Flag if flag.value in found]
