"""The makers whose files are known, a module each with a tuple `SHAPES`: see `annotation.files.shapes`."""

import pkgutil
from functools import cache
from importlib import import_module

from annotation.files.shapes import Sample, Shape


@cache
def known() -> tuple[Shape, ...]:
    """Return all shapes, in the order of their modules' names."""
    found: list[Shape] = []
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda one: one.name):
        found += import_module(f"{__name__}.{module.name}").SHAPES
    return tuple(found)


def shape_of(key: str) -> Shape | None:
    """Return the shape of this key; None where there is none, as for a table of nobody's."""
    return next((one for one in known() if one.key == key), None)


def recognise(sample: Sample) -> Shape | None:
    """Return the shape that a file has, if it is a known one."""
    return next((one for one in known() if one.fits(sample)), None)
