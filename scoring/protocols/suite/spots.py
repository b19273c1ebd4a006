"""YAML as values that know their lines. Nothing in it can run, refer, or grow beyond its text."""

from dataclasses import dataclass
from typing import Any, Final

import yaml

MOST_TEXT: Final = 512 * 1024
MOST_NODES: Final = 20_000
MOST_DEPTH: Final = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a suite, in which line of its text (0: with all of it)."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"Line {self.line}: {self.text}" if self.line else self.text


class Unusable(ValueError):
    """This is no suite; `problems` says why, line by line."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__(" ".join(map(str, problems[:5])))


@dataclass(frozen=True, slots=True)
class Spot:
    """A value of a YAML text: plain, a list of spots, or spots by name; and its line, from 1."""

    value: Any
    line: int

    def plain(self) -> Any:
        """Return the value without its lines."""
        if isinstance(self.value, dict):
            return {name: one.plain() for name, one in self.value.items()}
        if isinstance(self.value, list):
            return [one.plain() for one in self.value]
        return self.value


def read(text: str) -> Spot:
    """Return what a YAML text says.

    Raises:
        Unusable: it is no YAML, too large, or refers to itself.
    """
    if len(text) > MOST_TEXT:
        raise _bad(0, f"The text is longer than {MOST_TEXT // 1024} KB.")
    try:
        _check(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        return Spot(None, 1) if node is None else _spot(node)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        said = problem.problem or problem.context or "this is no YAML"
        raise _bad(mark.line + 1 if mark else 0, f"This is no YAML: {said}.") from None
    except yaml.YAMLError as problem:
        raise _bad(0, f"This is no YAML: {str(problem).partition(chr(10))[0]}.") from None


def _check(text: str) -> None:
    """Walk over the text without building anything: depth and size are known before memory is taken."""
    depth = 0
    for n, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _bad(line, "References (& and *) are not taken. Write the value out.")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MOST_DEPTH:
            raise _bad(line, f"This is nested deeper than {MOST_DEPTH} levels.")
        if n > MOST_NODES:
            raise _bad(line, f"A suite has at most {MOST_NODES} values.")


def _spot(node: yaml.Node) -> Spot:
    line = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Spot] = {}
        for name, one in node.value:
            if not isinstance(name, yaml.ScalarNode):
                raise _bad(name.start_mark.line + 1, "A name must be a plain word.")
            if name.value in found:
                raise _bad(name.start_mark.line + 1, f"“{name.value}” is there twice.")
            found[name.value] = _spot(one)
        return Spot(found, line)
    if isinstance(node, yaml.SequenceNode):
        return Spot([_spot(one) for one in node.value], line)
    return Spot(_scalar(node, line), line)


def _scalar(node: yaml.Node, line: int) -> Any:
    maker = yaml.constructor.SafeConstructor()
    try:
        made = maker.construct_object(node)
    except (yaml.YAMLError, ValueError, OverflowError):
        raise _bad(line, "This value cannot be read.") from None
    # Dates are texts here: nothing in a suite is a date.
    return made if isinstance(made, str | int | float | bool) or made is None else node.value


def _bad(line: int, text: str) -> Unusable:
    return Unusable([Problem(line, text)])
