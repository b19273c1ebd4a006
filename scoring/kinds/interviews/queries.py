"""Interviews as their runs read them: the problem of an item, who is interviewed, and how.

* The dialogues of a run of interviews: their list by what happened, and one with every verdict beside it.
* The live judges of a project: those that are configured here and can be asked.
* What interviews can be about, and who can take part in them.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.http import Http404
from django.utils.translation import gettext as _

from annotation.domains import queries as taxonomy
from annotation.files.models import ImportBatch
from annotation.people.models import Project
from annotation.rounds import draws
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round, RoundItem
from annotation.rounds.rules import Draw
from annotation.systems.models import Item
from evalsite.web import keyset
from scoring.endpoints import queries as connections
from scoring.endpoints.models import Judge
from scoring.engine import progress as run_flags
from scoring.engine.models import Run, Step
from scoring.engine.queries import RunReading
from scoring.kinds.interviews import results as interview_voices
from scoring.kinds.interviews import v1
from scoring.kinds.interviews import verdicts_v1 as verdicts
from scoring.kinds.interviews.asking_v1 import Problem
from scoring.kinds.interviews.models import Dialogue, Exchange
from scoring.kinds.interviews.prompts_v1 import LANGUAGES
from scoring.kinds.interviews.results import ASPECT_NAMES, REASONS, Second
from scoring.kinds.interviews.verdicts_v1 import OVERALL
from scoring.kinds.judging.queries import judges_of
from scoring.llm.base import Message, Settings
from scoring.protocols import untrusted

VERIFY: Final = "verify"
#: Where an item keeps the options of a question of multiple choice, by label, and the right one.
OPTIONS, ANSWER, DATASET, SUBJECT = "options", "answer_label", "dataset", "subject"
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"\w")
LIST_PAGE = 500


def problem_of(item: Item, *, language: str = "auto") -> Problem:
    """Return what an interview about an item is about."""
    turns = tuple(one for one in connections.asked(item) if one.role != "system")
    options = item.extra.get(OPTIONS)
    known = (
        {str(key): str(one) for key, one in options.items()} if isinstance(options, dict) else {}
    )
    label = str(item.extra.get(ANSWER) or "")
    return Problem(
        key=f"{item.external_id}/{item.pk}",
        turns=turns or (Message("user", item.question),),
        reference=item.reference,
        options=known if label in known else {},
        label=label if label in known else "",
        language=language if language in LANGUAGES else language_of(item.question),
    )


def language_of(text: str) -> str:
    """Return the language of the prompts for a question: Chinese where a third of its letters are."""
    n_han, n_letters = len(_HAN.findall(text)), len(_WORD.findall(text))
    return "zh" if 3 * n_han >= n_letters > 0 else "en"


def has_answer(item: Item) -> bool:
    """Return whether it is known what the right answer is: no interview without it."""
    return bool(item.reference.strip()) or bool(problem_of(item).options)


def dataset_of(item: Item) -> str:
    """Return the data set that figures group a question by; its capability where it is of the bank."""
    named = item.extra.get(DATASET) or item.extra.get(SUBJECT)
    if named:
        return str(named)[:120]
    return item.capability.name[:120] if item.capability else ""


def config_of(
    config: Mapping[str, Any], *, reference_visible: bool, verdict: Settings
) -> v1.Config:
    """Return how the interviews of a run are held; the candidate's own parameters come with its release."""
    talk = Settings(max_tokens=config["talk_tokens"])
    return v1.Config(
        planned=config["planned"],
        mark_but_continue=config["mark_but_continue"],
        prior=config["prior"],
        decision=config["decision"],
        reference_visible_to_evaluator=reference_visible,
        temperature=config["temperature"],
        candidate=talk,
        interactor=talk,
        evaluator=verdict,
    )


def items_of(run: Run) -> Iterator[Item]:
    """Yield the drawn items in their order."""
    pks: Sequence[int] = run.config["items"]
    for start in range(0, len(pks), LIST_PAGE):
        found = Item.objects.select_related("capability").in_bulk(pks[start : start + LIST_PAGE])
        yield from (found[pk] for pk in pks[start : start + LIST_PAGE] if pk in found)


def verified(run: Run) -> tuple[list[int], list[int], int]:
    """Return which items both machines got right and which not, in the order of the draw, and how many wait."""
    steps = Step.objects.filter(run=run, spec__stage=VERIFY).order_by("ordinal")
    right: list[int] = []
    wrong: list[int] = []
    n_open = 0
    for item, state, result in steps.values_list("item_id", "state", "result"):
        if state in {Step.State.FREE, Step.State.CLAIMED}:
            n_open += 1
        elif item is not None:
            (right if (result or {}).get("verified") else wrong).append(item)
    return right, wrong, n_open


SIZE = 30


@dataclass(frozen=True)
class DialogueFilters:
    """Which dialogues: `what` is "flagged", "unscored", "stopped", "wrong" or "failed"."""

    release: int | None = None
    reason: str = ""
    what: str = ""
    text: str = ""
    question: str = ""


@dataclass(frozen=True)
class JudgedExchange:
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
class DialogueLine:
    """A dialogue with its exchanges."""

    dialogue: Dialogue
    system: str
    verdicts: Sequence[JudgedExchange]

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


def filtered(run: Run, filters: DialogueFilters) -> "QuerySet[Dialogue]":
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


def line(reading: RunReading, dialogue: Dialogue) -> DialogueLine:
    said = [JudgedExchange(one) for one in dialogue.exchanges.all()]
    return DialogueLine(dialogue, reading.name_of(dialogue.release), said)


def dialogue_of(reading: RunReading, pk: int) -> DialogueLine:
    """Return a dialogue of the run.

    Raises:
        Http404: the run has no such dialogue.
    """
    found = _whole(Dialogue.objects.filter(run=reading.run)).filter(pk=pk).first()
    if found is None:
        raise Http404(_("There is no such dialogue."))
    return with_seconds(reading, [line(reading, found)])[0]


def with_seconds(reading: RunReading, lines: Sequence[DialogueLine]) -> list[DialogueLine]:
    """Return the dialogues with what evaluators that judged them again say of every exchange."""
    voices = interview_voices.voices_of(reading.run)
    if len(voices) < 2:
        return list(lines)
    made = []
    for one in lines:
        said = interview_voices.beside(one.dialogue, voices)
        beside = [JudgedExchange(v.exchange, said.get(v.exchange.k, ())) for v in one.verdicts]
        made.append(replace(one, verdicts=beside))
    return made


def others(reading: RunReading, dialogue: Dialogue) -> list[DialogueLine]:
    """Return the dialogues of the other candidates about the same question."""
    rows = Dialogue.objects.filter(run=reading.run, item=dialogue.item_id).exclude(pk=dialogue.pk)
    return [line(reading, one) for one in _whole(rows).order_by("pk")]


def neighbours(dialogue: Dialogue) -> tuple[int | None, int | None]:
    """Return the dialogues before and after this one."""
    rows = Dialogue.objects.filter(run=dialogue.run_id).values_list("pk", flat=True)
    before = rows.filter(pk__lt=dialogue.pk).order_by("-pk").first()
    return before, rows.filter(pk__gt=dialogue.pk).order_by("pk").first()


def evaluators(project: Project) -> "QuerySet[Judge]":
    """Return the evaluators of interviews whose endpoint is in use."""
    rows = judges_of(project).filter(protocol=v1.PROTOCOL)
    return rows.filter(endpoint__retired_at__isnull=True).order_by("name")


#: Where questions come from, as a form and a program say it: "bank:", "bank:7", "round:3", "import:2".
BANK, ROUND, IMPORT = "bank:", "round:", "import:"
MOST: Final = 500
PAGE: Final = 1000


class NoSuchQuestions(LookupError):
    """What was named is no round, import or capability of this project."""


@dataclass(frozen=True, slots=True)
class KnownQuestions:
    """The questions of a source whose right answer is known (or that fit otherwise), and how many others."""

    items: list[int]
    n_without: int


def known_questions(
    project: Project,
    over: str,
    now: datetime,
    *,
    fits: Callable[[Item], bool] = has_answer,
) -> KnownQuestions:
    """Return the questions of a source that fit, and how many do not.

    Raises:
        NoSuchQuestions: there is no such source.
    """
    known: list[int] = []
    n_without = 0
    for one in _items(project, over, now):
        if fits(one):
            known.append(one.pk)
        else:
            n_without += 1
    return KnownQuestions(known, n_without)


def _items(project: Project, over: str, now: datetime) -> Iterator[Item]:
    kind, colon, name = over.partition(":")
    number = int(name) if name.isascii() and name.isdigit() and len(name) < 10 else None
    if not colon or (number is None and (kind != "bank" or name)):
        raise NoSuchQuestions(over)
    if kind == "bank":
        return _of_bank(project, number, now)
    assert number is not None
    rows = Item.objects.filter(project=project)
    if kind == "round" and rounds.rounds_of(project).filter(number=number).exists():
        used = RoundItem.objects.filter(round__project=project, round__number=number)
        return _read(rows.filter(pk__in=used.values("item")))
    if kind == "import" and imports_of(project).filter(number=number).exists():
        return _read(rows.filter(batch__number=number))
    raise NoSuchQuestions(over)


def _of_bank(project: Project, capability: int | None, now: datetime) -> Iterator[Item]:
    """Yield what rounds could draw: of a capability and all below it, or of all."""
    chosen = [] if capability is None else _below(project, capability)
    wanted = Draw(capabilities=chosen, unanswered=True, complete_only=False)
    pks = [one.item_id for one in draws.listed(Round(project=project), [], wanted, now)]
    for start in range(0, len(pks), PAGE):
        yield from _read(Item.objects.filter(pk__in=pks[start : start + PAGE]))


def _below(project: Project, capability: int) -> list[int]:
    """Return a capability and those below it, in the order of the tree."""
    chosen: list[int] = []
    least = None
    for one in taxonomy.capability_names(project):
        if one.node.pk == capability:
            least = one.depth
        elif least is not None and one.depth <= least:
            break
        if least is not None:
            chosen.append(one.node.pk)
    if not chosen:
        raise NoSuchQuestions(f"{BANK}{capability}")
    return chosen


def _read(rows: "QuerySet[Item]") -> Iterator[Item]:
    return rows.select_related("capability").order_by("pk").iterator(chunk_size=PAGE)


def imports_of(project: Project) -> "QuerySet[ImportBatch]":
    """Return the imports that brought questions."""
    rows = ImportBatch.objects.filter(project=project, state=ImportBatch.State.APPLIED)
    brought = Item.objects.filter(batch=OuterRef("pk"))
    return rows.filter(Exists(brought)).defer("mapping").order_by("-number")


def sources(project: Project) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return every source by sort: its name for programs, and for people."""
    tree = taxonomy.capability_names(project)
    drawn = rounds.rounds_of(project).order_by("-number")[:MOST]
    return [
        (BANK, [(f"{BANK}{one.node.pk}", "\u2003" * one.depth + one.node.name) for one in tree]),
        (ROUND, [(f"{ROUND}{one.number}", one.name) for one in drawn]),
        (
            IMPORT,
            [
                (f"{IMPORT}{number}", f"{number} · {name}")
                for number, name in imports_of(project).values_list("number", "file_name")[:MOST]
            ],
        ),
    ]


def evaluators_of(project: Project) -> "QuerySet[Judge]":
    """Return the evaluators whose endpoint is in use."""
    return evaluators(project)
