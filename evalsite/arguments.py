"""What a record asks for as arguments of a command, in the words of its form."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from django.core.management.base import CommandError

from evalsite import kinds
from evalsite.records import RecordPart

#: How a command ends that did nothing.
REFUSED: Final = 2
NONE: Final = "none"


def refused(message: str) -> CommandError:
    """Return the error with which a command ends that did nothing."""
    return CommandError(message, returncode=REFUSED)


def add(parser: ArgumentParser, part: RecordPart, usual: Mapping[str, Any] | None = None) -> None:
    """Add the argument of a field; what is `usual` by name stands in the place of its default."""
    usual = usual or {}
    words = [str(part.ask.label), str(part.ask.help)] if part.ask else []
    told = ". ".join(word.rstrip(".") for word in words if word).replace("%", "%%")
    if isinstance(part.kind, kinds.YesNo):
        parser.add_argument(_flag(part), action="store_true", help=told)
        return
    if isinstance(part.kind, kinds.ByName):
        parser.add_argument(
            _flag(part),
            action="append",
            default=[],
            dest=part.name,
            metavar="NAME=VALUE",
            help=f"{told}; may be repeated",
        )
        return
    given: dict[str, Any] = {"help": told, "default": usual.get(part.name, part.default)}
    if part.required and part.name not in usual:
        given = {"help": told, "required": True}
    if isinstance(part.kind, kinds.Choice):
        given["choices"] = [*part.kind.of, *([""] if part.kind.empty else [])]
    reads: Callable[[str], Any] = {kinds.Whole: int, kinds.Real: float}.get(type(part.kind), str)
    if part.nullable and part.default is not None:
        given["help"] = f"{told}; {NONE} for none"
        reads = partial(_or_none, reads)
    parser.add_argument(_flag(part), **given, type=reads)


def value(part: RecordPart, options: Mapping[str, Any]) -> Any:
    """Return what was given for a field.

    Raises:
        CommandError: it is no pair of a name and a value, where these are wanted.
    """
    given = options[part.name]
    if isinstance(part.kind, kinds.ByName):
        return pairs(f"{_flag(part)} NAME=VALUE", given)
    return given


def pairs(called: str, written: Iterable[str], *, first: bool = False) -> dict[str, str]:
    """Return what stands before and after the last equals sign of each argument.

    Args:
        first: the first one divides, as a value may hold others; but where a colon stands before it,
            which ends with a name of the file, that may hold them.

    Raises:
        CommandError: one has none; says how it is written.
    """
    found = {}
    for one in written:
        parted = one.partition("=")
        if not first or ":" in parted[0]:
            parted = one.rpartition("=")
        name, _sign, said = (part.strip() for part in parted)
        if not (name and said):
            raise refused(f"Write {called}, not {one}.")
        found[name] = said
    return found


def _flag(part: RecordPart) -> str:
    """Return how a field is given; of several pairs one at a time."""
    name = part.name.replace("_", "-")
    if isinstance(part.kind, kinds.ByName):
        name = name.removesuffix("es") if name.endswith("ases") else name.removesuffix("s")
    return f"--{name}"


def _or_none(reads: Callable[[str], Any], text: str) -> Any:
    return None if text.strip().lower() == NONE else reads(text)
