"""Which rows of a file ask what the bank, or an earlier row, asks already.

The same verdict as while writing (annotation/queries/similarity.py), for thousands of rows: the keys
of the bank are read once, and only what shares enough of them is compared.
"""

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.models import Project, QuestionVersion, TextKey
from annotation.queries import settings
from annotation.queries.similarity import reading_of
from annotation.rules import readings, similarity
from annotation.rules.readings import Reading
from annotation.rules.similarity import Bank

#: Keys are followed from the rarest on, until so many texts have come up.
MOST_ROWS = 6000
#: So many of those that share most are compared.
MOST_CANDIDATES = 16
#: Below this share of the weight of keys no text is compared, and without one from PROMISING on none.
RELATED, PROMISING = 0.1, 0.2


@dataclass(frozen=True, slots=True)
class Like:
    """What asks the same: a line of the file, or a question of the bank by its id."""

    external_id: str
    line: int | None
    percent: int


@dataclass(slots=True)
class _Text:
    """A text that others are compared with; of the bank's the reading is made when it is needed."""

    external_id: str
    line: int | None
    answer: str
    reading: Reading | None
    question: int | None = None


class Finder:
    """Finds near-duplicates of rows in the order of the file; each row is known to the next ones."""

    def __init__(self, project: Project) -> None:
        self._at = settings.bank_of(project).alike / 100
        self._texts: list[_Text] = []
        #: By key, the places of the texts that have it.
        self._found: defaultdict[int, array[int]] = defaultdict(lambda: array("i"))
        self._read(project)

    def _read(self, project: Project) -> None:
        places: dict[int, int] = {}
        keys = TextKey.objects.filter(project=project, text__question__isnull=False)
        for key, text, question in keys.values_list("key", "text_id", "text__question_id"):
            if text not in places:
                places[text] = len(self._texts)
                self._texts.append(_Text("", None, "", None, question))
            self._found[key].append(places[text])

    def like(
        self, line: int, external_id: str, turns: Sequence[Mapping[str, Any]], answer: str
    ) -> Like | None:
        """Return what asks most nearly the same as a row, and remember the row."""
        asked = reading_of(turns)
        keys = readings.keys(asked)
        found = self._nearest(asked, keys, answer) if asked.order else None
        for key in keys:
            self._found[key].append(len(self._texts))
        self._texts.append(_Text(external_id, line, answer, asked))
        return found

    def _nearest(self, asked: Reading, keys: Mapping[int, str], answer: str) -> Like | None:
        bank = Bank(
            len(self._texts),
            {name: len(self._found[key]) for key, name in keys.items() if key in self._found},
        )
        texts = self._candidates(keys, bank)
        if not texts:
            return None
        self._load(texts)
        others = [one for text in texts if (one := self._texts[text]).reading is not None]
        read = [one.reading for one in others if one.reading is not None]
        bank = Bank(bank.size, {**bank.counts, **self._counted(asked, read)})
        verdicts = similarity.judge(asked, read, bank, at=self._at)
        answers = [
            similarity.alike(answer, one.answer)
            if verdict.value >= similarity.LEAST and answer.strip() and one.answer.strip()
            else None
            for one, verdict in zip(others, verdicts, strict=True)
        ]
        if any(one is not None for one in answers):
            verdicts = similarity.judge(asked, read, bank, answers, at=self._at)
        alike = [
            (verdict.value, one)
            for one, verdict in zip(others, verdicts, strict=True)
            if verdict.alike
        ]
        if not alike:
            return None
        value, one = max(alike, key=lambda pair: pair[0])
        return Like(one.external_id, one.line, int(100 * value))

    def _candidates(self, keys: Mapping[int, str], bank: Bank) -> list[int]:
        """Return the places of the texts that share most with a row, if any promises something."""
        whole = sum(bank.rarity(name) for name in keys.values() if not name.startswith("="))
        followed: list[array[int]] = []
        weights: list[float] = []
        n_rows = 0
        for n, key in sorted((len(self._found[key]), key) for key in keys if key in self._found):
            if followed and n_rows + n > MOST_ROWS:
                break
            followed.append(self._found[key][:MOST_ROWS])
            weights.append(bank.rarity(keys[key]))
            n_rows += n
        if not followed:
            return []
        places = np.concatenate([np.frombuffer(one, dtype=np.int32) for one in followed])
        each = np.repeat(weights, [len(one) for one in followed])
        shared = np.bincount(places, weights=each)
        n = min(MOST_CANDIDATES, len(shared))
        best = np.sort(np.argpartition(-shared, n - 1)[:n])  # a whole sort would take most time
        best = best[np.argsort(-shared[best], kind="stable")]
        if shared[best[0]] < PROMISING * whole:
            return []
        return [int(one) for one in best if shared[one] >= max(RELATED * whole, 1e-9)]

    def _load(self, texts: Sequence[int]) -> None:
        """Read those of the bank's questions that were not compared with anything yet."""
        unread = {
            one.question: one
            for text in texts
            if (one := self._texts[text]).reading is None and one.question is not None
        }
        if not unread:
            return
        rows = QuestionVersion.objects.newest().filter(question__in=list(unread))
        for version in rows.select_related("question"):
            text = unread[version.question_id]
            text.external_id = version.question.external_id
            text.answer, text.reading = version.answer, reading_of(version.turns)

    def _counted(self, asked: Reading, others: Sequence[Reading]) -> dict[str, int]:
        """Return how often the other words of the candidates stand in bank and file."""
        names = {name for other in others for name in other.features if name not in asked.features}
        numbered = readings.numbered(names)
        return {name: len(self._found[key]) for key, name in numbered.items() if key in self._found}
