"""What the pages of judges say on top, what judges cost, and where they err most, with all texts."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Count, Q, Sum
from django.http import QueryDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.common import texts
from annotation.grading import counting
from annotation.grading.models import Remark
from annotation.rounds.models import Round
from annotation.systems.models import Item, Response
from evalsite.templatetags.ui import score
from scoring.beside import options as judge_names
from scoring.beside import pictures
from scoring.beside.asked import ShownFigure
from scoring.beside.board import Detail, JudgeBoard, JudgeRow
from scoring.beside.options import ToCompare
from scoring.beside.records import ResponseGap
from scoring.engine.models import Judgment, LLMCall, Run, Step
from scoring.shown.names import Name
from scoring.shown.wording import listed

#: Verdicts that say neither yes nor no.
OPEN = ("few", "unclear")
#: So many worst cases stand open on the page of a judge.
WORST = 3


def title(detail: Detail, judge: str) -> str:
    """Return on how many capabilities a judge may stand in for a person, as its table counts them."""
    parts = detail.parts
    words = {"judge": judge, "n": len(_with(detail, "person")), "of": len(parts)}
    if not parts:
        return _whole(detail, judge)
    if all(one.verdict in OPEN for one in parts):
        return _("Whether %(judge)s may stand in for a person cannot be told") % words
    if not words["n"]:
        return _("%(judge)s may not stand in for a person on any capability") % words
    if words["n"] == len(parts):
        return (
            ngettext(
                "%(judge)s may stand in for a person on its one capability",
                "%(judge)s may stand in for a person on all %(of)d capabilities",
                len(parts),
            )
            % words
        )
    return _("%(judge)s may stand in for a person on %(n)d of %(of)d capabilities") % words


def _whole(detail: Detail, judge: str) -> str:
    """Return whether a judge may stand in where nothing is told by capability."""
    test = detail.data.alternative
    words = {"judge": judge}
    if test is None or test.reason:
        return _("Whether %(judge)s may stand in for a person cannot be told") % words
    if test.passes:
        return _("%(judge)s may stand in for a person") % words
    return _("%(judge)s may not stand in for a person") % words


def _with(detail: Detail, verdict: str) -> list[str]:
    return [one.capability for one in detail.parts if one.verdict == verdict]


def subtitle(detail: Detail) -> str:
    """Return where a judge must not be used, where a sample is to be checked, and what is open."""
    said = {
        "not": _("Do not use it on %(names)s."),
        "screen": _("Check a sample on %(names)s."),
        "few": _("Too few questions on %(names)s."),
        "unclear": _("It cannot be told on %(names)s."),
    }
    known = [(words, _with(detail, verdict)) for verdict, words in said.items()]
    return " ".join(words % {"names": listed(names)} for words, names in known if names)


def title_of_all(board: JudgeBoard) -> str:
    """Return how many judges lie in the band of people or above it; without a band, which is highest."""
    known = [one for one in board.lines if board.agreement_of(one).value is not None]
    if not known:
        return ""
    low, values = board.ceiling.low, [board.agreement_of(one) for one in known]
    if board.few:
        return _("Too few questions to tell which judge agrees with people")
    if low is None:
        words = {"name": known[0].name, "value": score(values[0].value, 2)}
        return _("%(name)s is nearest to people with %(value)s") % words
    near = sum((one.value or 0) >= low for one in values)
    if not near and any(one.high is None or one.high >= low for one in values):
        return _("Whether a judge is as near to people as they are to each other is open")
    if not near:
        return _("No judge is as near to people as they are to each other")
    return ngettext(
        "%(n)d of %(of)d judges is as near to people as they are to each other",
        "%(n)d of %(of)d judges are as near to people as they are to each other",
        near,
    ) % {"n": near, "of": len(known)}


def costs(judges: Collection[int]) -> dict[int, tuple[Decimal, str]]:
    """Return what judges cost for 1,000 answers, with the currency, as far as their calls tell.

    All finished runs of a judge count. It has no cost where a call has none, or currencies differ.
    """
    runs = Run.objects.filter(
        judge__rater__in=judges, kind=Run.Kind.JUDGE, state=Run.State.DONE, asks_script=False
    )
    answers: dict[int, int] = defaultdict(int)
    steps = Step.objects.filter(run__in=runs, response__isnull=False).order_by()
    for judge, _run, n in steps.values_list("run__judge__rater", "run").annotate(
        n=Count("response", distinct=True)
    ):
        answers[judge] += n
    # A reply that came to nothing was billed all the same.
    calls = LLMCall.objects.filter(run__in=runs).exclude(cost=None, trouble__gt="").order_by()
    rows = calls.values_list("run__judge__rater", "endpoint__currency").annotate(
        Count("pk"), Count("cost"), Sum("cost")
    )
    spent: dict[int, list[tuple[str, int, int, Decimal | None]]] = defaultdict(list)
    for judge, *found in rows:
        spent[judge].append(tuple(found))
    made = {}
    for judge, bills in spent.items():
        currency, n, n_priced, money = bills[0]
        if len(bills) == 1 and n == n_priced and money is not None and answers[judge]:
            made[judge] = (1000 * money / answers[judge], currency)
    return made


@dataclass(frozen=True, slots=True)
class RankedJudge:
    """A judge in the table of all: how near to people it is, and what 1,000 answers cost."""

    line: JudgeRow
    agreement: ShownFigure
    drawing: SafeString
    cost: Decimal | None
    currency: str


@dataclass(frozen=True, slots=True)
class SortColumn:
    """A column that the table may be sorted by, and the address that does it."""

    title: str
    url: str
    is_on: bool


#: By what the table of all judges may be sorted; the first is the usual one. None comes last.
SORTS: Mapping[str, Callable[[RankedJudge], Any]] = {
    "agreement": lambda one: None if one.agreement.value is None else -one.agreement.value,
    "name": lambda one: one.line.name.casefold(),
    "bias": lambda one: one.line.shift and one.line.shift.value and abs(one.line.shift.value),
    "unscored": lambda one: one.line.n_failed,
    "cost": lambda one: one.cost,
}


def ranked(board: JudgeBoard, by: str) -> list[RankedJudge]:
    """Return all judges, sorted by a column."""
    known = costs([one.judge for one in board.lines])
    rows = [
        RankedJudge(one, board.agreement_of(one), drawing, *known.get(one.judge, (None, "")))
        for one, drawing in zip(board.lines, pictures.judges(board).drawings, strict=True)
    ]
    key = SORTS.get(by, SORTS["agreement"])
    known_ones = sorted((one for one in rows if key(one) is not None), key=key)
    return [*known_ones, *(one for one in rows if key(one) is None)]


def sorts(query: QueryDict) -> dict[str, SortColumn]:
    """Return the heads of the columns that sort the table."""
    titles = {
        "name": _("Judge"),
        "agreement": _("Agreement"),
        "bias": _("Bias"),
        "unscored": _("Unscored"),
        "cost": _("Cost per 1,000"),
    }
    now = query.get("sort", "") if query.get("sort", "") in SORTS else "agreement"
    made = {}
    for by, words in titles.items():
        asked = query.copy()
        asked["sort"] = by
        made[by] = SortColumn(words, f"?{asked.urlencode()}", by == now)
    return made


@dataclass(frozen=True, slots=True)
class PersonGrade:
    """A grade by a person, who goes without a name, and what they remarked."""

    value: Decimal
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """An answer on which a judge and people differ: what was asked, said and given, and why."""

    response: int
    item: int
    title: str
    question: str
    answer: str
    name: Name | None
    system: str
    human: float
    grades: tuple[PersonGrade, ...]
    judge: float
    reason: str
    gap: float


def cases(options: ToCompare, rows: Sequence[ResponseGap], criterion: str) -> list[Case]:
    """Return answers with both texts, in the order of `rows` of a judge's figure."""
    assert options.choice is not None
    pks = [one.response for one in rows]
    found = Response.objects.in_bulk(pks)
    items = Item.objects.in_bulk({one.item for one in rows})
    rounds = [one.round for one in options.chosen]
    grades, reasons = given(rounds, pks, criterion), _reasons(options, pks, criterion)
    names = judge_names.names(options)
    return [
        Case(
            response=one.response,
            item=one.item,
            title=items[one.item].external_id if one.item in items else "",
            question=items[one.item].question if one.item in items else "",
            answer=said(found.get(one.response)),
            name=names.get(one.release),
            system=judge_names.system(names, one.release),
            human=one.human,
            grades=tuple(grades.get(one.response, ())),
            judge=one.judge,
            reason=reasons.get(one.response, ""),
            gap=one.gap,
        )
        for one in rows
    ]


def said(response: Response | None) -> str:
    return "" if response is None else "\n\n".join(map(texts.spoken, response.messages))


def given(
    rounds: Sequence[Round], responses: Sequence[int], criterion: str
) -> dict[int, list[PersonGrade]]:
    """Return the grades of people that count, with their remarks, by response."""
    apart = {pk for _round, pk in counting.uncounted(rounds)}
    rows = counting.given(rounds).filter(response__in=responses, criterion__key=criterion)
    known = [one for one in rows.order_by("pk") if one.pk not in apart]
    slots = {one.slot_id for one in known} - {None}
    about = Q(grade__in=known) | Q(slot__in=slots)
    newest: dict[tuple[int | None, int | None, int], str] = {}
    comments = Remark.objects.filter(about, kind=Remark.Kind.COMMENT, late=False)
    ordered = comments.order_by("revision", "pk").values_list("slot", "grade", "rater", "text")
    for slot, grade, rater, text in ordered:
        newest[slot, grade, rater] = text
    remarks: dict[tuple[int | None, int | None], list[str]] = defaultdict(list)
    for (of_slot, of_grade, _rater), text in newest.items():
        if text:
            remarks[of_slot, of_grade].append(text)
    made: dict[int, list[PersonGrade]] = defaultdict(list)
    for one in known:
        if one.value is not None:
            said = (*remarks[one.slot_id, None], *remarks[None, one.pk])
            made[one.response_id].append(PersonGrade(one.value, said))
    return made


def _reasons(options: ToCompare, responses: Sequence[int], criterion: str) -> dict[int, str]:
    """Return what the judge wrote to its scores, by response; of several readings the first."""
    assert options.choice is not None
    judge = options.choice.judges[0]
    own = options.choice.criteria.get(criterion, {}).get(judge)
    rows = Judgment.objects.counted().filter(
        rater=judge, response__in=responses, criterion__key=own, target_index__isnull=True
    )
    made: dict[int, str] = {}
    for response, text in rows.exclude(text="").order_by("repeat").values_list("response", "text"):
        made.setdefault(response, text)
    return made
