"""YAML as values that know their lines. Nothing in it can run, refer, or grow beyond its text.

* A suite as plain values: which metrics at which levels, what each depends on, rubrics, judges, gates.
* The placeholders of a rubric's prompt: only these are replaced, every other brace stays as it is.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import yaml

from scoring.kinds.suites.protocol.catalogue import Level

MOST_TEXT: Final = 512 * 1024
MOST_NODES: Final = 20_000
MOST_DEPTH: Final = 20


@dataclass(frozen=True, slots=True)
class SuiteProblem:
    """What is wrong with a suite, in which line of its text (0: with all of it)."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"Line {self.line}: {self.text}" if self.line else self.text


class UnusableSuite(ValueError):
    """This is no suite; `problems` says why, line by line."""

    def __init__(self, problems: list[SuiteProblem]) -> None:
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


def read_yaml(text: str) -> Spot:
    """Return what a YAML text says.

    Raises:
        UnusableSuite: it is no YAML, too large, or refers to itself.
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


def _bad(line: int, text: str) -> UnusableSuite:
    return UnusableSuite([SuiteProblem(line, text)])


FUNCTION: Final = "function"
RUBRIC: Final = "rubric"
#: The function that asks an endpoint.
MODERATION: Final = "moderation"


@dataclass(frozen=True, slots=True)
class Dependency:
    """A metric is computed only where another one has a value within these bounds.

    `target` is the place of the other one among the suite's metrics, once it is linked; `relative`
    asks for an earlier object of its level (-1 is the one before).
    """

    name: str
    type: str = ""
    kwargs: Mapping[str, Any] | None = None
    metric_name: str = ""
    level: str = ""
    minimum: float | None = None
    maximum: float | None = None
    relative: int = 0
    target: int | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A metric as a suite wants it. `key` names it among all metrics of the project."""

    kind: str
    name: str
    level: Level
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    depends_on: tuple[Dependency, ...] = ()
    line: int = 0

    @property
    def key(self) -> str:
        if not self.kwargs:
            return self.name
        given = ", ".join(f"{name}={self.kwargs[name]!r}" for name in sorted(self.kwargs))
        return f"{self.name}({given})"


@dataclass(frozen=True, slots=True)
class Rubric:
    """A prompt with placeholders, and what each choice is worth."""

    prompt: str
    choices: Mapping[str, float]
    notes: str = ""


@dataclass(frozen=True, slots=True)
class SuiteGate:
    """A bound on a statistic of a metric, for every system alike.

    With `confidence` the far end of the bootstrap interval must keep the bound. `drop` is how far the
    statistic may fall below that of the baseline.
    """

    metric: str
    statistic: str = "mean"
    value: str = ""
    level: str = ""
    role: str = ""
    minimum: float | None = None
    maximum: float | None = None
    drop: float | None = None
    confidence: float | None = None
    line: int = 0

    @property
    def words(self) -> str:
        """Return the gate in words: "mean of kind ≤ 0.2 at 95 %"."""
        parts = [f"{self.statistic} of {self.metric}"]
        parts += [f"“{self.value}”"] if self.value else []
        parts += [f"at the level of {self.level}"] if self.level else []
        parts += [f"of {self.role}"] if self.role else []
        parts += [f"≥ {self.minimum:g}"] if self.minimum is not None else []
        parts += [f"≤ {self.maximum:g}"] if self.maximum is not None else []
        parts += [f"at most {self.drop:g} below the baseline"] if self.drop is not None else []
        parts += [f"at {self.confidence:.0%}"] if self.confidence is not None else []
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Completion:
    """A system that is to complete the starts of conversations before they are evaluated.

    `endpoint` is a name, or the name of the model behind it; `system` and `release` say as what its answers
    are kept, and name the endpoint where that is left out. `n` completions of each start, of up to
    `turns` answers; `user` is the endpoint that plays the user once the recorded one has no more to say.
    """

    endpoint: str = ""
    system: str = ""
    release: str = ""
    n: int = 1
    turns: int = 1
    start: str = "last"
    user: str = ""
    about: str = ""
    with_prompt: bool = True
    #: system_prompt, temperature, top_p, max_tokens, seed, stop.
    settings: Mapping[str, Any] = field(default_factory=dict)
    line: int = 0

    @property
    def words(self) -> str:
        """Return who completes, in words: "Kestrel 2 (house)"."""
        whom = " ".join(one for one in (self.system, self.release) if one)
        if not whom:
            return self.endpoint
        return f"{whom} ({self.endpoint})" if self.endpoint else whom


@dataclass(frozen=True, slots=True)
class SuiteText:
    name: str
    entries: tuple[Entry, ...]
    rubrics: Mapping[str, Rubric] = field(default_factory=dict)
    graders: tuple[str, ...] = ()
    gates: tuple[SuiteGate, ...] = ()
    data: tuple[str, ...] = ()
    notes: str = ""
    #: Without any, the conversations are evaluated as they are stored.
    completions: tuple[Completion, ...] = ()
    #: Stored conversations that it names, and how those of a file are called, by its path.
    sets: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    #: How many conversations of each set are drawn, by which seed; None is all.
    sample: int | None = None
    sample_seed: int = 0
    #: How often each judge is asked about a conversation.
    repeats: int = 1
    #: What is done otherwise than the text says.
    warnings: tuple[SuiteProblem, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON; what has an order is a list, for a database need not keep that of names."""
        made = asdict(self)
        made["rubrics"] = [
            {"name": name, **asdict(one), "choices": [list(pair) for pair in one.choices.items()]}
            for name, one in self.rubrics.items()
        ]
        made["entries"] = [{**asdict(one), "level": one.level.value} for one in self.entries]
        return made

    @property
    def functions(self) -> list[tuple[int, Entry]]:
        return [(at, one) for at, one in enumerate(self.entries) if one.kind == FUNCTION]

    @property
    def moderated(self) -> list[tuple[int, Entry]]:
        return [(at, one) for at, one in self.functions if one.name == MODERATION]

    @property
    def judged(self) -> list[tuple[int, Entry]]:
        return [(at, one) for at, one in enumerate(self.entries) if one.kind == RUBRIC]


def from_dict(given: Mapping[str, Any]) -> SuiteText:
    """Return the suite that `as_dict` wrote down, now or when rubrics stood under their names."""
    entries = tuple(
        Entry(
            one["kind"],
            one["name"],
            Level(one["level"]),
            one["kwargs"],
            tuple(Dependency(**each) for each in one["depends_on"]),
            one["line"],
        )
        for one in given["entries"]
    )
    return SuiteText(
        name=given["name"],
        entries=entries,
        rubrics=_rubrics(given["rubrics"]),
        graders=tuple(given["graders"]),
        gates=tuple(SuiteGate(**one) for one in given["gates"]),
        data=tuple(given["data"]),
        notes=given["notes"],
        completions=tuple(Completion(**one) for one in given.get("completions", ())),
        sets=tuple(given.get("sets", ())),
        named=given.get("named", {}),
        sample=given.get("sample"),
        sample_seed=given.get("sample_seed", 0),
        repeats=given.get("repeats", 1),
        warnings=tuple(SuiteProblem(**one) for one in given.get("warnings", ())),
    )


def _rubrics(given: Any) -> dict[str, Rubric]:
    if isinstance(given, Mapping):
        return {name: Rubric(**one) for name, one in given.items()}
    return {one["name"]: Rubric(one["prompt"], dict(one["choices"]), one["notes"]) for one in given}


#: {input} is what older rubric files call the conversation.
NAMES: Final = ("conversation", "context", "content", "completion", "tool_calls", "input")
_PLACES = re.compile("|".join(f"\\{{{one}\\}}" for one in NAMES))


def used(prompt: str) -> list[str]:
    """Return the placeholders of a prompt, each once, in order."""
    return list(dict.fromkeys(one[1:-1] for one in _PLACES.findall(prompt)))


def fill(prompt: str, texts: Mapping[str, str]) -> str:
    """Return the prompt with its placeholders replaced; what is put in is not looked at again."""
    return _PLACES.sub(lambda found: texts[found[0][1:-1]], prompt)


#: Signs around a choice that say nothing: Markdown, quotation marks, brackets, full stops.
_AROUND: Final = " \t\r\n*_`~#\"'“”‘’„«»‚().,;:!?[]{}<>|=。，；：！？、（）【】「」《》"


def normal(text: str) -> str:
    """Return a choice as it is compared: width, case, Markdown and punctuation around it do not count.

    Numbers are compared as numbers: "10", "10.0" and "１０" are one.
    """
    plain = unicodedata.normalize("NFKC", text).casefold().strip(_AROUND)
    plain = " ".join(plain.split())
    number = re.fullmatch(r"[+-]?\d{1,15}(?:\.\d{1,15})?", plain)
    return repr(float(plain)) if number else plain


def twins(choices: Sequence[str]) -> str:
    """Return a choice that reads like an earlier one, or is nothing; else an empty text."""
    seen: set[str] = set()
    for one in choices:
        if not normal(one) or normal(one) in seen:
            return one or " "
        seen.add(normal(one))
    return ""
