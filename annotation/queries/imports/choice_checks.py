"""The dry run of a file of questions of multiple choice: what would come of it, and the first ones."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from annotation.models import Project
from annotation.queries.imports.answers import Resolver
from annotation.rules.tabular import choice_rows
from annotation.rules.tabular.answers import Question
from annotation.rules.tabular.choice_mappings import ChoiceMapping
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.records import Record

PREVIEWED = 5
SHOWN = 400  # signs of a text in the preview
LISTED = 100  # subjects in the report


@dataclass
class ChoiceCheck:
    project: Project
    mapping: ChoiceMapping
    file_name: str
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("new_items", "known_items"), 0)
    )
    preview: list[dict[str, Any]] = field(default_factory=list)
    subjects: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._reader = choice_rows.Reader(self.mapping, file_name=self.file_name)
        self._resolver = Resolver(self.project, self.mapping)

    def batch(self, records: list[Record]) -> list[Problem]:
        problems = []
        for resolved in self._resolver.resolve([self._reader.read(one) for one in records]):
            problems += resolved.problems
            if resolved.row.question is not None and resolved.key is not None:
                self.counts["new_items" if resolved.is_new else "known_items"] += 1
                self._show(resolved.row.question)
        return problems

    def summary(self) -> dict[str, Any]:
        named = self.subjects.most_common(LISTED)
        return {
            "counts": self.counts,
            "preview": self.preview,
            "subjects": dict(sorted(named)),
            # Nothing has to be made for such a file before its first row.
            "new_capabilities": [],
            "new_domains": [],
        }

    def _show(self, question: Question) -> None:
        if subject := question.extra.get(choice_rows.SUBJECT):
            self.subjects[subject] += 1
        if len(self.preview) < PREVIEWED:
            right = question.extra[choice_rows.ANSWER]
            self.preview.append(
                {
                    "external_id": question.external_id,
                    "question": str(question.messages[-1]["content"])[:SHOWN],
                    "subject": question.extra.get(choice_rows.SUBJECT, ""),
                    "options": [
                        {"label": label, "text": text[:SHOWN], "right": label == right}
                        for label, text in question.extra[choice_rows.OPTIONS].items()
                    ],
                }
            )
