"""How verdicts become scores, as an address says it: the axes of a profile, and an aspect."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from scoring.protocols.kieval.verdicts_v1 import OVERALL
from scoring.protocols.kieval.verdicts_v1 import SCORED as ASPECTS
from scoring.stats.interviews import (
    LINEAR,
    PROFILES,
    AfterStop,
    Decay,
    Profile,
    Scale,
    Unscored,
)

Words = str | Promise
SCALES: Final[Mapping[str, Words]] = {
    Scale.THIRDS: _("(s − 1) / 3"),
    Scale.QUARTERS: _("s / 4"),
    Scale.RELEASED: _("as released: 10, 30, 70, 100"),
}
DECAYS: Final[Mapping[str, Words]] = {
    Decay.BY_PLANNED: _("falling by exchanges planned"),
    Decay.BY_HELD: _("falling by exchanges held"),
    Decay.FIFTH: _("falling by a fifth, as released"),
    Decay.NONE: _("equal weights"),
}
AFTER: Final[Mapping[str, Words]] = {
    AfterStop.DROPPED: _("what a stop left out is dropped"),
    AfterStop.LOWEST: _("what a stop left out counts as 1"),
    AfterStop.LAST: _("what a stop left out repeats the last score"),
}
UNSCORED: Final[Mapping[str, Words]] = {
    Unscored.KEEPS_SLOT: _("without a verdict: keeps its place"),
    Unscored.SHIFTS_UP: _("without a verdict: later ones move up"),
    Unscored.FAILS: _("without a verdict: the dialogue has no score"),
}
STOPPING: Final[Mapping[str, Words]] = {
    "on": _("early stops count"),
    "off": _("early stops do not count"),
}
ASPECT_NAMES: Final[Mapping[str, Words]] = {
    "accuracy": _("Accuracy"),
    "logic": _("Logic"),
    "relevance": _("Relevance"),
    "coherence": _("Coherence"),
    "conciseness": _("Conciseness"),
    OVERALL: _("Overall"),
}
REASONS: Final[Mapping[str, Words]] = {
    "off_topic": _("off the topic"),
    "empty_response": _("nothing said"),
    "rule_violation": _("a rule broken"),
    "repetition": _("repetition"),
    "unpermitted_role_shift": _("spoke for another"),
    "hallucination": _("made up"),
    "none": _("no reason given"),
}
NAMES: Final[Mapping[str, Words]] = {
    "linear": _("linear"),
    "quarters": _("quarters"),
    "released": _("as released"),
    "chosen": _("as chosen"),
}
#: What stands in an address, with its usual value first among its choices.
AXES: Final[Mapping[str, Mapping[str, Words]]] = {
    "aspect": {OVERALL: ASPECT_NAMES[OVERALL], **ASPECT_NAMES},
    "scale": SCALES,
    "decay": DECAYS,
    "after_stop": AFTER,
    "unscored": UNSCORED,
    "stopping": STOPPING,
}


@dataclass(frozen=True)
class Options:
    """A profile and the aspect that is looked at."""

    aspect: str
    profile: Profile

    @property
    def params(self) -> dict[str, str]:
        """Return the axes as an address says them."""
        one = self.profile
        return {
            "aspect": self.aspect,
            "scale": str(one.scale),
            "decay": str(one.decay),
            "after_stop": str(one.after_stop),
            "unscored": str(one.unscored),
            "stopping": "on" if one.early_stopping else "off",
        }

    def is_like(self, other: Profile) -> bool:
        return replace(other, name=self.profile.name) == self.profile


def of_params(params: Mapping[str, Any]) -> Options:
    """Return what an address or a figure asks for; a value that is none of ours is the usual one."""
    chosen = {
        axis: params[axis] if params.get(axis) in choices else next(iter(choices))
        for axis, choices in AXES.items()
    }
    made = replace(
        LINEAR,
        name="chosen",
        scale=Scale(chosen["scale"]),
        decay=Decay(chosen["decay"]),
        after_stop=AfterStop(chosen["after_stop"]),
        unscored=Unscored(chosen["unscored"]),
        early_stopping=chosen["stopping"] == "on",
    )
    known = next((one for one in PROFILES if replace(one, name="chosen") == made), made)
    assert chosen["aspect"] in ASPECTS
    return Options(chosen["aspect"], known)


def named(options: Options) -> list[tuple[str, str, bool]]:
    """Return each profile that has a name: what it is called, its query, whether it is chosen."""
    return [
        (
            str(NAMES[one.name]),
            urlencode(replace(options, profile=one).params),
            options.is_like(one),
        )
        for one in PROFILES
    ]
