"""The function metrics of this site: those that come with it, and an organisation's own."""

import functools
import importlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Final

from django.conf import settings

from scoring.protocols.suite import catalogue
from scoring.protocols.suite.catalogue import Metric

logger = logging.getLogger(__name__)
#: An installed package names modules of metrics under this.
GROUP: Final = "evalsite.metrics"


def available() -> Mapping[str, Metric]:
    """Return every function metric by name. One of an organisation's own never replaces a built-in one."""
    return _read().metrics


def own() -> frozenset[str]:
    """Return the names of the metrics that an organisation added."""
    return frozenset(available()) - frozenset(catalogue.builtin())


def problems() -> Sequence[str]:
    """Return what is wrong with modules of an organisation's own, in words."""
    return _read().problems


def forget() -> None:
    """Look anew for the metrics there are."""
    _read.cache_clear()


@dataclass(frozen=True, slots=True)
class _Found:
    metrics: Mapping[str, Metric]
    problems: Sequence[str]


@functools.cache
def _read() -> _Found:
    found = dict(catalogue.builtin())
    problems: list[str] = []
    for name in _modules():
        try:
            made = catalogue.of_module(importlib.import_module(name))
        except Exception as why:  # noqa: BLE001  code of an organisation's own may fail in any way
            logger.warning("The metrics of %s cannot be used: %s", name, why)
            problems.append(f"The metrics of “{name}” cannot be used: {why}")
            continue
        for key, metric in made.items():
            if found.setdefault(key, metric) is not metric:
                problems.append(f"“{key}” of “{name}” is left out: there is a metric of this name.")
    return _Found(found, tuple(problems))


def _modules() -> list[str]:
    """Return the modules that packages and the settings name, each once."""
    installed = [one.value for one in metadata.entry_points(group=GROUP)]
    return list(dict.fromkeys([*installed, *settings.METRIC_MODULES]))
