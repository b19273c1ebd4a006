"""Runs and named suites as files of FlexEval have them: one suite of it, its data, and how it is run.

References:
    The models `EvalRun`, `Eval` and `Config` of python-flexeval 0.5.2.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import yaml

from scoring.kinds.suites.protocol import definition
from scoring.kinds.suites.protocol.completing import SuiteReader
from scoring.kinds.suites.protocol.definition import Spot, SuiteProblem, UnusableSuite

_EVAL, _EVALS, _METRICS = "eval", "evals", "metrics"
_MOST, _SEED, _REPEATS = (
    "max_n_conversation_threads",
    "random_seed_conversation_sampling",
    "nb_evaluations_per_thread",
)
#: As FlexEval draws where nothing is said.
USUAL_SEED: Final = 42
USUAL_MOST: Final = 50
MOST_SAMPLED: Final = 1_000_000
MOST_REPEATS: Final = 20
_AT_ENDPOINT: Final = "it is set where the endpoint is."
_FAILED: Final = "what fails is told beside the results, and a gate says what is missing."
_STORED: Final = "conversations are stored by name here, each of them once."
_FOUND: Final = "the files that are named in this suite are read."
#: What is not needed here, and what there is instead.
_SPARED: Final[Mapping[str, str]] = {
    "database_path": "results stay in the project, and run_suite --out writes them as SQLite.",
    "clear_tables": "a run never takes the place of another.",
    "logs_path": "what was asked and answered is kept with the run.",
    "max_workers": f"how many are asked at once: {_AT_ENDPOINT}",
    "env": f"the key of a model: {_AT_ENDPOINT}",
    "env_file": f"the key of a model: {_AT_ENDPOINT}",
    "env_filepath": f"the key of a model: {_AT_ENDPOINT}",
    "raise_on_completion_error": _FAILED,
    "raise_on_metric_error": _FAILED,
    "raise_on_duplicate_dataset_name": _STORED,
    "raise_on_unnamed_dataset": _STORED,
    "reuse_dataset_by_name": _STORED,
    "evals_path": _FOUND,
    "eval_schema_path": _FOUND,
    "rubric_metrics_path": "name the files under “rubric_paths”.",
}
_CONFIG: Final = (_MOST, _SEED, _REPEATS, *_SPARED)
_RUN: Final = ("data_sources", "config", "add_default_functions")
#: Keys at the top of a suite that speak of how it is run.
KEYS: Final = (*_RUN, *_CONFIG)
#: What a run says beside its suite.
_BESIDE: Final = (*_RUN, "database_path", "rubric_paths", "function_modules")
_SOURCE: Final = ("type", "name", "notes", "path", "format", "contents")
_FORMATS: Final = ("jsonl", "langgraph_sqlite")


@dataclass(frozen=True, slots=True)
class RunManner:
    """How a suite is run: how many conversations of each set, drawn by which seed, how often judged."""

    sample: int | None = None
    seed: int = USUAL_SEED
    repeats: int = 1


@dataclass(frozen=True, slots=True)
class Data:
    """The files that a run names, what those are called that have a name, and stored conversations."""

    files: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    sets: tuple[str, ...] = ()


# One suite of a file --------------------------------------------------------------------------


def names(spot: Spot) -> list[str]:
    """Return the names of the suites of a file; none where it holds one that has no name above it."""
    return list(_named(spot))


def one_of(spot: Spot, name: str = "") -> Spot:
    """Return one suite of a file, with what its run says beside it.

    Args:
        spot: the file.
        name: of the suite; needed where there are several.

    Raises:
        UnusableSuite: there are several and none is named, or none of this name.
    """
    found = _named(spot)
    known = ", ".join(found)
    if name and name not in found:
        said = f"There are: {known}." if found else "This file holds one, without a name above it."
        raise UnusableSuite([SuiteProblem(0, f"There is no suite “{name}” in this file. {said}")])
    if not found:
        return _with_run(spot, spot.value[_EVAL]) if _holds(spot, _EVAL) else spot
    if not name and len(found) > 1:
        raise UnusableSuite(
            [SuiteProblem(0, f"This file holds several suites. Say which: {known}.")]
        )
    chosen = name or next(iter(found))
    inner = found[chosen]
    body = Spot({"name": Spot(chosen, inner.line)} | _without_none(inner), inner.line)
    return _with_run(spot, body) if _holds(spot, _EVALS) else body


def _without_none(spot: Spot) -> dict[str, Spot]:
    return {key: one for key, one in spot.value.items() if key != "name" or one.value is not None}


def _holds(spot: Spot, key: str) -> bool:
    return isinstance(spot.value, dict) and key in spot.value


def _named(spot: Spot) -> dict[str, Spot]:
    """Return the suites that stand under names, as in FlexEval's evals.yaml, or under “evals”."""
    inner = spot.value[_EVALS] if _holds(spot, _EVALS) else spot
    if not isinstance(inner.value, dict) or _METRICS in inner.value or _EVAL in inner.value:
        return {}
    some = inner.value
    is_suites = bool(some) and all(isinstance(one.value, dict) for one in some.values())
    if not is_suites or not any(_METRICS in one.value for one in some.values()):
        return {}
    return some


def _with_run(run: Spot, body: Spot) -> Spot:
    """Return the suite of a run with the run's own data and configuration in it."""
    if not isinstance(body.value, dict):
        raise UnusableSuite([SuiteProblem(body.line, "“eval” is written as names and values.")])
    beside = {key: one for key, one in run.value.items() if key not in {_EVAL, _EVALS}}
    if stray := next((key for key in beside if key not in _BESIDE), ""):
        raise UnusableSuite(
            [SuiteProblem(beside[stray].line, f"A run has no “{stray}” beside its suite.")]
        )
    config = [one["config"] for one in (beside, body.value) if "config" in one]
    merged = {
        key: one
        for each in config
        if isinstance(each.value, dict)
        for key, one in each.value.items()
    }
    made = {**beside, **body.value}
    if config and all(isinstance(one.value, dict) for one in config):
        made["config"] = Spot(merged, config[-1].line)
    return Spot(made, body.line)


def text_of(text: str, name: str) -> str:
    """Return the text of a file with no other suite in it than the one of this name.

    Raises:
        UnusableSuite: it is no YAML.
    """
    found = _named(definition.read_yaml(text))
    if name not in found:
        return text
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(node, yaml.MappingNode)
    inner = next((value for key, value in node.value if key.value == _EVALS), node)
    starts = [key.start_mark for key, _value in inner.value]
    ends = [*starts[1:], inner.value[-1][1].end_mark]
    lines = text.splitlines(keepends=True)
    for (key, _value), start, end in reversed(list(zip(inner.value, starts, ends, strict=True))):
        if key.value == name:
            continue
        if inner.flow_style:
            text = text[: start.index] + text[end.index :]
        else:
            del lines[start.line : end.line + (end.column > 0 and end is ends[-1])]
    return text if inner.flow_style else "".join(lines)


# What a suite says of its run -----------------------------------------------------------------


def manner(reader: SuiteReader, top: Mapping[str, Spot]) -> RunManner:
    """Return how a suite is run, and warn of what is not needed here."""
    nested = top.get("config")
    given = {key: top[key] for key in _CONFIG if key in top}
    given = {**reader.mapping(nested, _CONFIG, "“config”"), **given}
    for key, one in given.items():
        if key in _SPARED and one.value not in (None, {}):
            reader.warn(one.line, f"“{key}” is not used: {_SPARED[key]}")
    if "data_sources" in top and _MOST not in given:
        reader.warn(
            top["data_sources"].line,
            f"All conversations are taken; FlexEval draws {USUAL_MOST} of each file where "
            f"“{_MOST}” is not said.",
        )
    return RunManner(
        _count(reader, given.get(_MOST), _MOST, MOST_SAMPLED),
        _seed(reader, given.get(_SEED)),
        _count(reader, given.get(_REPEATS), _REPEATS, MOST_REPEATS) or 1,
    )


def _count(reader: SuiteReader, spot: Spot | None, name: str, most: int) -> int | None:
    number = reader.number(spot)
    if spot is None or number is None:
        return None
    if number != int(number) or not 1 <= number <= most:
        reader.say(spot.line, f"“{name}” is a whole number from 1 to {most}.")
        return None
    return int(number)


def _seed(reader: SuiteReader, spot: Spot | None) -> int:
    number = reader.number(spot)
    if spot is None or number is None:
        return USUAL_SEED
    if number != int(number):
        reader.say(spot.line, f"“{_SEED}” is a whole number.")
    return int(number)


def functions(reader: SuiteReader, top: Mapping[str, Spot]) -> None:
    """Warn of code that a run brings along: the functions of its names are those of this site."""
    if (one := top.get("add_default_functions")) is not None and one.value is False:
        reader.warn(one.line, "“add_default_functions” is not used: those of this site are there.")
    if (one := top.get("function_modules")) is not None and one.value:
        reader.warn(
            one.line,
            "“function_modules” is not read: code is not taken from files. Functions of these names "
            "are those of this site; the operator installs others.",
        )


def data(reader: SuiteReader, top: Mapping[str, Spot]) -> Data:
    """Return the data that a run names."""
    files: list[str] = []
    named: dict[str, str] = {}
    sets: list[str] = []
    for spot in reader.items(top.get("data_sources")):
        given = reader.mapping(spot, _SOURCE, "A data source")
        kind = reader.text(given.get("type"), "file", 20)
        name = reader.text(given.get("name"), "", 120).strip()
        if kind == "named" and name:
            sets.append(name)
        elif kind == "file" and (path := _path(reader, spot, given)):
            files.append(path)
            named |= {path: name} if name else {}
        elif kind != "file":
            reader.say(spot.line, _no_source(kind))
    return Data(tuple(files), named, tuple(sets))


def _path(reader: SuiteReader, spot: Spot, given: Mapping[str, Spot]) -> str:
    path = reader.text(given.get("path"), "", 500)
    if not path:
        reader.say(spot.line, "A data source that is a file has a “path”.")
    layout = given.get("format")
    if layout is not None and layout.value not in (None, *_FORMATS):
        reader.say(layout.line, f"“format” is one of {', '.join(_FORMATS)}.")
    return path


def _no_source(kind: str) -> str:
    if kind == "iterable":
        return "Conversations within the YAML are not taken. Write them into a JSONL file, and name it."
    if kind == "named":
        return "A data source that is stored has a “name”."
    return f"“{kind}” is no type of data source. There are file and named."
