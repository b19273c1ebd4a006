"""A suite as plain values: which metrics at which levels, what each depends on, rubrics, judges, gates."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from scoring.protocols.suite.catalogue import Level

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
class Gate:
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
class Suite:
    name: str
    entries: tuple[Entry, ...]
    rubrics: Mapping[str, Rubric] = field(default_factory=dict)
    graders: tuple[str, ...] = ()
    gates: tuple[Gate, ...] = ()
    data: tuple[str, ...] = ()
    notes: str = ""
    #: Without any, the conversations are evaluated as they are stored.
    completions: tuple[Completion, ...] = ()

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


def from_dict(given: Mapping[str, Any]) -> Suite:
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
    return Suite(
        name=given["name"],
        entries=entries,
        rubrics=_rubrics(given["rubrics"]),
        graders=tuple(given["graders"]),
        gates=tuple(Gate(**one) for one in given["gates"]),
        data=tuple(given["data"]),
        notes=given["notes"],
        completions=tuple(Completion(**one) for one in given.get("completions", ())),
    )


def _rubrics(given: Any) -> dict[str, Rubric]:
    if isinstance(given, Mapping):
        return {name: Rubric(**one) for name, one in given.items()}
    return {one["name"]: Rubric(one["prompt"], dict(one["choices"]), one["notes"]) for one in given}
