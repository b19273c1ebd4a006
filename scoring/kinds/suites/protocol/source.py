"""Suites as people write them: YAML with FlexEval's keys, checked line by line.

References:
    Christie et al. (2024), FlexEval, section 3, and the configuration of python-flexeval 0.5.2.
"""

import difflib
import math
from collections.abc import Collection, Mapping
from typing import Any, Final

from scoring.kinds.suites.protocol import completing, definition, running
from scoring.kinds.suites.protocol import evaluating as linking
from scoring.kinds.suites.protocol.catalogue import (
    BadArguments,
    FunctionMetric,
    Level,
    NoSuchMetric,
    find,
)
from scoring.kinds.suites.protocol.definition import (
    FUNCTION,
    MODERATION,
    RUBRIC,
    Dependency,
    Entry,
    Rubric,
    Spot,
    SuiteGate,
    SuiteProblem,
    SuiteText,
    UnusableSuite,
)

MOST_METRICS: Final = 200
#: What FlexEval calls functions that have another name here.
ALIASES: Final[Mapping[str, str]] = {"openai_moderation_api": MODERATION}
#: What FlexEval's moderation hands on to the client, and what belongs to an endpoint here.
_OF_REQUEST: Final = frozenset({"timeout", "extra_headers", "extra_query", "extra_body"})
MOST_CHOICES: Final = 50
MOST_WORTH: Final = 1_000_000
STATISTICS: Final = ("mean", "min", "max", "sd")
#: What would bring code in, and what is to be done instead.
_CODE: Final = (
    "function_metrics",
    "function_metrics_path",
    "completion_functions",
)
_CODE_SAID: Final = (
    "Code is not taken from files. Ask the operator to install it as metrics of this site "
    "(docs/suites.md), and name the metric here."
)
_TOP: Final = (
    "name", "notes", "data", "grader", "grader_llm", "metrics", "rubrics", "rubric_paths", "gates",
    "function_modules", *completing.KEYS, *running.KEYS, *_CODE,
)  # fmt: skip
_ENTRY: Final = ("name", "kwargs", "metric_level", "depends_on", "context_only", "notes")
_DEPENDS: Final = (
    "name", "type", "kwargs", "metric_name", "metric_level", "metric_min_value", "metric_max_value",
    "relative_object_position",
)  # fmt: skip
_RUBRIC: Final = ("prompt", "choice_scores", "notes")
_GATE: Final = (
    "metric", "statistic", "value", "level", "role", "min", "max", "max_drop", "confidence",
)  # fmt: skip


def read(
    text: str,
    metrics: Mapping[str, FunctionMetric],
    rubrics: Mapping[str, Rubric] | None = None,
    name: str = "",
) -> SuiteText:
    """Return the suite that a YAML text describes.

    Args:
        text: as it was written.
        metrics: the function metrics there are, by name.
        rubrics: others than those the text itself holds, by name.
        name: which of its suites, where the text holds several.

    Raises:
        UnusableSuite: with every problem and its line.
    """
    reader = _YamlReader(metrics, dict(rubrics or {}))
    return reader.suite(running.one_of(definition.read_yaml(text), name))


def rubric_file(text: str) -> dict[str, Rubric]:
    """Return the rubrics of a file in the layout of FlexEval's rubric_metrics.yaml.

    Raises:
        UnusableSuite: with every problem and its line.
    """
    reader = _YamlReader({}, {})
    found = reader.rubrics(definition.read_yaml(text))
    reader.stop()
    return found


def rubric_paths(text: str, name: str = "") -> list[str]:
    """Return the files of rubrics that a suite names.

    Raises:
        UnusableSuite: it is no YAML, or does not say which of its suites is meant.
    """
    top = running.one_of(definition.read_yaml(text), name).value
    named = top["rubric_paths"].plain() if isinstance(top, dict) and "rubric_paths" in top else []
    return [str(one) for one in (named if isinstance(named, list) else [named]) if one]


class _YamlReader:
    def __init__(self, metrics: Mapping[str, FunctionMetric], rubrics: dict[str, Rubric]) -> None:
        self._metrics, self._rubrics = metrics, rubrics
        self._problems: list[SuiteProblem] = []
        self._warnings: list[SuiteProblem] = []
        self._brings_code = False

    def suite(self, spot: Spot) -> SuiteText:
        top = self.mapping(spot, _TOP, "A suite")
        self._refuse_code(top)
        if "rubrics" in top:
            self._rubrics |= self.rubrics(top["rubrics"])
        self._brings_code = "function_modules" in top
        running.functions(self, top)
        entries = self._entries(top, spot.line)
        graders = self._graders(top)
        self._check_asked(entries, graders)
        self.stop()
        linked = linking.link(entries, self._metrics)
        used = {one.name for one in linked if one.kind == RUBRIC}
        gates = tuple(
            gate for each in self.items(top.get("gates")) if (gate := self._gate(each, linked))
        )
        data, manner = running.data(self, top), running.manner(self, top)
        completions = completing.read_completions(self, top)
        found = SuiteText(
            name=self.text(top.get("name"), "Suite", 120),
            entries=linked,
            rubrics={name: one for name, one in self._rubrics.items() if name in used},
            graders=graders,
            gates=gates,
            data=(*(self._file(each) for each in self.items(top.get("data"))), *data.files),
            notes=self.text(top.get("notes"), "", 2000),
            completions=completing.repeated(self, completions, manner.repeats),
            sets=data.sets,
            named=data.named,
            sample=manner.sample,
            sample_seed=manner.seed if manner.sample else 0,
            repeats=1 if completions else manner.repeats,
            warnings=tuple(sorted(self._warnings, key=lambda one: one.line)),
        )
        self.stop()
        return found

    def _entries(self, top: Mapping[str, Spot], line: int) -> list[Entry]:
        metrics = self.mapping(top.get("metrics"), (FUNCTION, RUBRIC), "“metrics”", line)
        entries = [
            one
            for kind in (FUNCTION, RUBRIC)
            for each in self.items(metrics.get(kind))
            if (one := self._entry(each, kind))
        ]
        if not entries:
            self.say(line, "A suite needs at least one metric, under “metrics”.")
        if len(entries) > MOST_METRICS:
            self.say(line, f"A suite has at most {MOST_METRICS} metrics.")
        return entries

    def _check_asked(self, entries: Collection[Entry], graders: Collection[str]) -> None:
        """Refuse metrics that ask somebody, where nobody is named."""
        if not graders and any(one.kind == RUBRIC for one in entries):
            line = next(one.line for one in entries if one.kind == RUBRIC)
            self.say(line, "A rubric needs somebody who judges: name an endpoint under “grader”.")
        for one in entries:
            if one.name == MODERATION and not (graders or one.kwargs.get("endpoint")):
                self.say(
                    one.line,
                    f"“{MODERATION}” asks an endpoint: name one under “kwargs”, or under “grader”.",
                )

    def rubrics(self, spot: Spot) -> dict[str, Rubric]:
        if not isinstance(spot.value, dict):
            self.say(
                spot.line, "Rubrics stand by name: a name, and under it prompt and choice_scores."
            )
            return {}
        made = {name: self._rubric(name, one) for name, one in spot.value.items()}
        return {name: one for name, one in made.items() if one is not None}

    def stop(self) -> None:
        if self._problems:
            raise UnusableSuite(sorted(self._problems, key=lambda one: one.line))

    # Parts of a suite ---------------------------------------------------------------------

    def _entry(self, spot: Spot, kind: str) -> Entry | None:
        given = self.mapping(spot, _ENTRY, "A metric")
        name = self.text(given.get("name"), "", 120)
        if not name:
            self.say(spot.line, "A metric needs a “name”.")
            return None
        level = self._level(given.get("metric_level"), Level.TURN)
        kwargs = self.plain_mapping(given.get("kwargs"))
        depends = tuple(self._dependency(each) for each in self.items(given.get("depends_on")))
        if kind == RUBRIC:
            if name not in self._rubrics:
                known = ", ".join(sorted(self._rubrics)) or "none yet"
                self.say(
                    spot.line,
                    f"There is no rubric “{name}” under “rubrics”, or in a file that came with the "
                    f"suite (“rubric_paths”). There are: {known}.",
                )
        else:
            name = ALIASES.get(name, name)
            if name == MODERATION:
                kwargs = self._moderation(given.get("kwargs"), kwargs)
            self._check_function(spot, name, level, kwargs)
        return Entry(kind, name, level, kwargs, depends, spot.line)

    def _moderation(self, spot: Spot | None, kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of moderation: a model is looked up as an endpoint, the request's own are its."""
        kept = {key: value for key, value in kwargs.items() if key not in _OF_REQUEST}
        for key in kwargs.keys() & _OF_REQUEST:
            assert spot is not None
            self.warn(
                spot.value[key].line, f"“{key}” is not used: it is set where the endpoint is."
            )
        model = kept.pop("model", None)
        return {"endpoint": str(model), **kept} if model else kept

    def _check_function(
        self, spot: Spot, name: str, level: Level, kwargs: Mapping[str, Any]
    ) -> None:
        try:
            find(name, self._metrics).check(level, kwargs)
        except NoSuchMetric as problem:
            self.say(spot.line, f"{problem} {_CODE_SAID}" if self._brings_code else str(problem))
        except BadArguments as problem:
            self.say(spot.line, str(problem))

    def _dependency(self, spot: Spot) -> Dependency:
        given = self.mapping(spot, _DEPENDS, "A dependency")
        kind = self.text(given.get("type"), "", 20)
        if kind not in {"", FUNCTION, RUBRIC}:
            self.say(spot.line, "The “type” of a metric is function or rubric.")
        relative = self.number(given.get("relative_object_position"))
        if relative is not None and (relative > 0 or relative != int(relative)):
            self.say(spot.line, "“relative_object_position” is 0, or -1 for the one before.")
        level = given.get("metric_level")
        name = self.text(given.get("name"), "", 120)
        return Dependency(
            name=name if kind == RUBRIC else ALIASES.get(name, name),
            type=kind,
            kwargs=self.plain_mapping(given["kwargs"]) if "kwargs" in given else None,
            metric_name=self.text(given.get("metric_name"), "", 120),
            level=self._level(level, Level.TURN).value if level else "",
            minimum=self.number(given.get("metric_min_value")),
            maximum=self.number(given.get("metric_max_value")),
            relative=int(relative or 0),
            line=spot.line,
        )

    def _rubric(self, name: str, spot: Spot) -> Rubric | None:
        given = self.mapping(spot, _RUBRIC, f"The rubric “{name}”")
        prompt = self.text(given.get("prompt"), "", 50_000)
        if not definition.used(prompt):
            known = ", ".join(f"{{{one}}}" for one in definition.NAMES)
            self.say(
                spot.line,
                f"The prompt of “{name}” shows the judge nothing. Put one of {known} into it.",
            )
        choices = given.get("choice_scores")
        worth: dict[str, float] = {}
        if choices is None or not isinstance(choices.value, dict):
            self.say(
                spot.line, f"The rubric “{name}” needs “choice_scores”: a number for each choice."
            )
        else:
            for choice, one in choices.value.items():
                number = self.number(one)
                if number is not None and abs(number) <= MOST_WORTH:
                    worth[choice] = number
                elif number is not None:
                    self.say(one.line, f"A choice is worth at most {MOST_WORTH:,}.")
            if not 2 <= len(choices.value) <= MOST_CHOICES:
                self.say(choices.line, f"A rubric has from 2 to {MOST_CHOICES} choices.")
            elif twin := definition.twins(list(choices.value)):
                self.say(choices.line, f"“{twin}” and another choice read alike.")
        return Rubric(prompt, worth, self.text(given.get("notes"), "", 2000))

    def _graders(self, top: Mapping[str, Spot]) -> tuple[str, ...]:
        given = top.get("grader") or top.get("grader_llm")
        if given is None:
            return ()
        many = given.value if isinstance(given.value, list) else [given]
        names = []
        for one in many:
            if isinstance(one.value, str):
                names.append(one.value)
                continue
            name = completing.endpoint_of(self, one, "A grader")
            if name:
                names.append(name)
            else:
                self.say(one.line, "A grader is named by its endpoint: {endpoint: name}.")
        return tuple(dict.fromkeys(names))

    def _gate(self, spot: Spot, entries: Collection[Entry]) -> SuiteGate | None:
        given = self.mapping(spot, _GATE, "A gate")
        metric = self.text(given.get("metric"), "", 200)
        if metric not in {name for one in entries for name in (one.name, one.key)}:
            self.say(spot.line, f"A gate speaks of “{metric}”, which is no metric of this suite.")
        statistic = self.text(given.get("statistic"), "mean", 10)
        if statistic not in STATISTICS and percentile(statistic) is None:
            known = ", ".join(STATISTICS)
            self.say(
                spot.line, f"A gate's statistic is one of {known}, or a percentile such as p98."
            )
        level = given.get("level")
        made = SuiteGate(
            metric=metric,
            statistic=statistic,
            value=self.text(given.get("value"), "", 120),
            level=self._level(level, Level.TURN).value if level else "",
            role=self.text(given.get("role"), "", 40),
            minimum=self.number(given.get("min")),
            maximum=self.number(given.get("max")),
            drop=self.number(given.get("max_drop")),
            confidence=self.number(given.get("confidence")),
            line=spot.line,
        )
        if made.minimum is None and made.maximum is None and made.drop is None:
            self.say(spot.line, "A gate needs “min”, “max” or “max_drop”.")
        if made.confidence is not None and not 0.5 <= made.confidence < 1:
            self.say(spot.line, "A gate's confidence lies between 0.5 and 1, such as 0.95.")
        if made.confidence is not None and statistic != "mean":
            self.say(spot.line, "A confidence goes with the mean.")
        return made

    def _file(self, spot: Spot) -> str:
        if isinstance(spot.value, str):
            return spot.value
        return self.text(self.mapping(spot, ("file",), "Data").get("file"), "", 500)

    def _refuse_code(self, top: Mapping[str, Spot]) -> None:
        for name in _CODE:
            if name in top:
                self.say(top[name].line, f"“{name}”: {_CODE_SAID}")

    # Values -------------------------------------------------------------------------------

    def say(self, line: int, text: str) -> None:
        self._problems.append(SuiteProblem(line, text))

    def warn(self, line: int, text: str) -> None:
        self._warnings.append(SuiteProblem(line, text))

    def mapping(
        self, spot: Spot | None, known: Collection[str], what: str, line: int = 1
    ) -> dict[str, Spot]:
        if spot is None or spot.value is None:
            return {}
        if not isinstance(spot.value, dict):
            self.say(spot.line or line, f"{what} is written as names and values.")
            return {}
        for name, one in spot.value.items():
            if name not in known:
                alike = difflib.get_close_matches(name, known, n=1)
                hint = f" Did you mean “{alike[0]}”?" if alike else ""
                self.say(one.line, f"{what} has no “{name}”.{hint}")
        return spot.value

    def items(self, spot: Spot | None) -> list[Spot]:
        if spot is None or spot.value is None:
            return []
        return spot.value if isinstance(spot.value, list) else [spot]

    def plain_mapping(self, spot: Spot | None) -> dict[str, Any]:
        if spot is None or spot.value is None:
            return {}
        if isinstance(spot.value, dict):
            found: dict[str, Any] = spot.plain()
            return found
        self.say(spot.line, "“kwargs” is written as names and values.")
        return {}

    def text(self, spot: Spot | None, otherwise: str, most: int) -> str:
        if spot is None or spot.value is None:
            return otherwise
        if isinstance(spot.value, dict | list):
            self.say(spot.line, "A text is expected here.")
            return otherwise
        said = str(spot.value)
        if len(said) > most:
            self.say(spot.line, f"This is longer than {most} characters.")
        return said[:most]

    def number(self, spot: Spot | None) -> float | None:
        if spot is None or spot.value is None:
            return None
        number = spot.value
        if isinstance(number, bool) or not isinstance(number, int | float) or not _fits(number):
            self.say(spot.line, "A number is expected here.")
            return None
        return float(number)

    def _level(self, spot: Spot | None, otherwise: Level) -> Level:
        if spot is None or spot.value is None:
            return otherwise
        said = str(spot.value).casefold().replace("_", "").replace(" ", "")
        said = {"conversation": "thread"}.get(said, said)
        for one in Level:
            if one.value.casefold() == said:
                return one
        known = ", ".join(one.value for one in Level)
        self.say(spot.line, f"“{spot.value}” is no level. There are {known}.")
        return otherwise


def _fits(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def percentile(statistic: str) -> float | None:
    """Return the percentile that a statistic such as "p98" or "p99.5" names, or None."""
    if not statistic.startswith("p"):
        return None
    try:
        found = float(statistic[1:])
    except ValueError:
        return None
    return found if 0 <= found <= 100 else None
