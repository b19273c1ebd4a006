"""What a report of a round is asked to hold, and which figures it takes.

* What a report says of its methods: sentences made from the conventions its figures really followed.
* The report of a round: everything its page, its file and its JSON say.
* Figures of rounds that have become final are asked for before somebody looks.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.db.models import Exists, OuterRef
from django.utils.formats import date_format

import evalsite
from annotation.common.sentences import gettext as _
from annotation.common.sentences import ngettext
from annotation.people.models import Membership, Role
from annotation.people.permissions import Scope
from annotation.rounds.models import Round, RoundItem
from evalsite import errors, panels
from scoring.comments.queries import CommentLine, Comments
from scoring.figures import labels, typed
from scoring.figures import labels as rounds
from scoring.figures import operations as figures
from scoring.figures.labels import Labels, ReadRound
from scoring.figures.models import Figure
from scoring.movement import board, trend
from scoring.movement import queries as movement
from scoring.movement.board import Fall, Waterfall
from scoring.movement.causes import MovementFigure
from scoring.movement.queries import ChosenMovement, ShownMovement
from scoring.results import agreement, asked, disputes, facts, model, pictures, plan, raters, sheets
from scoring.results import cells as breakdown
from scoring.results import queries as results
from scoring.results.agreement import AgreementFigure, RoundAgreement
from scoring.results.asked import Cut, FigureSource, Query
from scoring.results.board import ResultsBoard
from scoring.results.disputes import QUESTION_RULES, RATER_RULES, Disputes
from scoring.results.facts import ResultFact
from scoring.results.plan import NextRoundPlan
from scoring.results.queries import PREFERENCES, RoundResult
from scoring.results.raters import Raters, RatersFigure
from scoring.results.sheets import melted
from scoring.shown.sheet import ChartPicture, Sheet
from scoring.stats.claims import Claim, ScoresFigure
from scoring.stats.people.said import AgreementTogether, DisputeRules, DisputesFigure
from scoring.stats.scores.said import PlanFigure

PEOPLE = ("numbers", "names", "none")
#: What an address says where a report shows comments, and how many at most: the newest.
COMMENTS, MOST_COMMENTS = "shown", 100
MOVEMENT = "fluctuation"


class BadReport(errors.Invalid):
    """Something that the address asks of a report cannot be used."""

    code = "bad_setting"


@dataclass(frozen=True, slots=True)
class ReportNeed:
    """A figure of the report; `key` is its name, for movements with the system behind it."""

    key: str
    name: str
    round: Round
    params: Mapping[str, Any]


@dataclass(frozen=True)
class ReportChoice:
    """What was asked: an earlier round to compare with, how annotators are called, settings.

    `problem` says what of the address could not be used; the usual stands in its place.
    """

    mine: ReadRound
    cut: Cut
    query: Query
    before: ReadRound | None
    people: str
    with_comments: bool
    problem: str

    @property
    def with_people(self) -> bool:
        return self.people != "none"

    @property
    def labels(self) -> Labels:
        make = labels.named if self.people == "names" else labels.numbered
        return make(self.mine.round)

    @property
    def names_are_shown(self) -> bool:
        """Whether systems can be compared with themselves in the earlier round."""
        return self.before is not None and self.before.shown and self.mine.shown

    @property
    def moved(self) -> list[ChosenMovement]:
        """Return the systems of both rounds."""
        if self.before is None or not self.names_are_shown:
            return []
        known = movement.systems(self.before.round, self.mine.round)
        return [
            ChosenMovement(self.before.round, self.mine.round, one)
            for one in sorted(known, key=lambda one: (one.name, one.pk))
        ]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Return what of the address is used, as pairs."""
        return [(name, text) for name, texts in self.query.items() for text in texts]


def read_report_choice(mine: ReadRound, query: Query) -> ReportChoice:
    """Return what an address asks of the report of a round."""
    cut = asked.lenient(mine, query)
    last = {name: texts[-1] for name, texts in query.items() if texts}
    people = last.get("annotators", PEOPLE[0])
    before, problem = _before(mine, last.get("before", ""))
    usable = dict(query)
    for name in asked.tabs_of(mine.round):
        try:
            asked.wish(name, mine, usable)
        except errors.Refusal as refusal:
            usable, problem = {}, refusal.message
    return ReportChoice(
        mine,
        cut,
        usable,
        before,
        people if people in PEOPLE else PEOPLE[0],
        last.get("comments") == COMMENTS,
        cut.problem or problem,
    )


def _before(mine: ReadRound, number: str) -> tuple[ReadRound | None, str]:
    if not number:
        return None, ""
    known = {str(one.number) for one in earlier(mine)}
    if number not in known:
        return None, _("There is no such earlier round with results.")
    try:
        return rounds.allowed(mine.scope, int(number)), ""
    except errors.Refusal as refusal:
        return None, refusal.message


def earlier(mine: ReadRound) -> list[Round]:
    """Return the rounds that this one can be compared with, newest first."""
    if mine.round.of_pairs:
        return []  # there is no score that could have moved
    known = rounds.with_results(mine.scope.project).filter(of_pairs=False)
    found = known.filter(number__lt=mine.round.number)
    return list(found.order_by("-number"))


def needs(choice: ReportChoice) -> list[ReportNeed]:
    """Return the figures that the report takes."""
    mine = choice.mine
    made = [
        ReportNeed(name, name, mine.round, asked.wish(name, mine, choice.query).params)
        for name in asked.tabs_of(mine.round)
    ]
    made += [
        ReportNeed(f"{MOVEMENT} {one.system.pk}", MOVEMENT, one.after, movement.params(one))
        for one in choice.moved
    ]
    return made


Data = Mapping[str, Any]
COEFFICIENTS = {
    "raw": "share of equal pairs",
    "fleiss": "Fleiss’ κ (1971)",
    "ac1": "Gwet’s AC1 (2008)",
    "ac2_ordinal": "Gwet’s AC2, ordinal weights (2014)",
    "alpha_nominal": "Krippendorff’s α, nominal (2011)",
    "alpha_ordinal": "Krippendorff’s α, ordinal (2011)",
    "alpha_interval": "Krippendorff’s α, interval (2011)",
    "alpha_ratio": "Krippendorff’s α, ratio (2011)",
}


@dataclass(frozen=True, slots=True)
class ReportParagraph:
    title: str
    text: str


def of_round(round_: Round) -> ReportParagraph:
    """Say how the grades came about."""
    if round_.kind == Round.Kind.IMPORTED:
        said = _("Imported grades.")
        return ReportParagraph(_("Grades"), said)
    if round_.of_pairs:
        seats = ngettext(
            "Each pair of answers was for %(n)d annotator, blind, sides balanced.",
            "Each pair of answers was for %(n)d annotators, blind, sides balanced.",
            round_.n_seats,
        ) % {"n": round_.n_seats}
        return ReportParagraph(_("Choices"), f"{seats} {_counted()}")
    seats = ngettext(
        "Each question was for %(n)d annotator, blind: no names, systems balanced over positions.",
        "Each question was for %(n)d annotators, blind: no names, systems balanced over positions.",
        round_.n_seats,
    ) % {"n": round_.n_seats}
    flat = _(" Headings, bold and emoji were flattened.") if round_.uniform_rendering else ""
    return ReportParagraph(_("Grades"), f"{seats}{flat} {_counted()}")


def _counted() -> str:
    return _("Counted: first grades, not late, invalid or gold, unless the settings say otherwise.")


def of_scores(found: ScoresFigure) -> list[ReportParagraph]:
    """Say how scores, accuracies, differences and ranks were computed."""
    methods = found.methods
    said = _(
        "Differences count what one annotator graded of both systems by one criterion, "
        "and are claimed for these annotators (questions are a sample) and for others "
        "too (both are). Holm’s method (1979) corrects all pairs; ranks follow."
    )
    ranks = found.method_of_ranks
    made = [
        ReportParagraph(_("Score"), sentence(methods.get("score.overall", ""))),
        ReportParagraph(_("Accuracy"), sentence(methods.get("accuracy.overall", ""))),
        ReportParagraph(_("Differences and ranks"), f"{said} {sentence(ranks)}".strip()),
    ]
    return [one for one in made if one.text]


def of_agreement(found: AgreementTogether) -> ReportParagraph:
    """Say which coefficients there are, and how their intervals came about."""
    names = [COEFFICIENTS.get(one.name, one.name) for one in found.coefficients]
    said = _(
        "Unit: a response on a criterion; levels: the rubric’s. Coefficients: %(names)s; "
        "ICC by analysis of variance (Shrout and Fleiss 1979)."
    ) % {"names": ", ".join(names)}
    return ReportParagraph(_("Agreement"), f"{said} {sentence(found.method)}")


def of_disputes(rules: DisputeRules) -> ReportParagraph:
    """Say by which rules a grade or a question is in dispute."""
    said = _(
        "Annotator in dispute: %(rater)s. Question in dispute: %(question)s. C(k) weighs "
        "divided responses by %(w1)s and grades that stand alone by %(w2)s (LalaEval, "
        "appendix F.1)."
    ) % {
        "rater": RATER_RULES[rules.rater],
        "question": QUESTION_RULES[rules.question],
        "w1": str(rules.w1),
        "w2": str(rules.w2),
    }
    return ReportParagraph(_("Disputes"), said)


def of_raters(method: str) -> ReportParagraph:
    """Say how severity, steadiness and position were estimated."""
    said = _(
        "Drift: line and CUSUM over deviations from the others in time, p by "
        "permutation. Position: means centred by page and system, tested over questions."
    )
    return ReportParagraph(_("Annotators"), f"{sentence(method)} {said}")


def of_plan(figure: PlanFigure) -> ReportParagraph:
    """Say what the learning curve and the plan rest on."""
    said = _(
        "Learning curve: the standard error falls with the root of the number of "
        "questions (Student’s t). Plan: variances of paired differences by moments "
        "(Henderson 1953), power %(power)s, two-sided, confidence %(level)s."
    ) % {"power": f"{figure.power:g}", "level": f"{figure.level:g}"}
    return ReportParagraph(_("Questions needed"), said)


def of_movement() -> ReportParagraph:
    """Say how the causes of a change are told apart."""
    said = _(
        "Fixed effects by weighted least squares: worth of the item plus its annotator’s "
        "severity; unchanged items have one worth. Intervals resample questions."
    )
    return ReportParagraph(_("Score changes"), said)


def sentence(text: str) -> str:
    """Return a method as a sentence of its own."""
    text = text.strip()
    return f"{text[0].upper()}{text[1:]}." if text else ""


RESAMPLES = re.compile(r"(\d+) resamples")
#: Tables that say something of single annotators.
OF_PEOPLE = {
    *("pairs", "without", "disputes", "places", "severity", "steady", "pace", "tempo"),
    "annotator-choices",
}
#: Plots that do.
PICTURES_OF_PEOPLE = {"pairs", "disputes", "severity", "pace", "tempo"}


@dataclass(frozen=True)
class Moved:
    """Why a system's score moved since the earlier round."""

    system: str
    shown: ShownMovement
    told: list[str]
    fall: Waterfall | None


class RoundReport:
    """Reads the figures that were collected; all of them are ready."""

    #: The figure that the others are about.
    main = results.FIGURE
    is_of_pairs = False

    def __init__(self, choice: ReportChoice, figures: Mapping[str, Figure]) -> None:
        self.choice = choice
        self.round: Round = choice.mine.round
        self.figures = figures
        self.labels = choice.labels

    def source(self, figure: str) -> FigureSource:
        """Return a figure with the names of this report."""
        data = self.figures[figure].data or {}
        return FigureSource(self.round, data, self.labels, self.choice.mine.names)

    @cached_property
    def board(self) -> ResultsBoard:
        data = self.figures[results.FIGURE].data or {}
        return ResultsBoard(self.choice.cut, data, {}, Claim.OTHERS)

    @property
    def result(self) -> RoundResult:
        return self.board.result

    @property
    def title(self) -> str:
        """Return the verdict."""
        return facts.title(self.result, self.board)

    @property
    def subtitle(self) -> str:
        return facts.subtitle(self.result)

    @property
    def facts(self) -> list[ResultFact]:
        """Return what the scores are based on."""
        found = [
            facts.questions(self.result),
            facts.agreed(self.agreement.overall.alpha),
            facts.disputed(self.disputes.n_in_dispute),
            facts.covered(self.result),
        ]
        return [one for one in found if one is not None]

    @cached_property
    def agreement(self) -> RoundAgreement:
        source = self.source(agreement.FIGURE)
        return RoundAgreement(source.read(AgreementFigure), self.labels, source.names)

    @cached_property
    def disputes(self) -> Disputes:
        return Disputes(self.source(disputes.FIGURE).read(DisputesFigure), self.labels)

    @cached_property
    def raters(self) -> Raters:
        found = self.source(raters.FIGURE).read(RatersFigure)
        return Raters(found, self.labels, self.choice.mine.names)

    @cached_property
    def plan(self) -> NextRoundPlan:
        return NextRoundPlan(self.source(plan.FIGURE).read(PlanFigure), self.choice.mine.names)

    @cached_property
    def comments(self) -> list[CommentLine]:
        """Return the newest comments of annotators, if they are wanted."""
        if not self.choice.with_comments:
            return []
        found = Comments(self.choice.mine, named=self.labels)
        return found.lines(list(found.rows().order_by("-pk")[:MOST_COMMENTS]))

    @cached_property
    def moved(self) -> list[Moved]:
        """Return the movement of every system of both rounds, by its score."""
        made = []
        for chosen in self.choice.moved:
            figure = self.figures[f"{MOVEMENT} {chosen.system.pk}"]
            shown = ShownMovement(typed.read_figure(MovementFigure, figure.data), "score", None)
            told = [] if shown.problem else board.sentences(shown)
            fall = None if shown.problem else board.waterfalls([Fall("", shown, chosen)])[0]
            made.append(Moved(chosen.system.name, shown, told, fall))
        return made

    @cached_property
    def pictures(self) -> dict[str, ChartPicture | None]:
        """Return the plots by name; those of single annotators only where they are wanted."""
        wanted = {
            name: kind
            for name, kind in pictures.PICTURES.items()
            if kind.figure in self.figures
            and (self.choice.with_people or name not in PICTURES_OF_PEOPLE)
        }
        return {
            name: pictures.picture_of(name, self.source(kind.figure))
            for name, kind in wanted.items()
        }

    @property
    def is_partial(self) -> bool:
        """Whether grades that were wanted are missing, or a score leaves a part out."""
        total = self.result.coverage[-1]
        lines = self.result.headline
        return bool(total.missing) or any(line.overall.missing for line in lines)

    @property
    def is_final(self) -> bool:
        return self.round.state == Round.State.FINAL

    @property
    def as_of(self) -> datetime | None:
        """Return when the oldest of its figures was computed."""
        times = [one.ready_at for one in self.figures.values() if one.ready_at]
        return min(times, default=None)

    @cached_property
    def methods(self) -> list[ReportParagraph]:
        made = [
            of_round(self.round),
            *of_scores(self.source(results.FIGURE).read(ScoresFigure)),
            of_agreement(self.source(agreement.FIGURE).read(AgreementFigure).overall),
            of_disputes(self.disputes.rules),
        ]
        if self.choice.with_people:
            made.append(of_raters(self.raters.method))
        made.append(of_plan(self.source(plan.FIGURE).read(PlanFigure)))
        return [*made, of_movement()] if self.choice.before else made

    @cached_property
    def settings(self) -> list[tuple[str, str]]:
        """Return what was set, in words: weights, filters, level, seed, whom it is compared with."""
        changed = self.choice.cut.said()
        filters = "; ".join(f"{title}: {said}" for title, said in changed)
        people = {
            "numbers": _("by number"),
            "names": _("by name"),
            "none": _("left out"),
        }[self.choice.people]
        made = [
            *self._set,
            (_("Changed for these scores"), filters or _("nothing")),
            (_("Level of the intervals"), f"{self.level:.0%}"),
            (_("Seed of the round"), self.round.seed),
            (_("Resamples"), self._resamples()),
            (_("Annotators"), people),
        ]
        if self.choice.before:
            earlier = self.choice.before.round
            made.append((_("Compared with"), f"{earlier.number} · {earlier.name}"))
        return made

    @property
    def _set(self) -> list[tuple[str, str]]:
        weights = ", ".join(f"{title} {weight}" for title, weight in self.result.weights)
        return [(_("Weights of the capabilities"), weights or "–")]

    @property
    def level(self) -> float:
        return self.result.data.level

    @property
    def method_of_result(self) -> str:
        return self.result.method_of_scores

    @property
    def planned(self) -> tuple[int, int] | None:
        """Return how many grades are missing of those that were planned; None where nobody planned."""
        total = self.result.coverage[-1]
        return (total.missing or 0, total.wanted) if total.wanted else None

    def _resamples(self) -> str:
        """Return how often was resampled, as the methods of the figures say it."""
        methods = {
            _("scores"): self.method_of_result,
            _("agreement"): self.agreement.overall.method,
        }
        found = {title: RESAMPLES.search(said) for title, said in methods.items()}
        return ", ".join(f"{title} {one[1]}" for title, one in found.items() if one) or "–"

    @cached_property
    def counts(self) -> list[tuple[str, int]]:
        found = self.result.data.counts
        return [
            (_("Grades"), found["grades"]),
            (_("Questions"), found["questions"]),
            (_("Responses"), found["responses"]),
            (_("Annotators"), found["raters"]),
            (_("Systems"), len(self.result.names)),
        ]

    @cached_property
    def versions(self) -> list[tuple[str, str]]:
        """Return what would have to be the same for the same report to come out."""
        made = [
            ("evalsite", evalsite.VERSION),
            (_("Rubrics"), ", ".join(_rubrics(self.round)) or "–"),
            (_("Revision of the results"), str(self.round.revision)),
            (_("Fingerprint of the grades"), self.figures[self.main].ratings_sha),
            (_("Fingerprint of the round"), self.round.manifest.get("sha") or "–"),
        ]
        dates = (
            (_("Opened"), self.round.opened_at),
            (_("Closed to grading"), self.round.review_at),
            (_("Final"), self.round.final_at),
            (_("Figures computed"), self.as_of),
        )
        return made + [(title, f"{date_format(at, 'j F Y, H:i')} UTC") for title, at in dates if at]

    def sheet(self) -> Sheet:
        """Return every table of the report as one."""
        wanted = [
            kind.make(self.source(kind.figure))
            for name, kind in sheets.kinds(self.round).items()
            if kind.figure in self.figures and (self.choice.with_people or name not in OF_PEOPLE)
        ]
        return melted([*self._own(), *wanted])

    def _own(self) -> list[Sheet]:
        """Return the tables of scores, settings and versions."""
        return [
            *self._headline(),
            Sheet("settings", ("setting", "value"), self.settings, ""),
            Sheet("versions", ("of", "value"), self.versions, ""),
        ]

    def _headline(self) -> list[Sheet]:
        rows = [
            (
                line.name.text,
                line.overall.value,
                line.overall.low,
                line.overall.high,
                line.overall.n_grades,
                line.overall.n_questions,
                line.standing.ranks,
            )
            for line in self.result.headline
        ]
        columns = ("system", "overall", "low", "high", "grades", "questions", "ranks")
        return [Sheet("headline", columns, rows, self.result.method_of_scores)]


def _rubrics(round_: Round) -> list[str]:
    rows = RoundItem.objects.filter(round=round_, rubric_version__isnull=False).order_by()
    found = rows.values_list("rubric_version__rubric__name", "rubric_version__number").distinct()
    return [f"{name} v{number}" for name, number in sorted(found)]


#: Rounds that became final longer ago are computed when they are looked at.
LATELY = timedelta(days=31)
#: Rounds that are asked for in one go: who looks at a page meanwhile takes turns with them.
AT_ONCE = 5


def sweep(now: datetime) -> int:
    """Ask for the figures of rounds that are final and have none yet; return for how many rounds."""
    wanted = Figure.objects.filter(
        round=OuterRef("pk"),
        name__in=(results.FIGURE, PREFERENCES),
        wanted_at__gte=OuterRef("final_at"),
        params__formula=figures.fingerprint(),
    )
    final = Round.objects.filter(state=Round.State.FINAL, final_at__range=(now - LATELY, now))
    waiting = final.exclude(kind=Round.Kind.TRIAL).filter(~Exists(wanted)).order_by("-final_at")
    return sum(_ask(one, now) for one in _of_owners(waiting[:AT_ONCE]))


def _of_owners(rounds: Iterable[Round]) -> list[ReadRound]:
    """Return the rounds as an owner of their project reads them: under the usual settings."""
    made = []
    for round_ in rounds:
        owners = Membership.objects.with_role([Role.OWNER]).filter(project=round_.project_id)
        if owner := owners.select_related("user", "project").order_by("pk").first():
            scope = Scope(owner.project, owner.user, frozenset({Role.OWNER}))
            made.append(ReadRound(scope, round_))
    return made


def _ask(mine: ReadRound, now: datetime) -> bool:
    for need in _ahead(mine):
        figures.get(name=need.name, round_=need.round, params=need.params, now=now)
    return True


def _ahead(mine: ReadRound) -> Iterator[ReportNeed]:
    """Yield what the report, the other pages of results and those of score changes and judges take first."""
    here = mine.round
    yield from needs(read_report_choice(mine, {}))
    if here.of_pairs:
        return
    yield ReportNeed(
        breakdown.FIGURE, breakdown.FIGURE, here, breakdown.params(asked.read_cut(mine, {}))
    )
    yield ReportNeed("domains", "domains", here, {})
    yield ReportNeed(model.FIGURE, model.FIGURE, here, asked.wish(model.FIGURE, mine, {}).params)
    likeliest = movement.suggested(mine.scope.project)
    if likeliest and likeliest[1] == here:
        for system in movement.systems(*likeliest):
            moved = ChosenMovement(*likeliest, system)
            yield ReportNeed(MOVEMENT, MOVEMENT, here, movement.params(moved))
    course = trend.course(mine.scope)
    if len(course.rounds) > 1:
        yield ReportNeed(trend.FIGURE, trend.FIGURE, course.rounds[-1], course.params)
    for some in panels.fill("figures_ahead", mine=mine):
        yield from (ReportNeed(name, name, round_, params) for name, round_, params in some)
