"""What a run of interviews came to: scores under a profile, and what its evaluators make of the same dialogues."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.people import permissions
from scoring.engine.kinds import Action
from scoring.engine.models import Run
from scoring.kinds.interviews import results
from scoring.kinds.interviews.results import ASPECT_NAMES, NAMES, REASONS
from scoring.outcomes import values
from scoring.outcomes.kinds import OutcomeKind, systems
from scoring.outcomes.values import (
    Cell,
    Column,
    Contender,
    Data,
    Estimate,
    Grid,
    OutcomeWords,
    Ranking,
    RunOutcome,
    Table,
    Words,
)

EMPTY: Final = (
    gettext_lazy("No dialogue has been held yet"),
    gettext_lazy("They come in while the run works."),
)
ASPECT: Final = Column("aspect", gettext_lazy("Aspect"))
DATASET: Final = Column("dataset", gettext_lazy("Data set"))
CAPABILITY: Final = Column("capability", gettext_lazy("Capability"))
EVALUATOR: Final = Column("evaluator", gettext_lazy("Evaluator"))
RUN: Final = Column("run", gettext_lazy("Run"))
PANEL: Final = "panel"


def links(run: Run) -> Mapping[str, Action]:
    """Return where else the same dialogues are looked at, by name."""
    titles = {
        "run_interviews": gettext_lazy("Results"),
        "run_dialogues": gettext_lazy("Dialogues"),
        "run_contamination": gettext_lazy("Against accuracy"),
        "run_evaluators": gettext_lazy("Evaluators"),
    }
    at = [run.project.slug, run.number]
    return {name: Action(title, reverse(name, args=at)) for name, title in titles.items()}


class InterviewOutcome(OutcomeKind):
    name = "interviews"
    of = Run.Kind.KIEVAL
    title = gettext_lazy("Results of interviews")
    summary = (
        "Return the scores of a run of interviews under the profile in the address, and other "
        "profiles."
    )
    documented = results.PROFILE
    empty = EMPTY
    figure = "interviews"
    computed_by = "scoring.kinds.interviews.figure.compute"

    @property
    def presets(self) -> Sequence[tuple[str, str, bool]]:
        return results.named(results.of_params(self.chosen))

    @property
    def about(self) -> Words:
        return gettext_lazy(
            "0 to 100, from verdicts on every exchange; mean over dialogues, then data sets."
        )

    @property
    def actions(self) -> Sequence[Action]:
        found = links(self.run)
        return [found[one] for one in ("run_dialogues", "run_contamination", "run_evaluators")]

    def outcome(self, data: Mapping[str, Data]) -> RunOutcome | None:
        found = data[self.figure]
        if not any(one["n"] for one in found["facts"]):
            return None
        of = systems(self.reading, found["candidates"])
        aspect = self.chosen["aspect"]
        about = gettext_lazy("Common questions; p by permutation, corrected (Holm).")
        pairs = values.pairs_of(found["pairs"], of)
        return RunOutcome(
            ranking=_ranking(of, _overall(found, aspect), self.chosen),
            differences=values.differences(pairs, about=about) if pairs else None,
            tables=[
                *_scores(found, of, aspect),
                _dialogues(found, of, self.run),
                _profiles(found, of),
                _ablation(found, of),
                *results.cost_table(self.run),
            ],
            method=values.resampled(found),
        )


def _ranking(
    of: Sequence[Contender], scores: Sequence[Estimate], chosen: Mapping[str, str]
) -> Ranking:
    profile = NAMES[results.of_params(chosen).profile.name]
    return Ranking(
        title=ASPECT_NAMES[chosen["aspect"]],
        unit=gettext_lazy("Score, 95 % intervals"),
        rows=list(zip(of, scores, strict=True)),
        about=_("Profile: %(profile)s.") % {"profile": profile},
    )


def _overall(found: Data, aspect: str) -> list[Estimate]:
    rows = found["aspects"][aspect]["candidates"]
    return [values.estimate(one["overall"]) for one in rows]


def _word(aspect: str) -> OutcomeWords:
    return OutcomeWords(str(ASPECT_NAMES[aspect]), value=aspect)


def _sets(found: Data, aspect: str) -> Iterator[tuple[str, list[Estimate]]]:
    rows = found["aspects"][aspect]["candidates"]
    for place, name in enumerate(found["datasets"]):
        yield name, [values.estimate(one["datasets"][place]) for one in rows]


def _capabilities(found: Data, aspect: str) -> Iterator[tuple[str, list[Estimate]]]:
    rows = found["aspects"][aspect]["capabilities"]
    for place, name in enumerate(found["capabilities"]):
        yield name, [values.estimate(one[place]) for one in rows]


def _scores(found: Data, of: Sequence[Contender], aspect: str) -> Iterator[Table]:
    """Yield the scores by aspect; of the chosen one by data set and capability; and all there are."""
    yield Grid(
        name="aspects",
        title=gettext_lazy("By aspect"),
        columns=[ASPECT],
        rows=[(_word(key), *_overall(found, key)) for key in ASPECT_NAMES],
        systems=of,
    )
    yield Grid(
        name="datasets",
        title=gettext_lazy("By data set"),
        about=_("%(aspect)s. Questions of the bank go by their capability.")
        % {"aspect": ASPECT_NAMES[aspect]},
        columns=[DATASET],
        rows=[
            (name or _("No set or capability"), *scores) for name, scores in _sets(found, aspect)
        ],
        systems=of,
        is_drawn=len(found["datasets"]) > 1,
    )
    if found["capabilities"]:
        yield Grid(
            name="capabilities",
            title=gettext_lazy("By capability"),
            about=ASPECT_NAMES[aspect],
            columns=[CAPABILITY],
            rows=[(name, *scores) for name, scores in _capabilities(found, aspect)],
            systems=of,
        )
    yield Grid(
        name="parts",
        title=gettext_lazy("Every aspect by data set and capability"),
        folded=True,
        columns=[ASPECT, DATASET, CAPABILITY],
        rows=[row for key in ASPECT_NAMES for row in _parts(found, key)],
        systems=of,
    )


def _parts(found: Data, aspect: str) -> Iterator[Sequence[Cell]]:
    for name, scores in _sets(found, aspect):
        yield _word(aspect), name, "", *scores
    for name, scores in _capabilities(found, aspect):
        yield _word(aspect), "", name, *scores


def _dialogues(found: Data, of: Sequence[Contender], run: Run) -> Table:
    counts = {
        "n": gettext_lazy("Dialogues"),
        "n_without": gettext_lazy("Not held"),
        "n_failed": gettext_lazy("Failed"),
        "n_right": gettext_lazy("First answer right"),
        "n_decided": gettext_lazy("Of so many"),
        "n_exchanges": gettext_lazy("Exchanges"),
        "n_unscored": gettext_lazy("Without a verdict"),
        "n_flagged": gettext_lazy("Flagged"),
        "n_stopped": gettext_lazy("Stopped early"),
    }
    reasons = sorted({reason for one in found["facts"] for reason in one["reasons"]})
    there = reverse("run_dialogues", args=[run.project.slug, run.number])

    def stopped(one: Data, reason: str) -> Cell:
        n = one["reasons"].get(reason, 0)
        return OutcomeWords(
            str(n), f"{there}?reason={reason}&release={one['release']}" if n else "", n
        )

    return Table(
        name="dialogues",
        title=gettext_lazy("How the dialogues went"),
        folded=True,
        columns=[
            Column("system", gettext_lazy("System")),
            *(Column(key, title) for key, title in counts.items()),
            Column("rounds", gettext_lazy("Exchanges that count, on average"), 2),
            *(Column(f"stopped_{one}", REASONS.get(one, one)) for one in reasons),
        ],
        rows=[
            (
                system,
                *(one[key] for key in counts),
                one["rounds"],
                *(stopped(one, reason) for reason in reasons),
            )
            for system, one in zip(of, found["facts"], strict=True)
        ],
    )


def _profiles(found: Data, of: Sequence[Contender]) -> Table:
    axes = {"scale": results.SCALES, "decay": results.DECAYS, "after_stop": results.AFTER}
    axes |= {"unscored": results.UNSCORED}
    rows = [
        (
            OutcomeWords(str(NAMES[profile["name"]]), value=profile["name"]),
            system,
            *told,
            *(
                OutcomeWords(str(words[profile[key]]), value=profile[key])
                for key, words in axes.items()
            ),
            profile["early_stopping"],
        )
        for one in found["profiles"]
        for profile in [one["profile"]]
        for system, *told in zip(of, one["values"], one["ranks"], one["moves"], strict=True)
    ]
    return Table(
        name="profiles",
        title=gettext_lazy("Profiles side by side"),
        about=gettext_lazy(
            "The paper prints no map to scores; its code weighs differently. Places lost: "
            "against the first profile."
        ),
        folded=True,
        columns=[
            Column("profile", gettext_lazy("Profile")),
            Column("system", gettext_lazy("System")),
            Column("score", gettext_lazy("Score")),
            Column("rank", gettext_lazy("Rank")),
            Column("places_lost", gettext_lazy("Places lost")),
            *(Column(one.name, one.label) for one in results.PROFILE[1:]),
        ],
        rows=rows,
    )


def _ablation(found: Data, of: Sequence[Contender]) -> Table:
    went_on = gettext_lazy("Same dialogues, continued after the stop.")
    ended = gettext_lazy("Dialogues ended at the stop. Run on after a stop to compare.")
    return Grid(
        name="ablation",
        title=gettext_lazy("What weights and early stopping do"),
        about=went_on if found["continued"] else ended,
        folded=True,
        columns=[
            Column("decaying_weights", gettext_lazy("Falling weights")),
            Column("early_stopping", gettext_lazy("Early stopping")),
        ],
        rows=[
            (one["decaying"], one["stopping"], *map(Estimate, one["values"]))
            for one in found["ablation"]
        ],
        systems=of,
        parts=(),
    )


class EvaluatorOutcome(OutcomeKind):
    name = "evaluators"
    of = Run.Kind.KIEVAL
    title = gettext_lazy("Evaluators")
    summary = "Return every evaluator's scores and how far they agree."
    documented = (results.PROFILE[0], results.VOTE, *results.PROFILE[1:])
    empty = EMPTY
    figure = "interview_panel"
    computed_by = "scoring.kinds.interviews.figure.compute_panels"

    @property
    def about(self) -> Words:
        return gettext_lazy("Same dialogues, verdicts of each evaluator and of a panel.")

    @property
    def actions(self) -> Sequence[Action]:
        found = links(self.run)
        made = [found["run_interviews"], found["run_dialogues"]]
        if self.reading.scope.may(permissions.CURATORS):
            there = reverse("run_judge_again", args=[self.run.project.slug, self.run.number])
            made.append(Action(gettext_lazy("Judge again"), there, is_main=True))
        return made

    @property
    def version(self) -> str:
        return results.version(self.run)

    def outcome(self, data: Mapping[str, Data]) -> RunOutcome | None:
        found = data[self.figure]
        voices: Sequence[Data] = found["voices"]
        if not any(one["n_exchanges"] for one in voices):
            return None
        of = systems(self.reading, found["candidates"])
        place = list(ASPECT_NAMES).index(self.chosen["aspect"])
        vote = [values.estimate(one["overall"]) for one in found[PANEL][place]]
        alone = gettext_lazy("One evaluator so far. Have another judge the same dialogues.")
        tables = [*_voices(found, of, place), _verdicts(voices, self.run)]
        return RunOutcome(
            ranking=_ranking(of, vote, self.chosen),
            tables=tables
            if len(voices) < 2
            else [*tables, *_agreement(found, self.chosen["aspect"])],
            hints=[alone] if len(voices) < 2 else [],
            method=_(
                "95 %% intervals: %(n)d resamples of %(questions)d questions. Evaluators count "
                "with their own stop; a panel only where all scored. %(method)s."
            )
            % {
                "n": found["resamples"],
                "questions": found["n_questions"],
                "method": found["method"],
            },
        )


def _voices(found: Data, of: Sequence[Contender], shown: int) -> Iterator[Table]:
    """Yield what every evaluator and the panel make of the chosen aspect, then of all of them."""
    panel = OutcomeWords(str(results.VOTE.values[found["vote"]]), value=f"{PANEL}, {found['vote']}")
    every = [(one["name"], one["run"], one["scores"]) for one in found["voices"]]
    every.append((panel, "", found[PANEL]))

    def scores(aspects: Sequence[Sequence[Data]], place: int) -> list[Estimate]:
        return [values.estimate(one["overall"]) for one in aspects[place]]

    yield Grid(
        name="evaluators",
        title=gettext_lazy("By evaluator"),
        columns=[EVALUATOR, RUN],
        rows=[(name, run, *scores(aspects, shown)) for name, run, aspects in every],
        systems=of,
    )
    yield Grid(
        name="aspects",
        title=gettext_lazy("By evaluator and aspect"),
        folded=True,
        columns=[EVALUATOR, RUN, ASPECT],
        rows=[
            (name, run, _word(aspect), *scores(aspects, place))
            for name, run, aspects in every
            for place, aspect in enumerate(ASPECT_NAMES)
        ],
        systems=of,
    )


def _verdicts(voices: Sequence[Data], run: Run) -> Table:
    def at(number: int) -> OutcomeWords:
        there = reverse("run", args=[run.project.slug, number])
        return OutcomeWords(str(number), there, number)

    return Table(
        name="verdicts",
        title=gettext_lazy("Verdicts"),
        columns=[
            EVALUATOR,
            RUN,
            Column("first", gettext_lazy("Led the interviews")),
            Column("n_exchanges", gettext_lazy("Exchanges")),
            Column("n_unscored", gettext_lazy("Without a verdict")),
            Column("n_stopped", gettext_lazy("Would have stopped")),
            Column("rater", gettext_lazy("Key")),
        ],
        rows=[
            (
                one["name"],
                at(one["run"]),
                one["first"],
                one["n_exchanges"],
                one["n_unscored"],
                one["n_stopped"],
                one["rater"],
            )
            for one in voices
        ],
    )


def _agreement(found: Data, aspect: str) -> Iterator[Table]:
    names = {f"{one['run']}:{one['rater']}": one["name"] for one in found["voices"]}
    both = (Column("left", gettext_lazy("Evaluator")), Column("right", gettext_lazy("and")))
    named = [(names[one["left"]], names[one["right"]], one) for one in found["pairs"]]
    parts = ("low", "high", "reason")
    kinds: Mapping[str, Words] = {
        "same": gettext_lazy("Same verdict"),
        "kappa": "κ",
        "kappa_quadratic": gettext_lazy("κ, quadratic"),
    }
    yield Table(
        name="pairs",
        title=gettext_lazy("Two by two, verdict by verdict"),
        about=_("%(aspect)s, on common exchanges. Intervals: resampled questions.")
        % {"aspect": ASPECT_NAMES[aspect]},
        columns=[
            *both,
            *(Column(key, title, 2, parts) for key, title in kinds.items()),
            Column("n", "n"),
        ],
        rows=[
            (left, right, *(values.estimate(one[key]) for key in kinds), one["n"])
            for left, right, one in named
        ],
    )
    yield _offsets(named, both, aspect)
    yield _together(named, both)


Named = Sequence[tuple[str, str, Data]]


def _offsets(named: Named, both: Sequence[Column], aspect: str) -> Table:
    """Return how much higher the second judges, the chosen aspect first."""
    order = sorted(ASPECT_NAMES, key=lambda one: one != aspect)
    return Table(
        name="offsets",
        title=gettext_lazy("Offset"),
        about=gettext_lazy("Second minus first, from 1 to 4."),
        columns=[
            *both,
            ASPECT,
            Column("shift", gettext_lazy("Offset"), 2, ("low", "high", "reason")),
            Column("n", "n"),
        ],
        rows=[
            (
                left,
                right,
                _word(key),
                values.estimate(one["offsets"][key]["shift"]),
                one["offsets"][key]["n"],
            )
            for left, right, one in named
            for key in order
        ],
    )


def _together(named: Named, both: Sequence[Column]) -> Table:
    first = named[0][2]["together"]
    parts = ("low", "high", "p", "reason")
    return Table(
        name="coefficients",
        title=gettext_lazy("Two by two, over systems and aspects"),
        about=gettext_lazy(
            "KIEval, table 14: a point per system and aspect. Offsets do not show here."
        ),
        columns=[
            *both,
            *(Column(one["coefficient"], one["name"], 2, parts) for one in first),
            Column("n", "n"),
        ],
        rows=[
            (left, right, *map(_without_n, one["together"]), one["together"][0]["n"])
            for left, right, one in named
        ],
    )


def _without_n(found: Data) -> Estimate:
    return replace(values.estimate(found), n=None)


OUTCOMES = (InterviewOutcome, EvaluatorOutcome)
