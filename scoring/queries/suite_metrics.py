"""The function metrics of this site: those that come with it, and an organisation's own."""

import functools
import importlib
import logging
from collections.abc import Mapping
from importlib import metadata
from typing import Final

from django.conf import settings

from scoring.protocols.suite import catalogue
from scoring.protocols.suite.catalogue import BadArguments, Metric

logger = logging.getLogger(__name__)
#: An installed package names modules of metrics under this.
GROUP: Final = "evalsite.metrics"


@functools.cache
def available() -> Mapping[str, Metric]:
    """Return every function metric by name. One of an organisation's own never replaces a built-in one."""
    found = dict(catalogue.builtin())
    for name in _modules():
        try:
            made = catalogue.of_module(importlib.import_module(name))
        except (ImportError, BadArguments):
            logger.exception("The metrics of %s cannot be used", name)
            continue
        for key, metric in made.items():
            if found.setdefault(key, metric) is not metric:
                logger.error(
                    "The metric %s of %s is left out: there is one of this name", key, name
                )
    return found


def own() -> frozenset[str]:
    """Return the names of the metrics that an organisation added."""
    return frozenset(available()) - frozenset(catalogue.builtin())


def _modules() -> list[str]:
    installed = [one.value for one in metadata.entry_points(group=GROUP)]
    return [*installed, *getattr(settings, "METRIC_MODULES", ())]
