"""The function metrics as a page shows them: what each does, takes, and gives for an example."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.protocols.suite import catalogue, conversations
from scoring.protocols.suite.catalogue import Example, Metric
from scoring.protocols.suite.conversations import Part
from scoring.protocols.suite.examples import EXAMPLES
from scoring.queries import suite_metrics


@dataclass(frozen=True, slots=True)
class Line:
    metric: Metric
    example: Example | None
    is_own: bool

    @property
    def levels(self) -> list[str]:
        return sorted(one.value for one in self.metric.levels)

    @property
    def parameters(self) -> list[str]:
        """Return what it takes; those without a usual value first."""
        return [
            name if one.default is one.empty else f"{name} = {one.default!r}"
            for name, one in self.metric.parameters.items()
        ]

    @property
    def given(self) -> str:
        """Return the text of the part of the example that it is computed of."""
        if self.example is None:
            return ""
        part = _part(self.example)
        if isinstance(part, conversations.ToolCall):
            return f"{part.name} {dict(part.arguments)}"
        return conversations.text_of(part)

    @property
    def arguments(self) -> str:
        if self.example is None:
            return ""
        return ", ".join(f"{name}: {value!r}" for name, value in self.example.kwargs.items())

    @property
    def values(self) -> Mapping[str, Any]:
        return self.example.value if self.example else {}

    @property
    def yaml(self) -> str:
        """Return the line of a suite that asks for it."""
        kwargs = f", kwargs: {{{self.arguments}}}" if self.arguments else ""
        level = self.example.level.value if self.example else self.levels[0]
        return f"- {{name: {self.metric.name}{kwargs}, metric_level: {level}}}"


def lines() -> list[Line]:
    """Return every function metric, the built-in ones first."""
    own = suite_metrics.own()
    found = suite_metrics.available()
    ordered = sorted(found, key=lambda name: (name in own, name))
    return [Line(found[name], EXAMPLES.get(name), name in own) for name in ordered]


def _part(example: Example) -> Part:
    talk = conversations.read(example.conversation)
    return list(catalogue.parts(talk, example.level))[example.place]
