"""Cut a text into words, numbers (1,200.50 is one), signs of scripts without spaces, and the spaces between.

The same rule stands in static/js/lib/entries.js; fixtures/examples/diff_vectors.json keeps the two
alike. Nothing is lost: the pieces put together are the text.
"""

import re

# Scripts Han, Hiragana and Katakana, each sign of which is a piece of its own.
SIGNS = (
    "\u2e80-\u2e99\u2e9b-\u2ef3\u2f00-\u2fd5\u3005\u3007\u3021-\u3029\u3038-\u303b"
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff\u32d0-\u32fe\u3300-\u3357"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufa6d\ufa70-\ufad9\uff66-\uff6f\uff71-\uff9d"
    "\U0001b000-\U0001b122\U00020000-\U0002a6df\U0002a700-\U0002ebe0\U0002f800-\U0002fa1d"
    "\U00030000-\U000323af"
)
# What a browser takes for a space; Python's own \s knows a few more and one less.
SPACES = "\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

_PIECE = re.compile(rf"[{SIGNS}]|[{SPACES}]+|\d+(?:[.,]\d+)+|(?:(?![{SIGNS}])[^\W_])+|.", re.DOTALL)
_SIGN = re.compile(rf"[{SIGNS}]")


def cut(text: str) -> list[str]:
    """Return the pieces of a text, in order."""
    return _PIECE.findall(text)


def is_sign(piece: str) -> bool:
    """Say whether a piece is a sign of a script without spaces."""
    return _SIGN.match(piece) is not None
