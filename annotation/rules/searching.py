"""What of a question is searched, and how words are written when they are sought.

Capitals, widths and spaces do not count. Any run of signs is found, however short it is and in
whatever script: "提单" as well as "EU".
"""

import unicodedata
from collections.abc import Iterable

#: So much of a question is searched; what stands behind it is found by its first words.
MOST = 20_000


def folded(text: str) -> str:
    """Return a text as it is compared: one case, one width, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def words_of(external_id: str, turns: Iterable[str], answer: str) -> str:
    """Return all that a question is found by, a line for its id, for each turn and the answer."""
    return "\n".join(folded(one) for one in (external_id, *turns, answer))[:MOST]
