"""The function metrics as a page shows them: what each does, takes, and gives for an example."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from scoring.protocols.suite import catalogue, conversations
from scoring.protocols.suite.catalogue import Example, Metric
from scoring.protocols.suite.conversations import Part
from scoring.protocols.suite.examples import EXAMPLES
from scoring.queries import suite_metrics

#: What metrics are about, and which are; one that is in none stands at the end of the first.
GROUPS: Final[Sequence[tuple[Promise, frozenset[str]]]] = (
    (
        _("Length and ease of reading"),
        frozenset({"string_length", "count_messages", "count_turns", "count_messages_per_role",
                   "flesch_reading_ease", "flesch_kincaid_grade", "count_emojis"}),
    ),
    (
        _("What is said"),
        frozenset({"lexical_overlap", "language", "is_in_language", "message_matches_regex",
                   "count_of_parts_matching_regex", "identity"}),
    ),
    (
        _("Safety and privacy"),
        frozenset({"is_refusal", "names_itself", "count_toxic_words", "count_private_data",
                   "moderation"}),
    ),
    (
        _("Tools"),
        frozenset({"tool_was_called", "count_tool_calls", "count_tool_calls_by_name",
                   "count_numeric_tool_call_params_by_name", "value_counts_by_tool_name"}),
    ),
    (
        _("Cost, speed and errors"),
        frozenset({"count_llm_models", "count_tokens", "count_errors", "latency"}),
    ),
    (
        _("Whose part it is, and where"),
        frozenset({"is_role", "index_in_thread", "is_last_turn_in_thread", "is_langgraph_type",
                   "constant"}),
    ),
)  # fmt: skip
OWN: Final = _("Of your organisation")


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


def grouped() -> list[tuple[str, list[Line]]]:
    """Return every function metric by what it is about, an organisation's own at the end."""
    known = lines()
    placed = frozenset[str]().union(*(names for _title, names in GROUPS))
    made = [
        (str(title), [one for one in known if one.metric.name in names and not one.is_own])
        for title, names in GROUPS
    ]
    made[0][1].extend(one for one in known if one.metric.name not in placed and not one.is_own)
    return [*made, *([(str(OWN), own)] if (own := [one for one in known if one.is_own]) else [])]


def _part(example: Example) -> Part:
    talk = conversations.read(example.conversation)
    return list(catalogue.parts(talk, example.level))[example.place]
