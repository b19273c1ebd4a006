"""The shape of an estimate: what a run would take, before it is started."""

from evalsite.contract.shapes import maybe, said, shape

SHARE = shape(
    "EstimateShare",
    role=str,
    endpoint_id=maybe(int),
    endpoint=str,
    calls=int,
    prompt_tokens=int,
    completion_tokens=int,
    cost=maybe(float),
    currency=str,
)
ESTIMATE = shape(
    "Estimate",
    calls=int,
    prompt_tokens=int,
    completion_tokens=int,
    cost=said(maybe(float), "Null where a price is not known, or currencies differ."),
    currency=str,
    seconds=maybe(float),
    longest=int,
    sampled=bool,
    shares=[SHARE],
)
