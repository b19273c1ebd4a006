"""What a run of interviews came to, under one scoring profile and several. Loads scipy: workers only.

* Several evaluators of the same dialogues, side by side and as a panel. Loads scipy: workers only.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from annotation.systems.models import Item
from scoring.engine.models import Judgment, Run
from scoring.kinds.interviews import results as interview_voices
from scoring.kinds.interviews.models import Dialogue
from scoring.kinds.interviews.results import InterviewOptions, Voice, of_params
from scoring.kinds.interviews.verdicts_v1 import OVERALL, SCORES
from scoring.kinds.interviews.verdicts_v1 import SCORED as ASPECTS
from scoring.stats.judges import deviation
from scoring.stats.machines import candidates, interviews
from scoring.stats.machines import panels as evaluator_panels
from scoring.stats.machines.interviews import Exchanges, Profile
from scoring.stats.plain import Plain, plain
from scoring.stats.resampled.linear import FloatArray

RESAMPLES = 2000
Scores = tuple[int | None, ...]


Parts = tuple[tuple[candidates.CandidateScore, ...], ...]


@dataclass(frozen=True, slots=True)
class DialogueTable:
    """Scores and whether there was a dialogue, candidates × questions, and where a question belongs."""

    scores: candidates.FloatArray
    held: npt.NDArray[np.bool_]
    dataset: candidates.IntArray
    #: Its place among the capabilities; -1 where a question has none.
    capability: candidates.IntArray


@dataclass(frozen=True)
class HeldDialogues:
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

    def table(self, aspect: str, profile: Profile) -> DialogueTable:
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
        return DialogueTable(scores, held, dataset, np.array(mine, dtype=np.int64))

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
    options, held = of_params(params), HeldDialogues(run)
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


def _profiles(held: HeldDialogues, options: InterviewOptions) -> Plain:
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


def _ablation(held: HeldDialogues, options: InterviewOptions) -> Plain:
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


PANEL_RESAMPLES = 1_000


@dataclass(frozen=True)
class VoicePanel:
    """The dialogues of a run with every voice's verdicts, read once."""

    run: Run

    @cached_property
    def held(self) -> HeldDialogues:
        return HeldDialogues(self.run)

    @cached_property
    def voices(self) -> list[Voice]:
        """Return those that have judged anything, the run's own evaluator first."""
        known = {key for key, _response, _aspect in self.verdicts}
        every = interview_voices.voices_of(self.run)
        return [one for one in every if one.is_first or (one.run.pk, one.rater) in known]

    @cached_property
    def verdicts(self) -> Mapping[tuple[tuple[int, int], int, str], Scores]:
        """Return scores in the order of the exchanges, by (run, rater), response and aspect."""
        runs = [self.run, *interview_voices.again(self.run)]
        rows = Judgment.objects.seen().filter(run__in=runs, target_level=Judgment.Target.TURN)
        found: dict[tuple[tuple[int, int], int, str], list[int | None]] = defaultdict(list)
        fields = ("run_id", "rater_id", "response_id", "criterion__name", "value")
        for run, rater, response, aspect, value in rows.order_by("target_index").values_list(
            *fields
        ):
            found[(run, rater), response, aspect].append(None if value is None else int(value))
        return {key: tuple(scores) for key, scores in found.items()}

    @cached_property
    def stops(self) -> Mapping[tuple[tuple[int, int], int], int | None]:
        """Return where each voice would have stopped each dialogue."""
        made: dict[tuple[tuple[int, int], int], int | None] = {}
        for run in {one.run.pk: one.run for one in self.voices if not one.is_first}.values():
            for (rater, response), stopped in interview_voices.stops(run).items():
                made[(run.pk, rater), response] = stopped
        return made

    @cached_property
    def dataset(self) -> Any:
        of_item = {one.item_id: one.dataset for one in self.held.dialogues}
        names = self.held.datasets
        return np.array([names.index(of_item[pk]) for pk in self.held.items], dtype=np.int64)

    def scores(self, voice: Voice, options: InterviewOptions) -> FloatArray:
        """Return aspects × candidates × questions under a profile, each voice with its own stop."""
        made = self._empty()
        for row, column, response, planned, own in self._places():
            stopped = own if voice.is_first else self.stops.get((self._key(voice), response))
            for place, aspect in enumerate(ASPECTS):
                said = self.verdicts.get((self._key(voice), response, aspect), ())
                known = stopped if stopped is not None and stopped < len(said) else None
                value = interviews.score(Exchanges(said, planned, known), options.profile)
                if value is not None:
                    made[place, row, column] = value
        return made

    def marks(self, voice: Voice, aspect: str) -> tuple[FloatArray, Any]:
        """Return every exchange's verdict of a voice, NaN where it has none, and whose question it is."""
        values: list[float] = []
        cluster: list[int] = []
        first = next(one for one in self.voices if one.is_first)
        for _row, column, response, _planned, _own in self._places():
            n = len(self.verdicts.get((self._key(first), response, aspect), ()))
            said = self.verdicts.get((self._key(voice), response, aspect), ())
            padded = [*said, *[None] * n][:n]
            values += [np.nan if one is None else float(one) for one in padded]
            cluster += [column] * n
        return np.array(values, dtype=np.float64), np.array(cluster, dtype=np.int64)

    def standings(self, scores: FloatArray) -> list[Plain]:
        """Return each candidate with its interval, on every aspect."""
        places = self._held_places()
        return [
            plain(
                candidates.standings(
                    one,
                    places,
                    self.dataset,
                    resamples=PANEL_RESAMPLES,
                    seed=self.run.seed,
                ).candidates
            )
            for one in scores
        ]

    def _empty(self) -> FloatArray:
        shape = (len(ASPECTS), len(self.held.releases), len(self.held.items))
        return np.full(shape, np.nan)

    def _held_places(self) -> Any:
        made = np.zeros((len(self.held.releases), len(self.held.items)), dtype=np.bool_)
        for row, column, *_rest in self._places():
            made[row, column] = True
        return made

    def _places(self) -> list[tuple[int, int, int, int, int | None]]:
        rows = {pk: place for place, pk in enumerate(self.held.releases)}
        columns = {pk: place for place, pk in enumerate(self.held.items)}
        return [
            (
                rows[one.release_id],
                columns[one.item_id],
                one.response_id,
                one.n_planned,
                one.stopped_at,
            )
            for one in self.held.dialogues
        ]

    @staticmethod
    def _key(voice: Voice) -> tuple[int, int]:
        return voice.run.pk, voice.rater


def compute_panels(run: Run, params: Mapping[str, Any]) -> Plain:
    """Return every voice's scores, the panel's, and how far each two agree; nobody is asked anything.

    Args:
        run: of interviews.
        params: the axes of the profile, the aspect that is looked at, and `vote`.
    """
    options, vote, panel = of_params(params), interview_voices.vote_of(params), VoicePanel(run)
    scores = {one.key: panel.scores(one, options) for one in panel.voices}
    voted = evaluator_panels.voted(np.stack(list(scores.values())), vote)
    pairs = [
        _pair(panel, left, right, scores, options) for left, right in combinations(panel.voices, 2)
    ]
    return {
        "candidates": plain(panel.held.releases),
        "voices": [
            {
                "rater": one.rater,
                "run": one.run.number,
                "name": one.name,
                "first": one.is_first,
                "scores": panel.standings(scores[one.key]),
                **_counted(panel, one),
            }
            for one in panel.voices
        ],
        "vote": vote,
        "panel": panel.standings(voted),
        "pairs": cast("list[Plain]", pairs),
        "resamples": PANEL_RESAMPLES,
        "n_questions": len(panel.held.items),
        "method": evaluator_panels.METHOD,
    }


def _counted(panel: VoicePanel, voice: Voice) -> dict[str, Plain]:
    # A verdict has all aspects or none.
    values, _cluster = panel.marks(voice, OVERALL)
    stopped = (
        [one.stopped_at for one in panel.held.dialogues]
        if voice.is_first
        else [
            panel.stops.get(((voice.run.pk, voice.rater), one.response_id))
            for one in panel.held.dialogues
        ]
    )
    return {
        "n_exchanges": len(values),
        "n_unscored": int(np.isnan(values).sum()),
        "n_stopped": sum(one is not None for one in stopped),
    }


def _pair(
    panel: VoicePanel,
    left: Voice,
    right: Voice,
    scores: Mapping[str, FloatArray],
    options: InterviewOptions,
) -> dict[str, Plain]:
    """Return how far the second of two voices is from the first: offset, agreement, Table 14."""
    seed = panel.run.seed
    together = evaluator_panels.together(
        scores[left.key],
        scores[right.key],
        panel.dataset,
        resamples=PANEL_RESAMPLES,
        seed=seed,
    )
    offsets: dict[str, Plain] = {}
    for aspect in ASPECTS:
        first, cluster = panel.marks(left, aspect)
        second, _same = panel.marks(right, aspect)
        found = deviation.deviation(
            judge=second,
            human=first,
            cluster=cluster,
            resamples=PANEL_RESAMPLES,
            seed=seed,
        )
        offsets[aspect] = {"shift": plain(found.shift), "n": found.n}
    first, cluster = panel.marks(left, options.aspect)
    second, _same = panel.marks(right, options.aspect)
    verdicts = deviation.confusion(
        judge=second,
        human=first,
        cluster=cluster,
        levels=[float(one) for one in SCORES],
        resamples=PANEL_RESAMPLES,
        seed=seed,
    )
    return {
        "left": left.key,
        "right": right.key,
        "together": plain(together),
        "offsets": offsets,
        "same": plain(verdicts.accuracy),
        "kappa": plain(verdicts.kappa),
        "kappa_quadratic": plain(verdicts.kappa_quadratic),
        "n": verdicts.n,
    }
