"""What a judge of pairs came to, and how it stands beside people. Loads numpy, scipy, statsmodels: workers only."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd

from annotation.rounds.models import Round
from annotation.systems.models import Item, Response, SystemRelease
from scoring.endpoints.models import Endpoint
from scoring.engine.models import Run, Step
from scoring.figures import snapshots
from scoring.kinds.metrics import queries as measured
from scoring.kinds.pairs import queries
from scoring.kinds.pairs.outcome import INCONSISTENT, LEFT_OUT
from scoring.kinds.pairs.v1 import PairVerdict
from scoring.stats import frame
from scoring.stats.claims import ClaimEstimate
from scoring.stats.judges import standing_in
from scoring.stats.plain import Plain, plain
from scoring.stats.preferences import judged, lengths, rates
from scoring.stats.preferences.choices import WORTH, Choices, of_ratings
from scoring.stats.resampled.linear import FloatArray, IntArray

PAGE: Final = 500
#: What a verdict is worth to the left answer; a contradiction is a tie.
VOTE: Final[Mapping[str, float]] = {
    PairVerdict.LEFT: judged.LEFT,
    PairVerdict.RIGHT: judged.RIGHT,
    PairVerdict.TIE: judged.TIE,
    PairVerdict.BOTH_BAD: judged.TIE,
    PairVerdict.INCONSISTENT: judged.TIE,
}


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A pair that was asked; `values` are the choices in both orders, as the judge saw them."""

    item: int
    releases: tuple[int, int]
    responses: tuple[int, int]
    outcome: str
    chosen: str | None
    values: tuple[int | None, ...]


@dataclass(frozen=True)
class PairsReplies:
    """What the judge of a run said, read once; where it contradicts itself there is no vote if so chosen."""

    run: Run
    leaves_out: bool

    @cached_property
    def asked(self) -> list[JudgedPair]:
        ended = (Step.State.DONE, Step.State.FAILED)
        rows = Step.objects.filter(run=self.run, state__in=ended).order_by("ordinal")
        names = ("item_id", "spec", "outcome", "result")
        return [_judged(*row) for row in rows.values_list(*names).iterator(PAGE)]

    @cached_property
    def known(self) -> list[JudgedPair]:
        """The pairs on which the judge votes."""
        return [
            one
            for one in self.asked
            if one.chosen and not (self.leaves_out and one.chosen == INCONSISTENT)
        ]

    @cached_property
    def releases(self) -> list[int]:
        return sorted({pk for one in self.asked for pk in one.releases})

    @cached_property
    def votes(self) -> FloatArray:
        return np.array([VOTE[one.chosen or ""] for one in self.known], dtype=np.float64)

    @cached_property
    def _groups(self) -> Mapping[int, int]:
        """The group of each question, by number: those of one group vary together."""
        items = sorted({one.item for one in self.asked})
        found: dict[int, str] = {}
        for start in range(0, len(items), PAGE):
            rows = Item.objects.filter(pk__in=items[start : start + PAGE])
            found.update(rows.values_list("pk", "group"))
        place = {name: at for at, name in enumerate(sorted(set(found.values())))}
        return {item: place[name] for item, name in found.items()}

    def groups(self, items: Sequence[int]) -> IntArray:
        """Return of each question its group: what intervals take for one."""
        return np.array([self._groups[one] for one in items], dtype=np.int64)

    @cached_property
    def cluster(self) -> IntArray:
        return self.groups(self._items)

    @property
    def _items(self) -> list[int]:
        return [one.item for one in self.known]

    @cached_property
    def systems(self) -> IntArray:
        """Which two systems gave the answers, as a number; the same one is always the left."""
        place = {sides: at for at, sides in enumerate(sorted({one.releases for one in self.known}))}
        return np.array([place[one.releases] for one in self.known], dtype=np.int64)

    @cached_property
    def sizes(self) -> Mapping[int, int]:
        """How many characters each answer has."""
        keys = sorted({pk for one in self.asked for pk in one.responses})
        found: dict[int, int] = {}
        for start in range(0, len(keys), PAGE):
            rows = Response.objects.filter(pk__in=keys[start : start + PAGE])
            for pk, messages in rows.values_list("pk", "messages"):
                found[pk] = len(measured.spoken(messages))
        return found

    @cached_property
    def longer(self) -> FloatArray:
        """By how many characters the left answer is longer."""
        sizes = self.sizes
        gaps = [sizes[one.responses[0]] - sizes[one.responses[1]] for one in self.known]
        return np.array(gaps, dtype=np.float64)

    @cached_property
    def choices(self) -> Choices:
        place = {pk: number for number, pk in enumerate(self.releases)}
        sides = np.array([[place[pk] for pk in one.releases] for one in self.known]).T
        bad = [one.chosen == PairVerdict.BOTH_BAD for one in self.known]
        return self._chosen(sides, self.votes, np.array(bad, dtype=np.int64), self._items)

    @cached_property
    def by_order(self) -> Choices | None:
        """Every single choice: `first` stood at A."""
        place = {pk: number for number, pk in enumerate(self.releases)}
        rows = [
            (one.item, *_turned([place[pk] for pk in one.releases], turned), WORTH[value])
            for one in self.asked
            for turned, value in enumerate(one.values)
            if value is not None
        ]
        if not rows:
            return None
        items, first, second, worth = zip(*rows, strict=True)
        nobody = np.zeros(len(rows), dtype=np.int64)
        sides = np.array([first, second])
        return self._chosen(sides, np.array(worth), nobody, items)

    def _chosen(
        self, sides: IntArray, worth: FloatArray, both_bad: IntArray, items: Sequence[int]
    ) -> Choices:
        asked, question = np.unique(np.array(items, dtype=np.int64), return_inverse=True)
        alike = np.zeros(len(asked), dtype=np.int64)
        rater = np.zeros(len(worth), dtype=np.int64)
        names = tuple(self.releases)
        groups = self.groups(asked.tolist())
        of = question.ravel()
        return Choices(sides[0], sides[1], worth, both_bad, of, rater, names, alike, groups)

    def own(self) -> FloatArray:
        """Return 1 where the left answer alone is of the judge's family, −1 where the right one is."""
        endpoint = Endpoint.objects.filter(pk=self.run.config["endpoint"]).first()
        family = endpoint.family.strip().casefold() if endpoint else ""
        rows = SystemRelease.objects.filter(pk__in=self.releases)
        known = {
            pk: name.strip().casefold() for pk, name in rows.values_list("pk", "system__family")
        }
        if not family or family not in known.values():
            return np.zeros(len(self.known))
        told = [[known[pk] for pk in one.releases] for one in self.known]
        return np.array(
            [float(a == family) - float(b == family) if a and b else 0.0 for a, b in told]
        )


def _judged(
    item: int, spec: Mapping[str, Any], outcome: str, result: Mapping[str, Any] | None
) -> JudgedPair:
    made = result or {}
    return JudgedPair(
        item,
        tuple(spec["releases"]),
        tuple(spec["responses"]),
        outcome,
        made.get("chosen") if outcome == Step.Outcome.OK else None,
        tuple(
            None if one["value"] is None else int(one["value"]) for one in made.get("orders", ())
        ),
    )


def _turned(sides: Sequence[int], turned: int) -> tuple[int, int]:
    left, right = sides
    return (right, left) if turned else (left, right)


# People -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class PeoplesVotes:
    """What people said of the judge's pairs: `votes` are pairs × people, in the order of the pairs."""

    choices: Choices
    votes: FloatArray


def people_of(held: PairsReplies) -> PeoplesVotes | None:
    """Return what people said of the same pairs by the same criterion; None where they said nothing."""
    round_, asked = held.run.round, held.run.config["criterion"]
    if round_ is None or not round_.of_pairs or round_.state != Round.State.FINAL:
        return None
    if asked.get("name") not in {queries.name_of(one) for one in queries.of_round(round_)}:
        return None
    ratings = snapshots.table([round_])
    counted = frame.default_filter(ratings, marks=frame.CHOSEN)
    rows = counted[
        (counted["criterion"] == asked["key"])
        & counted["value"].notna()
        & counted["against"].notna()
    ]
    votes = _votes(held.known, rows)
    return None if np.isnan(votes).all() else PeoplesVotes(of_ratings(rows), votes)


def _votes(pairs: Sequence[JudgedPair], rows: pd.DataFrame) -> FloatArray:
    place = {(one.item, one.releases): at for at, one in enumerate(pairs)}
    raters = {one: at for at, one in enumerate(sorted(set(rows["rater"])))}
    made = np.full((len(pairs), len(raters)), np.nan)
    columns = (rows[name].tolist() for name in ("item", "release", "against", "rater", "value"))
    for item, release, against, rater, value in zip(*columns, strict=True):
        worth = WORTH[value]
        if (at := place.get((item, (release, against)))) is not None:
            made[at, raters[rater]] = worth
        elif (at := place.get((item, (against, release)))) is not None:
            made[at, raters[rater]] = 1 - worth
    return made


# The figure -------------------------------------------------------------------------------


def compute(run: Run, params: Mapping[str, Any]) -> Plain:
    """Return win rates, what sways the judge, how it agrees with people, and how replies were read."""
    held = PairsReplies(run, params.get("inconsistent") == LEFT_OUT)
    made: dict[str, Plain] = {"releases": plain(held.releases), "counts": plain(_counts(held))}
    if not held.known:
        return {**made, "rates": None}
    equal = lengths.equal_length(held.choices, held.longer)
    people = people_of(held)
    return {
        **made,
        "rates": _rates(rates.rates(held.choices)),
        "equal": [plain(one) for one in equal.rates],
        "people_field": None if people is None else _field(people),
        "sways": plain(_sways(held, equal, people)),
        "people": None if people is None else _beside(held, people, params),
    }


def _rates(found: rates.Rates) -> dict[str, Any]:
    return {
        "field": [{"name": one.name, **_told(one.these)} for one in found.field],
        "pairs": [
            {
                "left": one.left,
                "right": one.right,
                **_told(one.these),
                "won": one.tally.won,
                "tied": one.tally.tied,
                "lost": one.tally.lost,
            }
            for one in found.pairs
        ],
        "method": found.method,
    }


def _field(people: PeoplesVotes) -> dict[str, Any]:
    """Return people's own win rates, by release."""
    return {str(one.name): _told(one.others) for one in rates.rates(people.choices).field}


def _of_votes(one: judged.QuestionsEstimate) -> dict[str, Any]:
    """Return an estimate of votes in plain numbers; `n` are questions, as elsewhere."""
    return {
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "n": one.n_questions,
        "n_votes": one.n,
        "reason": plain(one.reason),
    }


def _agreed(one: judged.VotesAgreement) -> dict[str, Any]:
    names = ("with_ties", "without_ties", "kappa")
    return {**{name: _of_votes(getattr(one, name)) for name in names}, "table": plain(one.table)}


def _told(one: ClaimEstimate) -> dict[str, Any]:
    """Return an estimate in plain numbers."""
    return {
        "value": None if one.value is None else float(one.value),
        "low": one.low,
        "high": one.high,
        "n": one.n,
        "reason": one.reason or one.interval_reason,
        "p": one.p,
        "p_holm": one.p_holm,
    }


def _counts(held: PairsReplies) -> dict[str, int]:
    said, outcomes = Counter(one.chosen for one in held.asked), Counter[str]()
    outcomes.update(one.outcome for one in held.asked)
    return {
        "n": len(held.asked),
        "decided": said[PairVerdict.LEFT] + said[PairVerdict.RIGHT],
        "tied": said[PairVerdict.TIE],
        "both_bad": said[PairVerdict.BOTH_BAD],
        "inconsistent": said[PairVerdict.INCONSISTENT],
        "unread": outcomes[Step.Outcome.NO_READING],
        "left_out": outcomes[Step.Outcome.SKIPPED],
        "machinery_failed": outcomes[Step.Outcome.MACHINERY_FAILED],
    }


def _sways(
    held: PairsReplies, equal: lengths.EqualLength, people: PeoplesVotes | None
) -> list[dict[str, Any]]:
    """Return of each bias how often the judge, and people, choose so, and how much oftener the judge does."""
    read = [one for one in held.asked if one.chosen]
    contradicts = np.array([float(one.chosen == INCONSISTENT) for one in read])
    alone = judged.share(contradicts, held.groups([one.item for one in read]))
    made: list[dict[str, Any]] = [{"name": "contradicts", "judge": _of_votes(alone)}]
    if held.by_order is not None:
        first: dict[str, Any] = {"name": "first", "judge": _told(rates.side(held.by_order).these)}
        if people is not None:
            first["people"] = _told(rates.side(people.choices).these)
        made.append(first)
    made.append({"name": "longer", **_leaning(np.sign(held.longer), held, people)})
    made.append({"name": "longer_equal", "judge": plain(equal.longer), "scale": equal.scale})
    own = held.own()
    if (own != 0).any():
        made.append({"name": "own", **_leaning(own, held, people)})
    return made


def _leaning(trait: FloatArray, held: PairsReplies, people: PeoplesVotes | None) -> dict[str, Any]:
    if people is None:
        decided = (trait != 0) & (held.votes != judged.TIE)
        is_so = ((trait > 0) == (held.votes == judged.LEFT))[decided].astype(np.float64)
        return {"judge": _of_votes(judged.share(is_so, held.cluster[decided]))}
    found = judged.leaning(trait, held.votes, people.votes, held.cluster)
    return {name: _of_votes(getattr(found, name)) for name in ("judge", "people", "more")}


def _beside(held: PairsReplies, people: PeoplesVotes, params: Mapping[str, Any]) -> dict[str, Any]:
    there = (~np.isnan(people.votes)).any(axis=1)
    votes, question, of = people.votes[there], held.cluster[there], held.systems[there]
    stand_in = standing_in.alternative(
        judge=held.votes[there],
        people=votes,
        question=question,
        nearness="exact",
        epsilon=float(params.get("epsilon") or 0.2),
    )
    names = ("winning_rate", "advantage", "passes", "reason", "n_people", "n_tested", "method")
    return {
        "n_pairs": int(there.sum()),
        "judge": _agreed(judged.agreement(held.votes[there], votes, question, systems=of)),
        "people": _agreed(judged.among(votes, question, systems=of)),
        "stand_in": {name: plain(getattr(stand_in, name)) for name in names},
    }
