"""What a person decided of a file of questions of multiple choice: its layout, its columns, its set."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.rules.tabular import choice_sets, mappings, targets
from annotation.rules.tabular.choice_sets import Columns, Kind
from annotation.rules.tabular.layouts import Layout
from annotation.rules.tabular.mappings import Place
from annotation.rules.tabular.problems import Problem
from annotation.rules.tabular.targets import Target

MOST_DATASET = 120
#: What the set is called where nobody says otherwise.
KNOWN_NAMES: Mapping[Kind, str] = {
    Kind.ARC: "ARC",
    Kind.HELLASWAG: "HellaSwag",
    Kind.MMLU_TABLE: "MMLU",
    Kind.MMLU_OBJECTS: "MMLU",
}


def published(layout: Layout) -> Kind | None:
    """Return the published layout whose columns need no naming.

    One with a column for each letter is a plain table: its columns can be named as any other's.
    """
    kind = choice_sets.recognise(layout)
    return None if kind == Kind.LETTERED else kind


@dataclass(frozen=True, slots=True)
class ChoiceMapping:
    """A file of questions of multiple choice.

    `layout` is a published one, or empty where `places` name the columns; `dataset` is what figures
    are grouped by, `subject` holds where no column and no file name says it.
    """

    places: tuple[Place, ...] = ()
    layout: str = ""
    dataset: str = ""
    subject: str = ""
    create_missing: bool = False

    def column(self, target: Target) -> str:
        """Return the column that holds this; empty where none does."""
        return mappings.column_of(self.places, target)

    def as_dict(self) -> dict[str, Any]:
        return mappings.as_plain(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "ChoiceMapping":
        return cls(**{**stored, "places": mappings.places_of(stored["places"])})

    @property
    def kind(self) -> Kind | Columns:
        """How the file is read."""
        if self.layout:
            return Kind(self.layout)
        named = {
            "question": Target.QUESTION,
            "answer": Target.RIGHT,
            "external_id": Target.EXTERNAL_ID,
            "subject": Target.SUBJECT,
            "explanation": Target.EXPLANATION,
        }
        options = tuple(one.column for one in self.places if one.target == Target.OPTION)
        return Columns(
            options=options, **{name: self.column(target) for name, target in named.items()}
        )

    def faults(self, columns: Iterable[str]) -> list[Problem]:
        """Return why this mapping cannot be used on these columns."""
        found = [
            Problem(code)
            for code, wrong in (
                ("no_dataset", not self.dataset.strip()),
                ("long_dataset", len(self.dataset) > MOST_DATASET),
                ("unknown_layout", self.layout not in {"", *Kind}),
            )
            if wrong
        ]
        return found if self.layout else [*self._column_faults(columns), *found]

    def _column_faults(self, columns: Iterable[str]) -> list[Problem]:
        used = [place.target for place in self.places]
        return mappings.common_faults(self.places, columns, targets.CHOICES) + [
            Problem(code)
            for code, wrong in (
                ("no_choice_question_column", Target.QUESTION not in used),
                ("too_few_option_columns", used.count(Target.OPTION) < 2),
                ("no_right_column", Target.RIGHT not in used),
            )
            if wrong
        ]
