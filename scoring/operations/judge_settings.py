"""How a judge may be configured: one set of settings for each kind of judge."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, Final

from django.utils.translation import gettext as _

from scoring.models import Judge
from scoring.protocols.direct import prompts_v1
from scoring.protocols.direct import v1 as direct
from scoring.protocols.geval import forms_v1
from scoring.protocols.geval import v1 as geval
from scoring.protocols.single import v1 as single

MOST_REPEATS: Final = 32
MOST_TOKENS: Final = 32_000
FEWEST_TOKENS: Final = 50
#: A form is answered by a number alone.
A_NUMBER: Final = 4
HOTTEST: Final = Decimal(2)
#: Where G-Eval's scores come from: from weights, else from samples; from weights or not at all; samples.
WEIGHTS, ONLY_WEIGHTS, SAMPLES = "weights", "only_weights", "samples"


@dataclass(frozen=True)
class Settings:
    """What decides how a direct judge grades, beside its endpoint and the prompts."""

    repeats: int = 3
    temperature: float | None = 0.3
    max_tokens: int = 1500
    together: bool = True
    fewest_valid: int = 1
    reference: bool = True
    language: str = "en"
    #: Every second reading sees criteria and material in the opposite order.
    turned: bool = False


@dataclass(frozen=True)
class GEvalSettings:
    """What decides how G-Eval grades. `repeats` samples are drawn where scores are not weighed."""

    weights: str = WEIGHTS
    repeats: int = 20
    temperature: float | None = 1.0
    max_tokens: int = 16
    fewest_valid: int = 1
    reference: bool = True
    language: str = "en"
    #: Every second sample sees the answer first and the material in the opposite order.
    turned: bool = False


@dataclass(frozen=True)
class SingleSettings:
    """What decides how a judge gives one score from 1 to 10."""

    repeats: int = 3
    temperature: float | None = 0.3
    max_tokens: int = 1500
    fewest_valid: int = 1
    reference: bool = True
    language: str = "en"
    turned: bool = False


AnySettings = Settings | GEvalSettings | SingleSettings


@dataclass(frozen=True)
class JudgeKind:
    """A kind of judge: `key` names it in addresses and in the API, `prompts` hashes what it is told."""

    key: str
    protocol: str
    settings: type[AnySettings]
    prompts: Callable[[str], str]


KINDS: Final[Mapping[str, JudgeKind]] = {
    one.key: one
    for one in (
        JudgeKind("direct", direct.PROTOCOL, Settings, prompts_v1.sha),
        JudgeKind("geval", geval.PROTOCOL, GEvalSettings, lambda _language: forms_v1.sha()),
        JudgeKind("single", single.PROTOCOL, SingleSettings, single.sha),
    )
}
_BY_PROTOCOL: Final = {one.protocol: one for one in KINDS.values()}
_BY_SETTINGS: Final = {one.settings: one for one in KINDS.values()}


def kind_of(settings: AnySettings) -> JudgeKind:
    return _BY_SETTINGS[type(settings)]


def settings_of(judge: Judge) -> AnySettings:
    """Return how a judge grades; what it was made without has its usual value."""
    kind = _BY_PROTOCOL[judge.protocol]
    names = [one.name for one in fields(kind.settings)]
    return kind.settings(**{name: judge.config[name] for name in names if name in judge.config})


def problems(settings: AnySettings) -> dict[str, str]:
    """Return what is wrong with settings, by their names."""
    fewest = A_NUMBER if isinstance(settings, GEvalSettings) else FEWEST_TOKENS
    weights = getattr(settings, "weights", SAMPLES)
    fits: dict[str, Any] = {
        "repeats": 1 <= settings.repeats <= MOST_REPEATS,
        "fewest_valid": 1 <= settings.fewest_valid <= settings.repeats,
        "temperature": settings.temperature is None or 0 <= settings.temperature <= HOTTEST,
        "max_tokens": fewest <= settings.max_tokens <= MOST_TOKENS,
        "language": settings.language in prompts_v1.LANGUAGES,
        "weights": weights in {WEIGHTS, ONLY_WEIGHTS, SAMPLES},
        "turned": not settings.turned or (settings.repeats > 1 and weights == SAMPLES),
    }
    words = {
        "repeats": _("A judge gives from 1 to %(most)d readings.") % {"most": MOST_REPEATS},
        "fewest_valid": _("Ask for at least 1 reading, and for no more than the judge gives."),
        "temperature": _("The temperature lies between 0 and 2."),
        "max_tokens": _("A reply may have from %(fewest)d to %(most)d tokens.")
        % {"fewest": fewest, "most": MOST_TOKENS},
        "language": _("There are no prompts in this language."),
        "weights": _("Scores come from weights, from weights only, or from samples."),
        "turned": _(
            "The order can be turned only where a score is the mean of more than one reading."
        ),
    }
    return {field: words[field] for field, right in fits.items() if not right}
