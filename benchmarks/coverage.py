"""How often what is claimed of scores and differences is true: `python -m benchmarks.coverage`.

Rounds are simulated whose truth is known: marks from 0 to 3 are rounded sums of what is the question's,
the annotator's, the system's on the question, the system's with the annotator, and chance. What the
product says of each round is set against the truth. It goes on where it was stopped (var/coverage.jsonl),
and writes its table into docs/reference/statistics.md; `--trials` rounds are simulated a row.
"""

import argparse
import itertools
import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
from scipy import optimize, special

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scoring.stats import multiple
from scoring.stats.claims import Claim
from scoring.stats.judges import standing_in
from scoring.stats.scores import components
from scoring.stats.scores.components import MeetingLayout, MetValues

HOME = Path(__file__).resolve().parents[1]
PAGE = HOME / "docs/reference/statistics.md"
KEPT = HOME / "var/coverage.jsonl"
MARK = "<!-- coverage: made by `make coverage` -->"
STEPS = np.array([0.5, 1.5, 2.5])
#: SD of questions, of a system on a question, of annotators, and of chance: the worst of them counts.
SPREADS = ((0.6, 0.4, 0.3, 0.5), (0.2, 0.2, 0.3, 0.9), (1.0, 0.6, 0.5, 0.3))
#: What is said of a round: the level that has to be held, and the most that may be missed.
HELD, FALSE, FALSE_OF_TWO = 0.92, 0.05, 0.08
N_SYSTEMS = 4


@dataclass(frozen=True, slots=True)
class Design:
    """A round: questions by capability, annotators, the share of them that grade a question.

    `mean` is what all systems are worth, `own` the SD of what a system is to an annotator.
    """

    sizes: tuple[int, ...]
    n_raters: int
    share: float
    mean: float
    own: float
    n_systems: int = N_SYSTEMS

    @property
    def key(self) -> str:
        return json.dumps(asdict(self))


@dataclass
class Tally:
    """How often an interval held the truth, of how many that were shown, by what it is of."""

    held: dict[str, list[int]] = field(default_factory=dict)

    def note(self, name: str, is_so: bool) -> None:
        mine = self.held.setdefault(name, [0, 0])
        mine[0] += bool(is_so)
        mine[1] += 1


def designs() -> Iterator[Design]:
    """Yield every row of the table, first those that stand for most."""
    for sizes in ((4, 4), (3, 3, 3), (2,) * 6, (8, 2), (20, 2), (20, 1), (20, 5), (100, 10)):
        yield Design(sizes, 3, 1.0, 0.5, 0.3)
    for n_systems, n in itertools.product((2, 3, 8), (12, 30, 100)):
        yield Design((n,), 3, 1.0, 0.5, 0.3, n_systems)
    whole = itertools.product(
        (3, 10, 5),
        (1.0, 0.3, 0.6),
        (0.3, 0.0),
        (0.5, 0.9, 0.98),
        (6, 8, 12, 20, 30, 50, 100, 300),
    )
    for n_raters, share, own, mean, n in whole:
        yield Design((n,), n_raters, share, mean, own)


class World:
    """Rounds of a design and a spread, and what is true of them."""

    def __init__(self, of: Design, spread: Sequence[float], rng: np.random.Generator) -> None:
        self.of, self.rng = of, rng
        self.question, self.system, self.rater, self.chance = spread
        self.alone = math.sqrt(self.question**2 + self.system**2 + self.chance**2)
        whole = math.sqrt(self.alone**2 + self.rater**2 + of.own**2)
        self.centre = optimize.brentq(lambda at: expected(at, whole) - of.mean, -20, 30)
        stratum = np.repeat(np.arange(len(of.sizes)), of.sizes)
        self.stratum, self.n = stratum, len(stratum)

    def round(self) -> tuple[list[MetValues], np.ndarray]:
        """Return the values of every system, and what each is worth to each annotator."""
        of, normal = self.of, self.rng.normal
        shape = (self.n, of.n_raters, of.n_systems)
        to_rater = normal(0, self.rater, (1, shape[1], 1)) + normal(0, of.own, (1, *shape[1:]))
        worth = self.centre + normal(0, self.question, (shape[0], 1, 1))
        worth = worth + normal(0, self.system, (shape[0], 1, shape[2])) + to_rater
        marks = np.clip(np.rint(worth + normal(0, self.chance, shape)), 0, 3) / 3
        each = max(1, round(of.share * of.n_raters))
        there = self.rng.random(shape[:2]).argsort(axis=1).argsort(axis=1) < each
        question, rater = np.nonzero(there)
        rater = np.unique(rater, return_inverse=True)[1]
        size = np.bincount(self.stratum[question])
        weight = 1 / (len(of.sizes) * size[self.stratum[question]])
        layout = MeetingLayout(question, rater, self.stratum)
        made = [
            MetValues(layout, values, weight, _different(values, question))
            for values in marks[there].T
        ]
        to_each = expected(self.centre + to_rater[0], self.alone)
        return made, to_each[there.any(axis=0)]


def expected(at, spread):
    """Return the share of the scale that a normal worth of this centre and SD comes to."""
    return sum(special.ndtr((at - step) / spread) for step in STEPS) / 3


def _different(values: np.ndarray, question: np.ndarray) -> int:
    means = np.rint(1e9 * np.bincount(question, values) / np.bincount(question))
    return len(means) - int(np.unique(means, return_counts=True)[1].max())


def simulate(of: Design, spread: Sequence[float], trials: int, seed: int) -> Tally:
    """Return how often what is said of rounds was true."""
    world, tally = World(of, spread, np.random.default_rng(seed)), Tally()
    for _ in range(trials):
        made, to_each = world.round()
        _note_score(tally, made[0], to_each[:, 0], of)
        _note_differences(tally, made, to_each)
    return tally


def _note_score(tally: Tally, of: MetValues, to_each: np.ndarray, design: Design) -> None:
    value = Fraction(float((of.value * of.weight).sum()))
    around = components.spread([of])
    told = components.estimates(value, of, around, level=0.95, is_share=True)
    for claim, found in zip(Claim, told, strict=True):
        truth = design.mean if claim is Claim.OTHERS else _to_these(of, to_each)
        tally.note(f"score {claim} shown", found.low is not None)
        if found.low is not None:
            tally.note(f"score {claim}", found.low <= truth <= found.high)


def _note_differences(tally: Tally, made: Sequence[MetValues], to_each: np.ndarray) -> None:
    pairs = list(itertools.combinations(range(len(made)), 2))
    layouts = [_less(made[left], made[right]) for left, right in pairs]
    around = components.spread(layouts, len(made) - 1)
    ps = {claim: [] for claim in Claim}
    for n, ((left, right), of) in enumerate(zip(pairs, layouts, strict=True)):
        value = Fraction(float((of.value * of.weight).sum()))
        told = components.estimates(value, of, around, level=0.95, is_share=False)
        for claim, found in zip(Claim, told, strict=True):
            ps[claim].append(found.p)
            if n == 0 and found.low is not None:
                apart = to_each[:, left] - to_each[:, right]
                truth = 0 if claim is Claim.OTHERS else _to_these(of, apart)
                tally.note(f"difference {claim}", found.low <= truth <= found.high)
    corrected = [multiple.holm(ps[claim]) for claim in Claim]
    # Clear is what holds by both claims, as the product says it.
    clear = [all(p is not None and p < 0.05 for p in both) for both in zip(*corrected, strict=True)]
    tally.note("false", any(clear))


def _to_these(of: MetValues, to_each: np.ndarray) -> float:
    return float(np.bincount(of.layout.rater, of.weight) @ to_each)


def _less(one: MetValues, other: MetValues) -> MetValues:
    return MetValues(one.layout, one.value - other.value, one.weight, 0)


@dataclass(frozen=True, slots=True)
class Row:
    """The worst of the spreads: shares held of those shown, how many were shown, false alarms."""

    design: Design
    trials: int
    held: dict[str, tuple[float, int]]
    false: float

    @property
    def faults(self) -> list[str]:
        """Return what is claimed too often, beyond 2.6 standard errors of the simulation."""
        said = [
            f"{name}: {share:.3f} of {n}"
            for name, (share, n) in self.held.items()
            if n and share + 2.6 * math.sqrt(HELD * (1 - HELD) / n) < HELD
        ]
        most = FALSE if self.design.n_systems > 2 else FALSE_OF_TWO
        if self.false > most + 2.6 * math.sqrt(most * (1 - most) / self.trials):
            said.append(f"false: {self.false:.3f}")
        return said


NAMES = tuple(f"{what} {claim}" for what in ("score", "difference") for claim in Claim)


def row(of: Design, *, trials: int, seed: int = 1) -> Row:
    """Simulate a design with every spread, and return the worst."""
    found = [simulate(of, spread, trials, seed + n) for n, spread in enumerate(SPREADS)]
    held = {}
    for name in NAMES:
        counts = [one.held.get(name, [0, 0]) for one in found]
        known = [(hits / n, n) for hits, n in counts if n >= trials / 10]
        held[name] = min(known, default=(1.0, 0))
    return Row(of, trials, held, max(one.held["false"][0] / trials for one in found))


def kept(path: Path) -> dict[str, Row]:
    """Return the rows that were simulated before."""
    if not path.exists():
        return {}
    rows = {}
    for line in path.read_text().splitlines():
        one = json.loads(line)
        design = Design(**{**one["design"], "sizes": tuple(one["design"]["sizes"])})
        held = {name: tuple(pair) for name, pair in one["held"].items()}
        rows[design.key] = Row(design, one["trials"], held, one["false"])
    return rows


def keep(made: Row, path: Path) -> None:
    with path.open("a") as file:
        file.write(json.dumps(asdict(made)) + "\n")


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the table of the reference: for each number of questions, annotators and mean the worst."""
    heads = (
        "questions",
        "annotators",
        "mean",
        *(name.replace(" ", ", ") for name in NAMES),
        "false",
    )
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    groups: dict[tuple[tuple[int, ...], float, int], list[Row]] = {}
    for one in rows:
        of = one.design
        groups.setdefault((of.sizes, of.mean, of.n_systems), []).append(one)
    for (sizes, mean, n_systems), some in sorted(groups.items(), key=_by_size):
        questions = ", ".join(map(str, sizes))
        if n_systems != N_SYSTEMS:
            questions += f" ({n_systems} systems)"
        cells = [f"{mean:g}", *(_cell(name, some) for name in NAMES)]
        cells.append(f"{100 * max(one.false for one in some):.1f} %")
        yield f"| {' | '.join([questions, *cells])} |"


def _by_size(group: tuple[tuple[tuple[int, ...], float, int], list[Row]]) -> tuple[object, ...]:
    (sizes, mean, n_systems), _rows = group
    return len(sizes) > 1, n_systems != N_SYSTEMS, sizes if len(sizes) == 1 else (), n_systems, mean


def _cell(name: str, rows: Sequence[Row]) -> str:
    shares = [share for share, n in (one.held[name] for one in rows) if n]
    if not shares:
        return "none"
    low, high = f"{min(shares):.2f}", f"{max(shares):.2f}"
    return low if low == high else f"{low}–{high}"


@dataclass(frozen=True, slots=True)
class InTheirPlace:
    """A judge and a person over questions with `each` responses; the judge wins `alone` of them.

    The person wins oftener by ε, so that the judge must not stand in. Responses to one question go
    together: so large a share of them is drawn for the question.
    """

    questions: int
    each: int = 1
    alone: float = 0.05
    epsilon: float = 0.2
    together: float = 0.0


IN_THEIR_PLACE = (
    *(InTheirPlace(n, 1, alone) for n in (10, 20, 30, 60) for alone in (0.05, 0.2)),
    *(InTheirPlace(n, 4, alone, together=0.55) for n in (12, 25) for alone in (0.05, 0.2)),
    *(InTheirPlace(n, 1, 0.05, epsilon) for n in (15, 40) for epsilon in (0.05, 0.1, 0.3)),
)


def passed(
    of: InTheirPlace, *, trials: int, seed: int, test: standing_in.Test = "by_question"
) -> float:
    """Return how often a judge whom the hypothesis holds for is found to be as good, at p ≤ .05."""
    rng, shape = np.random.default_rng(seed), (of.questions, of.each)
    question = np.repeat(np.arange(of.questions), of.each)
    found = 0
    for _ in range(trials):
        shared = rng.random(shape) < of.together
        lot = np.where(shared, rng.random((of.questions, 1)), rng.random(shape)).ravel()
        judge = lot > 1 - of.alone
        behind = (lot < of.alone + of.epsilon) - judge.astype(np.float64)
        if test == "as_published":
            found += standing_in.by_t(behind, np.arange(behind.size), of.epsilon) <= 0.05
        else:
            found += standing_in.by_question(behind, question, of.epsilon) <= 0.05
    return found / trials


def most_passed(trials: int) -> float:
    """Return how often that may be, beyond 2.6 standard errors of the simulation."""
    return FALSE + 2.6 * math.sqrt(FALSE * (1 - FALSE) / trials)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--trials", type=int, default=1000)
    asked.add_argument("--kept", type=Path, default=KEPT)
    asked.add_argument("--part", default="0/1", help="which of how many processes this is")
    asked.add_argument("--page", action="store_true", help="write the table and simulate nothing")
    given = asked.parse_args()
    wanted = list(designs())
    known = kept(given.kept)
    if not given.page:
        given.kept.parent.mkdir(parents=True, exist_ok=True)
        mine, of_all = map(int, given.part.split("/"))
        for n, design in enumerate(wanted):
            if n % of_all == mine and design.key not in known:
                made = row(design, trials=given.trials)
                keep(made, given.kept)
                faults = "; ".join(made.faults)
                sys.stdout.write(f"{design} {made.held} {made.false:.3f} {faults}\n")
                sys.stdout.flush()
        known = kept(given.kept)
        for design in IN_THEIR_PLACE:
            share = passed(design, trials=given.trials, seed=1)
            sys.stdout.write(f"{design} {share:.3f}, at most {most_passed(given.trials):.3f}\n")
    told = "\n".join(table([known[one.key] for one in wanted if one.key in known]))
    before, _mark, rest = PAGE.read_text().partition(MARK)
    after = rest.partition(MARK)[2]
    PAGE.write_text(f"{before}{MARK}\n\n{told}\n\n{MARK}{after}")


if __name__ == "__main__":
    main()
