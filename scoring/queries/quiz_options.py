"""How chosen options become accuracy, as an address says it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Words = str | Promise
MEAN, STRICT, VOTE, OWN = "mean", "strict", "vote", "own"
WRONG, LEFT_OUT = "wrong", "left_out"
RULES: Final[Mapping[str, Words]] = {
    MEAN: _("mean over the orders"),
    STRICT: _("right in every order"),
    VOTE: _("the option chosen most often"),
    OWN: _("the question’s own order alone"),
}
UNREAD: Final[Mapping[str, Words]] = {
    WRONG: _("replies without an option count as wrong"),
    LEFT_OUT: _("replies without an option are left out"),
}
#: What stands in an address, with its usual value first among its choices.
AXES: Final[Mapping[str, Mapping[str, Words]]] = {"rule": RULES, "unread": UNREAD}


@dataclass(frozen=True)
class Options:
    rule: str = MEAN
    unread: str = WRONG

    @property
    def params(self) -> dict[str, str]:
        """Return the axes as an address says them."""
        return {"rule": self.rule, "unread": self.unread}


def of_params(params: Mapping[str, Any]) -> Options:
    """Return what an address or a figure asks for; a value that is none of ours is the usual one."""
    return Options(
        **{
            axis: params[axis] if params.get(axis) in choices else next(iter(choices))
            for axis, choices in AXES.items()
        }
    )
