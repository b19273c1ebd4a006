"""Gates of a suite as lines of a form: “kind mean of assistant >= 0.8 at 95 %”."""

import re
from collections.abc import Iterable
from typing import Final

from django.utils.translation import gettext as _

from scoring.protocols.suite.definition import Gate

_LINE: Final = re.compile(
    r"(?P<metric>\S.*?)\s+(?P<statistic>mean|min|max|sd|p\d+(?:\.\d+)?)(?:\s+of\s+(?P<role>\S+))?"
    r"\s*(?P<sign><=|>=|≤|≥)\s*(?P<bound>-?\d*\.?\d+)(?:\s+at\s+(?P<percent>\d+(?:\.\d+)?)\s*%?)?",
)


class Unreadable(ValueError):
    """A line is no gate; the message shows one that is."""


def read(text: str) -> list[Gate]:
    """Return the gates of a text, one on each line.

    Raises:
        Unreadable: a line is none.
    """
    return [_gate(line.strip()) for line in text.splitlines() if line.strip()]


def write(gates: Iterable[Gate]) -> str:
    return "\n".join(_line(one) for one in gates)


def _gate(line: str) -> Gate:
    found = _LINE.fullmatch(line)
    if found is None:
        raise Unreadable(
            _("“%(line)s” is no gate. Write it as: is_refusal mean of assistant <= 0.2 at 95 %%")
            % {"line": line[:80]}
        )
    bound = float(found["bound"])
    least = found["sign"] in {">=", "≥"}
    return Gate(
        metric=found["metric"],
        statistic=found["statistic"],
        role=found["role"] or "",
        minimum=bound if least else None,
        maximum=None if least else bound,
        confidence=float(found["percent"]) / 100 if found["percent"] else None,
    )


def _line(one: Gate) -> str:
    bounds = [(">=", one.minimum), ("<=", one.maximum)]
    role = f" of {one.role}" if one.role else ""
    sure = f" at {100 * one.confidence:g} %" if one.confidence is not None else ""
    return "\n".join(
        f"{one.metric} {one.statistic}{role} {sign} {bound:g}{sure}"
        for sign, bound in bounds
        if bound is not None
    )
