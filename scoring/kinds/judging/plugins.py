"""The kinds of judges that grade rounds: one folder each below this one, found by being there.

A folder of a kind has a module `kind` with an object `JUDGE`; docs/adding.md says how one is written.
"""

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

PACKAGE = "scoring.kinds.judging"


@dataclass(frozen=True, kw_only=True)
class JudgeKind:
    """A kind of judge.

    Args:
        key: names it in addresses and in the API.
        protocol: names it in runs, with the version of its procedure.
        title: what pages call it.
        about: what it does, in a sentence.
        settings: the record of how a judge of this kind is configured; form, API and stored
            configuration follow from it.
        prompts: the hash of what a judge is told in a language.
        manner: how a run of it goes (scoring.kinds.judging.manners.JudgingManner).
        first: the settings that are asked for first.
        place: where it stands among the others.
    """

    key: str
    protocol: str
    title: Any
    about: Any
    settings: type[Any]
    prompts: Callable[[str], str]
    manner: Any
    first: tuple[str, ...] = ()
    place: int = 100


@functools.cache
def judge_kinds() -> Mapping[str, JudgeKind]:
    """Return every kind of judge by its key, in their order."""
    package = importlib.import_module(PACKAGE)
    folders = [one.name for one in pkgutil.iter_modules(package.__path__) if one.ispkg]
    made = [importlib.import_module(f"{PACKAGE}.{one}.kind").JUDGE for one in sorted(folders)]
    return {one.key: one for one in sorted(made, key=lambda one: one.place)}


def protocols() -> tuple[str, ...]:
    return tuple(one.protocol for one in judge_kinds().values())


def of_protocol(protocol: str) -> JudgeKind:
    """Return the kind whose judges go by a protocol.

    Raises:
        KeyError: there is none.
    """
    return {one.protocol: one for one in judge_kinds().values()}[protocol]


def of_settings(settings: Any) -> JudgeKind:
    """Return the kind whose judges are configured by such a record."""
    return {one.settings: one for one in judge_kinds().values()}[type(settings)]
