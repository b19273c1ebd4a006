"""The dialogues of a run of interviews: their list by what happened, and one with every verdict beside it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from evalsite import keyset
from scoring.models import Dialogue, Exchange, Run
from scoring.protocols import untrusted
from scoring.protocols.kieval import verdicts_v1 as verdicts
from scoring.protocols.kieval.verdicts_v1 import OVERALL
from scoring.queries import interview_voices, run_flags
from scoring.queries.interview_profiles import ASPECT_NAMES, REASONS
from scoring.queries.interview_voices import Second
from scoring.queries.run_reading import Reading

SIZE = 30


@dataclass(frozen=True)
class Filters:
    """Which dialogues: `what` is "flagged", "unscored", "stopped", "wrong" or "failed"."""

    release: int | None = None
    reason: str = ""
    what: str = ""
    text: str = ""
    question: str = ""


@dataclass(frozen=True)
class Verdict:
    """An exchange with what was said of it."""

    exchange: Exchange
    seconds: Sequence[Second] = ()

    @property
    def number(self) -> int:
        return self.exchange.k + 1

    @property
    def scores(self) -> list[tuple[str, int, str]]:
        """Return aspect, score and comment; nothing where no verdict could be read."""
        found = self.exchange.scores or {}
        said = self.exchange.comments
        return [
            (str(name), found[key], said.get(key, ""))
            for key, name in ASPECT_NAMES.items()
            if key in found
        ]

    @property
    def flags(self) -> list[str]:
        """Return in words what was found in the candidate's text that could sway a judge."""
        return [run_flags.label(one) for one in self.exchange.flags]

    @property
    def again(self) -> list[tuple[str, list[tuple[str, int, str]], str, str]]:
        """Return what others said: who, aspects with score and comment, why none, why they would stop."""
        return [
            (
                one.name,
                [
                    (str(name), one.scores[key], one.comments.get(key, ""))
                    for key, name in ASPECT_NAMES.items()
                    if key in one.scores
                ],
                one.unscored,
                str(REASONS.get(one.stop_reason, one.stop_reason)),
            )
            for one in self.seconds
        ]

    @property
    def overall(self) -> int | None:
        return (self.exchange.scores or {}).get(OVERALL)

    @property
    def reason(self) -> str:
        return str(REASONS.get(self.exchange.stop_reason, self.exchange.stop_reason))


@dataclass(frozen=True)
class Line:
    """A dialogue with its exchanges."""

    dialogue: Dialogue
    system: str
    verdicts: Sequence[Verdict]

    @property
    def overalls(self) -> list[str]:
        return ["–" if one.overall is None else str(one.overall) for one in self.verdicts]

    @property
    def n_unscored(self) -> int:
        return sum(one.overall is None for one in self.verdicts)

    @property
    def reason(self) -> str:
        code = self.dialogue.stop_reason
        return str(REASONS.get(code, code))

    @property
    def answer_flags(self) -> list[str]:
        """Return what was found in the first answer; the dialogue's own flags are those of all its texts."""
        if not self.dialogue.flags:
            return []
        found = untrusted.flags_of([self.dialogue.answer], keys=verdicts.KEYS)
        return [run_flags.label(one) for one in found]

    @property
    def n_flags(self) -> int:
        return len(self.dialogue.flags)


def filtered(run: Run, filters: Filters) -> "QuerySet[Dialogue]":
    rows = Dialogue.objects.filter(run=run)
    if filters.release:
        rows = rows.filter(release=filters.release)
    if filters.reason:
        rows = rows.filter(stop_reason=filters.reason)
    if filters.question:
        rows = rows.filter(item__external_id__icontains=filters.question)
    if filters.what:
        rows = rows.filter(_what(filters.what))
    if filters.text:
        words = Q(question__icontains=filters.text) | Q(answer__icontains=filters.text)
        said = Exchange.objects.filter(words, dialogue=OuterRef("pk"))
        rows = rows.filter(Q(answer__icontains=filters.text) | Exists(said))
    return rows


def _what(name: str) -> Q:
    unscored = Exchange.objects.filter(dialogue=OuterRef("pk"), scores__isnull=True)
    found: dict[str, Q] = {
        "flagged": ~Q(flags=[]),
        "unscored": Q(Exists(unscored)),
        "stopped": Q(stopped_at__isnull=False),
        "wrong": Q(right=False),
        "failed": Q(ended=Dialogue.End.SYSTEM_FAILED),
    }
    return found.get(name, Q())


def page(rows: "QuerySet[Dialogue]", after: str = "") -> keyset.Page[Dialogue]:
    return keyset.page(_whole(rows), by=("pk",), after=after, size=SIZE)


def _whole(rows: "QuerySet[Dialogue]") -> "QuerySet[Dialogue]":
    return rows.select_related("item", "release__system", "step").prefetch_related(
        Prefetch("exchanges", Exchange.objects.order_by("k"))
    )


def line(reading: Reading, dialogue: Dialogue) -> Line:
    said = [Verdict(one) for one in dialogue.exchanges.all()]
    return Line(dialogue, reading.name_of(dialogue.release), said)


def one(reading: Reading, pk: int) -> Line:
    """Return a dialogue of the run.

    Raises:
        Http404: the run has no such dialogue.
    """
    found = _whole(Dialogue.objects.filter(run=reading.run)).filter(pk=pk).first()
    if found is None:
        raise Http404(_("There is no such dialogue."))
    return with_seconds(reading, [line(reading, found)])[0]


def with_seconds(reading: Reading, lines: Sequence[Line]) -> list[Line]:
    """Return the dialogues with what evaluators that judged them again say of every exchange."""
    voices = interview_voices.of(reading.run)
    if len(voices) < 2:
        return list(lines)
    made = []
    for one in lines:
        said = interview_voices.beside(one.dialogue, voices)
        beside = [Verdict(v.exchange, said.get(v.exchange.k, ())) for v in one.verdicts]
        made.append(replace(one, verdicts=beside))
    return made


def others(reading: Reading, dialogue: Dialogue) -> list[Line]:
    """Return the dialogues of the other candidates about the same question."""
    rows = Dialogue.objects.filter(run=reading.run, item=dialogue.item_id).exclude(pk=dialogue.pk)
    return [line(reading, one) for one in _whole(rows).order_by("pk")]


def neighbours(dialogue: Dialogue) -> tuple[int | None, int | None]:
    """Return the dialogues before and after this one."""
    rows = Dialogue.objects.filter(run=dialogue.run_id).values_list("pk", flat=True)
    before = rows.filter(pk__lt=dialogue.pk).order_by("-pk").first()
    return before, rows.filter(pk__gt=dialogue.pk).order_by("pk").first()
