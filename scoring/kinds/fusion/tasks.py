"""What an evaluation task says, as it is stored and as the procedures read it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Self

from annotation.common import scales
from annotation.common.scales import Scale
from scoring.protocols.task_asking_v1 import OVERALL, Assistant, Criterion, Design
from scoring.protocols.task_prompts_v1 import LANGUAGES

QUESTION: Final = "question"
CONVERSATION: Final = "conversation"
REFERENCE: Final = "reference"
#: Before the name of a field that is kept with the question.
KEPT: Final = "field:"

MOST_CRITERIA: Final = 20
MOST_ASSISTANTS: Final = 30
MOST_FIELDS: Final = 10
MOST_TEXT: Final = 20_000


@dataclass(frozen=True, slots=True)
class TaskField:
    """A text of an item that the judge is shown: what it is called, and where it is kept."""

    name: str
    where: str

    @property
    def is_known(self) -> bool:
        kept = self.where.startswith(KEPT) and len(self.where) > len(KEPT)
        return kept or self.where in {QUESTION, CONVERSATION, REFERENCE}


@dataclass(frozen=True, slots=True)
class Helper:
    """An assistant evaluator as a task has it: a rater, and the key of its own criterion that counts."""

    assistant: Assistant
    rater: int
    criterion: str

    def plain(self) -> dict[str, Any]:
        one = self.assistant
        return {
            "key": one.key, "name": one.name, "meaning": one.meaning, "compares": one.compares,
            "low": one.low, "high": one.high, "rater": self.rater, "criterion": self.criterion,
        }  # fmt: skip

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        names = ("key", "name", "meaning", "compares", "low", "high")
        assistant = Assistant(**{name: stored[name] for name in names})
        return cls(assistant, int(stored["rater"]), str(stored["criterion"]))


@dataclass(frozen=True, slots=True)
class FusionTask:
    """A version of a task. `overall` is the range of an overall score of the judge's own, if it gives one."""

    description: str
    fields: tuple[TaskField, ...]
    criteria: tuple[Criterion, ...]
    helpers: tuple[Helper, ...] = ()
    overall: Scale | None = None
    language: str = "en"

    @property
    def design(self) -> Design:
        return Design(
            self.description,
            self.criteria,
            tuple(one.assistant for one in self.helpers),
            self.overall,
            self.language,
        )

    def plain(self) -> dict[str, Any]:
        """Return the task as JSON can hold it; numbers as text, since they are decimals."""
        return {
            "description": self.description,
            "language": self.language,
            "fields": [{"name": one.name, "where": one.where} for one in self.fields],
            "criteria": [
                {
                    "key": one.key,
                    "name": one.name,
                    "definition": one.definition,
                    "steps": list(one.steps),
                    **_range(one.scale),
                }
                for one in self.criteria
            ],
            "assistants": [one.plain() for one in self.helpers],
            "overall": None if self.overall is None else _range(self.overall),
        }

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        overall = stored["overall"]
        return cls(
            description=stored["description"],
            language=stored["language"],
            fields=tuple(TaskField(one["name"], one["where"]) for one in stored["fields"]),
            criteria=tuple(
                Criterion(
                    one["key"], one["name"], _scale(one), one["definition"], tuple(one["steps"])
                )
                for one in stored["criteria"]
            ),
            helpers=tuple(Helper.of(one) for one in stored["assistants"]),
            overall=None if overall is None else _scale(overall),
        )

    @property
    def _names(self) -> list[str]:
        return [one.name for one in self.criteria] + [one.name for one in self.fields]

    def faults(self) -> frozenset[str]:
        """Return the codes of what is wrong with the task; none for one that can be used."""
        found = {
            "no_description": not self.description.strip(),
            "long_description": len(self.description) > MOST_TEXT,
            "no_criteria": not self.criteria,
            "many_criteria": len(self.criteria) > MOST_CRITERIA,
            "many_assistants": len(self.helpers) > MOST_ASSISTANTS,
            "many_fields": len(self.fields) > MOST_FIELDS,
            "unnamed": not all(name.strip() for name in self._names),
            "unknown_field": any(not one.is_known for one in self.fields),
            "same_criterion": _twice([one.name for one in self.criteria])
            or _twice([one.key for one in self.criteria])
            or OVERALL in {one.key for one in self.criteria},
            "same_field": _twice([one.name for one in self.fields]),
            "same_assistant": _twice([one.assistant.key for one in self.helpers])
            or _twice([(one.rater, one.criterion) for one in self.helpers]),
            "no_language": self.language not in LANGUAGES,
        }
        return frozenset(code for code, wrong in found.items() if wrong)


def _twice(values: Sequence[Any]) -> bool:
    bare = [one.strip().casefold() if isinstance(one, str) else one for one in values]
    return any(n > 1 for n in Counter(bare).values())


def _range(scale: Scale) -> dict[str, str | None]:
    step = scale.step
    return {
        "minimum": scales.text(scale.minimum),
        "maximum": scales.text(scale.maximum),
        "step": None if step is None else scales.text(step),
    }


def _scale(stored: Mapping[str, Any]) -> Scale:
    step = stored.get("step")
    return Scale(
        Decimal(stored["minimum"]), Decimal(stored["maximum"]), None if not step else Decimal(step)
    )
