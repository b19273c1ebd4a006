"""The steps of a run, and every call of a step as a transcript that can be read.

* Two runs beside each other: what was different, what came of it, and where their judgments agree.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Count, Max, Q, QuerySet, Sum
from django.utils.translation import gettext as _

from annotation.systems.models import Item
from evalsite.web import keyset
from scoring.endpoints.wording import TROUBLES
from scoring.engine import progress
from scoring.engine import told as run_config
from scoring.engine.models import CallText, Judgment, LLMCall, Run, Step
from scoring.engine.progress import ROLES, RunProgress
from scoring.engine.queries import RunReading
from scoring.llm import records

CALLS = 40
#: What stands between the parts of a step's key.
PARTS = " / "
#: What a key may begin with, before what it names.
DEEDS = {"complete", "verify"}
ANY_FLAG = "any"


@dataclass(frozen=True)
class CallFilters:
    state: str = ""
    outcome: str = ""
    #: One of untrusted.Flag, or ANY_FLAG.
    flag: str = ""


@dataclass(frozen=True)
class StepLine:
    """A step in the list, with what its calls came to."""

    step: Step
    question: str
    system: str
    key: str
    n_calls: int = 0
    n_failed: int = 0
    cost: Decimal | None = None
    currency: str = ""
    exchanges: int = 0

    @property
    def trouble(self) -> str:
        return str(TROUBLES.get(self.step.trouble, self.step.trouble))

    @property
    def flags(self) -> Sequence[str]:
        return progress.labels(self.step)


@dataclass(frozen=True)
class CallTurn:
    """A message of a call; without a text, it is hidden. An old one stood in an earlier call too."""

    role: str
    text: str | None
    old: bool = False
    tool_calls: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class CallLine:
    """A call with its texts."""

    call: LLMCall
    turns: Sequence[CallTurn]
    reply: str | None
    is_hidden: bool

    @property
    def tool_calls(self) -> Sequence[Mapping[str, Any]]:
        """Return the tools that the reply called."""
        return [one.as_dict() for one in records.tool_calls(self.call.reply)]

    @property
    def role_label(self) -> str:
        return str(ROLES.get(self.call.role, self.call.role))

    @property
    def trouble(self) -> str:
        return str(TROUBLES.get(self.call.trouble, self.call.trouble))

    @property
    def settings(self) -> Sequence[tuple[str, str]]:
        """Return the parameters that were set."""
        return [
            (name, shown(value))
            for name, value in sorted(self.call.settings.items())
            if value not in (None, [], "")
        ]

    @property
    def finish(self) -> str:
        return str((self.call.reply or {}).get("finish", ""))

    @property
    def old_turns(self) -> Sequence[CallTurn]:
        return [one for one in self.turns if one.old]

    @property
    def new_turns(self) -> Sequence[CallTurn]:
        return [one for one in self.turns if not one.old]


def shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def filtered(run: Run, filters: CallFilters) -> "QuerySet[Step]":
    rows = Step.objects.filter(run=run)
    if filters.state:
        rows = rows.filter(state=filters.state)
    if filters.flag:
        rows = rows.exclude(flags="")
    if filters.flag not in {"", ANY_FLAG}:
        rows = rows.filter(flags__contains=filters.flag)  # no flag is part of another
    return rows.filter(outcome=filters.outcome) if filters.outcome else rows


def page(rows: "QuerySet[Step]", after: str = "") -> keyset.Page[Step]:
    return keyset.page(
        rows.select_related("item", "release__system", "response__release__system").defer("result"),
        by=("ordinal",),
        after=after,
    )


def lines(reading: RunReading, steps: Sequence[Step]) -> list[StepLine]:
    """Return steps with what is counted of their calls."""
    rows = (
        LLMCall.objects.filter(step__in=[one.pk for one in steps])
        .order_by()
        .values("step_id")
        .annotate(
            n=Count("pk"),
            n_failed=Count("pk", filter=~Q(trouble="")),
            money=Sum("cost"),
            currency=Max("endpoint__currency"),
            last=Max("exchange"),
        )
    )
    counted = {row["step_id"]: row for row in rows}
    items = _items(steps)
    return [_line(reading, one, items, counted.get(one.pk, {})) for one in steps]


def _items(steps: Sequence[Step]) -> Mapping[int, Item]:
    """Return the question of every step, by the step's key: its own, or its response's."""
    wanted = {
        one.pk: one.item_id or (one.response.item_id if one.response else None) for one in steps
    }
    found = Item.objects.in_bulk([key for key in wanted.values() if key is not None])
    return {step: found[key] for step, key in wanted.items() if key is not None}


def _line(
    reading: RunReading, step: Step, items: Mapping[int, Item], counted: Mapping[str, Any]
) -> StepLine:
    item = items.get(step.pk)
    release = step.release or (step.response.release if step.response else None)
    code = item.external_id if item else ""
    system = reading.name_of(release)
    return StepLine(
        step=step,
        question=item.question if item else "",
        system=system,
        key=_brief(step, code, system) if reading.shown or release is None else code,
        n_calls=counted.get("n", 0),
        n_failed=counted.get("n_failed", 0),
        cost=counted.get("money"),
        currency=counted.get("currency") or "",
        exchanges=counted.get("last") or 0,
    )


def _brief(step: Step, code: str, system: str) -> str:
    """Return a step's key without numbers of rows and without the system that stands beside it."""
    head, rest = _named(step.key, code)
    sample = str(step.spec.get("sample", ""))
    last = [rest.pop()] if rest and rest[-1] == sample else []
    more = [one for one in rest if not one.isdigit() and not system.startswith(one)]
    return PARTS.join([head, *more, *last])


def _named(key: str, code: str) -> tuple[str, list[str]]:
    """Return a key up to what it names (an item's code, which may have such parts itself), and its other parts."""
    before, found, after = key.partition(code) if code else ("", "", "")
    if found and before[-1:] in {"", " "} and (not after or after.startswith(PARTS)):
        return before + found, after.split(PARTS)[1:]
    parts = key.split(PARTS)
    n = 2 if parts[0] in DEEDS else 1
    return PARTS.join(parts[:n]), parts[n:]


def line_of(reading: RunReading, step: Step) -> StepLine:
    return lines(reading, [step])[0]


def neighbours(step: Step) -> tuple[int | None, int | None]:
    """Return the ordinals of the steps before and after this one."""
    rows = Step.objects.filter(run_id=step.run_id)
    before = rows.filter(ordinal__lt=step.ordinal).order_by("-ordinal")
    after = rows.filter(ordinal__gt=step.ordinal).order_by("ordinal")
    return (
        before.values_list("ordinal", flat=True).first(),
        after.values_list("ordinal", flat=True).first(),
    )


def calls_of(step: Step, after: str = "") -> keyset.Page[LLMCall]:
    rows = LLMCall.objects.filter(step=step).select_related("endpoint")
    return keyset.page(rows, by=("pk",), after=after, size=CALLS)


def transcript(reading: RunReading, step: Step, calls: Sequence[LLMCall]) -> list[CallLine]:
    """Return calls of a step with their texts, as far as they may be read now.

    Of a hidden call the reply is left out, and of what was asked whatever the first of the hidden
    calls was not asked yet: later on it may quote a reply, for instance to have it repaired.
    """
    texts = _texts(reading.run, calls)
    known = _asked_at_first(reading, step)
    made = []
    earlier: dict[str, Sequence[Sequence[Any]]] = {}
    for one in calls:
        hidden = reading.hides(one.role)
        pairs = one.messages
        readable = {sha: text for sha, text in texts.items() if not hidden or sha in known}
        turns = _turns(pairs, readable, earlier.get(one.role, []))
        reply = None if hidden else texts.get(one.text_sha)
        made.append(CallLine(one, turns, reply, hidden and not one.trouble))
        earlier[one.role] = pairs
    return made


def _turns(
    pairs: Sequence[Sequence[Any]], texts: Mapping[str, str], earlier: Sequence[Sequence[Any]]
) -> list[CallTurn]:
    """Return the messages of a call; those it begins with as an earlier one did are old."""
    both = zip(pairs, earlier, strict=False)
    n_old = next((n for n, (one, other) in enumerate(both) if one != other), len(earlier))
    return [
        CallTurn(one[0], texts.get(one[1]), n < n_old, records.beside(one).get("tool_calls", ()))
        for n, one in enumerate(pairs)
    ]


def _texts(run: Run, calls: Iterable[LLMCall]) -> dict[str, str]:
    """Return the texts by their hash; in place of one that was kept for a time only, that it is gone."""
    wanted = {sha for one in calls for _role, sha in records.said(one.messages)} | {
        one.text_sha for one in calls
    }
    rows = CallText.objects.filter(run=run, sha__in=wanted - {""})
    gone = _("[no longer kept; see Settings, Retention]")
    return {**dict.fromkeys(wanted - {""}, gone), **dict(rows.values_list("sha", "text"))}


def _asked_at_first(reading: RunReading, step: Step) -> frozenset[str]:
    """Return the hashes of what the judge's side was asked before any of it had replied."""
    if not reading.hides_judges:
        return frozenset()
    asked: set[str] = set()
    rows = LLMCall.objects.filter(step=step).order_by("pk")
    for role, messages, said in rows.values_list("role", "messages", "text_sha"):
        if reading.hides(role):
            asked |= {sha for who, sha in records.said(messages) if who != "assistant"}
            if said:
                break
    return frozenset(asked)


Key = tuple[Any, ...]


@dataclass(frozen=True)
class ConfigDifference:
    """A part of the configuration that is not the same."""

    name: str
    a: str
    b: str


@dataclass(frozen=True)
class RunAgreement:
    """The values that two runs gave to the same responses, of one criterion or of all."""

    criterion: str
    n: int
    n_same: int
    mean_difference: float | None
    mean_distance: float | None
    n_only_a: int = 0
    n_only_b: int = 0

    @property
    def share_same(self) -> float | None:
        return 100 * self.n_same / self.n if self.n else None


@dataclass(frozen=True)
class Comparison:
    a: RunProgress
    b: RunProgress
    differences: Sequence[ConfigDifference]
    n_same: int
    #: One line for all criteria, then one for each; none while judgments may not be read.
    agreement: Sequence[RunAgreement]
    is_hidden: bool

    @property
    def is_scripted(self) -> bool:
        return self.a.run.scripted or self.b.run.scripted


def compare(a: Run, b: Run, now: datetime) -> Comparison:
    """Put two runs of a project beside each other."""
    differences, n_same = _differences(a, b)
    hidden = any(one.round is not None and one.round.state != "FINAL" for one in (a, b))
    return Comparison(
        a=progress.progress_of(a, now),
        b=progress.progress_of(b, now),
        differences=differences,
        n_same=n_same,
        agreement=[] if hidden else agreement(values(a), values(b)),
        is_hidden=hidden,
    )


def _differences(a: Run, b: Run) -> tuple[list[ConfigDifference], int]:
    left, right = _described(a), _described(b)
    names = list(dict.fromkeys([*left, *right]))
    pairs = [ConfigDifference(name, left.get(name, "–"), right.get(name, "–")) for name in names]
    different = [one for one in pairs if one.a != one.b]
    return different, len(pairs) - len(different)


def _described(run: Run) -> dict[str, str]:
    budget = _("no limit") if run.budget is None else f"{run.budget.normalize():f}"
    return {**dict(run_config.facts(run)), _("Budget"): budget}


def values(run: Run) -> dict[Key, float]:
    """Return every value of a run by response, criterion and part; of repeats, their mean."""
    rows = Judgment.objects.seen().filter(run=run, repeat=0, value__isnull=False)
    columns = ("response_id", "criterion__key", "target_level", "target_index", "value")
    return {tuple(key): value for *key, value in rows.values_list(*columns).iterator()}


def agreement(a: Mapping[Key, float], b: Mapping[Key, float]) -> list[RunAgreement]:
    """Return how far two sets of values agree: over all criteria, then for each that both have.

    A difference is what the second run gave less what the first one gave.
    """
    if not a or not b:
        return []
    criteria = sorted({key[1] for key in a} & {key[1] for key in b})
    lines = [_agreement(name, _only(a, name), _only(b, name)) for name in criteria]
    return lines if len(lines) < 2 else [_agreement("", a, b), *lines]


def _only(values: Mapping[Key, float], criterion: str) -> dict[Key, float]:
    return {key: value for key, value in values.items() if key[1] == criterion}


def _agreement(criterion: str, a: Mapping[Key, float], b: Mapping[Key, float]) -> RunAgreement:
    both = a.keys() & b.keys()
    gaps = [b[key] - a[key] for key in sorted(both, key=str)]
    n = len(gaps)
    return RunAgreement(
        criterion=criterion,
        n=n,
        n_same=sum(abs(gap) < 1e-9 for gap in gaps),
        mean_difference=sum(gaps) / n if n else None,
        mean_distance=sum(map(abs, gaps)) / n if n else None,
        n_only_a=len(a) - n,
        n_only_b=len(b) - n,
    )
