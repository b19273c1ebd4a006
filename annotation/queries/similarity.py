"""Which questions and items of a project ask what somebody is writing."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from annotation.models import IndexedText, Item, Project, Question, QuestionVersion, TextKey
from annotation.models.imports import SEEN
from annotation.queries import settings
from annotation.rules import diffs, readings, similarity
from annotation.rules.readings import Reading
from annotation.rules.similarity import Bank, Likeness

Turns = Sequence[Mapping[str, Any]]

MOST_HINTS = 5
#: So many texts that share the rarest keys are compared with what is written.
MOST_CANDIDATES = 40
#: Keys are followed from the rarest on, until so many texts have come up.
MOST_ROWS = 6000
#: Of so many features of candidates it is asked how rare they are.
MOST_COUNTED = 400


@dataclass(frozen=True)
class Hint:
    """A question or item that asks the same, in plain values.

    `runs` lead from its wording to the one that is written; `state` is that of the question or,
    while it is live, of its newest version, and empty for an imported item.
    """

    kind: str  # "question" or "item"
    pk: int
    external_id: str
    state: str
    text: str
    likeness: Likeness
    percent: int
    runs: tuple[diffs.Run, ...]

    @property
    def differences(self) -> tuple[tuple[str, str], ...]:
        """Which words stand there and which here."""
        return () if self.likeness == Likeness.ORDER else diffs.replaced(self.runs)


@dataclass(frozen=True)
class _Candidate:
    kind: str
    pk: int
    external_id: str
    state: str
    turns: Turns
    answer: str


def near(project: Project, turns: Turns, answer: str = "", but: int | None = None) -> list[Hint]:
    """Return hints at near-duplicates, the nearest first.

    Args:
        but: the id of the question that is written: it is no duplicate of itself.
    """
    asked = reading_of(turns)
    if not asked.order:
        return []
    keys = readings.keys(asked)
    counts = _counts(project, keys)
    size = IndexedText.objects.filter(project=project).count()
    bank = Bank(size, {name: counts.get(key, 0) for key, name in keys.items()})
    candidates = _load(project, _best(project, keys, counts, bank), but)
    others = [reading_of(one.turns) for one in candidates]
    bank = Bank(size, {**bank.counts, **_counted(project, asked, others)})
    answers = [
        similarity.alike(answer, one.answer) if answer.strip() and one.answer.strip() else None
        for one in candidates
    ]
    at = settings.bank_of(project).alike / 100
    verdicts = similarity.judge(asked, others, bank, answers, at=at)
    found = [
        (one, verdict) for one, verdict in zip(candidates, verdicts, strict=True) if verdict.alike
    ]
    found.sort(key=lambda pair: (-pair[1].value, pair[0].external_id))
    return [
        Hint(
            kind=one.kind,
            pk=one.pk,
            external_id=one.external_id,
            state=one.state,
            text=last(one.turns),
            likeness=verdict.kind,
            percent=int(100 * verdict.value),
            runs=diffs.between(last(one.turns), last(turns)),
        )
        for one, verdict in found[:MOST_HINTS]
    ]


def reading_of(turns: Turns) -> Reading:
    """Return what counts of the messages of a question."""
    return readings.read_turns(str(one.get("content") or "") for one in turns)


def last(turns: Turns) -> str:
    """Return what is asked last."""
    asked = [one for one in turns if one.get("role") == "user"] or list(turns)
    return str(asked[-1].get("content") or "") if asked else ""


def _counts(project: Project, keys: Mapping[int, str]) -> dict[int, int]:
    """Return in how many texts each key stands."""
    rows = TextKey.objects.filter(project=project, key__in=list(keys)).order_by()
    return dict(rows.values_list("key").annotate(n=Count("pk")))


def _best(
    project: Project, keys: Mapping[int, str], counts: Mapping[int, int], bank: Bank
) -> list[int]:
    """Return the ids of the texts that share most with what is written, by rarity."""
    followed: list[int] = []
    n_rows = 0
    for key in sorted(counts, key=lambda key: (counts[key], key)):
        if followed and n_rows + counts[key] > MOST_ROWS:
            break
        followed.append(key)
        n_rows += counts[key]
    rows = (
        TextKey.objects.filter(project=project, key__in=followed)
        .order_by("key", "text")
        .values_list("key", "text_id")
    )
    shared: defaultdict[int, float] = defaultdict(float)
    weights = {key: bank.rarity(keys[key]) for key in followed}
    for key, text in rows[:MOST_ROWS].iterator():
        shared[text] += weights[key]
    return sorted(shared, key=lambda text: (-shared[text], text))[:MOST_CANDIDATES]


def _load(project: Project, texts: Sequence[int], but: int | None) -> list[_Candidate]:
    indexed = IndexedText.objects.filter(project=project, pk__in=texts)
    questions = (
        QuestionVersion.objects.newest()
        .filter(~Q(question=but), question__indexed__in=indexed)
        .select_related("question")
    )
    # The imported item that a question was taken over from has its id.
    own = Question.objects.filter(pk__in=[but] if but else []).values("external_id")
    items = Item.objects.filter(SEEN, indexed__in=indexed).exclude(external_id__in=own)
    return [
        *(
            _Candidate(
                "question",
                one.question_id,
                one.question.external_id,
                _state(one),
                one.turns,
                one.answer,
            )
            for one in questions
        ),
        *(
            _Candidate("item", one.pk, one.external_id, "", one.messages, one.reference)
            for one in items
        ),
    ]


def _state(version: QuestionVersion) -> str:
    question = version.question
    live = question.state == question.State.LIVE
    return str(version.get_state_display() if live else question.get_state_display())


def _counted(project: Project, asked: Reading, others: Sequence[Reading]) -> dict[str, int]:
    """Return how often the other words of the candidates stand in the bank."""
    names = {name for other in others for name in other.features if name not in asked.features}
    keys = dict(sorted(readings.numbered(names).items())[:MOST_COUNTED])
    counts = _counts(project, keys)
    return {name: counts.get(key, 0) for key, name in keys.items()}
