"""In which order each seat shows its responses, dealt over a whole round at once.

Invariant: over all seats with the same number m of responses, every release stands in every
position floor(n / m) or ceil(n / m) times, n being the seats it has there.

1. Seats that show the same releases get whole Williams squares: exact balance, of positions
   and of neighbours.
2. What is left of them gets rows of one Latin square.
3. Where several sets of releases of one size leave a remainder, positions are the colours of an
   edge colouring (König) of the graph seats × releases, each release being cut into chunks of m
   seats: every chunk meets every position once.

* Which pairs of releases are compared on each item of a round of pairs.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from annotation.common import draws as seeds

ALGORITHM = "williams-1"

# Seats of one item are neighbours in draw order: so many of them in a row see different rows,
# wherever the square has rows enough.
WINDOW = 3

FEISTEL_TURNS = 6


@dataclass(frozen=True, slots=True)
class Deal:
    """The order of one seat: the ordinals of releases by display position."""

    order: tuple[int, ...]
    row: int | None  # of the Williams design of this size; None where rule 3 dealt
    square: int | None  # how many squares its set of releases had before
    version: str = ALGORITHM


@cache
def williams(q: int) -> tuple[tuple[int, ...], ...]:
    """Return a Williams design: q rows if q is even, 2q if odd, of the numbers below q.

    Every number stands in every position equally often and follows every other equally often.
    The first q rows are a Latin square; for odd q the others are their mirror.

    Raises:
        ValueError: q is not positive.

    References:
        Williams (1949), Experimental designs balanced for the estimation of residual effects.
    """
    if q < 1:
        raise ValueError("An order needs at least one response.")
    first = [(place + 1) // 2 if place % 2 else (q - place // 2) % q for place in range(q)]
    rows = tuple(tuple((number + shift) % q for number in first) for shift in range(q))
    return rows if q % 2 == 0 else rows + tuple(row[::-1] for row in rows)


@cache
def schedule(n: int) -> tuple[tuple[int, int], ...]:
    """Return every pair of the numbers below n in an order whose every beginning is balanced.

    However many of the pairs are taken from the front, no number is in two more of them than
    another: for even n each round of n / 2 pairs meets everybody once; for odd n the pairs follow
    each other around Hamiltonian cycles.

    Raises:
        ValueError: n is negative.

    References:
        Walecki's cycles, in Lucas (1883), Récréations mathématiques, volume 2.
    """
    if n < 0:
        raise ValueError("There are no fewer than no releases.")
    if n % 2 == 0:
        rounds = range(max(0, n - 1))
        return tuple(pair for turn in rounds for pair in _meetings(n, turn))
    found = []
    for turn in range((n - 1) // 2):
        zigzag = [
            (turn + (-1) ** (step + 1) * ((step + 1) // 2)) % (n - 1) for step in range(n - 1)
        ]
        cycle = [n - 1, *zigzag]
        steps = range(0, 2 * n, 2)
        found += [(cycle[step % n], cycle[(step + 1) % n]) for step in steps]
    return tuple(found)


def _meetings(n: int, turn: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of one round of a tournament with an even number of players."""
    yield n - 1, turn
    for step in range(1, n // 2):
        yield (turn + step) % (n - 1), (turn - step) % (n - 1)


def pairings(
    present: Sequence[Collection[int]], n_releases: int, each: int | None
) -> list[list[int]]:
    """Return for every item the places in `schedule` of the pairs that are compared on it.

    Where every release answered every item, all pairs meet equally often (±1), and every release
    is compared equally often (±1); else as nearly so as the answers allow.

    Args:
        present: the releases that answered each item.
        n_releases: in the round.
        each: so many pairs an item; None: all.
    """
    pairs = schedule(n_releases)
    met = [0] * len(pairs)
    taken: Counter[int] = Counter()
    found = []
    for releases in present:
        open_ = [place for place, (a, b) in enumerate(pairs) if a in releases and b in releases]
        chosen: list[int] = []
        while open_ and (each is None or len(chosen) < each):
            place = min(open_, key=lambda one: (met[one], sum(taken[r] for r in pairs[one]), one))
            open_.remove(place)
            chosen.append(place)
            met[place] += 1
            taken.update(pairs[place])
        found.append(sorted(chosen))
    return found


def deal(seats: Sequence[Sequence[int]], *, seed: str) -> list[Deal]:
    """Return the order of every seat; a seat is given as the releases that answered its item.

    Args:
        seats: in draw order, the seats of one item beside each other; a release is named by its
            seeded ordinal in the round.
        seed: of the round.

    Raises:
        ValueError: a seat without responses, or with the same release twice.
    """
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for seat, releases in enumerate(seats):
        chosen = tuple(sorted(releases))
        if not chosen or len(set(chosen)) < len(chosen):
            raise ValueError(f"Seat {seat + 1} needs at least one response, and each only once.")
        groups[chosen].append(seat)
    left_over: dict[int, int] = defaultdict(int)
    for chosen, members in groups.items():
        left_over[len(chosen)] += len(members) % len(chosen) > 0
    dealt: dict[int, Deal] = {}
    pools: dict[int, dict[int, tuple[int, ...]]] = defaultdict(dict)
    for chosen, members in groups.items():
        alone = left_over[len(chosen)] == 1
        count = len(members) if alone else len(members) - len(members) % len(chosen)
        rng = seeds.generator(seed, "orders", ALGORITHM, *map(str, chosen))
        dealt.update(zip(members, _from_squares(chosen, count, rng), strict=False))
        pools[len(chosen)].update(dict.fromkeys(members[count:], chosen))
    for size, pool in pools.items():
        rng = seeds.generator(seed, "orders", ALGORITHM, "pool", str(size))
        dealt.update(_from_colours(dict(sorted(pool.items())), size, rng))
    return [dealt[seat] for seat in range(len(seats))]


def deal_more(
    releases: Sequence[int], dealt: Sequence[Sequence[int]], *, seed: str, seat: int
) -> Deal:
    """Return an order for a seat that is added to an item later: a row of its square not seen there yet.

    Args:
        releases: that answered the item, by their seeded ordinals.
        dealt: the orders of the item's seats so far.
        seed: of the round.
        seat: the new seat's ordinal in the round.
    """
    chosen = tuple(sorted(releases))
    rows = [tuple(chosen[place] for place in row) for row in williams(len(chosen))]
    seen = [sum(tuple(order) == row for order in dealt) for row in rows]
    free = [place for place, times in enumerate(seen) if times == min(seen)]
    row = free[seeds.integer(seed, "added seat", ALGORITHM, str(seat), below=len(free))]
    return Deal(rows[row], row, None)


def _from_squares(chosen: tuple[int, ...], count: int, rng: np.random.Generator) -> list[Deal]:
    """Deal whole Williams squares, then at most one whole Latin square, then rows of one."""
    size = len(chosen)
    design = williams(size)
    orders = [tuple(chosen[place] for place in row) for row in design]
    whole, rest = divmod(count, len(design))
    rows = _shuffles(range(len(design)), whole, [], rng)
    # The two halves of a design with an odd size are Latin squares, an even one is a single one.
    halves = [range(start, start + size) for start in range(0, len(design), size)]
    for half in rng.permutation(len(halves)):
        rows += _shuffles(halves[half], 1, rows, rng)[: max(0, rest)]
        rest -= size
    return [Deal(orders[row], row, place // len(design)) for place, row in enumerate(rows)]


def _shuffles(
    rows: range, times: int, before: Sequence[int], rng: np.random.Generator
) -> list[int]:
    """Return the rows in one random order after the other, with no row twice in a window."""
    apart = min(WINDOW, len(rows) - 1) - 1
    draws = _permutations(rows, rng)
    result = list(before[-WINDOW:])
    start = len(result)
    for _ in range(times):
        drawn = next(draws)
        while any(drawn[i] in result[i - apart :] for i in range(min(apart, len(result)))):
            drawn = next(draws)
        result += drawn
    return result[start:]


def _permutations(rows: range, rng: np.random.Generator) -> Iterator[list[int]]:
    while True:
        yield from rng.permuted(np.tile(np.array(rows), (64, 1)), axis=1).tolist()


def _from_colours(
    pool: dict[int, tuple[int, ...]], size: int, rng: np.random.Generator
) -> dict[int, Deal]:
    """Deal seats of several sets of releases together, by an equitable edge colouring."""
    chunks = _Chunks(size)
    colouring = _Colouring(size)
    seats = list(pool)
    for place in rng.permutation(len(seats)).tolist():
        for release in rng.permutation(pool[seats[place]]).tolist():
            colouring.add(place, chunks.of(release))
    positions = rng.permutation(size).tolist()
    return {
        seat: Deal(
            tuple(chunks.releases[colouring.chunk(place, colour)] for colour in positions),
            None,
            None,
        )
        for place, seat in enumerate(seats)
    }


class _Chunks:
    """Cuts the seats of each release into chunks of one size, the last being smaller."""

    def __init__(self, size: int) -> None:
        self.releases: list[int] = []  # the release of each chunk
        self._size = size
        self._current: dict[int, tuple[int, int]] = {}

    def of(self, release: int) -> int:
        """Return the chunk for one more seat of this release."""
        chunk, left = self._current.get(release, (0, 0))
        if left == 0:
            chunk, left = len(self.releases), self._size
            self.releases.append(release)
        self._current[release] = chunk, left - 1
        return chunk


class _Colouring:
    """A proper edge colouring of a bipartite graph whose degrees do not exceed its colours.

    References:
        König (1916), Über Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre.
    """

    def __init__(self, colours: int) -> None:
        self._colours = range(colours)
        # (vertex, colour) -> the vertex at the other end; chunks are ~0, ~1, … to differ
        # from seats 0, 1, …
        self._ends: dict[tuple[int, int], int] = {}

    def chunk(self, seat: int, colour: int) -> int:
        return ~self._ends[seat, colour]

    def add(self, seat: int, chunk: int) -> None:
        """Add an edge, recolouring an alternating path where the two ends disagree."""
        free_here = self._free(seat)
        free_there = self._free(~chunk)
        both = next((colour for colour in free_here if colour in free_there), None)
        if both is None:
            both = free_here[0]
            self._swap(~chunk, both, free_there[0])
        self._join(seat, ~chunk, both)

    def _free(self, vertex: int) -> list[int]:
        return [colour for colour in self._colours if (vertex, colour) not in self._ends]

    def _swap(self, vertex: int, colour: int, other: int) -> None:
        # The path from a chunk by a colour its seat lacks never ends in that seat (König).
        edges = []
        while (vertex, colour) in self._ends:
            end = self._ends.pop((vertex, colour))
            del self._ends[end, colour]
            edges.append((vertex, end, other))
            vertex, colour, other = end, other, colour
        for start, end, new in edges:
            self._join(start, end, new)

    def _join(self, one: int, two: int, colour: int) -> None:
        self._ends[one, colour] = two
        self._ends[two, colour] = one


def visits(seed: str, person: str, n: int, start: int, count: int) -> list[int]:
    """Return the places start … start + count − 1 of a person's own order, as far as it goes."""
    key = _person_key(seed, person)
    return [_walk(key, n, k) for k in range(max(0, start), min(n, start + count))]


def _person_key(seed: str, person: str) -> bytes:
    return bytes.fromhex(seeds.rank_key(seed, f"visit {person}"))


def _walk(key: bytes, n: int, k: int) -> int:
    # A Feistel network permutes all numbers of 2 × half bits; what falls outside walks on
    # along its cycle until it is inside again, so the numbers below n are permuted too.
    half = max(3, ((n - 1).bit_length() + 1) // 2)
    value = _feistel(key, half, k)
    while value >= n:
        value = _feistel(key, half, value)
    return value


def _feistel(key: bytes, half: int, value: int) -> int:
    mask = (1 << half) - 1
    left, right = value >> half, value & mask
    for turn in range(FEISTEL_TURNS):
        message = f"{turn} {half} {right}".encode()
        mixed = hashlib.blake2b(message, key=key, digest_size=8).digest()
        left, right = right, left ^ (int.from_bytes(mixed) & mask)
    return left << half | right
