"""Reference grades of a round: what is right for each of its answers, as somebody who knows said."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from annotation.models import Criterion, Grade, Round, RoundItem, RoundResponse
from annotation.queries.faces import CriterionFace, criterion_face
from annotation.rules import faces, scales
from evalsite import markdown

#: So many questions stand on a page with all their answers; fewer where so many answers are exceeded.
ON_A_PAGE = 20
ANSWERS_ON_A_PAGE = 16
Place = tuple[int, int]  # response and criterion


@dataclass(frozen=True)
class Field:
    """A mark of the sheet of references: `name` in the form, what is stored."""

    name: str
    criterion: CriterionFace
    value: str
    place: Place


@dataclass(frozen=True)
class Answer:
    """An answer with what is right for it; its system is left out, as whoever says so should not mind it."""

    key: int
    letter: str
    html: str
    fields: tuple[Field, ...]
    explanation: str

    @property
    def explanation_name(self) -> str:
        return f"why-{self.key}"


@dataclass(frozen=True)
class Line:
    ordinal: int
    question: str
    reference: str
    answers: tuple[Answer, ...]

    @property
    def meanings(self) -> list[CriterionFace]:
        """The criteria with a level that says when it is given: said once, not below every answer."""
        fields = self.answers[0].fields if self.answers else ()
        chosen = [one.criterion for one in fields if not one.criterion.by_number]
        return [one for one in chosen if any(level.anchor for level in one.levels)]

    @property
    def n_missing(self) -> int:
        return sum(not one.value for answer in self.answers for one in answer.fields)


def current(round_: Round) -> dict[Place, Grade]:
    """Return the reference grades that stand, by response and criterion."""
    rows = Grade.objects.filter(
        round=round_, kind=Grade.Kind.REFERENCE, is_current=True, slot__isnull=True
    )
    return {(one.response_id, one.criterion_id): one for one in rows}


def wanted(round_: Round) -> set[Place]:
    """Return every response × criterion of a round that is prepared."""
    by_version: dict[int, list[int]] = {}
    rows = Criterion.objects.filter(
        rubric_version__in=round_.items.order_by().values("rubric_version")
    )
    for pk, version in rows.values_list("pk", "rubric_version_id"):
        by_version.setdefault(version, []).append(pk)
    answers = RoundResponse.objects.filter(round_item__round=round_)
    return {
        (response, criterion)
        for response, version in answers.values_list("response_id", "round_item__rubric_version_id")
        for criterion in by_version.get(version or 0, [])
    }


def n_missing(round_: Round) -> int:
    return len(wanted(round_) - current(round_).keys())


@dataclass(frozen=True)
class Sheet:
    """Some questions of a round, the place of the first one (from 1), how many there are and fit."""

    lines: tuple[Line, ...]
    first: int
    n: int
    size: int

    @property
    def before(self) -> int | None:
        """Where the questions before these begin."""
        return max(self.first - self.size, 1) if self.first > 1 else None

    @property
    def after(self) -> int | None:
        """Where the questions after these begin."""
        last = self.first + len(self.lines)
        return last if last <= self.n else None


def sheet(round_: Round, first: int = 1) -> Sheet:
    """Return the questions of a round from a place on, to enter references on."""
    asked = RoundItem.objects.filter(round=round_, occasion=1).order_by("ordinal")
    n = asked.count()
    first = min(max(first, 1), max(n, 1))
    size = min(max(ANSWERS_ON_A_PAGE // max(round_.systems.count(), 1), 1), ON_A_PAGE)
    items = list(asked.select_related("item", "rubric_version")[first - 1 : first - 1 + size])
    return Sheet(_lines(round_, items), first, n, size)


def _lines(round_: Round, items: Sequence[RoundItem]) -> tuple[Line, ...]:
    known = current(round_)
    criteria: dict[int, list[Criterion]] = {}
    rows = Criterion.objects.filter(rubric_version__in=[one.rubric_version_id for one in items])
    for row in rows.order_by("position", "pk").prefetch_related("levels"):
        criteria.setdefault(row.rubric_version_id, []).append(row)
    answers: dict[int, list[RoundResponse]] = {}
    shown = RoundResponse.objects.filter(round_item__in=items).select_related("response")
    # In an order of their contents, so that a place says nothing of a system.
    for one in shown.order_by("response__content_sha"):
        answers.setdefault(one.round_item_id, []).append(one)
    return tuple(
        Line(
            ordinal=item.ordinal + 1,
            question=markdown.render(faces.conversation(item.item.messages)),
            reference=markdown.render(item.item.reference) if item.item.reference else "",
            answers=tuple(
                _answer(one, n, criteria.get(item.rubric_version_id or 0, []), known)
                for n, one in enumerate(answers.get(item.pk, []))
            ),
        )
        for item in items
    )


@dataclass(frozen=True)
class Known:
    """An answer on a criterion, what is right for it (None: nobody said) and why."""

    place: Place
    response: int
    question: str
    criterion: str
    value: Decimal | None
    explanation: str


def places(round_: Round) -> list[Known]:
    """Return every response × criterion of a prepared round, in the order of its sheet."""
    known, of = current(round_), wanted(round_)
    keys = dict(
        Criterion.objects.filter(pk__in={criterion for _response, criterion in of}).values_list(
            "pk", "key"
        )
    )
    rows = RoundResponse.objects.filter(round_item__round=round_, round_item__occasion=1)
    found = []
    for response, question in rows.order_by(
        "round_item__ordinal", "response__content_sha"
    ).values_list("response_id", "round_item__item__external_id"):
        for criterion in sorted(keys):
            if (response, criterion) in of:
                grade = known.get((response, criterion))
                found.append(
                    Known(
                        (response, criterion),
                        response,
                        question,
                        keys[criterion],
                        grade.value if grade else None,
                        grade.reason if grade else "",
                    )
                )
    return found


def _answer(
    row: RoundResponse, n: int, criteria: list[Criterion], known: Mapping[Place, Grade]
) -> Answer:
    fields = []
    why = ""
    for one in criteria:
        grade = known.get((row.response_id, one.pk))
        value = "" if grade is None or grade.value is None else scales.text(grade.value)
        name = f"reference-{row.response_id}-{one.pk}"
        fields.append(Field(name, criterion_face(one), value, (row.response_id, one.pk)))
        why = why or (grade.reason if grade else "")
    return Answer(
        key=row.response_id,
        letter=f"{n + 1}",
        html=markdown.render(faces.conversation(row.response.messages)),
        fields=tuple(fields),
        explanation=why,
    )


def values(round_: Round) -> dict[Place, Decimal]:
    """Return the reference values that stand."""
    return {
        place: grade.value for place, grade in current(round_).items() if grade.value is not None
    }
