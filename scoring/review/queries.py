"""What reviewers made of a round, as its results offer it: what was settled, what was declared invalid.

* The scores of a round with and without what reviewers decided, side by side.
* What waits at the review desk of a round: disputed questions, flags, what somebody took up by hand.
* A question on the review desk: its responses under letters, all grades side by side, what was decided.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.http import Http404
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.common import draws as seeds
from annotation.common import scales, texts, traces
from annotation.grading import facts as grade_table
from annotation.grading.facts import GradeRow
from annotation.grading.models import Grade, Remark
from annotation.review import operations as reviews
from annotation.review import rules
from annotation.review.models import Decision
from annotation.rounds import queries as flags
from annotation.rounds.models import Assignment, Round, RoundItem, RoundResponse
from annotation.rubrics.models import Criterion
from annotation.rubrics.queries import CriterionFace, criterion_face
from annotation.rubrics.rules import TURNED
from annotation.systems.models import Display, Item, Response
from evalsite.text import markdown
from scoring.figures import cells
from scoring.figures import labels as of_labels
from scoring.figures.labels import Labels, ReadRound
from scoring.results import disputes
from scoring.results import queries as results
from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.stats.claims import Claim, ScoresFigure
from scoring.stats.people.said import DisputesFigure, QuestionDispute

#: What the scores are computed with: of the filter "review", as an address names them.
VARIANTS = {"struck": ("struck",), "given": (), "adjudicated": ("adjudicated",)}


def params(round_: Round) -> dict[str, dict[str, object]]:
    """Return what the figure of scores depends on, for each of the variants."""
    return {
        name: results.params(round_, selection={"review": list(chosen)} if chosen else None)
        for name, chosen in VARIANTS.items()
    }


@dataclass(frozen=True, slots=True)
class ReviewValue:
    """A score of 0 to 100 with its interval; `why` says why there is none."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    why: str


@dataclass(frozen=True, slots=True)
class EffectLine:
    """A system: as everything was given, as it counts, with adjudicated grades in place."""

    name: Name
    struck: ReviewValue
    given: ReviewValue
    adjudicated: ReviewValue

    @property
    def moved(self) -> float | None:
        """Return by how many points the review moves the score in all."""
        if self.adjudicated.value is None or self.struck.value is None:
            return None
        return self.adjudicated.value - self.struck.value


def lines(data: Mapping[str, ScoresFigure], names: Mapping[int, Name]) -> list[EffectLine]:
    """Return a line for each system, in the order of the draw.

    Args:
        data: figures of scores, by variant (`scoring.review.queries`).
        names: what the systems are called.
    """
    return [
        EffectLine(name, *(_overall(data[key], pk) for key in ("struck", "given", "adjudicated")))
        for pk, name in names.items()
    ]


def _overall(found: ScoresFigure, release: int) -> ReviewValue:
    for row in found.usual.scores:
        if (row.figure, row.level, row.release) == ("score", "overall", release):
            shown = row.others if found.claim is Claim.OTHERS else row.these
            return ReviewValue(
                None if row.value is None else 100 * float(row.value),
                *cells.ends(shown),
                row.n_grades,
                why(row.reason),
            )
    return ReviewValue(None, None, None, 0, "")


SIZE = 50
ONLY = ("open", "decided", "all")


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """A question at the review desk: why it is there, and what was decided last."""

    place: int
    key: str
    question: str
    dispute: QuestionDispute | None
    n_flags: int
    taken_up: bool
    decided: Decision | None
    waits: bool

    @property
    def is_open(self) -> bool:
        return self.decided is None or self.waits

    @property
    def rank(self) -> tuple[bool, bool, float, int, int]:
        """Return what comes first: what waits for a second reviewer, by hand, C(k), flags."""
        printed = float(self.dispute.printed or 0) if self.dispute else 0.0
        return (not self.waits, not self.taken_up, -printed, -self.n_flags, self.place)


@dataclass(frozen=True, slots=True)
class Queue:
    lines: list[ReviewLine]
    n_open: int
    n_decided: int
    #: From which line on the next page begins; None on the last.
    later: int | None


@dataclass(frozen=True, slots=True)
class Around:
    """The questions to check before and after one, as the desk lists them; None at its ends."""

    earlier: int | None
    later: int | None
    n_open: int


def around(round_: Round, figure: DisputesFigure, number: int) -> Around:
    """Return where to go from a question of the review desk."""
    found = sorted(_lines(round_, figure), key=lambda one: one.rank)
    here = next((place for place, one in enumerate(found) if one.place == number), -1)
    earlier = [one.place for one in found[: max(here, 0)] if one.is_open]
    later = [one.place for one in found[here + 1 :] if one.is_open]
    return Around(
        earlier[-1] if earlier else None,
        later[0] if later else None,
        sum(one.is_open for one in found),
    )


def queue(round_: Round, figure: DisputesFigure, *, only: str = "open", start: int = 0) -> Queue:
    """Return a page of the questions at the review desk, the most pressing first."""
    found = sorted(_lines(round_, figure), key=lambda one: one.rank)
    n_open = sum(one.is_open for one in found)
    wanted = [one for one in found if only == "all" or one.is_open == (only == "open")]
    page = wanted[start : start + SIZE]
    later = start + SIZE if start + SIZE < len(wanted) else None
    return Queue(page, n_open, len(found) - n_open, later)


def _lines(round_: Round, figure: DisputesFigure) -> list[ReviewLine]:
    disputed = {one.question: one for one in figure.in_dispute}
    flagged = Counter(
        flags.unanswered(flags.of_flags(round_)).values_list(
            "slot__assignment__round_item__item", "slot__assignment__round_item__pair"
        )
    )
    decided = reviews.standings(round_)
    rows = RoundItem.objects.filter(round=round_, occasion=1).select_related("item")
    return [
        _line(one, disputed.get(one.item.group), flagged[key], decided.get(key, ()))
        for one in rows.defer("face").order_by("ordinal")
        if (key := (one.item_id, one.pair)) in decided
        or one.item.group in disputed
        or key in flagged
    ]


def _line(
    place: RoundItem,
    dispute: QuestionDispute | None,
    n_flags: int,
    decisions: Sequence[Decision],
) -> ReviewLine:
    settling = [one for one in decisions if rules.ReviewAct(one.act) in rules.SETTLES]
    # Taken up after the last decision, it is open once more.
    up = bool(decisions) and decisions[0].act == Decision.Act.TAKE_UP
    last = settling[0] if settling and not up else None
    return ReviewLine(
        place.ordinal + 1,
        place.item.external_id,
        place.item.question,
        dispute,
        n_flags,
        up,
        last,
        waits=any(getattr(one, "effect", None) is None for one in decisions),
    )


@dataclass(frozen=True, slots=True)
class ReviewMark:
    """A grade that was given. `seat` can be handed back; 0 where it cannot."""

    pk: int
    person: str
    mark: str
    comment: str
    evidence: tuple[str, ...]
    seconds: int | None
    at: datetime | None
    alone: bool
    valid: bool
    seat: int
    #: The word of the level that was given, if it has one.
    word: str = ""


@dataclass(frozen=True, slots=True)
class ReviewPart:
    """A response on one criterion."""

    criterion: Criterion
    #: The criterion as annotators saw it.
    face: CriterionFace
    marks: tuple[ReviewMark, ...]
    settled: str

    @property
    def is_divided(self) -> bool:
        return not self.face.by_text and len({one.mark for one in self.marks if one.valid}) > 1

    @property
    def in_words(self) -> str:
        """Return who said what in a sentence, what most said first: 3 of 4 said 3, one said 0."""
        counts = Counter(_grade_in_words(one) for one in self.marks if one.valid)
        if not counts or self.face.by_text:
            return ""
        n = counts.total()
        (most, n_most), *others = counts.most_common()
        said = [
            ngettext("%(n)d said %(grade)s", "all %(n)d said %(grade)s", n)
            % {"n": n, "grade": most}
            if not others
            else _("%(n)d of %(all)d said %(grade)s") % {"n": n_most, "all": n, "grade": most}
        ]
        said += [
            ngettext("one said %(grade)s", "%(n)d said %(grade)s", n_of)
            % {"n": n_of, "grade": grade}
            for grade, n_of in others
        ]
        return ", ".join(said)


@dataclass(frozen=True, slots=True)
class ReviewAnswer:
    letter: str
    response: Response
    html: SafeString
    parts: tuple[ReviewPart, ...]


@dataclass(frozen=True)
class ReviewPage:
    place: RoundItem
    face: Mapping[str, Any]
    answers: list[ReviewAnswer]
    decisions: list[reviews.DecisionLine]
    flags: list[Remark] = field(default_factory=list)
    #: In a round of pairs, which of the two was chosen, with these letters; the answers have no parts.
    choices: tuple[ReviewPart, ...] = ()

    @property
    def parts(self) -> list[ReviewPart]:
        return [*(part for one in self.answers for part in one.parts), *self.choices]

    @property
    def item(self) -> Item:
        return self.place.item

    @property
    def number(self) -> int:
        return self.place.ordinal + 1


def allowed(mine: ReadRound, number: int) -> ReviewPage:
    """Return the page of a question for whoever reads it; people are hidden as the project says.

    Raises:
        Http404: the round has no such question.
    """
    found = place_of(mine.round, number)
    if found is None:
        raise Http404
    found.round = mine.round
    hide = reviews.rule_of(mine.scope.project).hide_people
    return page(mine.round, found, of_labels.labels_of(mine.round), hide_people=hide)


def place_of(round_: Round, number: int) -> RoundItem | None:
    """Return the place of a round at this number, counted from 1; a repeat has no page of its own."""
    rows = RoundItem.objects.filter(round=round_, ordinal=number - 1)
    found = rows.select_related("item__capability", "item__question_version__question").first()
    if found is None or found.occasion == 1:
        return found
    return RoundItem.objects.select_related("item__capability").get(
        round=round_, item=found.item_id, pair=found.pair, occasion=1
    )


def page(round_: Round, place: RoundItem, labels: Labels, *, hide_people: bool) -> ReviewPage:
    """Return a question with everything a reviewer decides by, and nothing that names a system."""
    rows = [row for row in _grades(round_, place) if not row.late]
    marked = disputes.evidence(round_, [place.item_id])
    people = _people(round_, place, rows, labels, hide=hide_people)
    seats = _seats(place)
    criteria = list(
        Criterion.objects.filter(rubric_version=place.rubric_version_id)
        .order_by("position", "pk")
        .prefetch_related("levels")
    )
    shown = _in_order(round_, place)
    known = (rows, people, marked, seats)
    answers = [
        ReviewAnswer(
            letter,
            one.response,
            _html(one),
            tuple(_part(one, criterion, *known) for criterion in criteria if not place.pair),
        )
        for letter, one in zip(texts.LETTERS, shown, strict=False)
    ]
    flagged = Remark.objects.flags().filter(
        slot__assignment__round=round_,
        slot__assignment__round_item__item=place.item,
        slot__assignment__round_item__pair=place.pair,
    )
    return ReviewPage(
        place,
        _safe_face(place.face or _plain_face(place.item)),
        answers,
        reviews.lines(
            reviews.decisions_of(round_).filter(item=place.item_id, pair__in={0, place.pair})
        ),
        list(flagged.order_by("pk").prefetch_related("answers")),
        tuple(_part(shown[0], criterion, *known) for criterion in criteria if place.pair),
    )


def _in_order(round_: Round, place: RoundItem) -> list[RoundResponse]:
    """Return the responses by a lot of the desk's own: a letter here is no position of a seat."""
    rows = RoundResponse.objects.filter(round_item=place).select_related("response", "display")
    seed = f"{round_.seed} review {place.item.content_sha}"
    return sorted(rows, key=lambda one: seeds.rank_key(seed, one.response.content_sha))


def _grades(round_: Round, place: RoundItem) -> list[GradeRow]:
    known = grade_table.facts([round_], items=[place.item_id])
    rows = (row for row in grade_table.rows_on(known, [place.item_id]) if row.seat.occasion == 1)
    if not place.pair:
        return list(rows)
    two = set(place.responses.values_list("release_id", flat=True))
    return [row for row in rows if row.against and {row.release.pk, row.against.pk} == two]


def _people(
    round_: Round, place: RoundItem, rows: Sequence[GradeRow], labels: Labels, *, hide: bool
) -> dict[int, str]:
    """Return what the annotators are called: by their number, or by one of this question alone."""
    keys = {row.rater.pk for row in rows if row.grade_kind == Grade.Kind.GIVEN}
    if not hide:
        return {key: labels.rater(key) for key in keys}
    seed = f"{round_.seed} people {place.item.content_sha}"
    order = sorted(keys, key=lambda key: seeds.rank_key(seed, str(key)))
    return {key: _("Person %(number)d") % {"number": n} for n, key in enumerate(order, start=1)}


def _seats(place: RoundItem) -> dict[int, int]:
    """Return the seat of each rater whose grades are submitted."""
    rows = Assignment.objects.filter(round_item=place, state=Assignment.State.SUBMITTED)
    return dict(rows.values_list("rater_id", "pk"))


def _part(
    of: RoundResponse,
    criterion: Criterion,
    rows: Sequence[GradeRow],
    people: Mapping[int, str],
    marked: Mapping[tuple[int, int], Sequence[str]],
    seats: Mapping[int, int],
) -> ReviewPart:
    here = [
        row
        for row in (_seen_from(of, one) for one in rows)
        if row.response_id == of.response_id and row.criterion.key == criterion.key
    ]
    given = [row for row in here if row.grade_kind == Grade.Kind.GIVEN]
    alone = lonely({row.pk: row.value for row in given if row.valid}, criterion.pass_at)
    face = criterion_face(criterion)
    marks = [
        ReviewMark(
            row.pk,
            people[row.rater.pk],
            _("cannot grade") if row.outcome == Grade.Outcome.CANNOT_GRADE else _said(face, row),
            row.reason if row.outcome == Grade.Outcome.CANNOT_GRADE else row.comment,
            tuple(marked.get((row.response_id, row.rater.pk), ())),
            None if row.active_ms is None else round(row.active_ms / 1000),
            row.at,
            row.pk == alone,
            row.valid,
            seats.get(row.rater.pk, 0),
            "" if face.said_by_word else row.criterion.words(row.value),
        )
        for row in given
    ]
    settled = [
        row
        for row in here
        if row.grade_kind == Grade.Kind.ADJUDICATED and row.valid and row.value is not None
    ]
    return ReviewPart(
        criterion,
        face,
        tuple(sorted(marks, key=lambda one: one.person)),
        _said(face, settled[-1]) if settled else "",
    )


def _seen_from(of: RoundResponse, row: GradeRow) -> GradeRow:
    """Return a choice as it reads with this answer named first; a grade as it is."""
    if row.against is None or row.response_id == of.response_id:
        return row
    value = None if row.value is None else Decimal(TURNED[int(row.value)])
    return row._replace(response_id=of.response_id, value=value)


def _said(face: CriterionFace, row: GradeRow) -> str:
    """Return a grade as its criterion says it: a number, the words of labels, a text."""
    return row.text or ("" if row.value is None else face.words(scales.text(row.value)))


def _grade_in_words(mark: ReviewMark) -> str:
    return f"{mark.mark} ({mark.word})" if mark.word else mark.mark


def lonely(values: Mapping[int, Decimal | None], pass_at: Decimal | None) -> int | None:
    """Return who of three or more stands alone on their side of the pass mark, if anybody does.

    References:
        LalaEval, appendix F.1: F(ikq).
    """
    known = (
        {key: value >= pass_at for key, value in values.items() if value is not None}
        if (pass_at is not None)
        else {}
    )
    if len(known) < 3:
        return None
    for side in (True, False):
        same = [key for key, passes in known.items() if passes is side]
        if len(same) == 1:
            return same[0]
    return None


def _html(of: RoundResponse) -> SafeString:
    """Return what annotators were shown, names masked; of an import, its text."""
    shown: Display | None = of.display
    return _safe(shown.html if shown else markdown.render(texts.conversation(of.response.messages)))


def _safe(html: str) -> SafeString:
    return traces.worded(html)


def _safe_face(face: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(face)
    for name in ("question", "reference", "principle"):
        made[name] = _safe(str(face.get(name, "")))
    turns = face.get("turns", ())
    made["turns"] = [{**one, "html": _safe(str(one.get("html", "")))} for one in turns]
    return made


def _plain_face(item: Item) -> dict[str, Any]:
    """Return the face of a question that no round of ours has shown."""
    reference = texts.normalise(item.reference)
    return {
        "question": markdown.render(texts.normalise(item.question)),
        "reference": markdown.render(reference) if reference else "",
        "key_points": [texts.normalise(str(one)) for one in item.key_points],
        "capability": item.capability.name if item.capability else "",
        "difficulty": item.difficulty,
    }
