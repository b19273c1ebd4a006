"""The figure of disputes, how its page shows it, and the grades behind one of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from django.utils.translation import gettext_lazy, ngettext

from annotation.common.sentences import gettext as _
from annotation.grading import facts as grade_table
from annotation.grading.facts import GradeRow
from annotation.grading.models import Remark
from annotation.rounds.models import Round, RoundItem
from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import BOTH_BAD
from annotation.systems.models import Item
from scoring.figures.cells import Notes
from scoring.figures.labels import Labels
from scoring.shown.names import Name
from scoring.shown.wording import why
from scoring.stats.people.said import AnnotatorDispute, DisputePlace, DisputesFigure
from scoring.stats.plain import Reason

FIGURE = "disputes"
#: Cells on fewer grades are greyed, questions and places beyond these are in the CSV only.
FEW, TOP, PLACES = 15, 25, 40
RATER_RULES = {
    "alone": gettext_lazy("alone on a side of the pass mark, of three or more"),
    "median": gettext_lazy("far from the median of the others"),
}
QUESTION_RULES = {
    "near_half": gettext_lazy("the smaller side is at least half, rounded down"),
    "literal": gettext_lazy("the smaller side is exactly half (LalaEval)"),
    "share": gettext_lazy("the smaller side has at least a given share"),
    "range": gettext_lazy("the marks lie far apart"),
}


#: The rule of preferences, which have no pass mark.
OPPOSED = "opposed"
OF_PAIRS = {
    "rater": gettext_lazy("alone for one answer, where two or more chose the other"),
    "question": gettext_lazy("some chose one answer, some the other"),
}


@dataclass(frozen=True, slots=True)
class AloneCell:
    """C(ij): the share of grades with which a rater stood alone."""

    rater: int
    capability: int | None
    value: float | None
    n_alone: int
    n: int
    shade: str
    #: The number of its footnote: why there is no value.
    note: int | None = None


@dataclass(frozen=True, slots=True)
class DisputeRater:
    """A rater of the heat map; a cell is None where they graded nothing."""

    label: str
    whole: AloneCell
    cells: tuple[AloneCell | None, ...]


@dataclass(frozen=True, slots=True)
class DisputeGrade:
    """A grade in a dispute."""

    rater: str
    mark: str
    comment: str
    evidence: tuple[str, ...]
    at: datetime | None
    seconds: int | None
    alone: bool


@dataclass(frozen=True, slots=True)
class DisputedPlace:
    """A response on a criterion with all its grades."""

    question: str
    name: Name
    capability: str
    criterion: str
    divided: bool
    grades: tuple[DisputeGrade, ...]
    #: Of the item in the round, counted from 1: where it stands at the review desk.
    number: int = 0
    #: Of preferences: the other answer.
    against: Name | None = None


class Disputes:
    """Reads the figure."""

    def __init__(self, figure: DisputesFigure, labels: Labels) -> None:
        self._figure = figure
        self._labels = labels
        self.rules = figure.rules
        self.w1, self.w2 = float(figure.rules.w1), float(figure.rules.w2)
        self.never, self.few_raters = figure.never, figure.few_raters
        self.why = why(figure.reason)
        self.n_places = len(figure.places)
        self.labels = [(one, labels.criterion(one.criterion)) for one in figure.labels[:TOP]]
        self.questions = figure.in_dispute[:TOP]
        self.notes = Notes()
        #: The questions in words, where a page shows them.
        self.texts: Mapping[str, str] = {}

    @property
    def verdict(self) -> str:
        """Return in a sentence how many questions are in dispute, and which one most."""
        if self.is_empty:
            return ""
        if not self.is_measured:
            return self._of_labels
        if self.why:
            return ""
        if not self.questions:
            return _("No question is in dispute.")
        n = len(self._figure.in_dispute)
        words = {"n": n, "name": self.questions[0].question}
        return (
            ngettext(
                "One question is in dispute: %(name)s.",
                "%(n)d questions are in dispute, %(name)s most.",
                n,
            )
            % words
        )

    @property
    def is_of_pairs(self) -> bool:
        """Whether people chose between answers, by the one rule that there is for that."""
        return self.rules.rater == OPPOSED

    @property
    def is_measured(self) -> bool:
        """Whether anything was graded on a scale, on whose sides somebody can stand."""
        return self._figure.reason is not Reason.NOT_MEASURED

    @property
    def _of_labels(self) -> str:
        n = len({one.question for one in self._figure.labels})
        if not n:
            return _("All labels agree.")
        words = {"n": n, "name": self._figure.labels[0].question}
        return (
            ngettext(
                "One question has different labels: %(name)s.",
                "%(n)d questions have different labels, %(name)s most.",
                n,
            )
            % words
        )

    @property
    def n_in_dispute(self) -> int:
        """Return how many questions are in dispute; of labels, those that were given different ones."""
        if self.is_measured:
            return len(self.questions)
        return len({one.question for one in self._figure.labels})

    @property
    def is_empty(self) -> bool:
        return not self._figure.raters and not self._figure.labels

    @property
    def keys(self) -> list[int]:
        return self._labels.in_order({one.capability for one in self._figure.raters} - {None})

    @property
    def columns(self) -> list[str]:
        return [self._labels.capability(key) for key in self.keys]

    @cached_property
    def lines(self) -> list[DisputeRater]:
        """Return the raters, those who most often stand alone first."""
        found: dict[int, dict[int | None, AloneCell]] = {}
        for row in self._figure.raters:  # C(i) comes last and so takes the place of None
            found.setdefault(row.rater, {})[row.capability] = _cell(row, self.notes)
        lines = [
            DisputeRater(
                self._labels.rater(key), cells[None], tuple(cells.get(part) for part in self.keys)
            )
            for key, cells in found.items()
        ]
        return sorted(lines, key=lambda line: -(line.whole.value or 0))

    @property
    def rule_of_raters(self) -> str:
        return str(OF_PAIRS["rater"] if self.is_of_pairs else RATER_RULES[self.rules.rater])

    @property
    def rule_of_questions(self) -> str:
        if self.is_of_pairs:
            return str(OF_PAIRS["question"])
        return str(QUESTION_RULES[self.rules.question])

    def places(
        self, *, question: str = "", rater: str = "", capability: str = ""
    ) -> list[DisputePlace]:
        """Return the disputed places of a question, or those where a rater stands alone."""
        return [
            one
            for one in (*self._figure.places, *self._figure.label_places)
            if (not question or one.question == question)
            and (not rater or rater in map(str, one.alone))
            and (not capability or str(one.capability) == capability)
        ]


def asked(round_: Round, questions: Collection[str]) -> dict[str, str]:
    """Return what these questions of a round ask."""
    drawn = RoundItem.objects.filter(round=round_).values("item")
    return {
        one.group: one.question for one in Item.objects.filter(pk__in=drawn, group__in=questions)
    }


def opened(
    round_: Round, rows: Sequence[DisputePlace], labels: Labels, names: Mapping[int, Name]
) -> list[DisputedPlace]:
    """Return disputed places with all their grades, in the order of the figure."""
    if round_.of_pairs:
        return _opened_pairs(round_, rows, labels, names)
    groups = {row.question for row in rows}
    drawn = RoundItem.objects.filter(round=round_, item__group__in=groups).order_by("ordinal")
    places = list(drawn.values_list("item_id", "item__group", "ordinal"))
    items = list(dict.fromkeys(item for item, _group, _ordinal in places))
    numbers: dict[int, int] = {}
    for item, _group, ordinal in places:
        numbers.setdefault(item, ordinal + 1)
    known = grade_table.facts([round_], items=items)
    found: dict[tuple[int, str], list[GradeRow]] = {}
    for grade in grade_table.rows_on(known, items):
        if grade.counts:
            found.setdefault((grade.response_id, grade.criterion.key), []).append(grade)
    marked = evidence(round_, items)
    made = []
    for row in rows:
        grades = found.get((row.response, row.criterion), [])
        if row.release not in names or not grades:
            continue
        alone = set(row.alone)
        made.append(
            DisputedPlace(
                grades[0].item.external_id,
                names[row.release],
                labels.capability(row.capability),
                labels.criterion(row.criterion),
                row.divided,
                tuple(_given(one, labels, alone, marked) for one in grades),
                numbers.get(grades[0].item.pk, 0),
            )
        )
    return made


def _opened_pairs(
    round_: Round, rows: Sequence[DisputePlace], labels: Labels, names: Mapping[int, Name]
) -> list[DisputedPlace]:
    """Return pairs of answers that divide people, each with all its choices."""
    groups = {row.question for row in rows}
    drawn = RoundItem.objects.filter(round=round_, item__group__in=groups).order_by("ordinal")
    places = drawn.values_list("item__group", "item_id", "ordinal", "responses__release_id")
    pairs: dict[int, tuple[str, int, set[int]]] = {}
    for group, item, ordinal, release in places:
        pairs.setdefault(ordinal, (group, item, set()))[2].add(release)
    numbers: dict[tuple[str, frozenset[int]], int] = {}
    for ordinal, (group, _item, sides) in pairs.items():
        numbers.setdefault((group, frozenset(sides)), ordinal + 1)
    items = list(dict.fromkeys(item for _group, item, _sides in pairs.values()))
    known = grade_table.facts([round_], items=items)
    found: dict[tuple[str, frozenset[int], str], list[GradeRow]] = {}
    for one in grade_table.rows_on(known, items):
        if one.counts and one.against:
            met = frozenset((one.release.pk, one.against.pk))
            found.setdefault((one.item.group, met, one.criterion.key), []).append(one)
    made = []
    for row in rows:
        both = frozenset((row.release, row.against))
        choices = found.get((row.question, both, row.criterion), [])
        if not choices or not both <= names.keys():
            continue
        alone = set(row.alone)
        made.append(
            DisputedPlace(
                choices[0].item.external_id,
                names[row.release],
                labels.capability(row.capability),
                labels.criterion(row.criterion),
                row.divided,
                tuple(_chose(one, labels, alone, names) for one in choices),
                numbers.get((row.question, both), 0),
                names[row.against],
            )
        )
    return made


def _chose(
    row: GradeRow, labels: Labels, alone: set[int], names: Mapping[int, Name]
) -> DisputeGrade:
    seconds = None if row.active_ms is None else round(row.active_ms / 1000)
    said = chose(row, names)
    who = labels.rater(row.rater.pk)
    return DisputeGrade(who, said, row.comment, (), row.at, seconds, row.rater.pk in alone)


def chose(row: GradeRow, names: Mapping[int, Name]) -> str:
    """Return a choice as it is read: which system was preferred, and whether by much."""
    if row.value is None or row.against is None:
        return _("cannot grade")
    value = int(row.value)
    sides = row.release.pk, row.against.pk
    taken = sides[0] if value in (1, 2) else sides[1] if value in (4, 5) else None
    if taken is None:
        return _("both bad") if value == BOTH_BAD else _("the same")
    name = names[taken].text if taken in names else "–"
    return _("%(name)s, much") % {"name": name} if value in (1, 5) else name


def _given(
    row: GradeRow,
    labels: Labels,
    alone: set[int],
    marked: Mapping[tuple[int, int], Sequence[str]],
) -> DisputeGrade:
    return DisputeGrade(
        labels.rater(row.rater.pk),
        _mark(row),
        row.comment,
        tuple(marked.get((row.response_id, row.rater.pk), ())),
        row.at,
        None if row.active_ms is None else round(row.active_ms / 1000),
        row.rater.pk in alone,
    )


def _mark(row: GradeRow) -> str:
    """Return a grade as it is read: a label by its name, a text as it was written."""
    if row.value is None:
        return row.text or _("cannot grade")
    kind, words = row.criterion.mark, row.criterion.words(row.value)
    if kind == Criterion.Mark.LABELS:
        return words or _("None of these")
    named = {Criterion.Mark.LABEL, Criterion.Mark.YES_NO, Criterion.Mark.CHOICE}
    is_named = kind in named and words
    return words if is_named else f"{row.value.normalize():f}"


def evidence(round_: Round, items: Sequence[int]) -> dict[tuple[int, int], list[str]]:
    """Return what raters marked in responses, by response and rater."""
    rows = Remark.objects.filter(
        kind=Remark.Kind.EVIDENCE,
        late=False,
        slot__assignment__round=round_,
        slot__round_response__response__item__in=items,
    ).order_by("pk")
    found: dict[tuple[int, int], list[str]] = {}
    for response, rater, text in rows.values_list(
        "slot__round_response__response_id", "rater_id", "text"
    ):
        found.setdefault((response, rater), []).append(text)
    return found


def _cell(row: AnnotatorDispute, notes: Notes) -> AloneCell:
    value = None if row.value is None else float(row.value)
    shade = "few" if row.n_graded < FEW else f"h{min(4, int((value or 0) * 10))}"
    note = notes.number(why(row.reason))
    return AloneCell(row.rater, row.capability, value, row.n_alone, row.n_graded, shade, note)
