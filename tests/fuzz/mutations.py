"""Files that were valid once: damaged in ways that depend on nothing but their number."""

import hashlib
from collections.abc import Iterator

#: What readers have stumbled over: brackets, quotes, ends, nulls, half characters, huge numbers.
NASTY = (
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b'"',
    b"'",
    b"{",
    b"}",
    b"[[[[[[",
    b"\\ud800",
    b"\\u0000",
    b"NaN",
    b"1e999",
    b"-1",
    b"99999999999999999999999999",
    b"null",
    b"true",
    b"\r",
    b"\n",
    b",,,,",
    b"\t",
    b"=1+1",
    b"\xe4",
    b"\xf0\x9f\x98",
    b"2026-13-45",
    b"&a *a",
    b": ",
    b"- ",
)


def damaged(valid: bytes, number: int) -> bytes:
    """Return the file of this number: a few changes here and there, or it breaks off."""
    draw = _Draws(number)
    data = bytearray(valid)
    for _step in range(1 + draw.below(6)):
        _change(data, draw)
    if draw.below(8) == 0:
        del data[draw.below(len(data) + 1) :]
    return bytes(data)


def _change(data: bytearray, draw: "_Draws") -> None:
    place, size = draw.below(len(data) + 1), 1 + draw.below(40)
    match draw.below(6):
        case 0:
            data[place : place + 1] = bytes([draw.below(256)])
        case 1:
            del data[place : place + size]
        case 2:
            data[place:place] = data[place : place + size]
        case 3:
            data[place:place] = NASTY[draw.below(len(NASTY))]
        case 4:
            data[place : place + size] = NASTY[draw.below(len(NASTY))]
        case _:
            other = draw.below(len(data) + 1)
            data[place : place + size] = data[other : other + size]


class _Draws:
    """Numbers that follow from a seed: hashes, one after the other."""

    def __init__(self, seed: int) -> None:
        self._numbers = self._stream(seed)

    def below(self, end: int) -> int:
        return next(self._numbers) % max(end, 1)

    @staticmethod
    def _stream(seed: int) -> Iterator[int]:
        step = 0
        while True:
            digest = hashlib.sha256(f"fuzz {seed} {step}".encode()).digest()
            yield from (int.from_bytes(digest[i : i + 4]) for i in range(0, 32, 4))
            step += 1
