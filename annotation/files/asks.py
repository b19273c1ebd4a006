"""What only a person can say of a file: a question, what may be answered, and what they answered.

A question either has to be answered before anything comes in, or has a suggestion that is taken and
shown as "please check". There is no third kind.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

#: What a person said, by the key of the question: {"header": "no", "missing:-1": "yes"}.
Told = Mapping[str, str]
#: The question what a file holds; its answer stands with the file, as its kind.
KIND: Final = "kind"
#: The question which file of a ZIP is read.
MEMBER: Final = "member"


@dataclass(frozen=True, slots=True)
class FileAsk:
    """A question about a file.

    Args:
        key: names it within the file, such as "header" or "missing:-1"; the same question again has the same.
        code: finds the words of the question and of its options.
        options: what may be answered; empty where any text may be.
        suggested: what is taken until somebody says otherwise; empty where nothing comes in before.
        column: the column that it is about, if it is about one.
        found: what stands in the file.
        facts: what the words name.
    """

    key: str
    code: str
    options: tuple[str, ...] = ()
    suggested: str = ""
    column: str = ""
    found: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "options": list(self.options), "facts": dict(self.facts)}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "FileAsk":
        return cls(**{**stored, "options": tuple(stored["options"])})

    def answer(self, told: Told) -> str:
        """Return what was answered, or is suggested; empty where it is open."""
        said = told.get(self.key, "")
        fits = bool(said) and (not self.options or said in self.options)
        return said if fits else self.suggested


def open_ones(asks: Iterable[FileAsk], told: Told) -> list[FileAsk]:
    """Return the questions without which nothing can come in."""
    return [one for one in asks if not one.answer(told)]
