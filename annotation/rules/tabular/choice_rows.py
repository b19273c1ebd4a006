"""A record of a file of questions of multiple choice, read by its mapping into a question as items are.

Options by label, the label of the right one, data set and subject stand in the item's extra fields,
where interviews and measurements of accuracy read them.
"""

from typing import Any, Final

from annotation.rules import contents
from annotation.rules.tabular import answers, cells, choice_sets
from annotation.rules.tabular.answers import Question, Row
from annotation.rules.tabular.choice_mappings import ChoiceMapping
from annotation.rules.tabular.choice_sets import ChoiceQuestion
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.records import Record, is_blank
from annotation.rules.tabular.targets import Target

OPTIONS, ANSWER, DATASET, SUBJECT = "options", "answer_label", "dataset", "subject"
EXPLANATION: Final = "explanation"
_OWN: Final = frozenset({OPTIONS, ANSWER, DATASET, SUBJECT, EXPLANATION})


class Reader:
    """Reads records one by one, in the order of the file; every problem goes with its row."""

    def __init__(self, mapping: ChoiceMapping, *, file_name: str) -> None:
        self._mapping = mapping
        self._set = mapping.dataset.strip()
        self._reader = choice_sets.Reader(mapping.kind, file_name=file_name, dataset=self._set)
        self._known = {place.column for place in mapping.places}
        self._details = [
            place.column for place in mapping.places if place.target == Target.QUESTION_DETAILS
        ]

    def read(self, record: Record) -> Row:
        """Return the question of a record, or what is wrong with it."""
        found = self._reader.read(record)
        row = Row(record.line)
        if found.problem:
            row.problems.append(found.problem)
        if not self._mapping.layout and not record.problems:
            row.problems += [
                Problem("new_column", record.line, name)
                for name in sorted(record.cells.keys() - self._known)
            ]
        if found.question is not None:
            row.question = self._question(found.question, record)
        return row

    def _question(self, found: ChoiceQuestion, record: Record) -> Question:
        messages = contents.as_messages(found.question)
        question = Question(
            external_id=found.external_id,
            group=found.external_id,
            messages=messages,
            reference=found.options[found.answer],
            extra=self._extra(found, record),
        )
        question.prompt_sha = contents.prompt_sha(messages)
        question.content_sha = answers.content_sha(question)
        return question

    def _extra(self, found: ChoiceQuestion, record: Record) -> dict[str, Any]:
        kept = {
            column: cells.detail(record.cells[column])
            for column in self._details
            if column not in _OWN and not is_blank(record.cells.get(column))
        }
        own: dict[str, Any] = {
            OPTIONS: dict(found.options),
            ANSWER: found.answer,
            DATASET: self._set,
        }
        # A file name is only a last resort, after what the person said holds for the whole file.
        subject = (
            found.subject
            if self._names_subject(record)
            else self._mapping.subject.strip() or found.subject
        )
        if subject:
            own[SUBJECT] = subject[:200]
        if found.explanation:
            own[EXPLANATION] = found.explanation
        return kept | own

    def _names_subject(self, record: Record) -> bool:
        column = self._mapping.column(Target.SUBJECT)
        named = (column,) if column else ("subject", "activity_label")
        return any(not is_blank(record.cells.get(one)) for one in named)
