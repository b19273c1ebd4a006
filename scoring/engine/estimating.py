"""What a run is going to cost: calls, tokens, money and time, before anything is asked."""

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any

from annotation.common.sentences import ngettext
from evalsite import errors
from scoring.endpoints.models import Endpoint
from scoring.engine import kinds
from scoring.engine.kinds import Estimated
from scoring.engine.models import Run
from scoring.engine.progress import ROLES

#: So many prompts are looked at; of a run with more, what they say is scaled up by `n_in_all`.
MOST = 5000
#: Seconds that a call takes where "Test connection" has not measured it.
A_CALL = 2.0
#: So many of the prompts that are too long are named.
NAMED = 5


class TooLong(errors.Invalid):
    """Prompts of the run do not fit the endpoint they would go to."""

    code = "prompt_too_long"


@dataclass
class RoleShare:
    """What one endpoint does in one role."""

    role: str
    endpoint_id: int
    endpoint: str
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    #: None: its prices are not known.
    cost: float | None = None
    currency: str = ""

    @property
    def role_label(self) -> str:
        return str(ROLES.get(self.role, self.role))


@dataclass
class RunEstimate:
    """Sums over a run. `cost` is None where a price is not known or currencies differ."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    currency: str = ""
    seconds: float = 0.0
    longest: int = 0
    #: Not all prompts were looked at: the sums are those of the first ones, scaled up.
    sampled: bool = False
    shares: list[RoleShare] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def estimate(run: Run, *, most: int = MOST, n_in_all: int | None = None) -> RunEstimate:
    """Return what a run (which need not be saved) is going to need.

    Args:
        most: look at so many prompts.
        n_in_all: how many prompts there are, where `most` may not be all of them.

    Raises:
        TooLong: a prompt and its reply do not fit the context of its endpoint.
    """
    kind = kinds.kind_called(run.kind)
    wanted = kind.endpoints(run)
    endpoints = {one.pk: one for one in Endpoint.objects.filter(pk__in=wanted)}
    seen = list(itertools.islice(kind.prompts(run), most + 1)) if endpoints else []
    sampled = len(seen) > most
    seen = seen[:most]
    check_lengths(seen, endpoints)
    scale = max(1.0, n_in_all / most) if sampled and n_in_all else 1.0
    found = _summed(seen, endpoints, scale)
    found.sampled = sampled
    return found


def check_lengths(seen: Iterable[Estimated], endpoints: Mapping[int, Endpoint]) -> None:
    """Refuse prompts that do not fit.

    Raises:
        TooLong: says how many, and names the first ones.
    """
    too_long = [
        one
        for one in seen
        if (most := endpoints[one.endpoint_id].context_length) is not None
        and one.prompt_tokens + one.completion_tokens > most
    ]
    if too_long:
        first = too_long[0]
        endpoint = endpoints[first.endpoint_id]
        names = ", ".join(sorted({one.key for one in too_long if one.key})[:NAMED])
        n = sum(one.calls for one in too_long)
        message = ngettext(
            "%(n)d prompt is too long for “%(endpoint)s”: with the reply, it needs about %(needed)d tokens, "
            "and %(most)d fit. %(names)s Take an endpoint with a longer context, or leave it out.",
            "%(n)d prompts are too long for “%(endpoint)s”: with the reply, the first needs about "
            "%(needed)d tokens, and %(most)d fit. %(names)s Take an endpoint with a longer context, "
            "or leave these out.",
            n,
        )
        raise TooLong(
            message
            % {
                "n": n,
                "endpoint": endpoint.name,
                "needed": first.prompt_tokens + first.completion_tokens,
                "most": endpoint.context_length,
                "names": f"({names})" if names else "",
            }
        )


def _summed(
    seen: Iterable[Estimated], endpoints: Mapping[int, Endpoint], scale: float
) -> RunEstimate:
    shares: dict[tuple[str, int], RoleShare] = {}
    whole = RunEstimate()
    for one in seen:
        endpoint = endpoints[one.endpoint_id]
        key = (one.role.value, one.endpoint_id)
        if key not in shares:
            shares[key] = RoleShare(one.role.value, endpoint.pk, endpoint.name)
        share = shares[key]
        share.calls += one.calls
        share.prompt_tokens += one.prompt_tokens * one.calls
        share.completion_tokens += one.completion_tokens * one.calls * one.replies
        whole.longest = max(whole.longest, one.prompt_tokens + one.completion_tokens)
    whole.shares = list(shares.values())
    for share in whole.shares:
        for name in ("calls", "prompt_tokens", "completion_tokens"):
            setattr(share, name, round(getattr(share, name) * scale))
            setattr(whole, name, getattr(whole, name) + getattr(share, name))
        _price(share, endpoints[share.endpoint_id])
    currencies = {share.currency for share in whole.shares}
    costs = [share.cost for share in whole.shares if share.cost is not None]
    if len(currencies) == 1 and len(costs) == len(whole.shares):
        whole.cost, whole.currency = sum(costs), currencies.pop()
    whole.seconds = _seconds(whole.shares, endpoints)
    return whole


def _price(share: RoleShare, endpoint: Endpoint) -> None:
    share.currency = endpoint.currency
    cost = cost_of(
        endpoint.prompt_price,
        endpoint.completion_price,
        share.prompt_tokens,
        share.completion_tokens,
    )
    share.cost = None if cost is None else float(cost)


def cost_of(
    prompt_price: Decimal | None,
    completion_price: Decimal | None,
    prompt_tokens: int,
    completion_tokens: int,
) -> Decimal | None:
    """Return what tokens cost at prices per million; None where a price is not known."""
    if prompt_price is None or completion_price is None:
        return None
    whole = prompt_price * prompt_tokens + completion_price * completion_tokens
    return (whole / 1_000_000).quantize(Decimal("1e-8"))


def _seconds(shares: Iterable[RoleShare], endpoints: Mapping[int, Endpoint]) -> float:
    """Return the time of the endpoint that needs longest: they work side by side."""
    calls: defaultdict[int, int] = defaultdict(int)
    for share in shares:
        calls[share.endpoint_id] += share.calls
    return max((_needed(endpoints[pk], n) for pk, n in calls.items()), default=0.0)


def _needed(endpoint: Endpoint, calls: int) -> float:
    at_once = max(1, endpoint.max_in_flight)
    by_latency = math.ceil(calls / at_once) * latency_of(endpoint)
    by_limit = calls / endpoint.per_minute * 60 if endpoint.per_minute else 0.0
    return max(by_latency, by_limit)


def latency_of(endpoint: Endpoint) -> float:
    """Return the seconds of a call as "Test connection" found them."""
    found = endpoint.found.get("latency", A_CALL)
    value = found.get("value", A_CALL) if isinstance(found, dict) else found
    return float(value) if isinstance(value, int | float) and value > 0 else A_CALL
