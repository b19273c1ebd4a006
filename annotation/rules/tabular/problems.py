"""What is wrong with a file, as a code with facts; the words are found where a language is known."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

EXCERPT = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and where. A warning does not stop an import; anything else does."""

    code: str
    line: int | None = None
    column: str = ""
    found: str = ""
    facts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    warning: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "line": self.line,
            "column": self.column,
            "found": self.found,
            "facts": dict(self.facts),
            "warning": self.warning,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Problem":
        return cls(**stored)


class Unreadable(Exception):
    """The file, or the rest of it, cannot be read; `problem` says why and from which line on."""

    def __init__(
        self, code: str, line: int | None = None, found: object = "", **facts: str
    ) -> None:
        super().__init__(code)
        self.problem = Problem(code, line, found=excerpt(found), facts=facts)


def excerpt(value: object) -> str:
    """Return the beginning of a value on one line, fit to be stored and shown."""
    text = value if isinstance(value, str) else repr(value)
    shown = "".join(_shown(sign) for sign in text[: EXCERPT + 1])
    return shown if len(text) <= EXCERPT else shown[:EXCERPT] + "…"


def _shown(sign: str) -> str:
    if sign.isprintable():
        return sign
    return " " if sign.isspace() else "�"
