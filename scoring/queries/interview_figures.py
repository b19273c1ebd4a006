"""What a run of interviews came to, under one scoring profile and several. Loads scipy: workers only."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from annotation.models import Item
from scoring.models import Dialogue, Judgment, Run
from scoring.protocols.kieval.verdicts_v1 import OVERALL
from scoring.protocols.kieval.verdicts_v1 import SCORED as ASPECTS
from scoring.queries import interview_voices
from scoring.queries.interview_profiles import Options, of_params
from scoring.stats import candidates, interviews
from scoring.stats.interviews import Exchanges, Profile
from scoring.stats.plain import Plain, plain

RESAMPLES = 2000
Scores = tuple[int | None, ...]


Parts = tuple[tuple[candidates.Score, ...], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Scores and whether there was a dialogue, candidates × questions, and where a question belongs."""

    scores: candidates.FloatArray
    held: npt.NDArray[np.bool_]
    dataset: candidates.IntArray
    #: Its place among the capabilities; -1 where a question has none.
    capability: candidates.IntArray


@dataclass(frozen=True)
class Held:
    """The dialogues of a run with their verdicts, read once and scored as often as wanted."""

    run: Run

    @cached_property
    def dialogues(self) -> list[Dialogue]:
        rows = Dialogue.objects.filter(run=self.run).order_by("pk")
        return list(rows.defer("answer", "problem"))

    @cached_property
    def releases(self) -> list[int]:
        wanted = [one["release"] for one in self.run.config.get("releases", [])]
        return list(dict.fromkeys([*wanted, *(one.release_id for one in self.dialogues)]))

    @cached_property
    def items(self) -> list[int]:
        return list(dict.fromkeys(one.item_id for one in self.dialogues))

    @cached_property
    def datasets(self) -> list[str]:
        return sorted({one.dataset for one in self.dialogues})

    @cached_property
    def capability_of(self) -> Mapping[int, str]:
        """Return the capability of each question that has one, by the key of its item."""
        rows = Item.objects.filter(dialogues__run=self.run, capability__isnull=False)
        return dict(rows.values_list("pk", "capability__name").distinct())

    @cached_property
    def capabilities(self) -> list[str]:
        return sorted(set(self.capability_of.values()))

    @cached_property
    def verdicts(self) -> Mapping[tuple[int, str], Scores]:
        """Return the scores of each response × aspect in the order of the exchanges."""
        rater = interview_voices.rater_of(self.run)
        rows = Judgment.objects.seen().filter(
            run=self.run, rater=rater, target_level=Judgment.Target.TURN
        )
        found: dict[tuple[int, str], list[int | None]] = defaultdict(list)
        fields = ("response_id", "criterion__name", "value")
        for response, aspect, value in rows.order_by("target_index").values_list(*fields):
            found[response, aspect].append(None if value is None else int(value))
        return {key: tuple(scores) for key, scores in found.items()}

    def of(self, dialogue: Dialogue, aspect: str) -> Exchanges:
        scores = self.verdicts.get((dialogue.response_id, aspect), ())
        stopped = dialogue.stopped_at
        known = stopped if stopped is not None and stopped < len(scores) else None
        return Exchanges(scores, dialogue.n_planned, known)

    def table(self, aspect: str, profile: Profile) -> Table:
        """Return the scores on an aspect, candidates × questions."""
        shape = (len(self.releases), len(self.items))
        scores, held = np.full(shape, np.nan), np.zeros(shape, dtype=np.bool_)
        dataset = np.zeros(len(self.items), dtype=np.int64)
        rows = {pk: place for place, pk in enumerate(self.releases)}
        columns = {pk: place for place, pk in enumerate(self.items)}
        for one in self.dialogues:
            row, column = rows[one.release_id], columns[one.item_id]
            value = interviews.score(self.of(one, aspect), profile)
            held[row, column] = True
            dataset[column] = self.datasets.index(one.dataset)
            if value is not None:
                scores[row, column] = value
        places = {name: place for place, name in enumerate(self.capabilities)}
        mine = [places.get(self.capability_of.get(pk, ""), -1) for pk in self.items]
        return Table(scores, held, dataset, np.array(mine, dtype=np.int64))

    def standings(self, aspect: str, profile: Profile) -> candidates.Standings:
        """Return scores and pairs on an aspect."""
        of = self.table(aspect, profile)
        return candidates.standings(
            of.scores, of.held, of.dataset, resamples=RESAMPLES, seed=self.run.seed
        )

    def by_capability(self, aspect: str, profile: Profile) -> Parts:
        """Return each candidate's scores on an aspect, one for each capability."""
        of = self.table(aspect, profile)
        return candidates.parts(
            of.scores, of.held, of.capability, resamples=RESAMPLES, seed=self.run.seed
        )

    def values(self, aspect: str, profile: Profile) -> list[float | None]:
        """Return the overall score of each candidate, without intervals: means over data sets."""
        made: list[float | None] = []
        for release in self.releases:
            parts: dict[str, list[float | None]] = defaultdict(list)
            for one in self.dialogues:
                if one.release_id == release:
                    parts[one.dataset].append(interviews.score(self.of(one, aspect), profile))
            means = [interviews.mean(scores)[0] for scores in parts.values()]
            made.append(interviews.mean(means)[0])
        return made

    def facts(self, release: int, profile: Profile) -> dict[str, Plain]:
        """Return how the dialogues of a candidate went."""
        mine = [one for one in self.dialogues if one.release_id == release]
        found = [self.of(one, OVERALL) for one in mine]
        rounds = [interviews.rounds(one, profile) for one in found]
        decided = [one.right for one in mine if one.right is not None]
        return {
            "release": release,
            "n": len(mine),
            "n_without": len(self.items) - len(mine),
            "rounds": sum(rounds) / len(rounds) if rounds else None,
            "n_exchanges": sum(len(one.scores) for one in found),
            "n_unscored": sum(one.scores.count(None) for one in found),
            "n_right": sum(map(bool, decided)),
            "n_decided": len(decided),
            "n_stopped": sum(one.stopped_at is not None for one in mine),
            "n_failed": sum(one.ended == Dialogue.End.SYSTEM_FAILED for one in mine),
            "n_flagged": sum(bool(one.flags) for one in mine),
            "reasons": cast("Plain", dict(Counter(o.stop_reason for o in mine if o.stop_reason))),
        }


def compute(run: Run, params: Mapping[str, Any]) -> Plain:
    """Return scores, pairs, profiles side by side and the ablation; nobody is asked anything.

    Args:
        run: of interviews.
        params: the axes of the profile and the aspect that pairs and profiles are shown for.
    """
    options, held = of_params(params), Held(run)
    profile = options.profile
    found = {aspect: held.standings(aspect, profile) for aspect in ASPECTS}
    shown = found[options.aspect]
    return {
        "candidates": plain(held.releases),
        "datasets": plain(held.datasets),
        "capabilities": plain(held.capabilities),
        "aspects": {
            name: {
                "candidates": plain(one.candidates),
                "capabilities": plain(held.by_capability(name, profile)),
            }
            for name, one in found.items()
        },
        "pairs": plain(shown.pairs),
        "facts": [held.facts(one, profile) for one in held.releases],
        "profiles": _profiles(held, options),
        "ablation": _ablation(held, options),
        "continued": bool(run.config.get("mark_but_continue")),
        "n_questions": shown.n_questions,
        "resamples": shown.resamples,
        "seed": shown.seed,
        "method": shown.method,
        "test": shown.test,
    }


def of_figure(params: Mapping[str, Any]) -> Plain:
    """Compute the figure of a run that its parameters name.

    Raises:
        ValueError: there is no such run of interviews.
    """
    runs = Run.objects.filter(kind=Run.Kind.KIEVAL)
    run = runs.select_related("judge").filter(pk=params.get("run", 0)).first()
    if run is None:
        raise ValueError("There is no such run of interviews.")
    return compute(run, params)


def _profiles(held: Held, options: Options) -> Plain:
    """Return every candidate's score and rank under each profile, the chosen one first."""
    others = [one for one in interviews.PROFILES if not options.is_like(one)]
    made: list[Plain] = []
    first: Sequence[float | None] = []
    for profile in [options.profile, *others]:
        values = held.values(options.aspect, profile)
        ranks = candidates.rank(values)
        first = first or ranks
        moves = [
            None if now is None or then is None else then - now
            for now, then in zip(ranks, first, strict=True)
        ]
        made.append({"profile": _plain(profile), "values": plain(values), "ranks": plain(ranks)})
        cast("dict[str, Plain]", made[-1])["moves"] = plain(moves)
    return made


def _ablation(held: Held, options: Options) -> Plain:
    return [
        {
            "decaying": decaying,
            "stopping": stopping,
            "values": plain(held.values(options.aspect, profile)),
        }
        for (decaying, stopping), profile in interviews.ablation(options.profile).items()
    ]


def _plain(profile: Profile) -> Plain:
    return plain(profile)
