"""Tables of agreement and of disputes.

* Tables of the plan: questions by number of annotators, and the learning curve.
* Tables of annotators: severity and fair scores, steadiness, pace, position.
* Scores by part, and the grades behind a cell, as tables that are downloaded.
* The tables of a round that can be downloaded, by name, and all of them as one.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.common import texts as tokens
from annotation.grading.facts import GradeRow
from annotation.rounds.models import Round
from scoring.figures import cells
from scoring.figures.cells import ScoreGap
from scoring.figures.typed import cells as cells_of
from scoring.figures.typed import columns as columns_of
from scoring.figures.typed import table, there
from scoring.results import agreement as sheets_agreement
from scoring.results import disputes as sheets_disputes
from scoring.results import graded, raters
from scoring.results import model as models
from scoring.results import plan as plans
from scoring.results import queries as results
from scoring.results.agreement import AgreementFigure, AgreementOfGroups, WithoutAnnotator
from scoring.results.asked import Cut, FigureSource
from scoring.results.cells import Breakdown
from scoring.results.exports import ITEMS, PART, place
from scoring.results.graded import GradedCell
from scoring.results.preferred import sheets as of_pairs
from scoring.results.queries import BESIDE_GRADES, PREFERENCES, RoundResult, Shares
from scoring.results.raters import RatersFigure
from scoring.shown.sheet import Sheet, chunks, number, percent
from scoring.shown.wording import why
from scoring.stats.claims import Claim, ClaimDifference, ClaimEstimate, LabelShares, ScoresFigure
from scoring.stats.people.said import (
    AgreementFigures,
    AgreementTogether,
    AnnotatorDispute,
    AnnotatorPair,
    AnnotatorSeverity,
    Coefficient,
    Disagreement,
    DisputePlace,
    DisputeRules,
    DisputesFigure,
    Drift,
    FairScore,
    GroupSeverity,
    LabelDispute,
    Pace,
    QuestionDispute,
    Retest,
    SystemGroupDifference,
    Tempo,
)
from scoring.stats.preferences.said import PairAgreement
from scoring.stats.scores.said import (
    ModelComponent,
    ModelDifference,
    ModelFigure,
    ModelSystem,
    Need,
    PlanFigure,
    WholeFigure,
    WholeSystem,
)

Row = tuple[object, ...]
DISAGREEMENT = {
    "any": "grades are not all equal",
    "polar": "some pass and some do not",
    "range": "the marks lie two or more apart",
    "modal": "under 80 % are on one mark",
}


def agreement(source: FigureSource) -> Sheet:
    """Every coefficient of every capability and criterion, and of everything together."""
    found = source.read(AgreementFigure)

    def rows() -> Iterator[Row]:
        for one in found.parts:
            where = (
                source.labels.capability(one.capability),
                source.labels.criterion(one.criterion),
            )
            yield from _coefficients(where, one.agreement, source)
            if one.icc is None:
                continue
            n = (one.icc.n_units, one.icc.n_clusters, one.icc.n_raters)
            for form in one.icc.forms:
                yield (*where, f"icc({form.form})", *cells_of(form, source.named)[1:], *n)
        yield from _coefficients(("Everything together", ""), found.overall, source)
        yield from _coefficients(("The same annotators again", ""), found.again, source)

    columns = ("capability", "criterion", *columns_of(Coefficient))
    return Sheet(
        "agreement",
        (*columns, "responses", "questions", "annotators"),
        rows(),
        found.overall.method,
    )


def _coefficients(
    where: Row, found: AgreementFigures | AgreementTogether, source: FigureSource
) -> Iterator[Row]:
    n = (found.n_pairable, found.n_clusters, found.n_raters)
    for one in found.coefficients:
        yield (*where, *cells_of(one, source.named), *n)


def marginals(source: FigureSource) -> Sheet:
    """The share of marks on each level of each criterion."""

    def rows() -> Iterator[Row]:
        for one in source.read(AgreementFigure).parts:
            found = one.agreement
            levels = sheets_agreement.called(one)
            for level, part in zip(levels, found.marginals, strict=True):
                yield (
                    source.labels.capability(one.capability),
                    source.labels.criterion(one.criterion),
                    level,
                    part,
                    found.n_marks,
                )

    said = "share of marks at each level of the scale, used or not"
    return Sheet("marginals", ("capability", "criterion", "level", "share", "grades"), rows(), said)


def pairs(source: FigureSource) -> Sheet:
    """κ of every pair of annotators."""
    found = source.read(AgreementFigure).pairs
    methods = sorted({one.method for one in found})
    said = "Cohen's kappa, weighted as named at the end, mean over criteria weighted by what both marked"
    return table("pairs", AnnotatorPair, found, source.named, "; ".join([said, *methods]))


def system_pairs(source: FigureSource) -> Sheet:
    """Nominal α of the choices between every two systems."""
    found = source.read(AgreementFigure).systems
    said = "Krippendorff's alpha, nominal, of choices turned to one side"
    return table("system-pairs", PairAgreement, found, source.named, said)


def without(source: FigureSource) -> Sheet:
    """Mean ordinal α over the criteria, leaving out one annotator each."""
    found = source.read(AgreementFigure).without
    said = "mean ordinal alpha over the criteria without the annotator, and its change"
    return table("without", WithoutAnnotator, found, source.named, said)


def groups(source: FigureSource) -> Sheet:
    """Agreement within every group of annotators, and of every two groups."""
    found = source.read(AgreementFigure).groups
    said = (
        "within a group ordinal alpha; of two groups 1 - observed / expected disagreement over pairs of "
        "marks with one of each group (Wong et al. 2021), ordinal; means over criteria"
    )
    return table("groups", AgreementOfGroups, found, source.named, said)


def group_differences(source: FigureSource) -> Sheet:
    """By how many points every two groups grade apart, in all and by system."""
    found = source.read(AgreementFigure).differences

    def rows() -> Iterator[Row]:
        for one in (*found.overall, *there(found.systems, source.named)):
            release = one.release if isinstance(one, SystemGroupDifference) else None
            yield (
                one.left,
                one.right,
                source.names[release].text if release is not None else "",
                cells.points(one.value),
                *_tests(one.these),
                *_tests(one.others),
                one.certainty,
                one.n_responses,
                one.n_questions,
                one.n_left,
                one.n_right,
                why(one.reason or one.these.interval_reason or one.others.interval_reason),
            )

    return Sheet("group-differences", GROUP_DIFFERENCES, rows(), found.method)


def disagreement(source: FigureSource) -> Sheet:
    """The ratio of disagreement by capability and rule."""

    def rows() -> Iterator[Row]:
        for rule, found in source.read(AgreementFigure).disagreement.items():
            for one in found:
                part, *figures = cells_of(one, source.named)
                yield part, rule, DISAGREEMENT[rule], *figures

    columns = ("capability", "rule", "meaning", *columns_of(Disagreement)[1:])
    said = "share of the responses with two grades or more that meet the rule"
    return Sheet("disagreement", columns, rows(), said)


def disputes(source: FigureSource) -> Sheet:
    """C(ij) and C(i): how often each annotator stands alone."""
    found = source.read(DisputesFigure)

    def rows() -> Iterator[Row]:
        for one in found.raters:
            name, part, *figures = cells_of(one, source.named)
            yield name, "" if one.overall else part, *figures

    return Sheet("disputes", columns_of(AnnotatorDispute), rows(), rules(found.rules))


def questions(source: FigureSource) -> Sheet:
    """C(k) of the questions in dispute, as printed and per system."""
    found = source.read(DisputesFigure)
    return table("questions", QuestionDispute, found.in_dispute, source.named, rules(found.rules))


def label_disputes(source: FigureSource) -> Sheet:
    """The questions whose responses were given different labels."""
    found = source.read(DisputesFigure).labels
    said = "share of the pairs of grades of one response that are different labels"
    return table("label-disputes", LabelDispute, found, source.named, said)


def places(source: FigureSource) -> Sheet:
    """Every response in dispute, with who stands alone on it."""
    found = source.read(DisputesFigure)
    return table("places", DisputePlace, found.places, source.named, rules(found.rules))


def rules(used: DisputeRules) -> str:
    """Return the rules of disputes in words for programs."""
    far = f", {used.far:g} or more" if used.rater == "median" else ""
    limits = {"share": f", at least {used.share:g}", "range": f", at least {used.span:g}"}
    weights = " and ".join(f"{one.numerator}/{one.denominator}" for one in (used.w1, used.w2))
    question = used.question + limits.get(used.question, "")
    return f"annotators: {used.rater}{far}; questions: {question}; weights {weights}"


def plan(source: FigureSource) -> Sheet:
    """How many questions each number of annotators needs."""
    found = source.read(PlanFigure)
    pilot = found.components
    n = (pilot.n_questions, pilot.n_raters) if pilot else (None, None)
    rows = ((*cells_of(one, source.named), *n) for one in found.needs)
    columns = (*columns_of(Need), "pilot_questions", "pilot_annotators")
    said = (
        f"two systems that lie {percent(found.delta):g} points apart, power {found.power:g}, "
        f"two-sided level {found.level:g}; everybody grades everything"
    )
    return Sheet("plan", columns, rows, said)


def model_systems(source: FigureSource) -> Sheet:
    """Systems by the mixed model, beside their scores."""
    found = source.read(ModelFigure)
    return _model("model", ModelSystem, found.systems, found, source)


def model_differences(source: FigureSource) -> Sheet:
    """Differences by the mixed model, beside those of the scores."""
    found = source.read(ModelFigure)
    return _model("model-differences", ModelDifference, found.differences, found, source)


def model_parts(source: FigureSource) -> Sheet:
    """Variances of the random parts of the mixed model."""
    found = source.read(ModelFigure)
    return _model("model-parts", ModelComponent, found.components, found, source)


def _model(
    name: str, kind: type[Any], rows: Iterable[Any], found: ModelFigure, source: FigureSource
) -> Sheet:
    said = (
        "linear mixed model by REML, Wald intervals at 95%, points of percent, variances of shares: system "
        "and criterion fixed; questions, annotators, systems x questions and systems x annotators random"
    )
    n = (found.n_grades, found.n_questions, found.n_raters)
    lines = ((*cells_of(row, source.named), *n) for row in there(rows, source.named))
    columns = (*columns_of(kind), "grades", "questions", "annotators")
    is_good = found.converged or found.reason
    return Sheet(name, columns, lines, said if is_good else f"{said}; not converged")


def whole(source: FigureSource) -> Sheet:
    """Scores over all outputs that the round was drawn from, beside those of the chosen ones."""
    found = source.read(WholeFigure)
    rule = found.drawn.rule if found.drawn else ""
    return table(
        "whole",
        WholeSystem,
        found.systems,
        source.named,
        "weighted by 1 / chance (Hajek), design-based intervals at 95% for these annotators, points of percent"
        + (f"; drawn by {rule}" if rule else ""),
    )


def curve(source: FigureSource) -> Sheet:
    """Widths of the intervals of overall scores against the number of questions."""

    def rows() -> Iterator[Row]:
        for one in there(source.read(PlanFigure).curves, source.named):
            name, now = source.names[one.release].text, one.n_questions
            if one.reason:
                yield name, now, None, True, None, None, why(one.reason)
            for point in one.points:
                n, width = point.n_questions, percent(point.width)
                yield name, n, width, n == now, point.enough, one.n_enough, ""

    columns = ("system", "questions", "width", "now", "enough", "questions_for_enough", "why")
    said = (
        "width of the 95% interval of the overall score in points; Student's t on the standard "
        "error of today, which falls with the root of the number of questions"
    )
    return Sheet("curve", columns, rows(), said)


def severity(source: FigureSource) -> Sheet:
    """How severe each annotator is, with what that costs in points."""
    found = source.read(RatersFigure).severity
    return table("severity", AnnotatorSeverity, found.raters, source.named, found.method)


def group_severity(source: FigureSource) -> Sheet:
    """How severe each group of annotators is, with what that costs in points."""
    found = source.read(RatersFigure).severity
    said = f"mean over the annotators of a group; {found.method}"
    return table("group-severity", GroupSeverity, found.groups, source.named, said)


def fair(source: FigureSource) -> Sheet:
    """Scores as graded, and as they would be under average severity."""
    found = source.read(RatersFigure).severity
    said = f"{found.method}; all grades pooled, percent"
    return table("fair", FairScore, found.releases, source.named, said)


def steady(source: FigureSource) -> Sheet:
    """The same again, and drift over time."""
    found = source.read(RatersFigure)

    def rows() -> Iterator[Row]:
        again = {one.rater: cells_of(one, source.named) for one in found.retest}
        none = (None,) * len(columns_of(Retest))
        for one in found.drift:
            yield (*cells_of(one, source.named), *again.get(one.rater, none))

    said = (
        "drift: change from the first to the last grade against the mean of the others, a straight "
        "line, shares of the scale; p of the CUSUM by permuting blocks of questions, p_bh corrected "
        "for the number of annotators; retest: second against first"
    )
    return Sheet("steady", (*columns_of(Drift), *columns_of(Retest)), rows(), said)


def position(source: FigureSource) -> Sheet:
    """The mean mark at each position, centred."""
    found = source.read(RatersFigure).position
    rows = (
        (
            tokens.letter(one.position),
            *one.in_points,
            one.n_grades,
            found.p,
            found.n_questions,
        )
        for one in found.positions
    )
    columns = ("position", "points", "low", "high", "grades", "p_all_equal", "questions")
    said = "mean mark by position, centred by page and system, points of percent"
    return Sheet("position", columns, rows, said)


def tempo(source: FigureSource) -> Sheet:
    """The usual time of a question beside how often somebody stands alone, by annotator."""
    said = "median of the active seconds a question; alone: C(i), percent of graded responses"
    return table("tempo", Tempo, source.read(RatersFigure).tempo, source.named, said)


def pace(source: FigureSource) -> Sheet:
    """Active seconds a question, by annotator and capability."""
    said = "active seconds a question; fast: under a third of the median of the capability"
    return table("pace", Pace, source.read(RatersFigure).pace, source.named, said)


PARTS = (
    "figure",
    "part",
    "kind",
    "criterion",
    "difficulty",
    "area",
    "system",
    "percent",
    "low",
    "high",
    "exact",
    "grades",
    "questions",
    "annotators",
    "came",
    "wanted",
    "reason",
)
GRADES = (
    "item",
    "question",
    "capability",
    "difficulty",
    "area",
    *PART,
    "system",
    "release",
    "criterion",
    "scale_min",
    "scale_max",
    "annotator",
    "purpose",
    "occasion",
    "outcome",
    "value",
    "reason",
    "comment",
    "at",
    "active_ms",
    "against",
    "against_release",
)
RANKS = (
    "system",
    "percent",
    "rank_low",
    "rank_high",
    "better_than",
    "grades",
    "questions",
)
DIFFERENCES = (
    "of",
    "against",
    "points",
    "low",
    "high",
    "p",
    "p_holm",
    "p_equal",
    "low_others",
    "high_others",
    "p_others",
    "p_holm_others",
    "p_equal_others",
    "certainty",
    "questions",
    "questions_of_either",
    "grades",
    "grades_left_out",
    "missing",
    "reason",
)
GROUP_DIFFERENCES = (
    "group",
    "with",
    "system",
    *DIFFERENCES[2:14],
    "responses",
    "questions",
    "annotators",
    "annotators_with",
    "reason",
)
LABELS = (
    "criterion",
    "label",
    "system",
    "percent",
    "low",
    "high",
    "low_others",
    "high_others",
    "grades",
    "questions",
    "annotators",
    "reason",
)
FOR_WHOM = {Claim.THESE: "these annotators", Claim.OTHERS: "other annotators too"}
SCORES = {
    "": "Σ(mark − minimum) / Σ(top − minimum) × 100, intervals at 95 % over questions",
    "printed": "Σ mark / Σ top × 100, intervals at 95 % over questions",
    "questions": "mean over questions of Σ(mark − minimum) / Σ(top − minimum) × 100, intervals at 95 %",
}


def convention(cut: Cut) -> str:
    """Return how scores were made: the weights of all capabilities, and what was filtered."""
    tree = cut.weights.tree
    titles = {str(pk): tree.by_key[pk].name for pk in tree.order}
    used = [f"{titles.get(key, key)} {weight}" for key, weight in cut.effective.items()]
    said = [SCORES[cut.way], f"weights: {', '.join(used)}"]
    said += [f"{title}: {value}" for title, value in cut.said()]
    return "; ".join(said)


def parts(table: Breakdown, cut: Cut) -> Sheet:
    """Return a line for each figure × part × difficulty × area × system."""
    return Sheet("breakdown", PARTS, _parts(table), convention(cut))


def _parts(table: Breakdown) -> Iterator[tuple[object, ...]]:
    names = {name.release: name.text for name in table.names}
    for row in table.rows:
        if row.release not in names:
            continue
        titles = table.titles(row)
        value = row.value
        yield (
            row.figure,
            titles["part"],
            "capability" if row.node.startswith("c-") else "group",
            titles["criterion"],
            titles["difficulty"],
            titles["area"],
            names[row.release],
            None if value is None else 100 * float(value),
            *cells.ends(row),
            "" if value is None else f"{value.numerator}/{value.denominator}",
            row.n_grades,
            row.n_questions,
            row.n_raters,
            row.came,
            row.wanted,
            why(row.reason or row.interval_reason),
        )


def ranks(source: FigureSource) -> Sheet:
    """Return a line for each system: between which ranks it stands, and whom it is better than."""
    result = results.result_of(source.round, source.read(ScoresFigure), source.names)
    rows = (
        (
            line.name.text,
            line.overall.value,
            line.standing.low,
            line.standing.high,
            "; ".join(other.text for other in line.better),
            line.overall.n_grades,
            line.overall.n_questions,
        )
        for line in result.headline
    )
    return Sheet("ranks", RANKS, rows, _method(result.data))


def _method(found: ScoresFigure) -> str:
    return f"{found.method_of_ranks}, for {FOR_WHOM[found.claim]}"


def differences(source: FigureSource) -> Sheet:
    """Return a line for each pair of systems, overall and in points of percent."""
    result = results.result_of(source.round, source.read(ScoresFigure), source.names)
    rows = _differences(result.gaps, result.differences)
    return Sheet("differences", DIFFERENCES, rows, _method(result.data))


def _differences(gaps: Sequence[ScoreGap], found: Sequence[ClaimDifference]) -> Iterator[Row]:
    for gap, row in zip(gaps, found, strict=True):
        yield (
            gap.left.text,
            gap.right.text,
            gap.value,
            *_tests(row.these),
            *_tests(row.others),
            gap.certainty,
            gap.n_questions,
            gap.n_either,
            gap.n_pairs,
            gap.n_left_out,
            "; ".join(gap.missing),
            gap.why,
        )


def label_shares(source: FigureSource) -> Sheet:
    """Return a line for each label and system: how often it was given, in percent."""
    result = results.result_of(source.round, source.read(ScoresFigure), source.names)
    rows = (
        (
            title,
            shown.title,
            source.names[row.release].text,
            shown.cells[row.release].value,
            *cells.ends(row.these),
            *cells.ends(row.others),
            row.n_grades,
            row.n_questions,
            row.n_raters,
            why(row.reason or row.these.interval_reason),
        )
        for title, one, shown in _labels(result)
        for row in one.scores
        if row.release in source.names
    )
    said = "share of the grades that have the label; intervals as those of scores"
    return Sheet("labels", LABELS, rows, said)


def label_differences(source: FigureSource) -> Sheet:
    """Return a line for each label and pair of systems, in points of percent."""
    result = results.result_of(source.round, source.read(ScoresFigure), source.names)
    rows = (
        (title, shown.title, *line)
        for title, one, shown in _labels(result)
        for line in _differences(shown.gaps, list(filter(result.has_names, one.differences)))
    )
    said = f"p corrected over all labels and pairs of a criterion; {_method(result.data)}"
    return Sheet("label-differences", ("criterion", "label", *DIFFERENCES), rows, said)


def _labels(result: RoundResult) -> Iterator[tuple[str, LabelShares, Shares]]:
    """Yield every label with the name of its criterion, as it is computed and as it is read."""
    for found in result.data.labels:
        for one, shown in zip(found.labels, result.shares(found), strict=True):
            yield result.criterion_title(found.criterion), one, shown


def _tests(one: ClaimEstimate) -> tuple[object, ...]:
    return *cells.ends(one), one.p, one.p_holm, one.p_equal


def grades(cell: GradedCell, *, with_people: bool) -> Sheet:
    """Return a line for each grade that a cell counts; annotators by number unless one may know."""
    return Sheet("grades", GRADES, _grades(cell, with_people=with_people), convention(cell.cut))


def _grades(cell: GradedCell, *, with_people: bool) -> Iterator[tuple[object, ...]]:
    people = graded.people(cell.cut) if with_people else {}
    items = graded.items(cell).order_by("ordinal").values_list("item_id", flat=True)
    for some in chunks(dict.fromkeys(items), ITEMS):
        for row in graded.counted(cell, some):
            yield _grade(
                row, cell, people.get(row.rater.pk) or graded.annotator(row, cell.cut.labels)
            )


def _grade(row: GradeRow, cell: GradedCell, annotator: str) -> tuple[object, ...]:
    known = cell.cut.selection.ground.names
    name, other = known[row.release.pk], known[row.against.pk] if row.against else None
    return (
        row.item.external_id,
        row.item.group,
        row.item.capability,
        row.item.difficulty,
        row.item.domain,
        *place(row.item),
        name.system,
        name.label,
        row.criterion.key,
        number(row.criterion.scale_min),
        number(row.criterion.scale_max),
        annotator,
        row.seat.purpose,
        row.seat.occasion,
        row.outcome,
        number(row.value),
        row.reason,
        row.comment,
        row.at.isoformat() if row.at else "",
        row.active_ms,
        other.system if other else "",
        other.label if other else "",
    )


@dataclass(frozen=True, slots=True)
class SheetKind:
    """A table: the figure it is made of, and how."""

    figure: str
    make: Callable[[FigureSource], Sheet]


SHEETS: Mapping[str, SheetKind] = {
    "ranks": SheetKind(results.FIGURE, ranks),
    "differences": SheetKind(results.FIGURE, differences),
    "labels": SheetKind(results.FIGURE, label_shares),
    "label-differences": SheetKind(results.FIGURE, label_differences),
    "agreement": SheetKind(sheets_agreement.FIGURE, agreement),
    "marginals": SheetKind(sheets_agreement.FIGURE, marginals),
    "pairs": SheetKind(sheets_agreement.FIGURE, pairs),
    "groups": SheetKind(sheets_agreement.FIGURE, groups),
    "group-differences": SheetKind(sheets_agreement.FIGURE, group_differences),
    "without": SheetKind(sheets_agreement.FIGURE, without),
    "disagreement": SheetKind(sheets_agreement.FIGURE, disagreement),
    "disputes": SheetKind(sheets_disputes.FIGURE, disputes),
    "questions": SheetKind(sheets_disputes.FIGURE, questions),
    "label-disputes": SheetKind(sheets_disputes.FIGURE, label_disputes),
    "places": SheetKind(sheets_disputes.FIGURE, places),
    "severity": SheetKind(raters.FIGURE, severity),
    "group-severity": SheetKind(raters.FIGURE, group_severity),
    "fair": SheetKind(raters.FIGURE, fair),
    "steady": SheetKind(raters.FIGURE, steady),
    "position": SheetKind(raters.FIGURE, position),
    "tempo": SheetKind(raters.FIGURE, tempo),
    "pace": SheetKind(raters.FIGURE, pace),
    "rates": SheetKind(PREFERENCES, of_pairs.strengths),
    "rates-by-part": SheetKind(PREFERENCES, of_pairs.parts),
    "wins": SheetKind(PREFERENCES, of_pairs.wins),
    "annotator-choices": SheetKind(PREFERENCES, of_pairs.annotators),
    "grades-beside": SheetKind(BESIDE_GRADES, of_pairs.beside),
    "system-pairs": SheetKind(sheets_agreement.FIGURE, system_pairs),
    "plan": SheetKind(plans.FIGURE, plan),
    "curve": SheetKind(plans.FIGURE, curve),
    "model": SheetKind(models.FIGURE, model_systems),
    "model-differences": SheetKind(models.FIGURE, model_differences),
    "model-parts": SheetKind(models.FIGURE, model_parts),
    "whole": SheetKind(models.WHOLE, whole),
}

#: Those of a round of pairs alone, and those that such a round has besides.
OF_PAIRS = frozenset(
    {"rates", "rates-by-part", "wins", "annotator-choices", "grades-beside", "system-pairs"}
)
OF_BOTH = frozenset(
    {
        *("agreement", "marginals", "pairs", "groups", "without", "disagreement"),
        *("disputes", "questions", "places", "plan", "curve"),
    }
)


def kinds(round_: Round) -> dict[str, SheetKind]:
    """Return the tables that a round has."""
    if round_.of_pairs:
        return {name: one for name, one in SHEETS.items() if name in OF_PAIRS | OF_BOTH}
    return {name: one for name, one in SHEETS.items() if name not in OF_PAIRS}


def melted(sheets: Iterable[Sheet]) -> Sheet:
    """Return several tables as one: a line for each of their places."""
    held = list(sheets)

    def rows() -> Iterator[tuple[object, ...]]:
        for sheet in held:
            for n, row in enumerate(sheet.rows, start=1):
                for column, value in zip(sheet.columns, row, strict=True):
                    yield sheet.name, n, column, value, sheet.convention

    return Sheet("report", ("table", "line", "column", "value", "follows"), rows(), "see follows")
