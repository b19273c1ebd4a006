"""The dry run of a file of questions for the bank: what would come of it, and what asks the same."""

from dataclasses import dataclass, field
from typing import Any

from annotation.models import Difficulty, Project, QuestionType
from annotation.queries.imports import likenesses
from annotation.queries.imports.questions import Fate, Resolved, Resolver
from annotation.rules.tabular import questions as rows
from annotation.rules.tabular.mappings import QuestionMapping
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.records import Record
from annotation.rules.tabular.targets import Target

PREVIEWED = 5
SHOWN = 400  # signs of a text in the preview
LISTED = 100  # names of new sources in the report

_WORDS = {**dict(Difficulty.choices), **dict(QuestionType.choices)}
_COUNTS = {
    Fate.NEW: "new_questions",
    Fate.VERSION: "new_versions",
    Fate.SAME: "unchanged",
}


@dataclass
class QuestionCheck:
    project: Project
    mapping: QuestionMapping
    shielded: bool
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("new_questions", "new_versions", "unchanged", "near_duplicates", "without_source"), 0
        )
    )
    preview: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._reader = rows.Reader(self.mapping, shielded=self.shielded)
        self._resolver = Resolver(self.project, self.mapping, self._reader.said)
        self._finder = likenesses.Finder(self.project)

    def batch(self, records: list[Record]) -> list[Problem]:
        problems = []
        for resolved in self._resolver.resolve([self._reader.read(record) for record in records]):
            problems += resolved.problems + self._like(resolved)
            self._count(resolved)
        return problems

    def summary(self) -> dict[str, Any]:
        sources = [one.title for one in self._resolver.corpus.missing.values()]
        return {
            "counts": {**self.counts, "new_sources": len(sources)},
            "preview": self.preview,
            "new_capabilities": list(self._resolver.missing["capability"]),
            "new_domains": list(self._resolver.missing["domain"]),
            "new_sources": sources[:LISTED],
        }

    def _like(self, resolved: Resolved) -> list[Problem]:
        """Return a warning if a row of its own asks what the bank or an earlier row asks."""
        question = resolved.row.question
        if question is None or not question.turns or resolved.newest is not None:
            return []
        line = resolved.row.line
        found = self._finder.like(line, question.external_id, question.turns, question.answer)
        if found is None:
            return []
        self.counts["near_duplicates"] += 1
        column = self.mapping.column(Target.QUESTION) or self.mapping.column(Target.MESSAGES)
        facts = {"other": found.external_id, "percent": str(found.percent)}
        if found.line is None:
            return [
                Problem("like_in_bank", line, column, question.external_id, facts, warning=True)
            ]
        facts |= {"first": str(found.line)}
        return [Problem("like_in_file", line, column, question.external_id, facts, warning=True)]

    def _count(self, resolved: Resolved) -> None:
        question = resolved.row.question
        if question is None or resolved.fate == Fate.REFUSED:
            return
        self.counts[_COUNTS[resolved.fate]] += 1
        if resolved.fate == Fate.SAME:
            return
        self.counts["without_source"] += not question.cited
        if len(self.preview) < PREVIEWED:
            self.preview.append(_card(resolved, question))


def _card(resolved: Resolved, question: rows.Written) -> dict[str, Any]:
    labels = (
        question.capability,
        question.domain,
        str(_WORDS.get(question.difficulty, "")),
        str(_WORDS.get(question.question_type, "")),
        question.as_of,
        *question.tags,
    )
    return {
        "external_id": question.external_id,
        "fate": str(resolved.fate),
        "question": question.turns[-1]["content"][:SHOWN] if question.turns else "",
        "n_messages": len(question.turns),
        "reference": question.answer[:SHOWN],
        "key_points": question.key_points,
        "labels": [label for label in labels if label],
        "sources": [
            ", ".join(part for part in (one.title, one.locator) if part) for one in question.cited
        ],
    }
